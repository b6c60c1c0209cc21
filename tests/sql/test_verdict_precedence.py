"""Table `verdict_precedence`: the table of specification 50, "Verdict", as it stands there."""

from judge_polars.vocabulary import FAILURE_CODES
from tests.sql.history_builder import History

TABLE = [
    (0, "environment_failed", None, None, "invalid", "environment_failed"),
    (0, "bundle_unresolved", None, None, "invalid", "bundle_unresolved"),
    (0, "bundle_ambiguous", None, None, "invalid", "bundle_ambiguous"),
    (1, "bundle_resolved", "contract", ["fail"], "invalid", "contract_failed"),
    (2, "bundle_resolved", "execution_contract", ["fail"], "invalid", "execution_contract_failed"),
    (3, "bundle_resolved", "workflow", ["partial", "fail"], "invalid", "workflow_incomplete"),
    (4, "bundle_resolved", "evidence_collection", ["fail"], "invalid", "evidence_collection_incomplete"),
    (5, "bundle_resolved", "evidence_collection", ["partial"], "fail", "evidence_collection_partial"),
    (6, "bundle_resolved", "critical_evidence", ["fail"], "fail", "critical_evidence_missing"),
    (7, "bundle_resolved", "critical_evidence", ["partial"], "fail", "critical_evidence_partial"),
    (8, "bundle_resolved", "evidence_routing", ["fail"], "fail", "evidence_routing_failed"),
    (9, "bundle_resolved", "evidence_routing", ["partial"], "fail", "evidence_routing_partial"),
    (10, "bundle_resolved", "diagnosis", ["fail"], "fail", "diagnosis_critical_gate_failed"),
    (11, "bundle_resolved", "execution_contract", ["partial"], "fail", "execution_contract_partial"),
    (12, "bundle_resolved", "all_buckets", ["pass"], "pass", None),
]


def test_reads_as_in_the_specification(history: History) -> None:
    columns = "precedence, situation, bucket, statuses, verdict, code"
    assert history.rows(f"select {columns} from verdict_precedence order by position") == TABLE


def test_places_are_counted_from_one(history: History) -> None:
    places = [place for (place,) in history.rows("select position from verdict_precedence order by position")]
    assert places == list(range(1, len(TABLE) + 1))


def test_codes_are_those_of_the_vocabulary_in_its_order(history: History) -> None:
    codes = history.rows("select code from verdict_precedence where code is not null order by position")
    assert tuple(code for (code,) in codes) == FAILURE_CODES


def test_every_row_has_words(history: History) -> None:
    assert all(meaning for (meaning,) in history.rows("select meaning from verdict_precedence"))
