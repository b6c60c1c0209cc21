"""Small deterministic variation: everything comes from `Random.random()`, whose values no Python version changes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Noise:
    """A stream of numbers that belongs to a name, such as a case run id."""

    def __init__(self, name: str) -> None:
        self._stream = random.Random(name)

    def between(self, low: float, high: float) -> float:
        """A number from `low` up to `high`."""
        return low + (high - low) * self._stream.random()

    def whole(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return low + int((high - low + 1) * self._stream.random())

    def one_of(self, choices: Sequence[T]) -> T:
        """One of `choices`."""
        return choices[self.whole(0, len(choices) - 1)]

    def token(self, length: int) -> str:
        """A text of `length` lower-case hexadecimal digits."""
        return "".join("0123456789abcdef"[self.whole(0, 15)] for _ in range(length))
