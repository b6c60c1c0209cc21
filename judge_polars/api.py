"""The public functions that join several rooms (specification 70, "Python")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from judge_polars.judge import Options, Progress, judge_runs
from judge_polars.judgment import Judgment
from judge_polars.registry import Registry, load_registry
from judge_polars.rulebook import RuleBook
from judge_polars.workers import Workers

if TYPE_CHECKING:
    from judge_polars.bundles import CaseRunPlace

Runs = str | Path | Sequence[str | Path]


def judge(
    runs: Runs,
    registry: Registry | RuleBook | str | Path,
    *,
    jobs: int = 1,
    engine: Literal["local", "ray"] = "local",
    ray_address: str | None = None,
    facts: bool = True,
    evidence: bool = False,
    workspaces_root: str | Path | None = None,
    select: Callable[[CaseRunPlace], bool] | None = None,
    progress: Progress | None = None,
) -> Judgment:
    """Judge the case runs below one or several directories, in memory.

    Args:
        runs: runs roots, eval runs' or case runs' directories.
        registry: a loaded registry (perhaps edited), or its directory.
        jobs: worker processes, used from 1,000 case runs on.
        engine: `ray` reads and judges on a Ray cluster (extra `ray`): the one that this program is connected to, else the one at
            `ray_address`, else one of `jobs` processes that is begun for this call.
        ray_address: address of a Ray cluster.
        facts: keep the facts of every case run (`judgment.facts`).
        evidence: keep metric series and points, query and event ids.
        workspaces_root: where a missing workspace is looked up by its id.
        select: keeps the case runs that it is true for.
        progress: told after each shard how many of all case runs are judged.

    Returns:
        A judgment with `.verdicts`, `.buckets`, `.checks`, `.case_verdicts`, `.regressions`, `.facts`, `.issues` as
        frames, and `.sql(query)` over all tables and views.

    Raises:
        RegistryError: the registry has errors; it lists every finding.
        InputError: there is no case run, or Ray workers do not see the files.
        MissingPieceError: workers were lost, or Ray is not there.
        NothingSelectedError: `select` leaves none.
    """
    if isinstance(registry, str | Path):
        registry = load_registry(registry)
    book = registry.compile() if isinstance(registry, Registry) else registry
    roots = [runs] if isinstance(runs, str | Path) else runs
    options = Options(
        workers=Workers(jobs, engine, ray_address),
        facts=facts,
        evidence=evidence,
        workspaces_root=None if workspaces_root is None else Path(workspaces_root),
        select=select,
        progress=progress,
    )
    return judge_runs([Path(root) for root in roots], book, options)
