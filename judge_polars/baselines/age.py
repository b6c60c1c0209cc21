"""How old a baseline is and what it was judged by: told wherever one is used (specification 10, "Suites and baselines")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from judge_polars.baselines.snapshot import case_rows
from judge_polars.baselines.source import Row, rows_of
from judge_polars.report.records import timestamp_text
from judge_polars.rulebook import Baseline, RuleBook
from judge_polars.sources import JudgesAgain, Rows
from judge_polars.vocabulary import SEMANTICS_VERSION

MOST_DAYS: Final = 14
_SCORE_SLACK: Final = 1e-6


@dataclass(frozen=True, slots=True)
class BaselineUse:
    """A baseline at the moment at which it is used.

    Attributes:
        age_days: whole days since its promotion; null before it.
        age_eval_runs: eval runs of the suite that began since; null where no source says so.
        semantics_version: of the engine that judged it; null where the source does not know its judgment.
        rubric_changed: cases whose digest is another one in the registry.
        judged_again: cases that are judged otherwise now (`judged_again`); null where the source has not judged it again.
    """

    suite_id: str
    eval_run_id: str
    promoted_at: datetime
    age_days: int | None
    age_eval_runs: int | None
    semantics_version: int | None
    rubric_changed: tuple[str, ...]
    judged_again: tuple[Row, ...] | None

    @property
    def other_semantics(self) -> bool:
        """Whether it was judged by an engine whose rules mean something else."""
        return self.semantics_version is not None and self.semantics_version != SEMANTICS_VERSION

    def as_record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "promoted_at": timestamp_text(self.promoted_at),
            "age_days": self.age_days,
            "age_eval_runs": self.age_eval_runs,
            "semantics_version": self.semantics_version,
            "rubric_changed": list(self.rubric_changed),
            "judged_again": None if self.judged_again is None else list(self.judged_again),
        }

    def is_old(self, most_days: int = MOST_DAYS) -> bool:
        """Whether it is older than so many days."""
        return self.age_days is not None and self.age_days > most_days

    @property
    def age_text(self) -> str:
        """`3 days, 2 eval runs old`."""
        if self.age_days is None:
            return "promoted after this run"
        days = f"{self.age_days} day{'' if self.age_days == 1 else 's'}"
        if self.age_eval_runs is None:
            return f"{days} old"
        return f"{days}, {self.age_eval_runs} eval run{'' if self.age_eval_runs == 1 else 's'} old"

    @property
    def judged_text(self) -> str:
        """By what it was judged, and what came of judging it again, in words."""
        parts = []
        if self.other_semantics:
            parts.append(f"judged under semantics {self.semantics_version}, now {SEMANTICS_VERSION}")
        if self.rubric_changed:
            count = len(self.rubric_changed)
            parts.append(f"the rubric of {count} case{'' if count == 1 else 's'} has changed since")
        if self.judged_again is not None:
            count = len(self.judged_again)
            parts.append(
                "judged again it is the same"
                if not count
                else f"judged again {count} case{'s differ' if count > 1 else ' differs'}"
            )
        return "; ".join(parts) or "judged under the rubric of today"


def baseline_use(
    baseline: Baseline, book: RuleBook, at: datetime, source: Rows | None = None, *, again: bool = True
) -> BaselineUse:
    """How old a baseline is at a moment, and whether it still means what it meant.

    Args:
        again: tell what came of judging it again, for which a record may judge its eval run.
    """
    digests = {case.id: case.digest for case in book.cases}
    changed = tuple(
        case.case_id for case in baseline.cases if digests.get(case.case_id, case.case_digest) != case.case_digest
    )
    days = (at - baseline.promoted_at).days
    between = semantics = differing = None
    if source is not None:
        between = rows_of(
            source,
            "select count(*) as runs from eval_runs where suite_id = ? and started_at > ? and started_at < ?",
            *(baseline.suite_id, baseline.promoted_at, at),
        )[0]["runs"]
        versions = source.sql("select semantics_version from judgments where judgment_id = ?", [baseline.judgment_id])
        semantics = versions.item() if versions.height else None
        differing = judged_again(source, baseline, book) if again else None
    return BaselineUse(
        suite_id=baseline.suite_id,
        eval_run_id=baseline.eval_run_id,
        promoted_at=baseline.promoted_at,
        age_days=days if days >= 0 else None,
        age_eval_runs=between,
        semantics_version=semantics,
        rubric_changed=changed,
        judged_again=differing,
    )


def judged_again(source: Rows, baseline: Baseline, book: RuleBook, *, anew: bool = False) -> tuple[Row, ...] | None:
    """Cases of the baseline whose run has another verdict, code, trial count or score by a judgment of this engine.

    It is the latest one that the source has; where that one was under other semantics, a record judges again first
    (specification 10, "Suites and baselines").  Each row: `case_id`, and [was, is] of `verdict`, `primary_failure_code`,
    `passed_trials`, `trials`, `score`.

    Args:
        book: by which a record judges again.
        anew: have a record judge again in any case.

    Returns:
        None where there is no such judgment, or it is the one that the baseline remembers.
    """
    rows = _rows_of_today(source, baseline, book, anew=anew)
    if not rows:
        return None
    differing = []
    for case in baseline.cases:
        now = rows.get(case.case_id)
        was = (case.verdict, case.primary_failure_code, case.passed_trials, case.trials, case.score)
        names = ("verdict", "primary_failure_code", "passed", "trials", "score")
        found = tuple(None if now is None else now[name] for name in names)
        if was[:4] != found[:4] or not _same(case.score, found[4]):
            keys = ("verdict", "primary_failure_code", "passed_trials", "trials", "score")
            differing.append(
                {"case_id": case.case_id, **{key: [a, b] for key, a, b in zip(keys, was, found, strict=True)}}
            )
    return tuple(differing)


def _rows_of_today(source: Rows, baseline: Baseline, book: RuleBook, *, anew: bool) -> dict[str, Row]:
    """`snapshot.case_rows` of the baseline's eval run by a judgment of this engine that came after the promotion's."""
    rows = case_rows(source, baseline.eval_run_id)
    outdated = any(row["semantics_version"] != SEMANTICS_VERSION for row in rows.values())
    if (anew or outdated) and isinstance(source, JudgesAgain):
        now = source.judged_now(book, baseline.eval_run_id)
        return {} if now is None else case_rows(now, baseline.eval_run_id)
    remembered = all(row["judgment_id"] == baseline.judgment_id for row in rows.values())
    return {} if outdated or (remembered and not anew) else rows


def _same(was: float | None, found: float | None) -> bool:
    return was is found if was is None or found is None else abs(was - found) <= _SCORE_SLACK
