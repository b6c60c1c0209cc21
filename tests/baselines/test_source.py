"""Sources: a judgment in memory and its documents."""

from __future__ import annotations

import pytest

from judge_polars.baselines.source import eval_run_row, in_portions
from judge_polars.errors import InputError, UsageError
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.sources import DOCUMENT_TEXTS
from tests.baselines.conftest import GOOD, RESTART


def test_documents_are_those_of_the_bundle_and_the_output(source: JudgedRuns) -> None:
    key = f"{GOOD}/{RESTART}/1"
    found = source.documents([key])
    assert found.schema == DOCUMENT_TEXTS
    assert set(found["case_run_id"]) == {key}
    listed = source.sql("select document, digest from documents where case_run_id = ? order by document", [key])
    assert found.select("document", "digest").rows() == listed.rows()
    texts = dict(found.select("document", "text").iter_rows())
    assert texts["manifest.json"].startswith('{"')
    assert "tidb-0" in texts["output"]


def test_no_documents_of_no_case_run(source: JudgedRuns) -> None:
    assert source.documents([]).schema == DOCUMENT_TEXTS
    assert source.documents(["nothing/at-all/1"]).is_empty()


def test_a_judgment_without_its_runs_has_no_documents(demo: Judgment) -> None:
    with pytest.raises(InputError, match="not at hand"):
        JudgedRuns(Judgment(demo.frames)).documents(["x"])


def test_an_unknown_eval_run_is_told_with_the_nearest(source: JudgedRuns) -> None:
    with pytest.raises(UsageError, match=f"there is no eval run 2025-03-04-nightl; nearest: {GOOD}"):
        eval_run_row(source, "2025-03-04-nightl")
    with pytest.raises(UsageError, match="there are: 2025-03-03-nightly"):
        eval_run_row(source, "zzz")


def test_portions() -> None:
    assert list(in_portions(["a", "b", "c"], 2)) == [["a", "b"], ["c"]]
    assert list(in_portions([], 2)) == []
