"""A registry of two small cases, live runs of it with the demo agent, and a search for processes that were left behind."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from judge_polars.registry import Registry, load_registry
from judge_polars.runner.agents import Agent, Permissions, demo_agent
from judge_polars.runner.case_run import Show
from judge_polars.runner.eval_run import Ran, run_live
from judge_polars.runner.limits import Limits
from judge_polars.runner.plan import EvalPlan, Request, plan_eval

MARK: Final = "JUDGE_POLARS_TEST_MARK"
"""A variable that only the processes of one test have."""
EVALUATION: Final = Path(__file__).parents[2] / "evaluation"

CASE: Final = """\
schema_version: 1
id: {name}
version: 1
title: Small
prompt:
  text: "Please diagnose cluster 1001 between 2025-03-04T09:00:00Z and 2025-03-04T09:45:00Z."
environment:
  cluster_id: "1001"
  {files}
  env: {{CASE_REGION: eu}}
time_window:
  start: 2025-03-04T09:00:00Z
  end: 2025-03-04T09:45:00Z
execution: {{timeout: {timeout}}}
"""
JUDGE: Final = """\
schema_version: 1
case_id: {name}
judge:
  contract:
    checks:
      - {{id: cluster_scope_match}}
  diagnosis:
    hard_checks:
      - {{id: says_something, match: keyword_any, keywords: [hotspot]}}
"""
SUITE: Final = """\
schema_version: 1
id: small
version: 1
title: Small
status: active
cases: [{cases}]
execution_policy: {{trials: {trials}, concurrency: {concurrency}}}
"""
QUICK: Final = Limits(
    initialize=30.0,
    session=30.0,
    cancel=0.5,
    terminate=0.5,
    leave=5.0,
    line=2**20,
    received=2**22,
    messages=5_000,
    invalid_lines=100,
    answer=200_000,
    telemetry=2**20,
    stderr_log=10_000,
    stderr=2**20,
)


def write_registry(
    root: Path,
    *,
    cases: tuple[str, ...] = ("first-case",),
    timeout: str = "60s",
    trials: int = 1,
    concurrency: int = 1,
    files: Mapping[str, str] | None = None,
) -> Path:
    """A registry whose cases have the same workspace files, none by default."""
    texts = {"suites/small.yaml": SUITE.format(cases=", ".join(cases), trials=trials, concurrency=concurrency)}
    for name in cases:
        named = "" if files is None else "workspace_files: workspace/"
        texts[f"cases/{name}/case.yaml"] = CASE.format(name=name, timeout=timeout, files=named)
        texts[f"cases/{name}/judge.yaml"] = JUDGE.format(name=name)
        for file, text in (files or {}).items():
            texts[f"cases/{name}/workspace/{file}"] = text
    for file, text in texts.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@dataclass
class Live:
    """One live run of the small suite, and what it left."""

    root: Path
    permissions: Permissions = "allow-in-workspace"
    limits: Limits = QUICK
    variables: Mapping[str, str] = field(default_factory=dict)
    ours: Mapping[str, str] = field(default_factory=lambda: os.environ)
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def agent(self, *ways: str) -> Agent:
        """The demo agent, told to misbehave."""
        found = demo_agent(*(part for way in ways for part in ("--misbehave", way)))
        return replace(
            found, fixed={**found.fixed, MARK: self.mark}, permissions=self.permissions, variables=self.variables
        )

    def plan(self, agent: Agent, resume: str | None = None, registry: Registry | None = None) -> EvalPlan:
        """The plan of the eval run `e1`."""
        request = Request(
            self.root / "runs", "small", agent=agent.name, eval_run_id=None if resume else "e1", resume=resume
        )
        return plan_eval(registry or load_registry(self.root / "registry"), request, {agent.name: agent}, self.ours)

    def run(self, *ways: str, agent: Agent | None = None, resume: str | None = None, show: Show | None = None) -> Ran:
        """Run it."""
        return run_live(self.plan(agent or self.agent(*ways), resume), limits=self.limits, show=show)

    def directory(self, case: str = "first-case", trial: int = 1) -> Path:
        """A case run's directory."""
        return self.root / "runs" / "e1" / "cases" / case / f"trial-{trial}"

    def record(self, case: str = "first-case", trial: int = 1) -> dict[str, Any]:
        """`case_run.json`."""
        record: dict[str, Any] = json.loads((self.directory(case, trial) / "case_run.json").read_text("utf-8"))
        return record

    def telemetry(self, case: str = "first-case", trial: int = 1) -> list[dict[str, Any]]:
        """The lines of `telemetry.jsonl`."""
        path = self.directory(case, trial) / "audit" / "telemetry.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def left(self, seconds: float = 5.0) -> list[str]:
        """Processes with the mark that are there after a while; empty as soon as there are none."""
        until = time.monotonic() + seconds
        while (found := marked(self.mark)) and time.monotonic() < until:
            time.sleep(0.05)
        return found


def marked(mark: str) -> list[str]:
    """Process ids with command lines of processes that have the mark in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if mark.encode() in (process / "environ").read_bytes():
                    command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append(f"{process.name} {command}")
            except OSError:
                continue
    return found


def written(root: Path) -> dict[Path, bytes]:
    """Every file below a directory, and names of links."""
    return {
        path: os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        for path in root.rglob("*")
        if path.is_symlink() or path.is_file()
    }
