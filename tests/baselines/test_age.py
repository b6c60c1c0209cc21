"""How old a baseline is, and whether it still means what it meant."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from judge_polars.baselines import baseline_use, judged_again
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.registry import Registry
from judge_polars.rulebook import RuleBook
from judge_polars.sources import Rows
from judge_polars.vocabulary import SEMANTICS_VERSION
from tests.baselines.conftest import RESTART, SUITE, SURGE

PROMOTED = datetime(2025, 3, 3, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("after", "days", "runs", "words"),
    [
        (timedelta(hours=23), 0, 1, "0 days, 1 eval run old"),
        (timedelta(days=1, hours=1), 1, 1, "1 day, 1 eval run old"),
        (timedelta(days=20), 20, 4, "20 days, 4 eval runs old"),
        (timedelta(hours=-1), None, 0, "promoted after this run"),
    ],
)
def test_age(source: JudgedRuns, registry: Registry, after: timedelta, days: int | None, runs: int, words: str) -> None:
    book = registry.compile()
    use = baseline_use(book.baselines[0], book, PROMOTED + after, source)
    assert (use.age_days, use.age_eval_runs, use.age_text) == (days, runs, words)


def test_age_without_a_source(registry: Registry) -> None:
    book = registry.compile()
    use = baseline_use(book.baselines[0], book, PROMOTED + timedelta(days=15))
    assert (use.age_eval_runs, use.semantics_version, use.judged_again) == (None, None, None)
    assert use.age_text == "15 days old"
    assert (use.is_old(), use.is_old(15), use.is_old(14)) == (True, False, True)


def test_what_it_was_judged_by(demo: Judgment, source: JudgedRuns, registry: Registry) -> None:
    remembered = registry.baselines[SUITE].cases
    digests = {case.id: case.digest for case in registry.compile().cases}
    for case_id, case in remembered.items():
        case.case_digest = digests[case_id]
    book = registry.compile()
    use = baseline_use(book.baselines[0], book, PROMOTED, source)
    assert (use.semantics_version, use.other_semantics, use.rubric_changed) == (None, False, ())
    assert use.judged_text == "judged again it is the same"

    remembered[SURGE].case_digest = "sha256:" + "0" * 64
    judged = demo.frames["judgments"].with_columns(
        judgment_id=pl.lit(book.baselines[0].judgment_id), semantics_version=pl.lit(SEMANTICS_VERSION - 1, pl.Int64)
    )
    both = JudgedRuns(Judgment({**demo.frames, "judgments": pl.concat([demo.frames["judgments"], judged])}))
    book = registry.compile()
    use = baseline_use(book.baselines[0], book, PROMOTED, both)
    assert (use.other_semantics, use.rubric_changed) == (True, (SURGE,))
    assert use.judged_text == (
        f"judged under semantics {SEMANTICS_VERSION - 1}, now {SEMANTICS_VERSION}; "
        "the rubric of 1 case has changed since; judged again it is the same"
    )
    assert replace(use, rubric_changed=(), judged_again=None, semantics_version=None).judged_text == (
        "judged under the rubric of today"
    )


class Judging(JudgedRuns):
    """Judged under older semantics, and able to judge again."""

    def judged_now(self, book: RuleBook, eval_run_id: str) -> Rows | None:
        raise LookupError(f"{eval_run_id} is judged again")


def test_it_is_judged_again_only_where_that_is_asked(demo: Judgment, registry: Registry) -> None:
    book = registry.compile()
    older = demo.frames["judgments"].with_columns(semantics_version=pl.lit(SEMANTICS_VERSION - 1, pl.Int64))
    source = Judging(Judgment({**demo.frames, "judgments": older}))
    assert baseline_use(book.baselines[0], book, PROMOTED, source, again=False).judged_again is None
    with pytest.raises(LookupError, match="is judged again"):
        baseline_use(book.baselines[0], book, PROMOTED, source)


def test_judged_again(source: JudgedRuns, registry: Registry) -> None:
    book = registry.compile()
    [baseline] = book.baselines
    assert judged_again(source, baseline, book) == ()
    assert judged_again(source, replace(baseline, eval_run_id="another"), book) is None
    cases = tuple(
        replace(case, verdict="fail", score=None) if case.case_id == RESTART else case for case in baseline.cases
    )
    assert judged_again(source, replace(baseline, cases=cases), book) == (
        {
            "case_id": RESTART,
            "verdict": ["fail", "pass"],
            "primary_failure_code": [None, None],
            "passed_trials": [3, 3],
            "trials": [3, 3],
            "score": [None, 80.0],
        },
    )
