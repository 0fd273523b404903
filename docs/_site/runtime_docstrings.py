"""Docstrings as they are at run time, with numbered references in place of footnotes."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from typing import Any

import griffe

RETURNS = re.compile(
    r"^(Returns|Yields)\n-{3,}\n(.*?)(?=^\w+\n-{3,}\n|\Z)", re.MULTILINE | re.DOTALL
)
REFERENCE = re.compile(r"^\[\^(\d+)\]: ", re.MULTILINE)
MARK = re.compile(r"\[\^(\d+)\]")


class RuntimeDocstrings(griffe.Extension):
    """Complete the docstrings of classes, and number references.

    Some classes complete their docstrings from those of their bases when they are created. Each
    section of a docstring is rendered separately, so a footnote would not find its mark. As in
    River, the section Returns has sentences, which must not be parsed as types.
    """

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Replace the docstring of a public class by its docstring at run time."""
        if obj.docstring is None:
            return
        package, *parts = obj.path.split(".")
        private = any(part.startswith("_") for part in parts)
        # A module that is not imported yet may need extras that are not installed.
        module = sys.modules.get(obj.module.path)
        if obj.is_class and package == "river_trapezoid" and not private and module:
            found = getattr(module, obj.name)
            obj.docstring.value = inspect.cleandoc(found.__doc__ or "")
        text = REFERENCE.sub(r"\1. ", obj.docstring.value)
        text = RETURNS.sub(_sentences, text + "\n")
        obj.docstring.value = MARK.sub(r"<sup>\1</sup>", text)


def _sentences(returns: re.Match[str]) -> str:
    return f"{returns[1]}\n-------\n:\n{textwrap.indent(returns[2], '    ')}"
