"""What `eval_run.json` and `case_run.json` say, taken tolerantly (specification 20, first section).

A member of another type than it should have counts as absent; ids come from the path and never from a record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

from judge_polars.bundles.files import read_content
from judge_polars.bundles.json_text import NoJsonError, read_json
from judge_polars.printable import beginning
from judge_polars.rulebook import Limits
from judge_polars.times import parse_time_text

_LARGEST_INTEGER: Final = 2**63 - 1


class Agent(NamedTuple):
    """Who ran: each part null where a record does not say."""

    name: str | None = None
    version: str | None = None
    model: str | None = None

    def or_else(self, other: Agent) -> Agent:
        """Each part from `other` where it is null here."""
        return Agent(*(mine if mine is not None else theirs for mine, theirs in zip(self, other, strict=True)))


class EvalRunRecord(NamedTuple):
    """The members of `eval_run.json`; all null without one.  Times are UTC."""

    suite_id: str | None = None
    suite_version: int | None = None
    execution_mode: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    agent: Agent = Agent()


class CaseRunRecord(NamedTuple):
    """The members of `case_run.json`; all null without one.  Times are UTC, `cost_usd` US dollars."""

    case_version: int | None = None
    workspace_id: str | None = None
    workspace_dir: str | None = None
    audit_dir: str | None = None
    output_file: str | None = None
    status: str | None = None
    stop_reason: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    agent: Agent = Agent()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None
    recorded: bool = False


def read_record(path: str, limits: Limits) -> tuple[Mapping[str, object] | None, list[tuple[str, str]]]:
    """A record's object, or None where it counts as absent, and the issues (code, detail) that it raised."""
    content = read_content(path, packed=False, limits=limits)
    if content.data is None:
        return None, [("record_invalid", f"counts as absent: {content.detail}")]
    try:
        value, _, nonstandard = read_json(content.data, limits.nesting)
    except NoJsonError as fault:
        return None, [("record_invalid", f"counts as absent: {fault}")]
    if not isinstance(value, dict):
        return None, [("record_invalid", "counts as absent: no JSON object")]
    return value, [("json_nonstandard", "NaN or Infinity as a bare token")] if nonstandard else []


def contradictions(record: Mapping[str, object], path: Mapping[str, str | int]) -> str:
    """Where a record's ids differ from its path's, for people; empty where they do not, or are null."""
    return "; ".join(
        f"{key} is {beginning(str(found))!r} in the record and {wanted!r} by its path"
        for key, wanted in path.items()
        if (found := record.get(key)) is not None and (found != wanted or isinstance(found, bool))
    )


def eval_run_record(record: Mapping[str, object]) -> EvalRunRecord:
    """The members of `eval_run.json`."""
    return EvalRunRecord(
        suite_id=_text(record, "suite_id"),
        suite_version=_integer(record, "suite_version"),
        execution_mode=_text(record, "execution_mode"),
        started_at=_time(record, "started_at"),
        finished_at=_time(record, "finished_at"),
        agent=_agent(record),
    )


def case_run_record(record: Mapping[str, object]) -> CaseRunRecord:
    """The members of `case_run.json`."""
    usage = _object(record, "usage")
    return CaseRunRecord(
        case_version=_integer(record, "case_version"),
        workspace_id=_text(record, "workspace_id"),
        workspace_dir=_text(record, "workspace_dir"),
        audit_dir=_text(record, "audit_dir"),
        output_file=_text(record, "output_file"),
        status=_text(record, "status"),
        stop_reason=_text(record, "stop_reason"),
        started_at=_time(record, "started_at"),
        finished_at=_time(record, "finished_at"),
        agent=_agent(record),
        input_tokens=_integer(usage, "input_tokens"),
        output_tokens=_integer(usage, "output_tokens"),
        cost_usd=_number(usage, "cost_usd"),
        tool_calls=_integer(usage, "tool_calls"),
        recorded=True,
    )


def _object(record: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _agent(record: Mapping[str, object]) -> Agent:
    agent = _object(record, "agent")
    return Agent(_text(agent, "name"), _text(agent, "version"), _text(agent, "model"))


def _text(record: Mapping[str, object], key: str) -> str | None:
    """A text; None for a blank one."""
    value = record.get(key)
    return value if isinstance(value, str) and value.strip() else None


def _integer(record: Mapping[str, object], key: str) -> int | None:
    """An integer of at most 64 bits."""
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if -_LARGEST_INTEGER <= value <= _LARGEST_INTEGER else None


def _number(record: Mapping[str, object], key: str) -> float | None:
    """A finite number."""
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _time(record: Mapping[str, object], key: str) -> datetime | None:
    """An RFC 3339 text; one without an offset is UTC."""
    value = record.get(key)
    parsed = parse_time_text(value.strip()) if isinstance(value, str) else None
    return None if parsed is None else parsed[0]
