"""Views `audit_…`: what must not be.  Each finds its own fault, and nothing on sound data."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.sql.history_builder import History


def sound(history: History) -> None:
    """A history with two judgments, runs with and without a bundle, and a baseline."""
    history.case_of_verdicts()
    history.case_of_verdicts("case-b@1")
    history.add("judgments", {"judgment_id": "j1"}, {"judgment_id": "j2"})
    history.add("eval_runs", {"eval_run_id": "r1"})
    history.add("baselines", {}, {"eval_run_id": "old", "active": False}, {"suite_id": "suite-b"})
    history.trial("r1/case-a/1", "pass")
    history.trial("r1/case-a/2", "invalid")
    history.trial("r1/case-b/1", "pass", bundle_status="unresolved")
    history.trial("r1/case-a/1", "fail", judgment_id="j2")
    history.add("suites", {"suite_id": "suite-a", "suite_digest": "s"})
    history.add("semantic_results", {"case_run_id": "r1/case-a/1", "shadows": "named", "matched": True})
    history.add(
        "semantic_results",
        {"case_run_id": "r1/case-a/1", "semantic_check_id": "q2", "status": "timeout"},
    )


def statement(sql: str) -> Callable[[History], object]:
    return lambda history: history.con.execute(sql)


Fault = tuple[str, str, Callable[[History], object], list[tuple[object, ...]]]

FAULTS: list[Fault] = [
    (
        "audit_repeated_verdicts",
        "a run judged twice",
        lambda history: history.judged("r1/case-a/1"),
        [("j1", "r1/case-a/1", 2)],
    ),
    (
        "audit_orphan_outcomes",
        "an unknown judged case run",
        statement("update check_outcomes set judged_key = 99 where judged_key = 9 and check_key = 1"),
        [(99, 1, "unknown judged_key")],
    ),
    (
        "audit_orphan_outcomes",
        "an unknown check of an unknown judged case run",
        statement("update check_outcomes set judged_key = 99, check_key = 98 where judged_key = 9 and check_key = 1"),
        [(99, 98, "unknown judged_key")],
    ),
    (
        "audit_orphan_outcomes",
        "an unknown check",
        statement("update check_outcomes set check_key = 99 where judged_key = 9 and check_key = 1"),
        [(9, 99, "unknown check_key")],
    ),
    (
        "audit_orphan_outcomes",
        "a check of another case",
        statement("update check_outcomes set check_key = 5 where judged_key = 9 and check_key = 1"),
        [(9, 5, "check of another case")],
    ),
    (
        "audit_repeated_outcomes",
        "an outcome twice",
        statement("insert into check_outcomes select * from check_outcomes where judged_key = 9 and check_key = 2"),
        [(9, 2, 2)],
    ),
    (
        "audit_missing_outcomes",
        "an outcome is not there",
        statement("delete from check_outcomes where judged_key = 9 and check_key = 2"),
        [("j1", "r1/case-a/1", 4, 3, 3)],
    ),
    (
        "audit_missing_outcomes",
        "an outcome is null",
        statement("update check_outcomes set passed = null where judged_key = 9 and check_key = 2"),
        [("j1", "r1/case-a/1", 4, 4, 3)],
    ),
    (
        "audit_missing_outcomes",
        "a run without bundle has an outcome",
        statement("insert into check_outcomes values (11, 5, true, 0, null)"),
        [("j1", "r1/case-b/1", 0, 1, 1)],
    ),
    (
        "audit_missing_outcomes",
        "a run without bundle has an outcome that is null",
        statement("insert into check_outcomes values (11, 5, null, 0, null)"),
        [("j1", "r1/case-b/1", 0, 1, 0)],
    ),
    (
        "audit_orphan_judged_runs",
        "no case run",
        statement("delete from case_runs where case_run_id = 'r1/case-a/2'"),
        [("j1", "r1/case-a/2", True, False, False)],
    ),
    (
        "audit_orphan_judged_runs",
        "no judgment",
        statement("delete from judgments where judgment_id = 'j2'"),
        [("j2", "r1/case-a/1", False, True, False)],
    ),
    (
        "audit_orphan_judged_runs",
        "no case",
        statement("delete from cases where case_digest = 'case-b@1'"),
        [("j1", "r1/case-b/1", False, False, True)],
    ),
    (
        "audit_buckets_and_checks",
        "a bucket without checks",
        lambda history: history.add("case_buckets", {"case_digest": "case-a@1", "bucket": "workflow"}),
        [("case-a@1", "workflow", True, 0)],
    ),
    (
        "audit_buckets_and_checks",
        "checks of a bucket that is not configured",
        statement("delete from case_buckets where case_digest = 'case-a@1' and bucket = 'critical_evidence'"),
        [("case-a@1", "critical_evidence", False, 2)],
    ),
    (
        "audit_undecided_verdicts",
        "an unknown bundle status",
        statement("update judged_case_runs set bundle_status = 'perhaps' where judged_key = 10"),
        [("j1", "r1/case-a/2")],
    ),
    (
        "audit_repeated_outcomes",
        "an outcome stands for another",
        statement("update check_outcomes set check_key = 1 where judged_key = 9 and check_key = 2"),
        [(9, 1, 2)],
    ),
    (
        "audit_case_run_parts",
        "another case_id",
        statement("update judged_case_runs set case_id = 'case-b' where judged_key = 9"),
        [("j1", "r1/case-a/1", "parts of another id")],
    ),
    (
        "audit_case_run_parts",
        "no trial",
        statement("update judged_case_runs set trial = null where judged_key = 10"),
        [("j1", "r1/case-a/2", "parts of another id")],
    ),
    (
        "audit_case_run_parts",
        "an unknown suite",
        statement("update judged_case_runs set suite_digest = 't' where judged_key = 9"),
        [("j1", "r1/case-a/1", "unknown suite_digest")],
    ),
    (
        "audit_orphan_semantic_results",
        "no judged case run",
        statement("update semantic_results set judgment_id = 'j3' where semantic_check_id = 'q1'"),
        [("j3", "r1/case-a/1", "q1", "unknown judged case run")],
    ),
    (
        "audit_orphan_semantic_results",
        "another case digest",
        statement("update semantic_results set case_digest = 'case-b@1' where semantic_check_id = 'q2'"),
        [("j1", "r1/case-a/1", "q2", "another case digest")],
    ),
    (
        "audit_orphan_semantic_results",
        "a check that is not there",
        statement("update semantic_results set shadows = 'nobody' where semantic_check_id = 'q1'"),
        [("j1", "r1/case-a/1", "q1", "unknown shadowed check")],
    ),
    (
        "audit_orphan_semantic_results",
        "an answer without a match",
        statement("update semantic_results set matched = null where semantic_check_id = 'q1'"),
        [("j1", "r1/case-a/1", "q1", "matched against status")],
    ),
    (
        "audit_repeated_semantic_results",
        "a question answered twice",
        statement("insert into semantic_results select * from semantic_results where semantic_check_id = 'q1'"),
        [("j1", "r1/case-a/1", "q1", 2)],
    ),
    (
        "audit_superseded_case_runs",
        "a verdict that is not the latest counts",
        statement("delete from superseded_case_runs"),
        [(9, "not marked as superseded")],
    ),
    (
        "audit_superseded_case_runs",
        "the latest verdict does not count",
        statement("insert into superseded_case_runs values (10)"),
        [(10, "marked, and no later judgment judged it")],
    ),
    (
        "audit_superseded_case_runs",
        "a mark twice",
        statement("insert into superseded_case_runs select judged_key from superseded_case_runs"),
        [(9, "marked more than once")],
    ),
    (
        "audit_active_baselines",
        "two active baselines",
        statement("update baselines set active = true"),
        [("suite-a", 2)],
    ),
]


def repeated_key(table: str, key: str) -> Fault:
    """The first row of a table stands there twice."""
    spoil = statement(f"insert into {table} select * from {table} order by 1 limit 1")
    return "audit_repeated_keys", f"a key of {table} twice", spoil, [(table, key, 2)]


FAULTS += [
    repeated_key("judged_case_runs", "9"),
    repeated_key("checks", "1"),
    repeated_key("case_runs", "r1/case-a/1"),
    repeated_key("eval_runs", "r1"),
    repeated_key("judgments", "j1"),
    repeated_key("cases", "case-a@1"),
]


@pytest.mark.parametrize(
    ("view", "fault", "spoil", "found"), FAULTS, ids=[f"{view}: {fault}" for view, fault, *_ in FAULTS]
)
def test_finds_its_fault(
    history: History, view: str, fault: str, spoil: Callable[[History], object], found: list[tuple[object, ...]]
) -> None:
    sound(history)
    spoil(history)
    assert history.rows(f"from {view} order by all") == found


def test_sound_data_gives_no_row_and_every_audit_has_a_fault(history: History) -> None:
    sound(history)
    views = [name for (name,) in history.rows("select view_name from duckdb_views() where view_name like 'audit_%'")]
    assert sorted(views) == sorted({view for view, *_ in FAULTS})
    assert {view: history.rows(f"from {view}") for view in views} == {view: [] for view in views}
