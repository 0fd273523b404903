"""Records and their means as text, HTML, CSV and data frames."""

from __future__ import annotations

import csv
import html
import os
from collections.abc import Sequence
from typing import Any, TypeAlias

from river import utils

__all__ = ["Record", "as_frame", "as_html", "as_text", "cell", "write_csv"]

Record: TypeAlias = dict[str, Any]


def cell(row: Record) -> str:
    """Return the mean, the standard deviation if there is one, and the verdict."""
    if not row["repeats"]:
        return "failed" if row["failed"] else "no run"
    # Shares have four decimals, counts such as the number of errors have one.
    decimals = 4 if abs(row["mean"]) < 100 else 1
    text = f"{row['mean']:.{decimals}f}"
    if row["repeats"] > 1:
        text += f" ± {row['std']:.{decimals}f}"
    if row["failed"]:
        text += f" ({row['failed']} failed)"
    return f"{text} {row['verdict'] or ' '}" if "verdict" in row else text


def as_text(rows: Sequence[Sequence[str]]) -> str:
    """Return a table for the terminal; the first row is the header, the first column has names."""
    headers, *body = rows
    columns = [list(column) for column in zip(*body, strict=True)]
    width = max(map(len, columns[0]))
    columns[0] = [name.ljust(width) for name in columns[0]]
    table = utils.pretty.print_table(headers=list(headers), columns=columns)
    return "\n".join(line.rstrip() for line in table.splitlines())


def as_html(rows: Sequence[Sequence[str]]) -> str:
    """Return the same table as HTML; the first cell of each row is also a header."""
    headers, *body = rows
    head = "".join(f"<th>{html.escape(name)}</th>" for name in headers)
    lines = "".join(
        f"<tr><th>{html.escape(name)}</th>"
        + "".join(f"<td>{html.escape(text.strip())}</td>" for text in cells)
        + "</tr>"
        for name, *cells in body
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def write_csv(records: Sequence[Record], path: str | os.PathLike[str]) -> None:
    """Write records as CSV, with the fields of the first record as columns."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(records[0]) if records else [])
        writer.writeheader()
        writer.writerows(records)


def as_frame(records: Sequence[Record]) -> Any:
    """Return records as a pandas data frame; pandas must be installed."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_pandas needs pandas: pip install pandas") from None

    return pd.DataFrame(records)
