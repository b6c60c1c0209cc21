"""View `case_units`."""

from tests.sql.history_builder import History

CONFIGURED = (
    "contract_configured",
    "workflow_configured",
    "execution_contract_configured",
    "evidence_collection_configured",
    "critical_evidence_configured",
    "evidence_routing_configured",
    "diagnosis_configured",
)


def test_units_of_all_checks_of_a_case(history: History) -> None:
    history.case(
        "case-a@1",
        {"bucket": "workflow", "check_id": "one", "weight": 1.0},
        {"bucket": "workflow", "check_id": "two", "weight": 3.0},
        {"bucket": "diagnosis", "layer": "hard", "check_id": "named"},
        workflow={"max_score": 8.0},
        diagnosis={"hard_max_score": 18.0, "supporting_weight": 12.0},
    )
    history.case("case-b@1", {"bucket": "contract", "check_id": "one"})
    [row] = history.frame("from case_units where case_digest = 'case-a@1'").rows(named=True)
    assert row["workflow_required"] == sum(
        units for (units,) in history.rows("select workflow_required from check_units where case_digest = 'case-a@1'")
    )
    assert [name for name in CONFIGURED if row[name]] == ["workflow_configured", "diagnosis_configured"]
    assert row["contract_required"] == 0
    assert row["workflow_max_score"] == 8.0


def test_a_part_of_diagnosis_without_checks_has_no_maximum(history: History) -> None:
    scores = {"hard_max_score": 18.0, "supporting_weight": 12.0}
    history.case("hard@1", {"bucket": "diagnosis", "layer": "hard", "check_id": "named"}, diagnosis=scores)
    history.case("supporting@1", {"bucket": "diagnosis", "layer": "supporting", "check_id": "advice"}, diagnosis=scores)
    rows = history.rows("select case_digest, hard_max_score, supporting_max_score from case_units order by case_digest")
    assert rows == [("hard@1", 18.0, None), ("supporting@1", None, 12.0)]


def test_a_case_without_buckets_has_no_row(history: History) -> None:
    history.case("case-a@1")
    assert history.rows("from case_units") == []
