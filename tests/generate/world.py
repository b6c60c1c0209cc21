"""One random world: a registry and the runs to be judged with it."""

import json
from pathlib import Path
from random import Random
from typing import Any

from tests.generate.baselines import write_baseline
from tests.generate.bundles import write_case_run
from tests.generate.registry import write_registry
from tests.generate.vocabulary import chance


def write_world(seed: int, root: Path, runs: int = 12) -> None:
    """Write `root/registry` and `root/runs`, the same for the same seed.

    The registry has no errors; `runs` is the number of case runs at most.
    """
    random = Random(seed)
    outline = write_registry(random, root / "registry")
    cases = [*outline.clusters]
    eval_runs = ["r1", "r10", "r2"][: random.randint(1, 3)]
    for eval_run in eval_runs:
        write_eval_run(random, root / "runs" / eval_run, eval_run)
    places = [(eval_run, case, trial) for trial in (1, 2, 3, 10, 11) for eval_run in eval_runs for case in cases]
    for eval_run, case, trial in places[:runs]:
        ids: dict[str, Any] = {"eval_run_id": eval_run, "case_id": case, "trial": trial}
        write_case_run(random, root / "runs" / eval_run / "cases" / case / f"trial-{trial}", ids, outline)
    if chance(random, 0.6):
        write_baseline(random, root / "registry", outline)
    write_strays(random, root / "runs" / eval_runs[0] / "cases", outline.clusters)


def write_eval_run(random: Random, folder: Path, eval_run: str) -> None:
    """`eval_run.json`: right, of another name, broken or absent."""
    folder.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {
        "schema_version": 1,
        "eval_run_id": eval_run,
        "suite_id": random.choice(["suite-a"] * 5 + ["suite-b", None, 7]),
        "suite_version": random.choice([1, 1, 1, 2, None, "1"]),
        "execution_mode": "live",
    }
    kind = random.random()
    if kind < 0.1:
        record["eval_run_id"] = "another"
    text = "[" if kind > 0.92 else json.dumps(record)
    if kind < 0.85 or kind > 0.92:
        (folder / "eval_run.json").write_text(text, "utf-8")


def write_strays(random: Random, cases: Path, clusters: dict[str, str]) -> None:
    """A case that the registry does not know, and names that are no trial's."""
    strays = [cases / "case-unknown" / "trial-1"]
    strays += [cases / case / name for case in clusters for name in ("trial-0", "trial-01", "attempt-1")]
    for folder in strays:
        if chance(random, 0.15):
            (folder / "audit").mkdir(parents=True, exist_ok=True)
            (folder / "output.md").write_text("Nobody reads this.\n", "utf-8")
