"""Commands of judge_polars and its peers that apply the ten rules to files: what they take, and what they answered."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import judge_polars as jp
from benchmarks.peers.ten_rules import KEYWORDS, PATTERNS, RULES, promptfoo_assertions, write_bundles

Answers = list[list[bool]]
SCRIPTS: Final = Path(__file__).parent
QUIET: Final = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_FAILED_TEST_EXIT_CODE": "0",
}
"""Nothing is sent or asked for, and an output that breaks a rule is no error."""


@dataclass(frozen=True)
class Spent:
    """Seconds by the clock, and CPU seconds of a piece of work with all of its processes and threads."""

    wall: float
    cpu: float

    def best(self, other: Spent) -> Spent:
        return Spent(min(self.wall, other.wall), min(self.cpu, other.cpu))


@dataclass(frozen=True)
class Prepared:
    """A command that is ready to be run.

    Attributes:
        directory: where it is run.
        command: number of the round -> program and arguments.
        answers: each output's ten answers, of round 0.
        environment: variables beside those of this process.
    """

    directory: Path
    command: Callable[[int], Sequence[str]]
    answers: Callable[[], Answers]
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, number: int) -> Spent:
        """Run a round; raises subprocess.CalledProcessError."""
        return _spent(self.command(number), self.directory, self.environment)


def _spent(command: Sequence[str], directory: Path, environment: Mapping[str, str]) -> Spent:
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _output(command, directory, environment)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _output(command: Sequence[str], directory: Path, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        [*command], cwd=directory, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout


def write_work(path: Path, texts: Sequence[str]) -> Path:
    """Write the outputs and the rules for the scripts of Python peers."""
    path.write_text(json.dumps({"outputs": texts, "keywords": KEYWORDS, "patterns": PATTERNS}), "utf-8")
    return path


def judge(directory: Path, texts: Sequence[str]) -> Prepared:
    """`judge-polars judge` on bundles; each round begins a history of its own, since what is judged is not judged again."""
    registry, runs = write_bundles(directory, texts)

    def history(number: int) -> Path:
        return directory / f"history-{number}"

    def command(number: int) -> Sequence[str]:
        options = ["--registry", str(registry), "--history-dir", str(history(number)), "--format", "csv", "--quiet"]
        return [sys.executable, "-m", "judge_polars", "judge", str(runs), *options]

    def answers() -> Answers:
        with jp.open_history(history(0)) as kept:
            rows = kept.sql("select case_run_id, position, passed from check_results").rows()
        passed = [row[2] for row in sorted(rows, key=lambda row: (int(row[0].rpartition("/")[2]), row[1]))]
        return [passed[at : at + RULES] for at in range(0, len(passed), RULES)]

    return Prepared(directory, command, answers)


def inspect_score(python: Path, directory: Path, texts: Sequence[str]) -> Prepared:
    """`inspect score` on a log without scores, which is made first."""
    script, work = SCRIPTS / "inspect_ten_rules.py", write_work(directory / "work.json", texts)
    log, scored = directory / "stored.eval", directory / "scored.eval"
    _output([str(python), str(script), "prepare", str(work), str(log)], directory, {})

    def command(_: int) -> Sequence[str]:
        options = ["--overwrite", "--output-file", str(scored), "--display", "none"]
        return [str(python.parent / "inspect"), "score", str(log), "--scorer", f"{script}@ten_rules", *options]

    def answers() -> Answers:
        told: Answers = json.loads(_output([str(python), str(script), "answers", str(scored)], directory, {}))
        return told

    return Prepared(directory, command, answers, {"WORK": str(work)})


def promptfoo_eval(binaries: Path, directory: Path, texts: Sequence[str]) -> Prepared:
    """`promptfoo eval` on stored outputs; its database is made first, by an eval of one output."""
    (directory / "assertions.json").write_text(json.dumps(promptfoo_assertions()), "utf-8")
    (directory / "outputs.json").write_text(json.dumps(texts), "utf-8")
    (directory / "one.json").write_text(json.dumps(texts[:1]), "utf-8")
    environment = {
        **QUIET,
        "PROMPTFOO_CONFIG_DIR": str(directory / "database"),
        "PATH": f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}",
    }
    program = str(binaries / "promptfoo")

    def evaluate(outputs: str) -> Sequence[str]:
        options = ["--assertions", "assertions.json", "--model-outputs", outputs, "--no-table", "--no-progress-bar"]
        return [program, "eval", *options]

    def answers() -> Answers:
        _output([program, "export", "eval", "latest", "-o", "exported.json"], directory, environment)
        results = json.loads((directory / "exported.json").read_text("utf-8"))["results"]["results"]
        of_output = sorted(results, key=lambda result: int(result["testIdx"]))
        return [[bool(one["pass"]) for one in result["gradingResult"]["componentResults"]] for result in of_output]

    _output(evaluate("one.json"), directory, environment)
    return Prepared(directory, lambda _: evaluate("outputs.json"), answers, environment)
