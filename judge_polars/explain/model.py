"""What an explanation holds (specification 70, `explain`; 40, "What a rule result tells")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Sighting:
    """One place in a document that a rule found, or came near to.

    Attributes:
        document: its name.
        place: `line 12`, a normalised JSON path, or null for the document as a whole.
        what: the keyword, pattern, point or comparison that is meant.
        excerpt: at most 200 characters, control characters made visible.
    """

    document: str
    place: str | None = None
    what: str | None = None
    excerpt: str | None = None


Findings = tuple[tuple[Sighting, ...], tuple[str, ...]]
"""Sightings and notes of a rule."""


@dataclass(frozen=True, slots=True)
class RuleTold:
    """One rule of a check or a definition.

    Attributes:
        rule: ordinal within its formula, from 0.
        text: the rule in one line, as YAML flow.
        reason: why it is false, null when true.
        decided: whether it is the rule that decided its check.
        sightings: what made it true; of a false `_none` rule what it found.
        notes: what was looked for and what was there instead, for people.
        because: the rules of the definition that gave the fact its value, those that say why; empty for other rules.
    """

    rule: int
    text: str
    passed: bool
    reason: str | None
    decided: bool
    sightings: tuple[Sighting, ...] = ()
    notes: tuple[str, ...] = ()
    because: tuple[RuleTold, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckTold:
    """One check with its rules; `need` of them must be true."""

    bucket: str
    layer: str | None
    id: str
    title: str | None
    required: bool
    weight: float
    passed: bool
    reason: str | None
    need: int
    deciding_rule: int | None
    rules: tuple[RuleTold, ...] = ()


@dataclass(frozen=True, slots=True)
class BucketTold:
    """One bucket; the status is null where the run was not judged."""

    bucket: str
    configured: bool
    status: str | None
    score: float | None
    max_score: float | None


@dataclass(frozen=True, slots=True)
class CandidateTold:
    """One candidate directory of the bundle, and why it was not taken."""

    root: str
    chosen: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReferenceTold:
    """A reference of the analysis patch that is not resolved, or not verified."""

    item: int
    item_id: str | None
    role: str
    channel: str
    ref: str
    resolved: bool
    verified: bool | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class IssueTold:
    """Something odd that was met while reading."""

    code: str
    document: str | None
    detail: str | None


@dataclass(frozen=True)
class Explanation:
    """The whole reasoning for one case run; as text by `str()`, in a notebook by itself.

    Attributes:
        run: eval run, agent, status, stop reason and times of the record; null where there is none.
        deciding: the row of precedence that decided, in words.
        bundle_status: resolved, unresolved or ambiguous; `bundle` the chosen directory.
        to_pass: what would have to change for a pass, one sentence each; empty for a pass.
        masked: secrets that are not shown, by kind and place, never by value.
    """

    case_run_id: str
    eval_run_id: str
    case_id: str
    trial: int
    case_version: int
    case_title: str
    verdict: str
    cause: str | None
    primary_failure_code: str | None
    failure_codes: tuple[str, ...]
    score: float | None
    max_score: float | None
    score_pct: float | None
    deciding: str
    run: dict[str, Any]
    bundle_status: str
    bundle: str | None
    candidates: tuple[CandidateTold, ...]
    buckets: tuple[BucketTold, ...]
    checks: tuple[CheckTold, ...]
    references: tuple[ReferenceTold, ...]
    issues: tuple[IssueTold, ...]
    to_pass: tuple[str, ...]
    masked: tuple[str, ...] = ()
    reproduce: dict[str, Any] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """The explanation for JSON: plain dicts, lists and scalars, times as RFC 3339 text."""
        from judge_polars.report.records import timestamp_text

        def plain(value: Any) -> Any:
            if isinstance(value, datetime):
                return timestamp_text(value)
            if isinstance(value, dict):
                return {key: plain(item) for key, item in value.items()}
            return [plain(item) for item in value] if isinstance(value, list | tuple) else value

        return {key: plain(value) for key, value in asdict(self).items()}

    def checks_of(self, bucket: str) -> Iterator[CheckTold]:
        """The checks of one bucket, in file order."""
        return (check for check in self.checks if check.bucket == bucket)

    def __str__(self) -> str:
        from judge_polars.report.explanation import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from judge_polars.report.explanation import as_html

        return as_html(self)
