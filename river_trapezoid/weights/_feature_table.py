"""The table of `compiled/_feature_table.pyx`, interpreted: a dict of slots, and lists by slot.

The rules see the same names in both forms. What the compiled table has for speed only (a journal of
its own for columns, prefetching, a run and a buffer beside the heap) has no counterpart here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from heapq import heapify, heappop, heappush
from typing import Any

from river_trapezoid._instance import FeatureDict, Features, observed
from river_trapezoid._parameters import check_budget, share_of
from river_trapezoid.weights.key_order import check_keys, rank

__all__ = ["FeatureTable", "Held", "Instance"]

MOST_ENTRIES = 0x7FFFFFFF
# A table this small is not worth rebuilding.
FEW = 64


class Entry:
    """A feature: its key, the number it is ranked by, and whether it has been seen."""

    __slots__ = ("key", "seen", "v")

    def __init__(self, key: Hashable):
        self.key, self.v, self.seen = key, 0.0, False


class Instance:
    """The features of one instance, as lists."""

    __slots__ = ("all_found", "all_seen", "keys", "n", "slots", "terms", "updated", "values")

    def __init__(self, keys: list[Hashable], values: list[float]):
        self.n = len(keys)
        self.keys, self.values = keys, values
        self.terms, self.updated, self.slots = [0.0] * self.n, [0.0] * self.n, [-1] * self.n
        self.all_found = self.all_seen = False


class Held:
    """An instance that has been read, and must be closed."""

    __slots__ = ("categories", "x")

    def __init__(self, x: Instance):
        self.x = x
        # The categories of an instance that has some.
        self.categories: Any = None

    def result(self) -> FeatureDict:
        """The features with the numbers in `terms`."""
        return dict(zip(self.x.keys, self.x.terms, strict=True))

    def close(self) -> None:
        pass


class FeatureTable:
    """Features with a number each, of which the largest are kept."""

    users: int
    # Number of payload numbers of each entry.
    width: int
    count: int
    share: float

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = object.__new__(cls)
        self.width = self.users = 0
        self._budget, self.count, self.share = 1.0, 0, 1.0
        self.clear()
        for kind in reversed(cls.__mro__):
            if "__cinit__" in vars(kind):
                vars(kind)["__cinit__"](self, *args, **kwargs)
        return self

    def __len__(self) -> int:
        return self.n_kept

    @property
    def budget(self) -> Any:
        """Number of features kept, or their share. It may change, but not its type."""
        return self._budget

    @budget.setter
    def budget(self, value: Any) -> None:
        self.set_budget(check_budget("budget", value, like=self._budget))

    def set_budget(self, budget: Any) -> None:
        self.count = min(budget, MOST_ENTRIES) if type(budget) is int else 0
        self.share = 0.0 if self.count else budget
        self._budget = budget

    def capacity_of(self, n_seen: int) -> int:
        return self.count or share_of(self.share, n_seen) or 1

    def clear(self) -> None:
        """Forget all features."""
        self.entries: list[Entry] = []
        self.index: dict[Hashable, int] = {}
        # The payloads, `width` numbers for each entry.
        self.numbers: list[float] = []
        self.n_kept = self.n_marked = 0
        # Size, rank and slot of what may be dropped next. An item whose entry has changed since is
        # stale and passed over; larger entries than `ceiling` have no place in it.
        self.heap: list[tuple[float, tuple[Any, ...], int]] | None = None
        self.ceiling = 0.0
        self.forget_changes()

    @property
    def used(self) -> int:
        return len(self.entries)

    def acquire(self) -> None:
        self.users += 1

    def open(self, features: Features, own: bool) -> Held:
        features = observed(features)
        return Held(Instance(list(features), [float(value) for value in features.values()]))

    def find(self, x: Instance) -> None:
        get = self.index.get
        x.slots = [get(key, -1) for key in x.keys]

    def enter(self, x: Instance, skip_zeros: bool) -> None:
        """Find the slots of all features, which are added if need be, but for values of zero."""
        check_keys(x.keys)
        self.reserve(x.n)
        get = self.index.get
        x.slots = slots = [get(key, -1) for key in x.keys]
        if skip_zeros and 0.0 in x.values:
            for i, value in enumerate(x.values):
                if not value:
                    slots[i] = -1
                elif slots[i] < 0:
                    slots[i] = self.add(x.keys[i])
        elif -1 in slots:
            for i, slot in enumerate(slots):
                if slot < 0:
                    slots[i] = self.add(x.keys[i])
        if self.noting:
            self.note(x)

    def reserve(self, more: int) -> None:
        """Remove entries that are neither kept nor seen, if these are half of the table."""
        if self.journaling or len(self.entries) + more <= 2 * (self.n_kept + self.n_marked) + FEW:
            return
        alive = [slot for slot, entry in enumerate(self.entries) if entry.v or entry.seen]
        if self.width:
            w, numbers = self.width, self.numbers
            self.numbers = [number for slot in alive for number in numbers[w * slot : w * slot + w]]
        self.entries = [self.entries[slot] for slot in alive]
        self.index = {entry.key: slot for slot, entry in enumerate(self.entries)}
        self.heap = None

    def add(self, key: Hashable) -> int:
        """The slot of a key, which is added if need be."""
        entries = self.entries
        slot = self.index.setdefault(key, len(entries))
        if slot == len(entries):
            entries.append(Entry(key))
            if self.width:
                self.numbers += [0.0] * self.width
        return slot

    def slot(self, key: Hashable) -> int:
        return self.index.get(key, -1)

    def key_at(self, slot: int) -> Hashable:
        return self.entries[slot].key

    def put(self, slot: int, v: float) -> None:
        entry = self.entries[slot]
        self.n_kept += (v != 0.0) - (entry.v != 0.0)
        # Zero has no sign.
        entry.v = v + 0.0

    def kept(self) -> list[tuple[Hashable, int]]:
        return [(entry.key, slot) for slot, entry in enumerate(self.entries) if entry.v]

    def kept_values(self, factor: float) -> list[tuple[Hashable, float]]:
        """Key and v of the features kept, times a factor."""
        return [(entry.key, factor * entry.v) for entry in self.entries if entry.v]

    def add_values(self, pairs: list[tuple[Hashable, float]]) -> None:
        """Add features by key and v; there is room for them."""
        for key, v in pairs:
            self.put(self.add(key), v)

    def is_seen(self, slot: int) -> bool:
        return self.entries[slot].seen

    def see_slot(self, slot: int) -> None:
        self.n_marked += not self.entries[slot].seen
        self.entries[slot].seen = True

    def see_all(self, x: Instance) -> None:
        if not x.all_seen:
            for slot in x.slots:
                self.see_slot(slot)

    def seen(self) -> list[Hashable] | None:
        return None if self.count else [entry.key for entry in self.entries if entry.seen]

    def room_for(self, n: int) -> list[float]:
        return [0.0] * n

    def values_of(self, x: Instance) -> Features:
        return {key: value for key, value in zip(x.keys, x.values, strict=True) if value}

    def ranks_lower(self, slot: int, other: int) -> bool:
        """Whether the key of an entry ranks lower than that of another."""
        return rank(self.entries[slot].key) < rank(self.entries[other].key)

    def room_for_slots(self, n: int) -> list[int]:
        return [0] * n

    def prefetch_payloads(self, x: Instance, at: int) -> None:
        pass

    def see(self, x: Instance) -> None:
        """Count as seen the features of an instance that was read for another table."""
        names = Instance(x.keys, x.values)
        self.enter(names, False)
        self.see_all(names)

    def drop_to(self, x: Instance, skip_zeros: bool, capacity: int, lost: list[float]) -> int:
        """Drop all but the largest features; store the dropped sizes, and return their number."""
        dropped = self.truncate(x, capacity)
        for i, (size, _) in enumerate(dropped):
            lost[i] = size
        return len(dropped)

    def drop_slots(self, x: Instance, capacity: int, slots: list[int]) -> int:
        """Drop all but the largest features; store the dropped slots, and return their number."""
        dropped = self.truncate(x, capacity)
        for i, (_, slot) in enumerate(dropped):
            slots[i] = slot
        return len(dropped)

    def truncate(self, x: Instance, capacity: int) -> list[tuple[float, int]]:
        """Drop all but the largest features; return size and slot of each dropped one."""
        entries, heap, ceiling = self.entries, self.heap, self.ceiling
        lost: list[tuple[float, int]] = []
        done = False
        try:
            if heap is not None:
                for slot in x.slots:
                    size = abs(entries[slot].v) if slot >= 0 else 0.0
                    if 0.0 < size <= ceiling:
                        heappush(heap, (size, rank(entries[slot].key), slot))
            while self.n_kept > capacity:
                if not heap:
                    heap = self.rank_small()
                size, _, slot = heappop(heap)
                if abs(entries[slot].v) == size:
                    if self.journaling:
                        self.record(slot)
                    lost.append((size, slot))
                    self.put(slot, 0.0)
            done = heap is None or len(heap) <= 2 * self.n_kept + FEW
        finally:
            # Mostly stale, or a key has raised: it is built anew at the next need.
            if not done:
                self.drop_heap()
        return lost

    def rank_small(self) -> list[tuple[float, tuple[Any, ...], int]]:
        """Rebuild the heap from the smaller entries."""
        sizes = [abs(entry.v) for entry in self.entries]
        self.ceiling = ceiling = sorted(size for size in sizes if size)[self.n_kept // 4]
        self.heap = [
            (size, rank(self.entries[slot].key), slot)
            for slot, size in enumerate(sizes)
            if 0.0 < size <= ceiling
        ]
        heapify(self.heap)
        return self.heap

    def drop_heap(self) -> None:
        self.heap = None

    def open_journal(self, columns: Iterable[Hashable] | None) -> None:
        """Note the entries of these features or, if None, of each feature that is entered."""
        check_keys(columns or ())
        self.journaling, self.noting = True, columns is None
        for key in columns or ():
            self.record(self.add(key))

    def note(self, x: Instance) -> None:
        """Note the entries of an instance."""
        for slot in x.slots:
            if slot >= 0:
                self.record(slot)

    def record(self, slot: int) -> None:
        """Note an entry, unless it has been noted since the journal was opened."""
        if slot not in self.changes:
            entry, at = self.entries[slot], self.width * slot
            self.changes[slot] = entry.v, entry.seen, self.numbers[at : at + self.width]

    def restore(self) -> None:
        """Restore all entries to their state when they were noted."""
        for slot, (v, seen, numbers) in self.changes.items():
            self.put(slot, v)
            self.n_marked += seen - self.entries[slot].seen
            self.entries[slot].seen = seen
            at = self.width * slot
            self.numbers[at : at + self.width] = numbers
        self.drop_heap()

    def forget_changes(self) -> None:
        self.changes: dict[int, tuple[float, bool, list[float]]] = {}
        self.journaling = self.noting = False
