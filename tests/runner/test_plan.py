"""What would be done, and what keeps it from being done."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from judge_polars.errors import JudgePolarsError, MissingPieceError, NothingSelectedError, UsageError
from judge_polars.registry import load_registry
from judge_polars.runner import plan as planning
from judge_polars.runner.agents import Agent, demo_agent
from judge_polars.runner.plan import EvalPlan, Request, plan_eval, require_agent, require_protocol
from tests.runner.world import write_registry, written

CLINIC = Agent("clinic", ("sh", "-c", "true"), {"TOKEN": "CLINIC_TOKEN"})
AGENTS = {"clinic": CLINIC, "demo": demo_agent()}


def planned(root: Path, agents: dict[str, Agent] | None = None, **options: Any) -> EvalPlan:
    """The plan of options on a registry."""
    request = Request(**{"runs": root / "runs", "suite": "small", "eval_run_id": "e1", **options})
    ours = {"PATH": os.environ["PATH"], "CLINIC_TOKEN": "a-secret"}
    return plan_eval(load_registry(root / "registry"), request, AGENTS if agents is None else agents, ours)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two cases."""
    write_registry(tmp_path / "registry", cases=("first-case", "second-case"), files={"a.txt": "text"}, timeout="1m30s")
    return tmp_path


def test_plan_as_json(root: Path) -> None:
    before = written(root)
    plan = planned(root)
    assert written(root) == before and not (root / "runs").exists()
    told = plan.as_json()
    assert "a-secret" not in json.dumps(told)
    assert told["agent"] == {
        "name": "clinic",
        "command": ["sh", "-c", "true"],
        "executable": CLINIC.executable(),
        "permissions": "allow-in-workspace",
    }
    first = told["case_runs"][0]
    directory = root / "runs/e1/cases/first-case/trial-1"
    assert first == {
        "case_run_id": "e1/first-case/1",
        "case_id": "first-case",
        "case_version": 1,
        "trial": 1,
        "prompt": "Please diagnose cluster 1001 between 2025-03-04T09:00:00Z and 2025-03-04T09:45:00Z.",
        "timeout_seconds": 90.0,
        "environment": [
            {"name": "CASE_REGION", "source": "case", "value": "eu", "set": True},
            {"name": "HOME", "source": "base", "value": "an empty directory of the case run", "set": True},
            {"name": "LANG", "source": "base", "value": "C.UTF-8", "set": True},
            {"name": "PATH", "source": "base", "value": "${PATH}", "set": True},
            {"name": "TMPDIR", "source": "base", "value": "an empty directory of the case run", "set": True},
            {"name": "TOKEN", "source": "agent", "value": "${CLINIC_TOKEN}", "set": True},
        ],
        "directories": {
            "case_run": str(directory),
            "audit": str(directory / "audit"),
            "workspace": str(directory / "workspace"),
        },
        "workspace_files": {
            "from": str((root / "registry/cases/first-case/workspace").resolve()),
            "files": 1,
            "bytes": 4,
        },
        "finished": False,
    }


@pytest.mark.parametrize(
    ("options", "case_runs"),
    [
        pytest.param({}, ["first-case/1", "second-case/1"], id="all"),
        pytest.param({"trials": 2}, ["first-case/1", "first-case/2", "second-case/1", "second-case/2"], id="trials"),
        pytest.param({"cases": ("second-*",)}, ["second-case/1"], id="case"),
        pytest.param({"cases": ("x", "*")}, ["first-case/1", "second-case/1"], id="any-glob"),
    ],
)
def test_case_runs(root: Path, options: dict[str, Any], case_runs: list[str]) -> None:
    assert [one.case_run_id.removeprefix("e1/") for one in planned(root, **options).case_runs] == case_runs


def test_trials_are_the_suites_else_the_cases(root: Path) -> None:
    case = root / "registry/cases/second-case/case.yaml"
    case.write_text(case.read_text().replace("timeout: 1m30s", "timeout: 1m30s, trials: 2"))
    assert dict(planned(root).trials) == {"first-case": 1, "second-case": 1}
    suite = root / "registry/suites/small.yaml"
    suite.write_text(suite.read_text().replace("trials: 1, ", ""))
    assert dict(planned(root).trials) == {"first-case": 1, "second-case": 2}


def test_the_usual_id_is_time_and_suite(root: Path) -> None:
    assert planning.EVAL_RUN_ID.fullmatch(planned(root, eval_run_id=None).eval_run_id)
    assert planned(root, eval_run_id=None).eval_run_id.endswith("Z-small")


def test_the_only_declared_agent_is_taken(root: Path) -> None:
    assert planned(root).agent is CLINIC


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"suite": None}, UsageError, "--suite is wanted: one of small"),
        ({"suite": "smal"}, UsageError, "--suite smal: the registry has no such suite; nearest: small"),
        ({"agent": "clinik"}, UsageError, "--agent clinik: there is no such agent; nearest: clinic"),
        ({"agents": {"demo": demo_agent()}}, UsageError, "--agent is wanted, as no agent is declared: demo"),
        ({"agents": {"a": CLINIC, "b": CLINIC}}, UsageError, "--agent is wanted, as several agents are declared: a, b"),
        ({"cases": ("third*",)}, NothingSelectedError, "--case third*: no case of small fits; there are: first-case"),
        ({"eval_run_id": "a/b"}, UsageError, "--eval-run-id a/b: letters"),
        ({"eval_run_id": ".hidden"}, UsageError, "--eval-run-id .hidden: letters"),
        ({"eval_run_id": "x" * 129}, UsageError, "--eval-run-id x"),
    ],
)
def test_wrong_options(root: Path, options: dict[str, Any], error: type[JudgePolarsError], message: str) -> None:
    with pytest.raises(error) as raised:
        planned(root, **options)
    assert str(raised.value).startswith(message)


def test_an_inactive_suite(root: Path) -> None:
    suite = root / "registry/suites/small.yaml"
    suite.write_text(suite.read_text().replace("status: active", "status: inactive"))
    with pytest.raises(UsageError, match="--suite small: the suite is inactive"):
        planned(root)


def test_an_eval_run_that_is_there(root: Path) -> None:
    (root / "runs/e1").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"--eval-run-id e1: .* is there already; --resume e1 goes on with it"):
        planned(root)


def test_a_runs_directory_that_cannot_be_made(root: Path) -> None:
    (root / "file").write_text("x")
    with pytest.raises(UsageError, match=r"--runs: .*file is no directory"):
        planned(root, runs=root / "file" / "runs")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_runs_directory_that_may_not_be_written(root: Path) -> None:
    (root / "locked").mkdir(mode=0o500)
    with pytest.raises(UsageError, match=r"--runs: .*locked may not be written"):
        planned(root, runs=root / "locked" / "runs")


def test_workspace_files_that_lead_out(root: Path) -> None:
    (root / "registry/cases/first-case/workspace/out").symlink_to("/")
    with pytest.raises(
        UsageError, match="the workspace files of first-case cannot be copied: out: the link leads to /"
    ):
        planned(root)


def test_what_is_missing_is_named_at_once(root: Path) -> None:
    agent = Agent("clinic", ("judge-polars-no-such-command",), {"A": "NO_SUCH_A", "B": "NO_SUCH_B"})
    with pytest.raises(MissingPieceError) as raised:
        require_agent(planned(root, agents={"clinic": agent}), {})
    for words in ("judge-polars-no-such-command", "not on PATH", "NO_SUCH_A", "NO_SUCH_B"):
        assert words in str(raised.value)
    require_agent(planned(root), {"CLINIC_TOKEN": ""})


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    require_protocol()
    monkeypatch.setattr(planning, "find_spec", lambda _name: None)
    with pytest.raises(MissingPieceError, match=r"pip install 'judge-polars\[acp\]'"):
        require_protocol()


def test_an_sdk_of_another_version_of_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    import acp.meta

    monkeypatch.setattr(acp.meta, "PROTOCOL_VERSION", 2)
    with pytest.raises(UsageError, match="speaks version 2 of the protocol"):
        require_protocol()
