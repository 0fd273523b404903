from __future__ import annotations

import inspect
import re

__all__ = ["inherited"]

_HEADING = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+)\n((?:    .*\n)+)", re.MULTILINE)


def inherited(cls: type, root: type) -> str | None:
    """The docstring of a class, completed by what those of its bases say.

    Its description goes on with that of `root`, less the summary. Its parameters come after those
    of its bases, in the order of a dataclass's fields. Sections that it lacks are those of `root`.
    """
    if cls.__doc__ is None:  # As under `python -OO`.
        return None
    own, shared = _sections(cls), _sections(root)
    description = own.pop("") + shared.pop("").partition("\n\n")[2]
    parameters: dict[str, str] = {}
    for each in (*reversed(cls.__bases__), cls):
        parameters |= dict(_ENTRY.findall(_sections(each).get("Parameters", "")))
    entries = "".join(f"{name}\n{text}" for name, text in parameters.items()) + "\n"
    sections = {**shared, **own, "Parameters": entries}
    order = dict.fromkeys(["Parameters", *own, *shared])
    return description + "".join(
        f"{heading}\n{'-' * len(heading)}\n{sections[heading]}" for heading in order
    )


def _sections(cls: type) -> dict[str, str]:
    """The text under each heading of a docstring; what precedes the first is under an empty one."""
    start, *rest = _HEADING.split(inspect.cleandoc(cls.__doc__ or "") + "\n\n")
    return {"": start, **dict(zip(rest[::2], rest[1::2], strict=True))}
