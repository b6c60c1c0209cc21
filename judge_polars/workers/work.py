"""What workers are given, and the order in which they are given it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, Protocol, TypeVar

Shard = TypeVar("Shard")
Done = TypeVar("Done")
Handle = TypeVar("Handle")
_Shard = TypeVar("_Shard", contravariant=True)
_Done = TypeVar("_Done", covariant=True)

SHARDS_PER_WORKER: Final = 3
"""Shards given out at once, for each worker: one in work, one that waits, and one that is done and waits for those before it."""


class Work(Protocol[_Shard, _Done]):
    """What is done with each shard.  It pickles; a worker gets it once and keeps it from shard to shard."""

    def __call__(self, shard: _Shard, /) -> _Done:
        """Work on a shard.  It may be called again for one that it was called for: a worker may die before it has answered."""
        ...

    def reads(self, shard: _Shard, /) -> Iterable[str]:
        """Paths that a machine must see to work on a shard."""
        ...


def in_order(
    shards: Iterable[Shard], most: int, submit: Callable[[Shard], Handle], result: Callable[[Handle], Done]
) -> Iterator[Done]:
    """Results in the order of the shards, with at most `most` shards given out and not yet taken back.

    Args:
        submit: begins work on a shard without waiting for it.
        result: waits for it.
    """
    rest = iter(shards)
    begun = deque(submit(shard) for shard in islice(rest, max(1, most)))
    while begun:
        done = result(begun.popleft())
        begun.extend(submit(shard) for shard in islice(rest, 1))
        yield done
