from __future__ import annotations

import codecs
import itertools
import os
import re
import string
import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from . import wording
from .desk import Desk
from .questions import Question

if sys.platform == "win32":
    import msvcrt
else:
    import termios
    import tty

__all__ = ["Keyboard", "Terminal"]

_SKIP, _DONT_KNOW, _UNDO, _NEW, _QUIT = "s", "d", "u", "n", "q"
# Letters are for classes.
_ALL = " "
# The keys of the classes, in this order.
_FREE = [c for c in "123456789" + string.ascii_lowercase if c not in "sdunq"]
# Minimum number of lines for an instance that does not fit the screen, and for each of its columns.
_FEWEST_LINES = 4
_FEWEST_LINES_EACH = 3
_WIDEST_NAME = 30
# What a terminal sends for a key without a character, such as an arrow.
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)")


class Terminal:
    """A desk in a terminal, with a key for each answer.

    Parameters
    ----------
    desk
        The desk.
    title
        The title of each screen, such as the name of the file.
    keyboard
        The keyboard to read from, in its `with` block.
    console
        The console to print to; standard output by default.
    last
        Names of columns to show after the others.

    """

    def __init__(
        self,
        desk: Desk,
        title: str,
        keyboard: Keyboard,
        console: Console | None = None,
        last: Collection[str] = (),
    ):
        self.desk = desk
        self.title = " ".join(wording.printable(title).split())
        self._console = Console(highlight=False) if console is None else console
        self._keyboard = keyboard
        self._last = frozenset(last)
        self._status = wording.found(desk)
        self._problem = ""

    def run(self) -> None:
        """Ask questions until the key for quitting is pressed."""
        while True:
            # Keys that were pressed earlier are not meant for the next question.
            self._keyboard.forget()
            self._draw()
            key = self._keyboard.key()
            if key in (_QUIT, ""):
                return
            self._problem = ""
            try:
                self._do(key)
            except IndexError as error:
                self._problem = f"{error}."

    def _do(self, key: str) -> None:
        desk = self.desk
        keys = dict(zip(_FREE, desk.classes, strict=False))
        before = desk.answers
        if key == _UNDO:
            desk.undo()
            self._status = wording.undone(before[-1])
            return
        if desk.question is None:
            self._problem = wording.no_such_key(key)
        elif key in keys:
            desk.answer(keys[key])
        elif key == _SKIP:
            desk.skip()
        elif key == _DONT_KNOW:
            desk.dont_know()
        elif key == _NEW:
            self._name_class()
        elif key == _ALL:
            self._show_all(desk.question)
        else:
            self._problem = wording.no_such_key(key)
        if len(desk.answers) > len(before):
            self._status = wording.last(desk.answers[-1])

    def _name_class(self) -> None:
        line = self._keyboard.line("Name of the class (Escape cancels): ")
        name = "".join(filter(str.isprintable, line)).strip()
        if not name:
            return
        if len(self.desk.classes) == len(_FREE) and name not in self.desk.classes:
            self._problem = f"There are no keys for more than {len(_FREE)} classes."
            return
        try:
            self.desk.answer(name)
        except ValueError as error:
            self._problem = f"{error}."

    def _draw(self) -> None:
        desk, question = self.desk, self.desk.question
        above: list[RenderableType] = [
            Text(f"{self.title}: {wording.spent(desk)}", style="bold", overflow="ellipsis"),
            Rule(style="dim"),
        ]
        below: list[RenderableType] = []
        if question is None:
            above += [Text(wording.over(desk)), Text("")]
        else:
            why = f"Row {question.index + 1:,}: {wording.asked(question)}"
            above += [Text(why, style="dim"), Text("")]
            below += [Text(""), *_guess(question)]
        below += [self._keys(question), Rule(style="dim"), Text(wording.accuracy(desk.accuracy))]
        if self._status:
            below.append(Text(self._status))
        if self._problem:
            below.append(Text(self._problem, style="bold red"))
        shown: list[RenderableType] = []
        if question is not None:
            room = self._height - self._n_lines([*above, *below])
            shown = [self._overview(question.instance, max(room, _FEWEST_LINES))]
        self._print([*above, *shown, *below])

    def _show_all(self, question: Question) -> None:
        """Show a whole instance, screen by screen."""
        lines = [line for block in self._blocks(question.instance) for line in block]
        back = Text.assemble((" any key ", "reverse"), " back")
        on = Text.assemble((" space ", "reverse"), " next screen   ", back)
        title = f"Row {question.index + 1:,}, screen "
        # The number of screens is at most the number of lines.
        longest = Text(f"{title}{len(lines):,} of {len(lines):,}")
        room = max(self._height - self._n_lines([longest, on]) - 2, _FEWEST_LINES)
        pages = [lines[start : start + room] for start in range(0, len(lines), room)]
        for number, page in enumerate(pages, start=1):
            place = Text(f"{title}{number:,} of {len(pages):,}", style="dim")
            keys = on if number < len(pages) else back
            self._keyboard.forget()
            self._print([place, Text(""), *page, Text(""), keys])
            if self._keyboard.key() != _ALL:
                return

    @property
    def _width(self) -> int:
        return min(self._console.width, 100)

    @property
    def _height(self) -> int:
        """Number of lines that can be printed; the cursor needs one more."""
        return self._console.height - 1

    def _n_lines(self, parts: list[RenderableType]) -> int:
        options = self._console.options.update(width=self._width)
        return len(self._console.render_lines(Group(*parts), options, pad=False))

    def _print(self, parts: list[RenderableType]) -> None:
        self._console.clear()
        self._console.print(Group(*parts), width=self._width)

    def _blocks(self, instance: Any, most: int | None = None) -> list[list[Text]]:
        """Return the lines of a text, or of each of the first non-empty columns."""
        if not isinstance(instance, dict):
            return [self._wrapped(instance, self._width)]
        cells = self._cells(instance)[:most]
        names = [" ".join(wording.printable(name).split()) for name, _ in cells]
        widest = max(map(cell_len, names), default=0)
        left = min(widest, _WIDEST_NAME, self._width // 3)
        blocks = []
        for name, (_, value) in zip(names, cells, strict=True):
            block = []
            for part, cell in itertools.zip_longest(
                self._wrapped(name, left, "cyan"), self._wrapped(value, self._width - left - 2)
            ):
                line = Text() if part is None else part
                line.truncate(left, pad=True)
                block.append(line if cell is None else Text.assemble(line, "  ", cell))
            blocks.append(block)
        return blocks

    def _cells(self, instance: dict[Any, Any]) -> list[tuple[Any, Any]]:
        """Return the columns that are not empty, in the order in which they are shown."""
        cells = [(name, value) for name, value in instance.items() if value not in (None, "")]
        return sorted(cells, key=lambda cell: cell[0] in self._last)

    def _wrapped(self, value: Any, width: int, style: str = "") -> list[Text]:
        text = Text(wording.printable(value), style=style)
        text.expand_tabs(4)
        return list(text.wrap(self._console, max(width, 1))) or [Text()]

    def _overview(self, instance: Any, room: int) -> Text:
        """Return as much of an instance as fits into the room, and how to see the rest."""
        blocks = self._blocks(instance, room + 1)
        if sum(map(len, blocks)) <= room:
            return Text("\n").join(itertools.chain.from_iterable(blocks))
        # The last line shows the key for the rest.
        room -= 1
        most = room
        while most > _FEWEST_LINES_EACH and sum(min(len(block), most) for block in blocks) > room:
            most -= 1
        lines: list[Text] = []
        n_shown = 0
        for block in blocks:
            cut = block[: min(most, room - len(lines))]
            if not cut:
                break
            if len(cut) < len(block):
                cut[-1].truncate(self._width - 2)
                cut[-1].append(" …", style="dim")
            lines += cut
            n_shown += 1
        n_hidden = len(self._cells(instance)) - n_shown if isinstance(instance, dict) else 0
        columns = f"{n_hidden:,} more column{'s' if n_hidden > 1 else ''}   " if n_hidden else ""
        hint = Text.assemble((f"… {columns}", "dim"), (" space ", "reverse"), " show all")
        return Text("\n").join([*lines, hint])

    def _keys(self, question: Question | None) -> Text:
        text = Text()
        if question is not None:
            for key, label in zip(_FREE, self.desk.classes, strict=False):
                text.append(f" {key} ", style="reverse")
                text.append(f" {wording.printable(label)}   ")
            if text:
                text.append("\n")
        actions = {
            _NEW: "new class",
            _SKIP: "skip",
            _DONT_KNOW: "don't know",
            _UNDO: "undo",
            _QUIT: "save and quit",
        }
        for key, action in actions.items():
            if question is not None or key in (_UNDO, _QUIT):
                text.append(f" {key} ", style="reverse")
                text.append(f" {action}   ")
        return text


def _guess(question: Question) -> Iterator[RenderableType]:
    if question.guess is None:
        return
    yield Text("Guess: ") + Text(wording.guess(question), style="bold")
    for terms, style in zip(wording.terms(question), ("green", "red"), strict=True):
        if terms:
            yield Text(terms, style=style)
    yield Text("")


def _typed(read: Callable[[], str], echo: Callable[[str], Any]) -> str:
    """Read a line without keys that have no character; return an empty one if it is cancelled."""
    line = ""
    while True:
        for c in _SEQUENCE.sub("", read()):
            if c in "\r\n":
                echo("\n")
                return line
            if c in "\x1b\x04":
                echo("\n")
                return ""
            if c in "\b\x7f":
                echo("\b \b" * cell_len(line[-1:]))
                line = line[:-1]
            elif c == "\x15":
                echo("\b \b" * cell_len(line))
                line = ""
            elif c.isprintable():
                echo(c)
                line += c


def _echo(text: str) -> None:
    print(text, end="", flush=True)


class Keyboard:
    """The keys of a terminal, read one by one and not echoed within a `with` block."""

    if sys.platform == "win32":

        def __enter__(self) -> Keyboard:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def forget(self) -> None:
            """Discard the keys that were pressed so far."""
            while msvcrt.kbhit():
                msvcrt.getwch()

        def key(self) -> str:
            """Wait for a key and return it; Ctrl-C raises a `KeyboardInterrupt`."""
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            # A key without a character, such as an arrow, sends two.
            return f"{key}{msvcrt.getwch()}" if key in ("\x00", "\xe0") else key

        def line(self, prompt: str) -> str:
            """Read a line of text; return an empty one if Escape is pressed."""
            _echo(prompt)
            return _typed(self._characters, _echo)

        def _characters(self) -> str:
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            # A key without a character sends two, the first of which may also be a letter.
            if key in ("\x00", "\xe0") and msvcrt.kbhit():
                msvcrt.getwch()
                return ""
            return key

    else:

        def __enter__(self) -> Keyboard:
            self._handle = sys.stdin.fileno()
            self._before = termios.tcgetattr(self._handle)
            tty.setcbreak(self._handle)
            return self

        def __exit__(self, *_: object) -> None:
            termios.tcsetattr(self._handle, termios.TCSADRAIN, self._before)

        def forget(self) -> None:
            """Discard the keys that were pressed so far."""
            termios.tcflush(self._handle, termios.TCIFLUSH)

        def key(self) -> str:
            """Wait for a key and return it; return an empty string at the end of the input."""
            data = os.read(self._handle, 64)
            # A key without a character, such as an arrow, sends several that begin with Escape.
            return "\x1b" if data.startswith(b"\x1b") else data.decode("utf-8", "replace")[:1]

        def line(self, prompt: str) -> str:
            """Read a line of text; return an empty one if Escape is pressed."""
            _echo(prompt)
            decoder = codecs.getincrementaldecoder("utf-8")("ignore")

            def characters() -> str:
                data = os.read(self._handle, 64)
                return decoder.decode(data) if data else "\x04"

            return _typed(characters, _echo)
