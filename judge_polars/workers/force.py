"""Who works on shards: `--engine`, `--jobs` and `--ray-address` together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judge_polars.errors import UsageError
from judge_polars.workers.work import Done, Shard, Work

LOCAL: Final = "local"
RAY: Final = "ray"
ENGINES: Final = (LOCAL, RAY)
POOL_FROM: Final = 1_000
"""Case runs from which processes pay for their start (two jobs; see `benchmarks/`)."""


@dataclass(frozen=True)
class Workers:
    """Who works on shards.

    Attributes:
        jobs: processes that work side by side; 1 works in this process, None takes all processors of the Ray cluster.
        engine: `local` for processes of this machine, `ray` for a Ray cluster.
        ray_address: the cluster; None begins one of `jobs` processes on this machine, and ends it.

    Raises:
        UsageError: there is no such engine, or the engine takes no such settings.
    """

    jobs: int | None = 1
    engine: str = LOCAL
    ray_address: str | None = None

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise UsageError(f"--engine {self.engine}: one of {', '.join(ENGINES)}")
        if self.engine == LOCAL and self.jobs is None:
            raise UsageError("the engine `local` wants a number of jobs")

    def run(self, work: Work[Shard, Done], shards: Sequence[Shard], size: int) -> Iterator[Done]:
        """Results in the order of the shards; whoever stops taking them ends the workers.

        Args:
            size: case runs in all shards; few are worked on in this process where the engine is `local`.

        Raises:
            MissingPieceError: a worker was lost, Ray is not installed, or no cluster answers.
            InputError: a worker does not see the files.
        """
        if self.engine == RAY:
            from judge_polars.workers.on_ray import run_on_ray

            return run_on_ray(work, shards, self.jobs, self.ray_address)
        assert self.jobs is not None
        if self.jobs == 1 or size < POOL_FROM:
            return map(work, shards)
        from judge_polars.workers.pool import run_in_pool

        return run_in_pool(work, shards, self.jobs)


ALONE: Final = Workers()
"""This process, and nobody beside it."""
