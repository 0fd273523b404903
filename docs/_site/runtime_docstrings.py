"""Docstrings as they are at run time, with references that need no other text to be resolved."""

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

    Some classes complete theirs from those of their bases when they are made. Each section of a
    docstring is rendered by itself, so that a footnote would not find its mark. And what is returned
    is told in sentences, as River does, which is not to be taken for a type.
    """

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Look a public class up, and see what it says of itself."""
        if obj.docstring is None:
            return
        package, *parts = obj.path.split(".")
        private = any(part.startswith("_") for part in parts)
        # What nothing has imported so far may need more than is installed.
        module = sys.modules.get(obj.module.path)
        if obj.is_class and package == "river_trapezoid" and not private and module:
            found = getattr(module, obj.name)
            obj.docstring.value = inspect.cleandoc(found.__doc__ or "")
        text = REFERENCE.sub(r"\1. ", obj.docstring.value)
        text = RETURNS.sub(_told, text + "\n")
        obj.docstring.value = MARK.sub(r"<sup>\1</sup>", text)


def _told(returns: re.Match[str]) -> str:
    return f"{returns[1]}\n-------\n:\n{textwrap.indent(returns[2], '    ')}"
