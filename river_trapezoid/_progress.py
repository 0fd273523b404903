"""Progress bars, if tqdm is installed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def bar(total: int | None, show: bool = True, **options: Any) -> Iterator[Callable[[float], Any]]:
    """Show a progress bar, and yield the function that advances it.

    Without tqdm, nothing is shown, and the function has no effect.
    """
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield lambda n: None
        return
    with tqdm(total=total, disable=not show, **options) as shown:
        yield shown.update
