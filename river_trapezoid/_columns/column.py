from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import Any

from .cells import CELLS, MISSING, as_float, plain_cell
from .dates import Moment, WrittenDate, moment_of, read_iso
from .kinds import StringSample
from .numbers import WrittenNumber, is_ambiguous
from .reading import SYMBOLS, TRUTH_WORDS, read
from .values import OTHER, Values, as_value
from .words import words_of

__all__ = ["KINDS", "Column", "ColumnReport"]

#: What a column can hold, and how its numbers or dates are written where that is known.
KINDS = (
    *("number", "number:point", "number:comma", "truth"),
    *("date", "date:day-first", "date:month-first"),
    *("category", "text", "identifier", "ignored"),
)
_READINGS = ("number", "truth", "date", "string")
# The kinds of which a cell can be odd, and the readings that are not.
_FITTING = {"number": {"number"}, "truth": {"truth", "number"}, "date": {"date"}}
# The values of a column that are remembered where all of them have a feature of their own.
_REMEMBERED = 1000
_N_FIRST = 3
_LONGEST_SHOWN = 60
# With this many more proofs of one decimal sign than of the other, further ones are not counted.
_SURE = 100
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# That of 1 January 1970.
_FIRST_WEEKDAY = 3


@dataclasses.dataclass(frozen=True)
class ColumnReport:
    """What has been learned about a column.

    Parameters
    ----------
    kind
        What the column holds: one of `KINDS`, or `"empty"` as long as no cell has a value.
    n_known
        The number of cells with a value.
    n_missing
        The number of cells without one, such as empty strings and `None`.
    n_odd
        The number of cells that do not fit the kind.
    odd_cells
        The first distinct odd cells, each after the number of its row, from 1.
    ambiguous
        Whether cells such as `1.234` or `02/03/2024` can be read in two ways, and no other cell has
        decided between them.

    """

    kind: str
    n_known: int
    n_missing: int
    n_odd: int
    odd_cells: tuple[tuple[int, str], ...]
    ambiguous: bool


class Column:
    """What a column of a table holds, learned cell by cell, and the features of its cells.

    Parameters
    ----------
    name
        The name of the column.
    given
        One of `KINDS`, or None to learn it. It is decided again whenever the number of cells with a
        value has doubled.
    max_categories
        The number of values that have a feature of their own in one-hot form; None for all.

    """

    _TAG = "river_trapezoid.columns.Column"

    def __init__(self, name: Hashable, given: str | None = None, max_categories: int | None = None):
        self.name = name
        self.given = given
        self.max_categories = max_categories
        self.kind = "empty" if given is None else given.partition(":")[0]
        self.comma = given == "number:comma"
        self.day_first = given == "date:day-first"
        # Whether odd cells are categories; they are left out if nearly all of them are new.
        self.keeps_odd = True
        self.n = 0
        self.n_missing = 0
        # The cells with a value that are not numbers.
        self.others = {"truth": 0, "date": 0, "string": 0}
        # The strings that prove a decimal sign or the order of day and month, and those that can be
        # read in two ways.
        self.proofs = {".": 0, ",": 0, "number": 0, "day": 0, "month": 0, "date": 0}
        self.first: dict[str, list[tuple[int, str]]] = {}
        self.strings: StringSample | None = None
        self.values: Values | None = None
        # Whether `learn_row` and `write_row` read the numbers of the column as Python does, once
        # these symbols around them are gone.
        self.plain = False
        self.symbols = ""
        # Whether the decimal sign is decided for good.
        self.sure = given in ("number:point", "number:comma")
        self.next_decision = 1

    @property
    def full_kind(self) -> str:
        """One of `KINDS`: the kind, with the notation that the cells have proved."""
        if self.kind == "number" and self.comma:
            return "number:comma"
        if self.kind == "date" and self.proofs["day"] != self.proofs["month"]:
            return "date:day-first" if self.day_first else "date:month-first"
        return "number" if self.kind == "empty" else self.kind

    @property
    def is_measured(self) -> bool:
        """Whether the column holds numbers, booleans or dates, and strings only as odd cells."""
        return self.kind in _FITTING

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        if self.kind not in (*KINDS, "empty") or self.given not in (*KINDS, None):
            raise ValueError(f"the kind of a column must be one of {KINDS}; got {self.kind!r:.60}")
        counts = [self.n, self.n_missing, self.next_decision]
        for name, fresh in (("others", self.others), ("proofs", self.proofs)):
            if fresh.keys() != vars(Column(self.name))[name].keys():
                raise ValueError(f"{name} must have the keys of a new column")
            counts += fresh.values()
        if any(type(count) is not int or count < 0 for count in counts):
            raise ValueError("the counts of a column must be integers >= 0")
        if sum(self.others.values()) > self.n:
            raise ValueError("the counts of a column must be consistent")
        if type(self.strings) not in (StringSample, type(None)):
            raise ValueError("strings must be a sample of strings or None")
        if type(self.values) not in (Values, type(None)):
            raise ValueError("values must be the values of a column or None")
        if self.others["string"] and self.strings is None:
            raise ValueError("a column with strings must have a sample of them")
        if self.symbols not in ("", SYMBOLS):
            raise ValueError(f"symbols must be those around numbers; got {self.symbols!r:.60}")
        for reading, cells in self.first.items():
            if reading not in _READINGS or type(cells) is not list or len(cells) > _N_FIRST:
                raise ValueError(
                    f"first must be a dict from readings to lists of at most {_N_FIRST} cells"
                )
            if any(tuple(map(type, cell)) != (int, str) for cell in cells):
                raise ValueError("a first cell must be a pair of a row and a string")

    def learn(self, cell: Any, row: int = 0) -> None:
        """Learn from a cell.

        Parameters
        ----------
        cell
            A cell, as `plain_cells` returns it.
        row
            The number of its row.

        """
        if type(cell) is str:
            reading = self._learn_string(cell)
        elif cell is None or cell != cell:
            reading = None
        elif type(cell) is bool:
            reading = "truth"
        elif type(cell) is float or type(cell) is int:
            reading = "number" if as_float(cell) - as_float(cell) == 0.0 else "string"
        else:
            reading = "date"
        if reading is None:
            self.n_missing += 1
        elif reading == self.kind and self.n > _N_FIRST:
            self.count(reading)
        else:
            self._count_other(reading, cell, row)

    def count(self, reading: str) -> None:
        """Count a cell with a value that has been read."""
        self.n += 1
        if reading != "number":
            self.others[reading] += 1
        if self.n >= self.next_decision:
            self.decide()

    def learned_again(self, text: str) -> bool:
        """Learn from a known string, in a column that holds only strings.

        Returns
        -------
        Whether the string is known and the column holds only strings.

        """
        values = self.values
        if values is None or text not in values.counts or self.others["string"] != self.n:
            return False
        values.counts[text] += 1
        # Wherever strings are counted there is a sample of them.
        self.strings.add_again()  # type: ignore[union-attr]
        self.count("string")
        return True

    def learned_truth(self, text: str) -> bool:
        """Learn from a boolean word in a column of booleans, once there are a few cells.

        Returns
        -------
        Whether the string is a boolean word that was learned.

        """
        if self.n <= _N_FIRST or text not in TRUTH_WORDS:
            return False
        self.count("truth")
        return True

    def prove_point(self, text: str) -> None:
        """Learn from the point of a number in Python's notation."""
        if text[-4:-3] == "." and is_ambiguous(text.strip(SYMBOLS + " +-")):
            self._prove_number("")
        else:
            self._prove_number(".")

    def _learn_string(self, cell: str) -> str | None:
        """How a string is read, with what it proves about the column; None if it is missing."""
        kind = self.kind
        if kind == "date" and read_iso(cell) is not None:
            return "date"
        text = cell.strip()
        if text in MISSING:
            return None
        strings = self.strings
        if strings is not None and strings.n >= strings.most and kind in ("text", "identifier"):
            # Its strings have decided, and are not read as anything else.
            return "string"
        found = read(text)
        if found is None:
            return "string"
        if type(found) is WrittenNumber:
            if text[0] in SYMBOLS or text[-1] in SYMBOLS:
                self.symbols = SYMBOLS
            if not self.sure and (found.sign or found.with_point != found.with_comma):
                self._prove_number(found.sign)
            return "number"
        if type(found) is WrittenDate:
            self._prove_date(found)
            return "date"
        return "truth"

    def _prove_number(self, sign: str) -> None:
        proofs = self.proofs
        proofs[sign or "number"] += 1
        if self.given in (None, "number"):
            self.comma = proofs[","] > proofs["."]
            self.sure = abs(proofs[","] - proofs["."]) >= _SURE
            self._settle()

    def _prove_date(self, date: WrittenDate) -> None:
        if date.month_first is date.day_first:
            return
        if date.month_first is None:
            self.proofs["day"] += 1
        elif date.day_first is None:
            self.proofs["month"] += 1
        else:
            self.proofs["date"] += 1
        if self.given in (None, "date"):
            self.day_first = self.proofs["day"] > self.proofs["month"]

    def _count_other(self, reading: str, cell: Any, row: int) -> None:
        """Count one of the first cells, a string, or a cell that does not fit."""
        fitting = _FITTING.get(self.kind)
        if self.n < _N_FIRST or (fitting is not None and reading not in fitting):
            self._show(reading, as_value(cell)[:_LONGEST_SHOWN], row)
        if reading == "string":
            if self.strings is None:
                self.strings = StringSample()
            if self.strings.n < self.strings.most:
                self.strings.add(cell.strip() if type(cell) is str else as_value(cell))
        self.count(reading)
        if self.kind == "category" or (reading == "string" and self.kind in _FITTING):
            if self.values is None:
                self.values = Values(f"{self.name}=", self.max_categories or _REMEMBERED)
            self.values.add(as_value(cell))

    def _show(self, reading: str, text: str, row: int) -> None:
        """Keep one of the first cells of a reading for the report."""
        shown = self.first.setdefault(reading, [])
        if len(shown) < _N_FIRST and all(text != other for _, other in shown):
            shown.append((row, text))

    def decide(self) -> None:
        """Decide what the column holds, from all cells so far."""
        strings = "category" if self.strings is None else self.strings.kind()
        self.keeps_odd = strings != "identifier"
        if self.given is None:
            half = self.n / 2
            measured = (kind for kind in _FITTING if self._n_read(kind) >= half)
            self.kind = next(measured, strings)
        if self.kind not in _FITTING and self.kind != "category":
            self.values = None
        elif self.values is not None:
            self.values.rank()
        self._settle()
        # Last, so that what an interrupt prevents is done at the next cell.
        self.next_decision = 2 * self.n

    def _n_read(self, reading: str) -> int:
        """The number of cells that were read as numbers, booleans, dates or strings."""
        return self.others[reading] if reading != "number" else self.n - sum(self.others.values())

    def _settle(self) -> None:
        self.plain = self.kind == "number" and not self.comma and self.n > _N_FIRST

    def write(self, cell: Any, x: dict[Hashable, Any], one_hot: bool) -> None:
        """Add the features of a cell to those of its row.

        Parameters
        ----------
        cell
            A cell; one that `plain_cell` refuses raises a `TypeError`.
        x
            The features of the row.
        one_hot
            Whether a category becomes a feature with the value 1, rather than a string.

        """
        kind = self.kind
        if kind == "ignored":
            return
        if type(cell) not in CELLS:
            cell = plain_cell(self.name, cell)
        if cell is None or kind == "identifier" or cell != cell:
            return
        if kind == "date" and type(cell) is str and (moment := read_iso(cell)) is not None:
            self._write_moment(moment, x, one_hot)
        elif kind == "empty":
            # By the rules that hold for the first cell, which is not learned from here.
            first = Column(self.name, None, self.max_categories)
            first.learn(cell)
            if first.n:
                first.write(cell, x, one_hot)
        elif type(cell) is str:
            text = cell.strip()
            if text not in MISSING:
                self._write_string(text, x, one_hot)
        elif kind not in _FITTING:
            self._write_string(as_value(cell), x, one_hot)
        elif type(cell) is float or type(cell) is int or type(cell) is bool:
            number = as_float(cell)
            if number - number == 0.0:
                x[self.name] = number
            else:
                self._write_category(as_value(cell), x, one_hot)
        elif kind == "date":
            self._write_moment(moment_of(cell), x, one_hot)
        else:
            self._write_category(as_value(cell), x, one_hot)

    def _write_string(self, text: str, x: dict[Hashable, Any], one_hot: bool) -> None:
        kind = self.kind
        if kind == "category":
            self._write_category(text, x, one_hot)
        elif kind == "text":
            for word, count in words_of(text).items():
                x[f"{self.name}:{word}"] = count
        elif kind in _FITTING:
            found = read(text)
            if type(found) is WrittenNumber:
                x[self.name] = found.with_comma if self.comma else found.with_point
            elif type(found) is WrittenDate and kind == "date":
                moments = found.day_first, found.month_first
                moment = moments[0 if self.day_first else 1] or moments[1 if self.day_first else 0]
                # A date in a string can be read in one of the two ways at least.
                self._write_moment(moment, x, one_hot)  # type: ignore[arg-type]
            elif type(found) is float and kind == "truth":
                x[self.name] = found
            else:
                self._write_category(text, x, one_hot)

    def _write_moment(self, moment: Moment, x: dict[Hashable, Any], one_hot: bool) -> None:
        name = self.name
        day, hour = moment
        if day is not None:
            x[f"{name}.day"] = float(day)
            weekday = _WEEKDAYS[(day + _FIRST_WEEKDAY) % 7]
            if one_hot:
                x[f"{name}.weekday={weekday}"] = 1.0
            else:
                x[f"{name}.weekday"] = weekday
        if hour is not None:
            x[f"{name}.hour"] = hour

    def _write_category(self, text: str, x: dict[Hashable, Any], one_hot: bool) -> None:
        if self.kind != "category" and not self.keeps_odd:
            return
        value = as_value(text)
        if not one_hot:
            x[self.name] = value
            return
        if self.max_categories is not None and self.values is not None:
            value = value if self.values.has_name(value) else OTHER
        x[f"{self.name}={value}"] = 1.0

    def report(self) -> ColumnReport:
        """What has been learned about the column."""
        fitting = _FITTING.get(self.kind, set(_READINGS))
        odd = [reading for reading in _READINGS if reading not in fitting]
        cells = sorted(cell for reading in odd for cell in self.first.get(reading, ()))
        proofs = self.proofs
        return ColumnReport(
            kind=self.kind,
            n_known=self.n,
            n_missing=self.n_missing,
            n_odd=sum(map(self._n_read, odd)),
            odd_cells=tuple(cells[:_N_FIRST]),
            ambiguous=(
                (self.given in (None, "number") and self.kind == "number")
                and proofs["number"] > 0 == proofs["."] + proofs[","]
            )
            or (
                (self.given in (None, "date") and self.kind == "date")
                and proofs["date"] > 0 == proofs["day"] + proofs["month"]
            ),
        )
