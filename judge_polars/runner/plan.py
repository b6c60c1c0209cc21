"""What an eval run would do, worked out before anything is started or written (specification 80, dry run)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judge_polars.errors import MissingPieceError, NothingSelectedError, UsageError
from judge_polars.registry.values import duration_us
from judge_polars.runner.agents import Agent, Variable, environment
from judge_polars.runner.records import AUDIT, EVAL_RUN, WORKSPACE, is_finished, read_record
from judge_polars.runner.workspace import Amount, WorkspaceError, amount

if TYPE_CHECKING:
    from judge_polars.registry import Registry
    from judge_polars.registry.case import CaseFile
    from judge_polars.registry.suite import SuiteFile

PROTOCOL_VERSION: Final = 1
EVAL_RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for: the options of `eval`."""

    runs: Path
    suite: str | None = None
    cases: tuple[str, ...] = ()
    trials: int | None = None
    agent: str | None = None
    eval_run_id: str | None = None
    resume: str | None = None


@dataclass(frozen=True, slots=True)
class CaseRunPlan:
    """One case run to be.

    Attributes:
        timeout: seconds that the prompt may take.
        environment: every variable of the agent process.
        workspace_files: what is copied into the workspace, None for an empty one; `amount` is how much that is.
        directory: the case run's directory.
    """

    case_run_id: str
    case_id: str
    case_version: int
    trial: int
    prompt: str
    timeout: float
    environment: tuple[Variable, ...]
    workspace_files: Path | None
    amount: Amount
    directory: Path


@dataclass(frozen=True, slots=True)
class EvalPlan:
    """A whole eval run to be.

    Attributes:
        cases: case id -> version, in the order of the suite.
        trials: case id -> how often.
        directory: the eval run's directory.
        resumed: the record of the eval run that is gone on with, else None.
    """

    eval_run_id: str
    suite_id: str
    suite_version: int
    cases: Mapping[str, int]
    trials: Mapping[str, int]
    concurrency: int
    agent: Agent
    case_runs: tuple[CaseRunPlan, ...]
    directory: Path
    resumed: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """For `eval --execution-mode dry-run --format json`; values of declared variables are not in it."""
        return {
            "eval_run_id": self.eval_run_id,
            "suite_id": self.suite_id,
            "suite_version": self.suite_version,
            "agent": {
                "name": self.agent.name,
                "command": list(self.agent.command),
                "executable": self.agent.executable(),
                "permissions": self.agent.permissions,
            },
            "concurrency": self.concurrency,
            "directory": str(self.directory),
            "case_runs": [_case_run_as_json(one) for one in self.case_runs],
        }


def _case_run_as_json(plan: CaseRunPlan) -> dict[str, Any]:
    files = None
    if plan.workspace_files is not None:
        files = {"from": str(plan.workspace_files), "files": plan.amount.files, "bytes": plan.amount.size}
    return {
        "case_run_id": plan.case_run_id,
        "case_id": plan.case_id,
        "case_version": plan.case_version,
        "trial": plan.trial,
        "prompt": plan.prompt,
        "timeout_seconds": plan.timeout,
        "environment": [
            {
                "name": one.name,
                "source": one.source,
                "value": one.told,
                "set": one.source != "agent" or one.value is not None,
            }
            for one in plan.environment
        ],
        "directories": {
            "case_run": str(plan.directory),
            "audit": str(plan.directory / AUDIT),
            "workspace": str(plan.directory / WORKSPACE),
        },
        "workspace_files": files,
        "finished": is_finished(plan.directory, plan.case_run_id),
    }


def plan_eval(registry: Registry, request: Request, agents: Mapping[str, Agent], ours: Mapping[str, str]) -> EvalPlan:
    """The eval run that the options ask for.

    Args:
        agents: declared agents by name.
        ours: the environment of this process.

    Raises:
        UsageError: an unknown or inactive suite, an unknown agent, an eval run that exists or does not, a directory that
            cannot be written, workspace files that cannot be copied, options that contradict each other.
        NothingSelectedError: no case of the suite fits.
    """
    record = _resumed(request)
    suite = _suite(registry, request, record)
    cases = _cases(registry, suite, request, record)
    trials = _trials(registry, suite, cases, request, record)
    agent = _agent(request, record, agents)
    eval_run_id = _eval_run_id(request, suite.id)
    directory = request.runs / eval_run_id
    if record is None and os.path.lexists(directory):
        raise UsageError(
            f"--eval-run-id {eval_run_id}: {directory} is there already; --resume {eval_run_id} goes on with it"
        )
    _require_writable(directory)
    return EvalPlan(
        eval_run_id,
        suite.id,
        suite.version,
        {case: registry.cases[case].case.version for case in cases},
        trials,
        suite.execution_policy.concurrency,
        agent,
        tuple(_case_runs(registry, cases, trials, agent, ours, directory)),
        directory,
        record,
    )


def _case_runs(
    registry: Registry,
    cases: Sequence[str],
    trials: Mapping[str, int],
    agent: Agent,
    ours: Mapping[str, str],
    directory: Path,
) -> Iterator[CaseRunPlan]:
    for case_id in cases:
        case = registry.cases[case_id].case
        files = _workspace_files(registry.root, case)
        for trial in range(1, trials[case_id] + 1):
            yield CaseRunPlan(
                f"{directory.name}/{case_id}/{trial}",
                case_id,
                case.version,
                trial,
                case.prompt.text,
                (duration_us(case.execution.timeout) or 0) / 1_000_000,
                tuple(environment(agent, case.environment.env, ours)),
                files,
                _amount(case_id, files),
                directory / "cases" / case_id / f"trial-{trial}",
            )


def _workspace_files(root: Path, case: CaseFile) -> Path | None:
    named = case.environment.workspace_files
    return None if named is None else (root / "cases" / case.id / named).resolve()


def _amount(case_id: str, files: Path | None) -> Amount:
    try:
        return Amount(0, 0) if files is None else amount(files)
    except WorkspaceError as wrong:
        raise UsageError(f"the workspace files of {case_id} cannot be copied: {wrong}") from wrong


def _resumed(request: Request) -> dict[str, Any] | None:
    """The record of the eval run that is gone on with."""
    if request.resume is None:
        return None
    if request.cases or request.trials is not None or request.eval_run_id is not None:
        raise UsageError(
            "--resume: cases, trials and id are those of the eval run; leave --case, --trials, --eval-run-id out"
        )
    _check_id("--resume", request.resume)
    path = request.runs / request.resume / EVAL_RUN
    record = read_record(path)
    planned = (record or {}).get("planned")
    cases = planned.get("cases") if isinstance(planned, dict) else None
    if record is None or not isinstance(cases, list) or not all(map(_is_planned_case, cases)):
        there = sorted(one.parent.name for one in request.runs.glob(f"*/{EVAL_RUN}"))
        hint = f"; there are: {', '.join(there[-5:])}" if there else ""
        raise UsageError(f"--resume {request.resume}: {path} is no record of an eval run that eval began{hint}")
    return record


def _is_planned_case(case: object) -> bool:
    wanted = {"case_id": str, "case_version": int, "trials": int}
    return isinstance(case, dict) and all(isinstance(case.get(key), kind) for key, kind in wanted.items())


def _suite(registry: Registry, request: Request, record: Mapping[str, Any] | None) -> SuiteFile:
    named = request.suite
    if record is not None:
        recorded = str(record.get("suite_id"))
        if named is not None and named != recorded:
            raise UsageError(f"--suite {named}: the eval run {request.resume} is of the suite {recorded}")
        named = recorded
    if named is None:
        raise UsageError(
            f"--suite is wanted: one of {', '.join(sorted(registry.suites)) or 'none: the registry has no suite'}"
        )
    suite = registry.suites.get(named)
    if suite is None:
        raise UsageError(f"--suite {named}: the registry has no such suite{_near(named, registry.suites)}")
    if suite.status != "active":
        raise UsageError(
            f"--suite {named}: the suite is inactive; set `status: active` in suites/{named}.yaml to run it"
        )
    if record is not None and record.get("suite_version") != suite.version:
        raise UsageError(
            f"--resume {request.resume}: it ran version {record.get('suite_version')} of the suite {named}, the registry has "
            f"version {suite.version}; one eval run is of one version: begin a new one"
        )
    return suite


def _cases(registry: Registry, suite: SuiteFile, request: Request, record: Mapping[str, Any] | None) -> list[str]:
    if record is not None:
        planned = {case["case_id"]: case["case_version"] for case in record["planned"]["cases"]}
        for case, version in planned.items():
            entry = registry.cases.get(case)
            if entry is None or entry.case.version != version:
                found = "does not know it" if entry is None else f"has version {entry.case.version}"
                raise UsageError(f"--resume {request.resume}: it ran version {version} of {case}, the registry {found}")
        return list(planned)
    if not request.cases:
        return list(suite.cases)
    chosen = [case for case in suite.cases if any(fnmatchcase(case, glob) for glob in request.cases)]
    if not chosen:
        near = _near(request.cases[0], suite.cases)
        raise NothingSelectedError(f"--case {' '.join(request.cases)}: no case of {suite.id} fits{near}")
    return chosen


def _trials(
    registry: Registry, suite: SuiteFile, cases: Sequence[str], request: Request, record: Mapping[str, Any] | None
) -> dict[str, int]:
    """Case id -> trials: as asked for, else as the suite says, else as the case says."""
    if record is not None:
        return {case["case_id"]: case["trials"] for case in record["planned"]["cases"]}
    if request.trials is not None:
        return dict.fromkeys(cases, request.trials)
    if "trials" in suite.execution_policy.model_fields_set:
        return dict.fromkeys(cases, suite.execution_policy.trials)
    return {case: registry.cases[case].case.execution.trials for case in cases}


def _agent(request: Request, record: Mapping[str, Any] | None, agents: Mapping[str, Agent]) -> Agent:
    named = request.agent
    if record is not None:
        recorded = record["planned"].get("agent")
        if named is not None and named != recorded:
            raise UsageError(f"--agent {named}: the eval run {request.resume} is of the agent {recorded}")
        named = str(recorded)
    if named is None:
        own = [name for name, agent in agents.items() if not agent.fixed]
        if len(own) != 1:
            what = "several agents are declared" if own else "no agent is declared"
            raise UsageError(
                f"--agent is wanted, as {what}: {', '.join(sorted(agents))}; [agents.NAME] in judge_polars.toml declares one"
            )
        named = own[0]
    if named not in agents:
        raise UsageError(
            f"--agent {named}: there is no such agent{_near(named, agents)}; [agents.{named}] in judge_polars.toml declares one"
        )
    return agents[named]


def _eval_run_id(request: Request, suite_id: str) -> str:
    if request.resume is not None:
        return request.resume
    if request.eval_run_id is not None:
        _check_id("--eval-run-id", request.eval_run_id)
        return request.eval_run_id
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{suite_id}"[:128]


def _check_id(option: str, name: str) -> None:
    if not EVAL_RUN_ID.fullmatch(name):
        raise UsageError(
            f"{option} {name}: letters, digits, `.`, `_` and `-` make an id, 128 at most, a letter or digit first"
        )


def _require_writable(directory: Path) -> None:
    """The nearest directory that exists may be written."""
    place = next(path for path in (directory.absolute(), *directory.absolute().parents) if path.exists())
    if not place.is_dir():
        raise UsageError(f"--runs: {place} is no directory; name another place")
    if not os.access(place, os.W_OK | os.X_OK):
        raise UsageError(f"--runs: {place} may not be written; name another place")


def _near(name: str, known: Sequence[str] | Mapping[str, object]) -> str:
    close = get_close_matches(name, sorted(known), n=3, cutoff=0.5)
    return (
        f"; nearest: {', '.join(close)}" if close else f"; there are: {', '.join(sorted(known)[:8])}" if known else ""
    )


def require_protocol() -> None:
    """The protocol's SDK is there and speaks the version that we do.

    Raises:
        MissingPieceError: it is not installed.
        UsageError: it speaks another version of the protocol.
    """
    if find_spec("acp") is None:
        raise MissingPieceError("talking to agents needs the extra acp: pip install 'judge-polars[acp]'")
    from acp.meta import PROTOCOL_VERSION as SPOKEN

    if SPOKEN != PROTOCOL_VERSION:
        raise UsageError(
            f"the installed agent-client-protocol speaks version {SPOKEN} of the protocol, judge-polars version "
            f"{PROTOCOL_VERSION}: pip install 'judge-polars[acp]'"
        )


def require_agent(plan: EvalPlan, ours: Mapping[str, str]) -> None:
    """The agent's program is there, and so is every variable that it is to get.

    Raises:
        MissingPieceError: something is missing; all of it is named.
    """
    missing = []
    if plan.agent.executable() is None:
        place = "there is no such program" if "/" in plan.agent.command[0] else "it is not on PATH"
        missing.append(f"the command {plan.agent.command[0]} of the agent {plan.agent.name} cannot be run: {place}")
    missing += [
        f"the variable {name}, which the agent {plan.agent.name} is to get, is not set: export {name}=…"
        for name in plan.agent.missing_variables(ours)
    ]
    if missing:
        raise MissingPieceError("; ".join(missing))
