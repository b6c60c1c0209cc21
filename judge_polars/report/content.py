"""What a report on one eval run holds, whatever form it is written in (specification 70, "Report")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from judge_polars.report.records import timestamp_text
from judge_polars.report.summary import Rate

if TYPE_CHECKING:
    from judge_polars.baselines import Difference
    from judge_polars.gate import GateResult

Row = Mapping[str, Any]

REGRESSED: Final = "of cases that regressed"
GROUPS: Final = (REGRESSED, "fail", "invalid", "pass")
"""Groups of case runs in the order in which they are told; a case run is in the first one that it fits."""


class Line(NamedTuple):
    """A line of what is said of a check: how far it is indented, its role (`outline`), its text."""

    level: int
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A case and a bucket: status (`none` without a bundle) -> trials; not `configured` where the case asks nothing of it."""

    configured: bool
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A case over its trials.

    Attributes:
        change: against the baseline or the other eval run, null where nothing is compared.
        verdict: of the case; null where it has no case run.
        rate: passed of comparable trials.
        cells: in the order of `vocabulary.BUCKETS`.
        anchor: the first case run of the case, null without one.
    """

    case_id: str
    title: str
    change: str | None
    verdict: str | None
    rate: Rate
    invalid: int
    cells: tuple[Cell, ...]
    anchor: str | None


@dataclass(frozen=True, slots=True)
class BucketStatus:
    """A bucket of a case run; the status is null without a bundle."""

    bucket: str
    configured: bool
    status: str | None
    score: str | None


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A failed check: a heading (`critical_evidence disk_busy`), its kind and reason in words, and what is said of its rules."""

    name: str
    words: str
    counts: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ShadowAnswer:
    """An answer of the semantic shadow, which is not scored."""

    check: str
    words: str
    reasoning: str | None


@dataclass(frozen=True, slots=True)
class CaseRunTold:
    """A case run.

    Attributes:
        anchor: its id in the document.
        row: of the view `verdicts`.
        deciding: the row of precedence that decided, in words.
        why: failed checks of the deciding bucket in a few words; empty for a pass.
        about: agent, times, how it ended.
        to_pass: what would have to change for a pass; empty where it is not known.
        notes: why something is missing here, such as excerpts.
    """

    anchor: str
    row: Row
    deciding: str
    why: str
    about: str
    buckets: tuple[BucketStatus, ...]
    checks: tuple[FailedCheck, ...]
    to_pass: tuple[str, ...]
    references: tuple[str, ...]
    shadow: tuple[ShadowAnswer, ...]
    issues: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report tells.

    Attributes:
        eval_run: of the view `suite_trends`.
        gate: what the `--fail-on` rules gave.
        counts: verdict -> case runs; with `planned` (null where the suite is unknown) and `judged` of the eval run.
        shown: how many case runs are told of, where a selection or a limit leaves some out; else null.
        difference: what the eval run is compared with, or why it is with nothing.
        trends: of the view `suite_trends`, in time order, ending with the eval run.
        groups: group -> case runs, those that need a look first.
        beside: issues that belong to no case run that is told of.
        masked: kind and place of what was masked, and how often.
        reproduce: what, and words.
    """

    eval_run: Row
    gate: GateResult
    counts: Mapping[str, int]
    planned: int | None
    judged: int
    pass_rate: Rate
    invalid_rate: Rate
    invalid_by_cause: Mapping[str, int]
    codes: Mapping[str, int]
    shown: int | None
    difference: Difference | None
    no_difference: str
    matrix: tuple[MatrixRow, ...]
    trends: tuple[Row, ...]
    groups: Mapping[str, tuple[CaseRunTold, ...]]
    shadow: str | None
    beside: tuple[str, ...]
    masked: tuple[str, ...]
    reproduce: tuple[tuple[str, str], ...]

    @property
    def started(self) -> str | None:
        """When the eval run started, where that is known."""
        at = self.eval_run["started_at"]
        return None if at is None else timestamp_text(at)[:16].replace("T", " ") + " UTC"

    @property
    def title(self) -> str:
        """Of the document."""
        return f"{self.eval_run['eval_run_id']}: {'gate FAILED' if self.gate.met else 'gate passed'}"
