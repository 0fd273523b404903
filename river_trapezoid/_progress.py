"""A progress bar where tqdm is installed; nothing where it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], total: int, description: str, show: bool = True) -> Iterator[T]:
    """Pass on `items`, showing how many of `total` have come."""
    if show:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            pass
        else:
            items = tqdm(items, total=total, desc=description, leave=False)
    yield from items
