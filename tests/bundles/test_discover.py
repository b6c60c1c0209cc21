"""Runs roots -> places of case runs (specification 20, first section)."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from judge_polars.bundles import Found, find_case_runs
from judge_polars.rulebook import Limits
from judge_polars.tables import EVAL_RUNS, ISSUES
from tests.bundles.trees import link, read_runs, write


def found(*roots: Path | str) -> Found:
    result = find_case_runs(roots, Limits())
    assert ISSUES.check(result.issues).schema == ISSUES.schema
    assert EVAL_RUNS.check(result.eval_runs).schema == EVAL_RUNS.schema
    return result


def ids(result: Found) -> list[str]:
    return [place.case_run_id for place in result.places]


def issues(result: Found) -> list[tuple[str, str | None, str]]:
    return result.issues.select("case_run_id", "document", "code").rows()


RUNS = {
    "r2/cases/b/trial-1/": "",
    "r1/cases/b/trial-10/": "",
    "r1/cases/b/trial-2/": "",
    "r1/cases/a/trial-1/output.md": "x",
    "r1/eval_run.json": "{}",
    "notes/readme.md": "x",
}


def test_places_sort_by_eval_run_case_and_trial_number(tmp_path: Path) -> None:
    write(tmp_path, RUNS)
    result = found(tmp_path)
    assert ids(result) == ["r1/a/1", "r1/b/2", "r1/b/10", "r2/b/1"]
    assert (result.issues.height, result.empty_roots, result.duplicates) == (0, [], [])
    place = result.places[0]
    assert place.path == str(tmp_path / "r1/cases/a/trial-1")
    assert (place.runs_root, place.directory) == (str(tmp_path), "r1/cases/a/trial-1")


@pytest.mark.parametrize("given", [".", "./", "r1", "r1/", "r1/.", "r1/cases/b/trial-2", "r1/cases/b/trial-2/"])
def test_any_kind_of_root_gives_the_same_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    write(tmp_path, RUNS)
    monkeypatch.chdir(tmp_path)
    whole = {place.case_run_id: place for place in found(".").places}
    part = found(given)
    assert "r1/b/2" in ids(part)
    for place in part.places:
        assert place.directory == whole[place.case_run_id].directory
        assert Path(place.path).samefile(whole[place.case_run_id].path)
        assert Path(place.runs_root, place.directory).samefile(place.path)


@pytest.mark.parametrize(("below", "expected"), [("r1", ["r1/b/2"]), ("r1/cases/b/trial-2", ["r1/b/2"])])
def test_the_working_directory_may_be_any_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str, expected: list[str]
) -> None:
    write(tmp_path, {"r1/cases/b/trial-2/": ""})
    monkeypatch.chdir(tmp_path / below)
    result = found(".")
    assert ids(result) == expected
    assert Path(result.places[0].path).samefile(tmp_path / "r1/cases/b/trial-2")
    assert result.places[0].directory == "r1/cases/b/trial-2"


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("trial-1", True),
        ("trial-10", True),
        ("trial-0", False),
        ("trial-01", False),
        ("trial-", False),
        ("trial-1x", False),
        ("Trial-1", False),
        ("trial_1", False),
        ("trial--1", False),
        ("foo", False),
        (".trial-1.part", False),
        ("trial-\u0661", False),
        ("trial-" + "9" * 30, False),
    ],
)
def test_trial_names(tmp_path: Path, name: str, valid: bool) -> None:
    write(tmp_path, {f"r1/cases/a/{name}/": "", "r1/cases/a/notes.txt": "no directory, no issue"})
    result = found(tmp_path)
    assert len(result.places) == valid
    assert issues(result) == ([] if valid else [("r1/a", name, "trial_name_invalid")])


def test_a_case_run_directory_of_another_name_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"r1/cases/a/trial-01/": ""})
    result = found(tmp_path / "r1/cases/a/trial-01")
    assert issues(result) == [("r1/a", "trial-01", "trial_name_invalid")]
    assert len(result.empty_roots) == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("gone", "no such directory"),
        ("file", "no directory"),
        ("empty", "no directory in it is an eval run"),
        ("hollow", "hold no directory `cases/<case_id>/trial-<n>`"),
        ("hollow/r1", "holds no directory `cases/<case_id>/trial-<n>`"),
        ("bare/r1", "holds no directory `cases`"),
        ("whole/r1/cases", "name the eval run's directory"),
        ("whole/r1/cases/a", "name the eval run's directory"),
    ],
)
def test_a_root_without_case_runs_says_why(tmp_path: Path, given: str, why: str) -> None:
    files = {
        "file": "",
        "empty/": "",
        "hollow/r1/cases/a/": "",
        "bare/r1/eval_run.json": "{}",
        "whole/r1/cases/a/trial-1/": "",
    }
    write(tmp_path, files)
    result = found(tmp_path / given)
    assert result.places == []
    assert [root.root for root in result.empty_roots] == [str(tmp_path / given)]
    assert why in result.empty_roots[0].reason


def test_an_eval_run_without_case_runs_is_still_an_eval_run(tmp_path: Path) -> None:
    write(tmp_path, {"r1/eval_run.json": "{}", "r2/cases/a/trial-1/": ""})
    assert found(tmp_path).eval_runs["eval_run_id"].to_list() == ["r1", "r2"]


def test_overlapping_roots_count_once(tmp_path: Path) -> None:
    write(tmp_path, RUNS)
    result = found(tmp_path / "r1", tmp_path, tmp_path / "r1/cases/a/trial-1", f"{tmp_path}/./r1")
    assert ids(result) == ["r1/a/1", "r1/b/2", "r1/b/10", "r2/b/1"]
    assert (result.duplicates, result.empty_roots, result.eval_runs.height) == ([], [], 2)


def test_two_directories_of_one_case_run_are_told(tmp_path: Path) -> None:
    write(tmp_path, {"x/r1/cases/a/trial-1/": "", "y/r1/cases/a/trial-1/": "", "y/r1/cases/a/trial-2/": ""})
    result = found(tmp_path / "x", tmp_path / "y")
    assert ids(result) == ["r1/a/1", "r1/a/2"]
    kept, left_out = (str(tmp_path / root / "r1/cases/a/trial-1") for root in "xy")
    assert result.duplicates == [("r1/a/1", kept, left_out)]
    assert result.places[0].path == kept


def test_links_below_a_root_are_not_followed_but_told(tmp_path: Path) -> None:
    write(tmp_path, {"other/r9/cases/a/trial-1/": "", "runs/r1/cases/a/trial-1/": ""})
    runs = tmp_path / "runs"
    link(runs / "latest", "r1")
    link(runs / "loop", ".")
    link(runs / "dangling", "nowhere")
    link(runs / "r2/cases", tmp_path / "other/r9/cases")
    link(runs / "r1/cases/b", tmp_path / "other/r9/cases/a")
    link(runs / "r1/cases/a/trial-2", "trial-1")
    link(runs / "r3/eval_run.json", "/etc/passwd")
    result = found(runs)
    assert ids(result) == ["r1/a/1"]
    assert issues(result) == [
        (str(runs), "latest", "not_a_regular_file"),
        (str(runs), "loop", "not_a_regular_file"),
        ("r1", "cases/b", "not_a_regular_file"),
        ("r1/a", "trial-2", "not_a_regular_file"),
        ("r2", "cases", "not_a_regular_file"),
        ("r3", "eval_run.json", "record_invalid"),
    ]


def test_a_root_that_is_a_link_is_followed(tmp_path: Path) -> None:
    write(tmp_path, RUNS)
    link(tmp_path / "link", "r1")
    assert ids(found(tmp_path / "link"))[0] == "link/a/1"


def test_hidden_eval_runs_and_cases_are_not_read_but_told(tmp_path: Path) -> None:
    hidden = {".staging/cases/a/trial-1/": "", ".bare/eval_run.json": "{}", "r1/cases/.x/trial-1/": ""}
    write(tmp_path, {**hidden, "r1/cases/a/trial-1/": ""})
    link(tmp_path / ".linked", "r1")
    result = found(tmp_path)
    assert ids(result) == ["r1/a/1"]
    assert issues(result) == [
        (str(tmp_path), ".bare", "hidden_directory"),
        (str(tmp_path), ".staging", "hidden_directory"),
        ("r1", "cases/.x", "hidden_directory"),
    ]
    assert found(tmp_path / ".staging").places[0].case_run_id == ".staging/a/1"


def test_other_hidden_directories_are_nobodys_business(tmp_path: Path) -> None:
    write(tmp_path, {".git/hooks/x": "", "r1/cases/.x/notes": "", "r1/cases/a/trial-1/": "", "r1/.x/cases/": ""})
    assert issues(found(tmp_path)) == []


LONE = {"cases/a/trial-1/": "", "cases/cases/trial-1/": "", "cases/b/cases/trial-1/": ""}
AMONG_OTHERS = {"cases/cases/a/trial-1/": "", "r1/cases/a/trial-1/": ""}
WITH_RECORD = {"cases/eval_run.json": "{}", "cases/cases/a/": "", "r1/cases/a/trial-1/": ""}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(LONE, ["runs/a/1", "runs/cases/1"], id="a lone eval run with a case of that name"),
        pytest.param(AMONG_OTHERS, ["cases/a/1", "r1/a/1"], id="an eval run of that name"),
        pytest.param(WITH_RECORD, ["r1/a/1"], id="an eval run of that name without case runs"),
        pytest.param({**AMONG_OTHERS, "eval_run.json": "{}"}, [], id="a lone eval run with a record"),
        pytest.param({"cases/cases/notes/": ""}, [], id="a lone eval run with an empty case"),
    ],
)
def test_an_eval_run_may_be_called_cases(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    write(tmp_path / "runs", files)
    assert ids(found(tmp_path / "runs")) == expected


EVAL_RUN = {
    "eval_run_id": "r1",
    "suite_id": "daily",
    "suite_version": 3,
    "execution_mode": "live",
    "started_at": "2025-03-05T02:00:00+02:00",
    "finished_at": "2025-03-05 03:10:00",
    "agent": {"name": "clinic-agent", "version": "1.4.0", "model": "m-1"},
}


def test_eval_run_records(tmp_path: Path) -> None:
    write(tmp_path, {"r1/eval_run.json": json.dumps(EVAL_RUN), "r1/cases/a/trial-1/": "", "r2/cases/a/trial-1/": ""})
    result = found(tmp_path)
    started, finished = datetime(2025, 3, 5, 0, tzinfo=UTC), datetime(2025, 3, 5, 3, 10, tzinfo=UTC)
    assert result.eval_runs.rows() == [
        ("r1", "daily", 3, "live", started, finished, "clinic-agent", "1.4.0", "m-1"),
        ("r2", *[None] * 8),
    ]
    assert [place.eval_agent.name for place in result.places] == ["clinic-agent", None]


@pytest.mark.parametrize(
    ("record", "codes", "suite"),
    [
        ('{"suite_id": "s"}', [], "s"),
        ('{"suite_id": 1, "suite_version": "2", "agent": [], "started_at": 5}', [], None),
        ('{"suite_version": 1e3, "finished_at": "soon"}', [], None),
        ('{"eval_run_id": "r2", "suite_id": "s"}', ["record_path_mismatch"], "s"),
        ('{"eval_run_id": 5}', ["record_path_mismatch"], None),
        ('{"eval_run_id": null}', [], None),
        ('{"x": NaN, "suite_id": "s"}', ["json_nonstandard"], "s"),
        ("[1]", ["record_invalid"], None),
        ("{", ["record_invalid"], None),
        ("", ["record_invalid"], None),
        ("\0", ["record_invalid"], None),
    ],
)
def test_odd_eval_run_records(tmp_path: Path, record: str, codes: list[str], suite: str | None) -> None:
    write(tmp_path, {"r1/eval_run.json": record, "r1/cases/a/trial-1/": "", "r1/cases/b/trial-1/": ""})
    result = found(tmp_path)
    assert result.eval_runs["suite_id"].to_list() == [suite]
    assert result.eval_runs.drop("eval_run_id", "suite_id").row(0) == (None,) * 7
    assert [[code for code, _ in place.eval_issues] for place in result.places] == [codes, codes]
    assert issues(result) == []
    read = read_runs(tmp_path)
    assert read.reading.issues.select("run", "document", "code").rows() == [
        (run, "eval_run.json", code) for run in range(2) for code in codes
    ]


def test_an_odd_record_of_an_eval_run_without_case_runs_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"r1/eval_run.json": "{", "r2/cases/a/trial-1/": ""})
    assert issues(found(tmp_path)) == [("r1", "eval_run.json", "record_invalid")]


def test_an_eval_run_with_another_record_elsewhere_keeps_the_first(tmp_path: Path) -> None:
    for root, suite in (("x", "one"), ("y", "two")):
        write(tmp_path, {f"{root}/r1/eval_run.json": f'{{"suite_id": "{suite}", "agent": {{"name": "{root}"}}}}'})
        write(tmp_path, {f"{root}/r1/cases/{root}/trial-1/": ""})
    result = found(tmp_path / "x", tmp_path / "y")
    assert result.eval_runs["suite_id"].to_list() == ["one"]
    assert [place.eval_agent.name for place in result.places] == ["x", "y"]


@pytest.mark.parametrize("fault", [PermissionError(13, "no"), OSError(5, "no"), OSError(116, "no")], ids=str)
def test_a_directory_of_which_nothing_can_be_told_is_no_eval_run_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError
) -> None:
    write(tmp_path, RUNS)
    stat = os.stat

    def refused(path: str, **more: bool) -> os.stat_result:
        if "/r2/" in os.fspath(path):
            raise fault
        return stat(path, **more)

    monkeypatch.setattr(os, "stat", refused)
    result = found(tmp_path)
    assert {place.eval_run_id for place in result.places} == {"r1"}
    assert issues(result) == [("r2", None, "document_unreadable")]


def test_why_a_root_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    empty = found(tmp_path / "file", tmp_path / "none", tmp_path / "loop", tmp_path / ("x" * 300)).empty_roots
    assert [one.reason for one in empty] == [
        "it is no directory",
        "there is no such directory",
        "too many levels of symbolic links",
        "file name too long",
    ]
