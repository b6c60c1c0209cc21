"""View `repeated_bundles`."""

from tests.sql.history_builder import History


def test_case_runs_with_the_same_content(history: History) -> None:
    for case_run_id, content in {"r2/a/1": "x", "r1/a/1": "x", "r1/a/2": "y", "r1/b/1": "z", "r3/a/1": "x"}.items():
        history.add("bundles", {"case_run_id": case_run_id, "content_digest": content})
    assert history.rows("from repeated_bundles order by case_run_id") == [
        ("x", "r1/a/1", 3, "r1/a/1"),
        ("x", "r2/a/1", 3, "r1/a/1"),
        ("x", "r3/a/1", 3, "r1/a/1"),
    ]


def test_case_runs_without_a_bundle_are_no_copies_of_each_other(history: History) -> None:
    for case_run_id, status in {"r1/a/1": "unresolved", "r1/a/2": "unresolved", "r1/a/3": "resolved"}.items():
        history.add("bundles", {"case_run_id": case_run_id, "content_digest": "x", "status": status})
    assert history.rows("from repeated_bundles") == []


def test_revisions_of_one_case_run_are_no_copies(history: History) -> None:
    for bundle in ("b1", "b2"):
        history.add("bundles", {"case_run_id": "r1/a/1", "content_digest": "x", "bundle_digest": bundle})
    assert history.rows("from repeated_bundles") == []
    history.add("bundles", {"case_run_id": "r1/a/2", "content_digest": "x"})
    assert history.rows("select case_run_id, case_runs from repeated_bundles order by all") == [
        ("r1/a/1", 2),
        ("r1/a/2", 2),
    ]
