"""How things are measured: CPU seconds of this process, both sides in turns, the best of the rounds."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Mapping, Sequence

Work = Callable[[], object]


def cpu(work: Work) -> float:
    """CPU seconds of this process, all of its threads, that a piece of work takes."""
    gc.collect()
    before = time.process_time()
    work()
    return time.process_time() - before


def wall(work: Work) -> float:
    """Seconds on the clock that a piece of work takes."""
    gc.collect()
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def in_turns(sides: Mapping[str, Work], rounds: int, measure: Callable[[Work], float] = cpu) -> dict[str, float]:
    """Seconds of each side, the best of the rounds; in each round every side has its turn."""
    best = dict.fromkeys(sides, math.inf)
    for _ in range(rounds):
        for name, work in sides.items():
            best[name] = min(best[name], measure(work))
    return best


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of log(seconds) over log(size) by least squares: 1 is growth in proportion."""
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in seconds]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
