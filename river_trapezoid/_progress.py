"""Progress bars where tqdm is installed; nothing where it is not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def bar(total: int | None, show: bool = True, **options: Any) -> Iterator[Callable[[float], Any]]:
    """Show a progress bar, and yield the function that advances it."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield lambda n: None
        return
    with tqdm(total=total, disable=not show, **options) as shown:
        yield shown.update
