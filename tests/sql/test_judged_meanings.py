"""View `judged_meanings`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sql.history_builder import DAY_1, DAY_2, History


def test_the_latest_judgment_tells(history: History) -> None:
    history.add(
        "judgments",
        {"judgment_id": "a", "judged_at": DAY_2, "pack_digests": "p2", "semantics_version": 2},
        {"judgment_id": "b", "judged_at": DAY_1, "pack_digests": "p1"},
    )
    history.judged("r/c/1", judgment_id="b", case_digest="c@1", suite_digest="s1")
    history.judged("r/c/2", judgment_id="a", case_digest="c@0", suite_digest="s0")
    history.judged("r/d/1", judgment_id="b", case_digest="d@1")
    assert history.rows("from judged_meanings order by all") == [
        ("r", "c", 2, "c@0", "s0", "p2", 2, True),
        ("r", "d", 1, "d@1", None, "p1", 1, False),
    ]


@pytest.mark.parametrize(
    ("other", "mixed"),
    [
        pytest.param({}, False, id="the same"),
        pytest.param({"judgment_id": "j2"}, False, id="another judgment that means the same"),
        pytest.param({"case_digest": "c@2"}, True, id="another case digest"),
        pytest.param({"suite_digest": "t"}, True, id="another suite digest"),
        pytest.param({"judgment_id": "packs"}, True, id="other packs"),
        pytest.param({"judgment_id": "no_packs"}, True, id="no packs"),
        pytest.param({"judgment_id": "semantics"}, True, id="other semantics"),
    ],
)
def test_mixed(history: History, other: dict[str, Any], mixed: bool) -> None:
    packs: dict[str, dict[str, Any]] = {
        "j1": {"pack_digests": "p"},
        "j2": {"pack_digests": "p", "registry_digest": "other", "engine_version": "2"},
        "packs": {"pack_digests": "q"},
        "no_packs": {},
        "semantics": {"pack_digests": "p", "semantics_version": 2},
    }
    history.add("judgments", *({"judgment_id": name, **columns} for name, columns in packs.items()))
    history.judged("r/c/1", case_digest="c@1", suite_digest="s")
    history.judged("r/c/2", **{"case_digest": "c@1", "suite_digest": "s", **other})
    assert history.rows("select mixed from judged_meanings") == [(mixed,)]


def test_judgments_that_were_superseded_do_not_count(history: History) -> None:
    history.add("judgments", {"judgment_id": "old"}, {"judgment_id": "young", "judged_at": DAY_2})
    history.judged("r/c/1", judgment_id="old", case_digest="c@1")
    history.judged("r/c/1", judgment_id="young", case_digest="c@2")
    assert history.rows("select case_digest, mixed from judged_meanings") == [("c@2", False)]
