"""What outcomes are written as: records in CSV or a data frame, cells in HTML."""

from __future__ import annotations

import csv
import html
import os
from collections.abc import Sequence
from typing import Any, TypeAlias

__all__ = ["Record", "data_frame", "html_table", "write_csv"]

Record: TypeAlias = dict[str, Any]


def write_csv(path: str | os.PathLike[str], records: Sequence[Record]) -> None:
    """Write records of the same fields as CSV."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(records[0]) if records else [])
        writer.writeheader()
        writer.writerows(records)


def data_frame(records: Sequence[Record]) -> Any:
    """Records as a pandas data frame."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_pandas needs pandas: pip install pandas") from None

    return pd.DataFrame(records)


def html_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in HTML, the first cell of each row being its header."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in headers)
    body = "".join(
        f"<tr><th>{html.escape(first)}</th>"
        + "".join(f"<td>{html.escape(cell.strip())}</td>" for cell in cells)
        + "</tr>"
        for first, *cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
