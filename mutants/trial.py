"""Tries mutants: each in a process of its own, in a copy of the project that holds this one change.

The processes are forks of one that has imported what takes long to import, but nothing of the project.
Compiled files of the copies are valid by their source's hash, never by its time.
"""

from __future__ import annotations

import compileall
import importlib
import json
import os
import py_compile
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from mutants.mutant import ROOT, Mutant
from mutants.together import run_together

KILLED, SURVIVED, HUNG, BROKEN = "killed", "survived", "hung", "broken"
OUTCOMES: Final = (KILLED, SURVIVED, HUNG, BROKEN)
"""`broken`: the tests could not be run, for example since the change is no Python."""
PATIENCE: Final = 240.0
"""Seconds after which a mutant hangs."""
_ARGUMENTS: Final = ("-x", "-q", "-n0", "-p", "no:cacheprovider", "--no-header", "--assert=plain", "--tb=line", "-rfE")
_IMPORTED: Final = ("_pytest.assertion.rewrite", "hypothesis", "orjson", "pydantic", "xdist", "yaml")
"""What takes long to import and starts no threads: a fork has none of the threads of what it is forked from."""
_OWN: Final = ("judge_polars", "mutants", "tests")
"""Packages of the project: each mutant imports those of its copy."""
_OWN_THREADS: Final = frozenset(("duckdb", "numpy", "polars"))
_LEFT_OUT: Final = (".*", "__pycache__", "build", "dist", "node_modules")


@dataclass(frozen=True, slots=True)
class Trial:
    """How a mutant ended; `noticed_by`: the first test that failed."""

    name: str
    outcome: str
    seconds: float
    noticed_by: str | None
    equivalent: str | None

    @property
    def is_unexplained(self) -> bool:
        """Whether it should have been noticed and was not."""
        return self.outcome == BROKEN or (self.outcome == SURVIVED and self.equivalent is None)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def copy_of_project(directory: Path) -> Path:
    """A copy of the project's files in a new directory."""
    shutil.copytree(ROOT, directory, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    for part in ("judge_polars", "tests"):
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(directory / part, quiet=1, invalidation_mode=mode)
    return directory


def import_what_is_needed() -> None:
    """Import what tests import and what starts no threads."""
    for name in _IMPORTED:
        importlib.import_module(name)
    from hypothesis import Phase, settings

    settings.register_profile("mutants", database=None, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")
    if threading.active_count() > 1 or _OWN_THREADS.intersection(sys.modules):
        raise RuntimeError("there are threads already: forks would hang")


def passes(tree: Path, tests: Sequence[str]) -> bool:
    """Whether tests pass in a copy as it is; what they say goes to `said.txt` in it."""
    return (
        os.waitstatus_to_exitcode(os.waitpid(_start(tree, lambda: int(pytest.main([*_ARGUMENTS, *tests]))), 0)[1]) == 0
    )


def try_all(mutants: Iterable[Mutant], trees: Sequence[Path]) -> Iterator[Trial]:
    """Try mutants, as many at once as there are copies; trials come as they end."""
    waiting = iter(mutants)
    free = list(trees)
    running: dict[int, tuple[Mutant, Path, str, float]] = {}
    while True:
        while free and (mutant := next(waiting, None)) is not None:
            tree = free.pop()
            before = (tree / mutant.file).read_text(encoding="utf-8")
            (tree / mutant.file).write_text(mutant.apply(tree), encoding="utf-8")
            tests = mutant.tests
            pid = _start(tree, lambda tests=tests: int(pytest.main([*_ARGUMENTS, *tests])))  # type: ignore[misc]
            running[pid] = mutant, tree, before, time.monotonic()
        if not running:
            return
        pid, status, hung = _ended(running)
        mutant, tree, before, started = running.pop(pid)
        (tree / mutant.file).write_text(before, encoding="utf-8")
        free.append(tree)
        outcome = HUNG if hung else {0: SURVIVED, 1: KILLED}.get(os.waitstatus_to_exitcode(status), BROKEN)
        seconds = round(time.monotonic() - started, 1)
        yield Trial(mutant.name, outcome, seconds, _first_failure(tree), mutant.equivalent)


def try_views(mutants: Sequence[Mutant], tree: Path) -> Iterator[Trial]:
    """Try mutants that can be tried together: in one process, and in a new one behind each that hung or ended it."""
    left = list(mutants)
    results = tree / "results.jsonl"
    while left:
        results.write_text("", encoding="utf-8")
        pid = _start(tree, partial(run_together, tree, tuple(left), results, _ARGUMENTS))
        told, waited = 0, time.monotonic()
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG)
            whole, _, _ = results.read_text(encoding="utf-8").rpartition("\n")
            lines = whole.splitlines()
            for line in lines[told:]:
                yield _trial(left.pop(0), *json.loads(line))
                told, waited = told + 1, time.monotonic()
            if ended:
                break
            if time.monotonic() - waited > PATIENCE:
                os.killpg(pid, signal.SIGKILL)
            time.sleep(0.05)
        if left:
            outcome = HUNG if os.WIFSIGNALED(status) else BROKEN
            mutant = left.pop(0)
            (tree / mutant.file).write_text((ROOT / mutant.file).read_text(encoding="utf-8"), encoding="utf-8")
            yield Trial(mutant.name, outcome, round(time.monotonic() - waited, 1), None, mutant.equivalent)


def _trial(mutant: Mutant, name: str, seconds: float, failed: str | None, error: str | None) -> Trial:
    if name != mutant.name:
        raise RuntimeError(f"{name} was tried instead of {mutant.name}")
    outcome = BROKEN if error else KILLED if failed else SURVIVED
    return Trial(name, outcome, seconds, failed or error, mutant.equivalent)


def _ended(running: dict[int, tuple[Mutant, Path, str, float]]) -> tuple[int, int, bool]:
    """The next process to end: its number, its status, and whether it was ended since it hung."""
    while True:
        for pid, (*_, started) in running.items():
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                return pid, status, False
            if time.monotonic() - started > PATIENCE:
                os.killpg(pid, signal.SIGKILL)
                return pid, os.waitpid(pid, 0)[1], True
        time.sleep(0.02)


def _start(tree: Path, run: Callable[[], int]) -> int:
    """Run something in a copy, in a process of its own; its number.  `run` may use no module of the copy's packages."""
    pid = os.fork()
    if pid:
        return pid
    code = 3
    try:
        os.setpgid(0, 0)
        said = os.open(tree / "said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(said, stream)
        os.chdir(tree)
        elsewhere = ("", ".", str(ROOT))
        sys.path[:] = [str(tree), *(path for path in sys.path if path not in elsewhere)]
        for name in [name for name in sys.modules if name.split(".")[0] in _OWN]:
            del sys.modules[name]
        os.environ["PYTHONPATH"] = str(tree)
        code = run()
        here = sys.modules.get("judge_polars")
        if here is not None and not str(here.__file__).startswith(str(tree)):
            code = 3
    finally:
        os._exit(code)


def _first_failure(tree: Path) -> str | None:
    lines = (tree / "said.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    found = (line.partition(" ")[2].partition(" - ")[0] for line in lines if line.startswith(("FAILED ", "ERROR ")))
    return next(found, None)
