"""Where a command takes judged eval runs from: runs that are named and judged in memory, else the history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from judge_polars.cli import options
from judge_polars.cli.console import Talk
from judge_polars.cli.judging import judged
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.selection import Selection

if TYPE_CHECKING:
    from judge_polars.registry import Registry
    from judge_polars.sources import Source

SomeRuns = Annotated[
    list[Path] | None,
    options.argument(metavar="[RUNS]", help="Runs to judge in memory; else the history is read."),
]


@contextmanager
def open_source(
    history_dir: Path | None, runs: Sequence[Path] | None, registry: Registry, talk: Talk
) -> Iterator[Source]:
    """Judged eval runs: of `runs`, judged in memory, or else of the history.

    Raises:
        InputError: there are no runs, or there is no history.
    """
    if runs:
        from judge_polars.judged_runs import JudgedRuns

        yield JudgedRuns(judged(list(runs), registry.compile(), Selection(), talk, purpose="compare"))
        return
    from judge_polars.archive import open_history

    with open_history(place_of_history(history_dir)) as history:
        yield history


@contextmanager
def open_source_if_any(
    history_dir: Path | None, runs: Sequence[Path] | None, registry: Registry, talk: Talk
) -> Iterator[Source | None]:
    """As `open_source`; None where no runs are named and there is no history at the usual place."""
    if not runs and history_dir is None and not place_of_history(None).is_dir():
        yield None
        return
    with open_source(history_dir, runs, registry, talk) as source:
        yield source
