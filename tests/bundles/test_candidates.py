"""Finding the bundles of a case run (specification 20, "Finding the bundle", steps 1 and 2)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from judge_polars.rulebook import Limits
from tests.bundles.trees import BUNDLE, Files, audit, case_run, link, read_one, read_runs, under, write


def other(number: int, more: Files | None = None) -> dict[str, str | bytes]:
    """A valid bundle that is not byte-identical with those of other numbers."""
    return {**BUNDLE, "manifest.json": json.dumps({"n": number}), **(more or {})}


@pytest.mark.parametrize(
    ("files", "reasons"),
    [
        ({}, []),
        ({"manifest.json": ""}, ["manifest_invalid"]),
        ({"manifest.json": "[]"}, ["manifest_invalid"]),
        ({"manifest.json": '{"a": NaN}'}, []),
        ({"manifest.json": b"\xef\xbb\xbf{}"}, []),
        ({"manifest.json": b"\0{}"}, ["manifest_invalid"]),
        ({"manifest.json": '{"a": "\\ud800"}'}, ["manifest_invalid"]),
        ({"manifest.json": "{}" + " " * 200}, ["manifest_invalid"]),
        ({"diagnosis_report.json": None}, ["report_missing"]),
        ({"diagnosis_report.json": None, "report.json.gz": "{}"}, ["report_missing"]),
        ({"diagnosis_report.json": None, "report.json": "{}"}, []),
        ({"diagnosis_report.json": "x", "report.json": "{}"}, ["report_invalid"]),
        ({"diagnosis_report.json": "null"}, ["report_invalid"]),
        ({"evidence/a.json": None}, ["evidence_missing"]),
        ({"evidence/a.json": None, "evidence": "x"}, ["evidence_missing"]),
        ({"evidence/a.json": None, "evidence/": ""}, []),
        (
            {"manifest.json": "", "diagnosis_report.json": None, "evidence/a.json": None},
            ["manifest_invalid", "report_missing", "evidence_missing"],
        ),
    ],
)
def test_what_makes_a_candidate_valid(tmp_path: Path, files: dict[str, str | bytes | None], reasons: list[str]) -> None:
    tree = {name: content for name, content in {**BUNDLE, **files}.items() if content is not None}
    read = read_one(tmp_path, under("workspace/x", tree), limits=Limits(document_bytes=150))
    assert read.candidates == [("workspace/x", reasons, not reasons)]
    assert read.roots == ([] if reasons else ["workspace/x"])
    rejected = [issue for issue in read.issues if issue[0] == "workspace/x"]
    assert rejected == [("workspace/x", reason) for reason in sorted(reasons)]
    assert read.reading.issues.filter(document="workspace/x")["bundle"].null_count() == len(reasons)
    assert read.reading.documents.height == (0 if reasons else len(tree) - ("evidence/" in tree))


def test_a_directory_without_manifest_is_no_candidate(tmp_path: Path) -> None:
    read = read_one(
        tmp_path, {"audit/diagnosis_report.json": "{}", "audit/evidence/a.json": "1", "audit/manifest.json.gz": "{}"}
    )
    assert (read.candidates, read.issues) == ([], [])


def test_a_directory_called_manifest_json_is_no_manifest(tmp_path: Path) -> None:
    assert read_one(tmp_path, {"audit/manifest.json/x": "{}"}).candidates == []


@pytest.mark.parametrize("name", ["manifest.json", "diagnosis_report.json", "evidence"])
def test_links_make_no_candidate(tmp_path: Path, name: str) -> None:
    files = {key: content for key, content in audit().items() if not key.startswith(f"audit/{name}")}
    directory = case_run(tmp_path, {**files, "workspace/real.json": "{}"})
    link(directory / "audit" / name, "../workspace" if name == "evidence" else "../workspace/real.json")
    read = read_runs(tmp_path / "runs")
    assert read.roots == []
    expected = {
        "manifest.json": "not_a_regular_file",
        "diagnosis_report.json": "report_missing",
        "evidence": "evidence_missing",
    }
    assert read.codes == [expected[name]]


def test_a_linked_report_leaves_the_other_name(tmp_path: Path) -> None:
    files = {"manifest.json": "{}", "report.json": '{"n": 1}', "evidence/": ""}
    directory = case_run(tmp_path, under("audit", files))
    link(directory / "audit/diagnosis_report.json", "report.json")
    read = read_runs(tmp_path / "runs")
    assert read.artifacts["report"] == "report.json"
    assert read.issues == [("diagnosis_report.json", "not_a_regular_file")]


@pytest.mark.parametrize(("levels", "found"), [(0, True), (8, True), (9, False)])
@pytest.mark.parametrize("root", ["audit", "workspace"])
def test_candidates_lie_at_most_8_levels_down(tmp_path: Path, root: str, levels: int, found: bool) -> None:
    deep = "/".join([root, *"123456789"[:levels]])
    read = read_one(tmp_path, under(deep, BUNDLE))
    assert read.roots == ([deep] if found else [])
    assert read.codes == ([] if found else ["limit_reached"])


def test_evidence_below_the_deepest_candidate_is_no_limit(tmp_path: Path) -> None:
    deep = "/".join(["audit", *"12345678"])
    read = read_one(tmp_path, under(deep, {**BUNDLE, "evidence/x/y/z.txt": "z"}))
    assert (read.texts["evidence/x/y/z.txt"], read.issues) == ("z", [])


@pytest.mark.parametrize("hidden", [".cache", ".git/x", "node_modules", "x/node_modules/y"])
def test_hidden_directories_and_node_modules_are_not_searched(tmp_path: Path, hidden: str) -> None:
    read = read_one(tmp_path, {**under(f"workspace/{hidden}", other(1)), **under("workspace/node_modules_x", other(2))})
    assert (read.roots, read.issues) == (["workspace/node_modules_x"], [])


def test_linked_directories_are_not_searched(tmp_path: Path) -> None:
    directory = case_run(tmp_path, under("workspace/run", BUNDLE))
    write(tmp_path, under("elsewhere", other(1)))
    link(directory / "audit/elsewhere", tmp_path / "elsewhere")
    link(directory / "audit/copy", "../workspace/run")
    link(directory / "audit/loop", "..")
    read = read_runs(tmp_path / "runs")
    assert (read.candidates, read.issues) == ([("workspace/run", [], True)], [])


@pytest.mark.parametrize("most", [3, 4, 5, 6])
def test_so_many_directories_are_walked(tmp_path: Path, most: int) -> None:
    files = {**under("audit/a", BUNDLE), "audit/b/x": ""}
    read = read_one(tmp_path, files, limits=Limits(directories=most))
    # case run, audit, audit/a, audit/b, audit/a/evidence
    assert read.codes == ([] if most >= 5 else ["limit_reached"])
    assert read.roots == ["audit/a"]
    assert ("evidence/a.json" in read.documents) is (most >= 5)


def test_many_directories_end(tmp_path: Path) -> None:
    directory = case_run(tmp_path, audit())
    for number in range(400):
        os.makedirs(directory / f"workspace/{number % 20}/{number}")
    read = read_runs(tmp_path / "runs", limits=Limits(directories=100))
    assert read.roots == ["audit"]
    assert read.issues == [(None, "limit_reached")]


COPIES = [
    ("more evidence", under("audit/x", other(1)), under("workspace/x", other(1, {"evidence/b": ""})), "workspace/x"),
    ("more logs", under("audit/x", other(1)), under("workspace/x", other(1, {"logs/a/b.log": ""})), "workspace/x"),
    (
        "other files do not count",
        under("audit/x", other(1)),
        under("workspace/x", other(1, {"b": "", "c": ""})),
        "audit/x",
    ),
    ("hidden ones neither", under("audit/x", other(1)), under("workspace/x", other(1, {"logs/.b": ""})), "audit/x"),
    ("in audit_dir", under("audit/x/y/z", other(1)), under("workspace/x", other(1)), "audit/x/y/z"),
    ("fewest parts", under("audit/x/y", other(1)), under("audit/z", other(1)), "audit/z"),
    ("first by name", under("audit/x", other(1)), under("audit/y", other(1)), "audit/x"),
    ("a nested copy counts for itself", under("audit", other(1)), under("audit/evidence/x", other(1)), "audit"),
]


@pytest.mark.parametrize(("one", "two", "kept"), [copy[1:] for copy in COPIES], ids=[copy[0] for copy in COPIES])
def test_byte_identical_candidates_are_one_bundle(
    tmp_path: Path, one: dict[str, str], two: dict[str, str], kept: str
) -> None:
    read = read_one(tmp_path, {**one, **two})
    assert read.roots == [kept]
    assert [root for root, _, is_kept in read.candidates if is_kept] == [kept]
    assert read.reading.candidates["bundle"].to_list() == [0, 0]
    assert read.reading.documents["bundle"].unique().to_list() == [0]


@pytest.mark.parametrize("differs", ["manifest.json", "diagnosis_report.json"])
def test_one_byte_makes_another_bundle(tmp_path: Path, differs: str) -> None:
    read = read_one(tmp_path, {**under("audit/a", BUNDLE), **under("audit/b", {**BUNDLE, differs: "{} "})})
    assert read.roots == ["audit/a", "audit/b"]
    assert read.reading.documents.filter(name="evidence/a.json")["bundle"].to_list() == [0, 1]


def test_every_distinct_bundle_is_read_and_identified(tmp_path: Path) -> None:
    files = {
        **under("audit/b", {**BUNDLE, "manifest.json": '{"cluster_id": "2"}'}),
        **under(
            "audit/a",
            {**BUNDLE, "diagnosis_report.json": '{"cluster_id": "1", "time_window": {"start": "x", "end": 1}}'},
        ),
        **under("workspace/a", {**BUNDLE, "manifest.json": '{"cluster_id": 1.5}', "report.json": "[]"}),
        **under("workspace/bad", {**BUNDLE, "manifest.json": ""}),
    }
    read = read_one(tmp_path, files)
    bundles = read.reading.bundles.select("root", "cluster_id", "cluster_source").rows()
    assert bundles == [("audit/a", "1", "report"), ("audit/b", "2", "manifest"), ("workspace/a", None, None)]
    assert read.reading.candidates["bundle"].to_list() == [0, 1, 2, None]
    assert read.reading.issues.select("bundle", "document", "code").rows() == [
        (0, "diagnosis_report.json", "timestamp_invalid"),
        (2, "manifest.json", "cluster_id_inexact"),
        (None, "workspace/bad", "manifest_invalid"),
    ]


@pytest.mark.parametrize(
    ("audit_dir", "workspace_dir"),
    [("a", "a"), ("a", "a/b"), ("a/b", "a"), (".", "a"), ("a", "."), (".", "."), ("./a", "a/"), ("a/b/c", "a")],
)
def test_overlapping_directories_give_no_candidate_twice(tmp_path: Path, audit_dir: str, workspace_dir: str) -> None:
    record = json.dumps({"audit_dir": audit_dir, "workspace_dir": workspace_dir})
    files = {**under("a/b/c", other(1)), **under("a/b/d", other(2)), "case_run.json": record}
    read = read_one(tmp_path, files)
    expected = ["a/b/c", "a/b/d"]
    if (audit_dir, workspace_dir) == ("a/b", "a/b/c"):
        expected = ["a/b/c"]
    assert [root for root, _, _ in read.candidates] == expected


@pytest.mark.parametrize(("inner", "outer"), [("audit_dir", "workspace_dir"), ("workspace_dir", "audit_dir")])
def test_a_nested_root_has_its_own_8_levels(tmp_path: Path, inner: str, outer: str) -> None:
    deep = "a/1/2/3/4/b/1/2/3/4/5/6/7/8"
    record = json.dumps({outer: "a", inner: "a/1/2/3/4/b"})
    read = read_one(tmp_path, {**under(deep, BUNDLE), "case_run.json": record})
    assert (read.roots, read.issues) == ([deep], [])
