"""The rows of `compiled/_rows.pyx`, interpreted."""

from __future__ import annotations

from river_trapezoid._frame import Rows

from ._feature_table import FeatureTable, Instance

__all__ = ["SlotRows"]


class SlotRows:
    """The rows of a mini-batch as instances of a table."""

    def open(self, table: FeatureTable, rows: Rows) -> None:
        rows.check_columns()
        self.table, self.n, self.rows = table, len(rows), list(rows)

    def find(self, add: bool) -> None:
        self.adding = add

    def row(self, i: int) -> Instance:
        x = self.table.open(self.rows[i], False).x
        if self.adding:
            self.table.enter(x, False)
        else:
            self.table.find(x)
        return x

    def record(self) -> None:
        """Let the table note what the rows change, so that it can be undone."""
        if not self.table.journaling:
            self.table.journaling = self.table.noting = True

    def record_payloads(self) -> None:
        self.record()

    def look(self, i: int) -> None:
        pass

    def undo(self) -> None:
        self.table.restore()

    def end(self) -> None:
        self.table.forget_changes()

    def close(self) -> None:
        pass
