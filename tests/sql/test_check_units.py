"""View `check_units`."""

from itertools import islice, permutations

import pytest

from tests.sql.history_builder import History

PARTS = (
    "contract_required",
    "workflow_required",
    "execution_contract_required",
    "execution_contract_optional",
    "evidence_collection_required",
    "evidence_collection_optional",
    "critical_evidence_all",
    "evidence_routing_required",
    "evidence_routing_optional",
    "diagnosis_hard",
    "diagnosis_supporting",
)


@pytest.mark.parametrize(
    ("check", "part"),
    [
        ({"bucket": "contract"}, "contract_required"),
        ({"bucket": "contract", "required": False}, None),
        ({"bucket": "workflow"}, "workflow_required"),
        ({"bucket": "workflow", "required": False}, None),
        ({"bucket": "execution_contract"}, "execution_contract_required"),
        ({"bucket": "execution_contract", "required": False}, "execution_contract_optional"),
        ({"bucket": "evidence_collection"}, "evidence_collection_required"),
        ({"bucket": "evidence_collection", "required": False}, "evidence_collection_optional"),
        ({"bucket": "critical_evidence"}, "critical_evidence_all"),
        ({"bucket": "evidence_routing"}, "evidence_routing_required"),
        ({"bucket": "evidence_routing", "required": False}, "evidence_routing_optional"),
        ({"bucket": "diagnosis", "layer": "hard"}, "diagnosis_hard"),
        ({"bucket": "diagnosis", "layer": "supporting"}, "diagnosis_supporting"),
    ],
    ids=str,
)
def test_each_check_counts_in_one_part(history: History, check: dict[str, object], part: str | None) -> None:
    history.add("checks", {"check_key": 1, "case_digest": "d", "check_id": "c", **check})
    [found] = history.frame(f"select {', '.join(PARTS)} from check_units").rows(named=True)
    assert {name for name, units in found.items() if units} == ({part} if part else set())


def _units(history: History, weights: list[float]) -> list[float]:
    rows = ({"check_key": key, "bucket": "workflow", "weight": weight} for key, weight in enumerate(weights))
    history.add("checks", *({"case_digest": "d", "check_id": "c", **row} for row in rows))
    return [units for (units,) in history.rows("select workflow_required from check_units order by check_key")]


@pytest.mark.parametrize(
    "weights",
    [[1.0], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3], [1e-300, 1.0], [1e300, 1e300, 1.0], [1e-310, 1e-310], [7.5] * 40],
)
def test_units_are_whole_and_sum_exactly(history: History, weights: list[float]) -> None:
    units = _units(history, weights)
    assert all(count == int(count) >= 1 for count in units)
    assert sum(map(int, units)) <= 2**53
    assert {sum(order) for order in islice(permutations(units), 50)} == {float(sum(map(int, units)))}


def test_units_keep_the_proportions(history: History) -> None:
    one, two, three = _units(history, [0.5, 1.0, 1.5])
    assert (two / one, three / one) == (2.0, 3.0)


def test_each_case_and_layer_has_its_own_unit(history: History) -> None:
    history.add(
        "checks",
        {"check_key": 1, "case_digest": "a", "bucket": "diagnosis", "layer": "hard", "check_id": "x", "weight": 1e200},
        {
            "check_key": 2,
            "case_digest": "a",
            "bucket": "diagnosis",
            "layer": "supporting",
            "check_id": "y",
            "weight": 1.0,
        },
        {
            "check_key": 3,
            "case_digest": "b",
            "bucket": "diagnosis",
            "layer": "supporting",
            "check_id": "y",
            "weight": 1e-200,
        },
    )
    units = history.rows("select diagnosis_hard + diagnosis_supporting from check_units")
    assert all(2**51 <= count <= 2**52 for (count,) in units)


@pytest.mark.parametrize(
    ("check", "counts", "label"),
    [
        ({"bucket": "contract"}, True, "contract.c"),
        ({"bucket": "contract", "required": False}, False, "optional contract.c"),
        ({"bucket": "workflow", "required": False}, False, "optional workflow.c"),
        ({"bucket": "evidence_routing", "required": False}, True, "optional evidence_routing.c"),
        ({"bucket": "critical_evidence", "required": False}, True, "optional critical_evidence.c"),
        ({"bucket": "diagnosis", "layer": "hard"}, True, "diagnosis.c"),
        ({"bucket": "diagnosis", "layer": "supporting"}, False, "supporting diagnosis.c"),
    ],
    ids=str,
)
def test_whether_a_check_counts_and_its_label(
    history: History, check: dict[str, object], counts: bool, label: str
) -> None:
    history.add("checks", {"check_key": 1, "case_digest": "d", "check_id": "c", "position": 7, **check})
    assert history.rows("select counts_for_verdict, label, position from check_units") == [(counts, label, 7)]
