"""View `evidence_diagnosis`."""

import pytest

from tests.sql.history_builder import History

SEEN, SEEN_TWICE, NAMED = "critical_evidence.seen", "critical_evidence.seen_twice", "diagnosis.hard.named"


@pytest.mark.parametrize(
    ("failed", "expected"),
    [
        ([], ("pass", "pass", "pass", "grounded")),
        ([NAMED], ("fail", "pass", "fail", "missed_signal")),
        ([SEEN], ("fail", "partial", "pass", "unsupported_claim")),
        ([SEEN, SEEN_TWICE], ("fail", "fail", "pass", "unsupported_claim")),
        ([SEEN, NAMED], ("fail", "partial", "fail", "neither")),
        ([SEEN, SEEN_TWICE, NAMED], ("fail", "fail", "fail", "neither")),
    ],
)
def test_classes(history: History, failed: list[str], expected: tuple[str, ...]) -> None:
    history.case_of_verdicts()
    history.judged("r1/case-a/4", failed=failed)
    assert history.rows("from evidence_diagnosis") == [("j1", "r1/case-a/4", "r1", "case-a", 4, *expected)]


def test_an_invalid_run_is_left_out(history: History) -> None:
    history.case_of_verdicts()
    history.judged("r1/case-a/1", failed=["contract.same_cluster"])
    history.judged("r1/case-a/2", bundle_status="unresolved")
    assert history.rows("from evidence_diagnosis") == []
