"""View `verdict_flips`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.sql.history_builder import DAY_1, DAY_2, History

PACKS = '{"tidb": "1"}'


def judgments(history: History, *changes: dict[str, Any]) -> None:
    """The judgments j1, j2, … a day apart; `changes` says what differs in each."""
    for number, columns in enumerate(changes):
        row = {"judgment_id": f"j{number + 1}", "judged_at": DAY_1 + timedelta(days=number), "pack_digests": PACKS}
        history.add("judgments", {**row, "engine_version": "1.0", **columns})


@pytest.mark.parametrize(
    ("before", "after", "flip"),
    [
        pytest.param("pass", "fail", ("pass", "fail", None, "critical_evidence_missing"), id="another verdict"),
        pytest.param("invalid", "pass", ("invalid", "pass", "contract_failed", None), id="an invalid one"),
        pytest.param(
            "fail",
            "diagnosis",
            ("fail", "fail", "critical_evidence_missing", "diagnosis_critical_gate_failed"),
            id="another code alone",
        ),
        pytest.param("pass", "pass", None, id="a pass again"),
        pytest.param("fail", "fail", None, id="the same failure again"),
    ],
)
def test_verdict_or_code_differs(history: History, before: str, after: str, flip: tuple[object, ...] | None) -> None:
    history.case_of_verdicts()
    judgments(history, {}, {})
    history.trial("r1/case-a/1", before)
    history.trial("r1/case-a/1", after, judgment_id="j2")
    columns = "from_verdict, to_verdict, from_primary_failure_code, to_primary_failure_code"
    assert history.rows(f"select {columns} from verdict_flips") == ([flip] if flip else [])


def test_each_pair_of_consecutive_judgments(history: History) -> None:
    """By judged_at, of one moment by judgment_id; other case runs are not neighbours."""
    history.case_of_verdicts()
    judgments(history, {}, {}, {"judged_at": DAY_2}, {})
    for judgment, verdict in {"j4": "fail", "j3": "pass", "j2": "fail", "j1": "pass"}.items():
        history.trial("r1/case-a/1", verdict, judgment_id=judgment)
    history.trial("r1/case-a/2", "fail", judgment_id="j2")
    history.trial("r2/case-a/1", "pass", judgment_id="j1")
    history.trial("r2/case-a/1", "fail", judgment_id="j4")
    days = "date_diff('day', from_judged_at, to_judged_at)"
    columns = f"case_run_id, eval_run_id, case_id, trial, from_judgment_id, to_judgment_id, {days}"
    found = history.rows(f"select {columns} from verdict_flips order by case_run_id, from_judgment_id")
    assert found == [
        ("r1/case-a/1", "r1", "case-a", 1, "j1", "j2", 1),
        ("r1/case-a/1", "r1", "case-a", 1, "j2", "j3", 0),
        ("r1/case-a/1", "r1", "case-a", 1, "j3", "j4", 2),
        ("r2/case-a/1", "r2", "case-a", 1, "j1", "j4", 3),
    ]
    assert history.rows("select to_judgment_id from verdict_flips where eval_run_id = 'r2'") == [("j4",)]


@pytest.mark.parametrize(
    ("judgment", "run", "changed"),
    [
        pytest.param({}, {}, (False, False, False), id="nothing that is known"),
        pytest.param({}, {"case_digest": "case-a@2"}, (True, False, False), id="the case"),
        pytest.param({"pack_digests": '{"tidb": "2"}'}, {}, (True, False, False), id="a pack"),
        pytest.param({"pack_digests": None}, {}, (True, False, False), id="no packs any more"),
        pytest.param({}, {"bundle_digest": "b2"}, (False, True, False), id="the bundle"),
        pytest.param({"semantics_version": 2}, {}, (False, False, True), id="the semantics"),
        pytest.param({"engine_version": "1.1"}, {}, (False, False, True), id="the engine"),
        pytest.param({"registry_digest": "other"}, {}, (False, False, False), id="another case of the registry"),
    ],
)
def test_what_changed(
    history: History, judgment: dict[str, Any], run: dict[str, Any], changed: tuple[bool, ...]
) -> None:
    history.case_of_verdicts()
    history.case_of_verdicts("case-a@2")
    judgments(history, {}, judgment)
    history.trial("r1/case-a/1", "pass")
    history.trial("r1/case-a/1", "fail", judgment_id="j2", **run)
    assert history.rows("select rubric_changed, bundle_changed, engine_changed from verdict_flips") == [changed]


def test_the_checks_that_changed(history: History) -> None:
    """In the order of buckets and checks; what stayed is left out; a check of one side alone has null on the other."""
    common = [
        {"bucket": "contract", "check_id": "same_cluster"},
        {"bucket": "critical_evidence", "check_id": "seen"},
        {"bucket": "critical_evidence", "check_id": "stays"},
    ]
    history.case("case-a@1", *common, {"bucket": "diagnosis", "layer": "hard", "check_id": "old"})
    history.case(
        "case-a@2",
        *common,
        {"bucket": "diagnosis", "layer": "hard", "check_id": "new"},
        {"bucket": "diagnosis", "layer": "supporting", "check_id": "old"},
    )
    for digest in ("case-a@1", "case-a@2"):
        rule = {"case_digest": digest, "bucket": "critical_evidence", "check_id": "seen"}
        history.add(
            "rules", {**rule, "rule_text": f"{digest}: one"}, {**rule, "rule": 1, "rule_text": f"{digest}: two"}
        )
    history.add(
        "rules",
        {"case_digest": "case-a@2", "bucket": "diagnosis", "layer": "hard", "check_id": "new", "rule_text": "said"},
        {"case_digest": "case-a@2", "bucket": "diagnosis", "layer": "supporting", "check_id": "old", "rule_text": "no"},
    )
    judgments(history, {}, {})
    history.judged("r1/case-a/1", failed=["critical_evidence.stays"])
    history.judged(
        "r1/case-a/1",
        judgment_id="j2",
        case_digest="case-a@2",
        failed=["critical_evidence.seen", "critical_evidence.stays", "diagnosis.hard.new"],
        missing=["diagnosis.supporting.old"],
    )
    history.write()
    history.con.execute("update check_outcomes set deciding_rule = 1 where not passed and check_key = ?", [6])
    [(changed,)] = history.rows("select changed_checks from verdict_flips")
    assert [tuple(check.values()) for check in changed] == [
        ("critical_evidence", None, "seen", True, False, True, True, "not_matched", "case-a@1: one", "case-a@2: two"),
        ("diagnosis", "hard", "new", None, False, None, True, "not_matched", None, "said"),
        ("diagnosis", "hard", "old", True, None, True, None, None, None, None),
        ("diagnosis", "supporting", "old", None, False, None, True, None, None, None),
    ]


def test_a_check_that_is_required_now_is_listed(history: History) -> None:
    history.case("case-a@1", {"bucket": "evidence_collection", "check_id": "seen", "required": False})
    history.case("case-a@2", {"bucket": "evidence_collection", "check_id": "seen", "required": True})
    judgments(history, {}, {})
    history.judged("r1/case-a/1", failed=["evidence_collection.seen"])
    history.judged("r1/case-a/1", judgment_id="j2", case_digest="case-a@2", failed=["evidence_collection.seen"])
    [(changed,)] = history.rows("select changed_checks from verdict_flips")
    keys = ("check_id", "passed_before", "passed_after", "required_before", "required_after")
    assert [tuple(check[key] for key in keys) for check in changed] == [("seen", False, False, False, True)]


def test_where_a_side_has_no_bundle_it_has_no_results(history: History) -> None:
    history.case_of_verdicts()
    judgments(history, {}, {})
    history.trial("r1/case-a/1", "diagnosis", bundle_status="unresolved")
    history.trial("r1/case-a/1", "diagnosis", judgment_id="j2")
    [(changed,)] = history.rows("select changed_checks from verdict_flips")
    assert [(check["check_id"], check["passed_before"], check["passed_after"]) for check in changed] == [
        ("same_cluster", None, True),
        ("seen", None, True),
        ("seen_twice", None, True),
        ("named", None, False),
    ]


def test_a_flip_without_a_changed_check_has_an_empty_list(history: History) -> None:
    history.case_of_verdicts()
    judgments(history, {}, {})
    history.trial("r1/case-a/1", "pass", bundle_status="unresolved")
    history.trial("r1/case-a/1", "pass", judgment_id="j2", bundle_status="ambiguous")
    assert history.rows("select to_primary_failure_code, changed_checks from verdict_flips") == [
        ("bundle_ambiguous", [])
    ]
