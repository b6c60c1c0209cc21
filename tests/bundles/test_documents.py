"""The documents of a bundle and the final output (specification 20, "Logical artifacts" and "Documents")."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from pathlib import Path

import pytest

from judge_polars.rulebook import Limits
from tests.bundles.trees import BUNDLE, Files, audit, case_run, link, read_one, read_runs, under, write


def test_every_regular_file_is_a_document(tmp_path: Path) -> None:
    read = read_one(
        tmp_path, audit({"evidence/x/y.txt": "y", "logs/a.log": "1\n2", "notes": "n\n", "z.jsonl": "1\n\n2\n"})
    )
    columns = ("artifact", "in_logs", "in_evidence", "kind", "has_json", "text", "lines", "size", "plain", "unread")
    assert {name: tuple(row[column] for column in columns) for name, row in read.documents.items()} == {
        "diagnosis_report.json": ("report", False, False, "json", True, "{}", 1, 2, True, False),
        "evidence/a.json": (None, False, True, "json", True, "[1]", 1, 3, True, False),
        "evidence/x/y.txt": (None, False, True, "text", False, "y", 1, 1, True, False),
        "logs/a.log": (None, True, False, "text", False, "1\n2", 2, 3, True, False),
        "manifest.json": ("manifest", False, False, "json", True, "{}", 1, 2, True, False),
        "notes": (None, False, False, "text", False, "n\n", 1, 2, True, False),
        "z.jsonl": (None, False, False, "jsonl", True, "1\n2", 3, 5, True, False),
    }
    assert list(read.documents) == sorted(read.documents)
    assert read.documents["logs/a.log"]["digest"] == hashlib.sha256(b"1\n2").hexdigest()
    assert read.issues == []
    assert read.values == {"diagnosis_report.json": {}, "evidence/a.json": [1], "manifest.json": {}, "z.jsonl": [1, 2]}


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\rb\r\nc", 2), ("\ufeff", 0), ("\ufeffa", 1)],
)
def test_lines_are_those_of_the_file(tmp_path: Path, text: str, lines: int) -> None:
    read = read_one(tmp_path, audit({"a.txt": text, "b.txt.gz": text}))
    assert [read.documents[name]["lines"] for name in ("a.txt", "b.txt")] == [lines, lines]


@pytest.mark.parametrize(
    ("text", "plain"),
    [("plain ~\n\t", True), ("caf\u00e9", False), ("a\r\n", False), ("\x1b[31mred", False), (" ", False), ("", False)],
)
def test_plain_texts_are_ascii_without_returns_and_escapes(tmp_path: Path, text: str, plain: bool) -> None:
    assert read_one(tmp_path, audit({"a.txt": text})).documents["a.txt"]["plain"] is plain


def test_json_is_plain_by_its_compact_text(tmp_path: Path) -> None:
    read = read_one(tmp_path, audit({"a.json": '{"a":\r\n "\\r\\u001b"}', "b.json": '"\\u78c1"'}))
    assert read.texts["a.json"] == '{"a":"\\r\\u001b"}'
    assert [read.documents[name]["plain"] for name in ("a.json", "b.json")] == [True, False]


@pytest.mark.parametrize(
    "name",
    [".hidden", "evidence/.x.json", ".git/x", "evidence/node_modules/x.json", "node_modules/x", "logs/.x/a.log"],
)
def test_hidden_files_and_node_modules_are_left_out(tmp_path: Path, name: str) -> None:
    read = read_one(tmp_path, audit({name: "x"}))
    assert sorted(read.documents) == ["diagnosis_report.json", "evidence/a.json", "manifest.json"]
    assert (read.issues, read.reading.bundles["has_logs_dir"].to_list()) == ([], [False])


def test_links_and_pipes_are_left_out_and_told(tmp_path: Path) -> None:
    write(tmp_path, {"secret": "secret"})
    directory = case_run(tmp_path, audit())
    link(directory / "audit/evidence/passwd", "/etc/passwd")
    link(directory / "audit/logs", tmp_path)
    link(directory / "audit/evidence/loop", ".")
    link(directory / "audit/evidence/.hidden", "/etc/passwd")
    link(directory / "audit/summary.md", tmp_path / "secret")
    os.mkfifo(directory / "audit/telemetry.jsonl")
    read = read_runs(tmp_path / "runs")
    assert sorted(read.documents) == ["diagnosis_report.json", "evidence/a.json", "manifest.json"]
    names = ["evidence/loop", "evidence/passwd", "logs", "summary.md", "telemetry.jsonl"]
    assert read.issues == [(name, "not_a_regular_file") for name in names]
    assert read.reading.issues["bundle"].to_list() == [0] * 5


def test_nested_valid_candidates_are_no_documents_of_the_outer_one(tmp_path: Path) -> None:
    inner = {**BUNDLE, "manifest.json": '{"n": 1}', "logs/b.log": "b"}
    broken = {"manifest.json": "{}", "x.txt": "x"}
    read = read_one(
        tmp_path, audit({**under("evidence/run", inner), **under("logs/copy", BUNDLE), **under("sub", broken)})
    )
    of_outer = read.reading.documents.filter(bundle=0)["name"].to_list()
    assert of_outer == ["diagnosis_report.json", "evidence/a.json", "manifest.json", "sub/manifest.json", "sub/x.txt"]
    assert read.roots == ["audit", "audit/evidence/run"]
    assert read.reading.bundles["has_logs_dir"].to_list() == [False, True]


def test_what_the_judge_writes_is_no_document(tmp_path: Path) -> None:
    written = {"judgment.json": "{}", "semantic_context_v1.json": "{}", "semantic_packet_v1.json": "{}"}
    files = {
        **BUNDLE,
        **written,
        **under("sub", written),
        "case_run.json": '{"audit_dir": ".", "output_file": "judgment.json"}',
    }
    read = read_one(tmp_path, files)
    assert sorted(set(read.documents) - set(BUNDLE)) == ["case_run.json", *(f"sub/{name}" for name in sorted(written))]
    assert read.roots == ["."]


ARTIFACTS = [
    ("nothing", {}, {}),
    ("patch", {"analysis_patch.json": "[]"}, {"analysis_patch": "analysis_patch.json"}),
    ("packed patch", {"analysis_patch.json.gz": "[]"}, {"analysis_patch": "analysis_patch.json"}),
    ("first summary", {"summary.md": "a", "summary.txt": "b"}, {"summary_text": "summary.md"}),
    ("other summary", {"summary.txt": "b"}, {"summary_text": "summary.txt"}),
    (
        "a packed first name comes before a plain second",
        {"summary.md.gz": "a", "summary.txt": "b"},
        {"summary_text": "summary.md"},
    ),
    ("case matters", {"Summary.md": "a"}, {}),
    ("a directory is none", {"summary.md/x": "a", "summary.txt": "b"}, {"summary_text": "summary.txt"}),
    ("deeper is none", {"x/summary.md": "a"}, {}),
    ("telemetry", {"telemetry.txt": "x", "telemetry.log": "y"}, {"telemetry": "telemetry.log"}),
    (
        "all",
        {"summary.json": "1", "telemetry.jsonl": "1"},
        {"summary_json": "summary.json", "telemetry": "telemetry.jsonl"},
    ),
    ("blank ones count", {"summary.json": ""}, {"summary_json": "summary.json"}),
]


@pytest.mark.parametrize(("files", "artifacts"), [row[1:] for row in ARTIFACTS], ids=[row[0] for row in ARTIFACTS])
def test_artifacts_in_the_bundle(tmp_path: Path, files: Files, artifacts: dict[str, str]) -> None:
    read = read_one(tmp_path, audit(files))
    assert read.artifacts == {"manifest": "manifest.json", "report": "diagnosis_report.json", **artifacts}


BESIDE = [
    ("summary", {"summary.txt": "x"}, {}, {"summary.txt": "x"}),
    ("packed", {"summary.json.gz": "[1, 2]"}, {}, {"summary.json": "[1,2]"}),
    ("only the artifact", {"summary.md": "x", "summary.txt": "y", "notes.md": "z"}, {}, {"summary.md": "x"}),
    ("not where the bundle has one", {"summary.md": "x"}, {"summary.txt": "y"}, {"summary.txt": "y"}),
    ("telemetry", {"telemetry.log": "x"}, {}, {"telemetry.log": "x"}),
    ("not the patch", {"analysis_patch.json": "[]"}, {}, {}),
    ("logs", {"logs/tikv/a.log": "x", "logs/b.log.gz": "y"}, {}, {"logs/tikv/a.log": "x", "logs/b.log": "y"}),
    ("logs where the bundle's are empty", {"logs/a.log": "x"}, {"logs/": ""}, {"logs/a.log": "x"}),
    ("not where the bundle has logs", {"logs/a.log": "x"}, {"logs/b.log": "y"}, {"logs/b.log": "y"}),
    ("not the evidence", {"evidence/b.json": "1"}, {}, {}),
]


@pytest.mark.parametrize(("beside", "within", "texts"), [row[1:] for row in BESIDE], ids=[row[0] for row in BESIDE])
def test_artifacts_in_audit_dir(tmp_path: Path, beside: Files, within: Files, texts: dict[str, str]) -> None:
    read = read_one(tmp_path, {**under("audit", beside), **under("audit/run-1", {**BUNDLE, **within})})
    assert {name: text for name, text in read.texts.items() if name not in BUNDLE} == texts
    assert all(row["artifact"] or row["in_logs"] or name in BUNDLE for name, row in read.documents.items())


def test_artifacts_in_audit_dir_serve_a_bundle_in_the_workspace(tmp_path: Path) -> None:
    read = read_one(tmp_path, {"audit/summary.md": "x", "audit/logs/a.log": "y", **under("workspace/out", BUNDLE)})
    assert (read.artifacts["summary_text"], read.documents["logs/a.log"]["in_logs"]) == ("summary.md", True)
    assert read.reading.bundles["has_logs_dir"].to_list() == [True]


def test_odd_files_and_clashes_in_audit_dir_are_told(tmp_path: Path) -> None:
    files = {
        **under("audit/run-1", BUNDLE),
        "audit/summary.json": "1",
        "audit/summary.json.gz": "2",
        "audit/logs/x/a.log": "",
    }
    directory = case_run(tmp_path, files)
    link(directory / "audit/telemetry.log", "/etc/passwd")
    link(directory / "audit/logs/b.log", "/etc/passwd")
    link(directory / "audit/other", "/etc/passwd")
    read = read_runs(tmp_path / "runs")
    assert read.issues == [
        ("logs/b.log", "not_a_regular_file"),
        ("summary.json", "document_name_clash"),
        ("telemetry.log", "not_a_regular_file"),
    ]
    assert read.texts["summary.json"] == "1"


def test_logs_in_audit_dir_that_hold_the_bundle_itself(tmp_path: Path) -> None:
    read = read_one(tmp_path, {**under("audit/logs/run-1", BUNDLE), "audit/logs/a.log": "x"})
    assert sorted(read.documents) == [*sorted(BUNDLE)[:2], "logs/a.log", "manifest.json"]


def test_logs_in_audit_dir_that_are_a_bundle_are_none_of_another(tmp_path: Path) -> None:
    read = read_one(tmp_path, {**under("audit/logs", BUNDLE), **under("workspace", {**BUNDLE, "manifest.json": "{} "})})
    assert read.reading.bundles.select("root", "has_logs_dir").rows() == [("audit/logs", False), ("workspace", False)]


LAYOUT = {
    "manifest": ["index.json"],
    "report": ["answer.json"],
    "evidence_dir": ["proof"],
    "logs_dir": ["log", "out"],
    "telemetry": ["trace.log", "meta/trace.txt"],
    "output_text": ["final.txt", "out.md"],
}


def test_a_layout_gives_other_names(tmp_path: Path) -> None:
    files = {
        "index.json": "{}",
        "answer.json": "{}",
        "proof/a.json": "1",
        "out/a.log": "x",
        "meta/trace.txt": "y",
        "log/": "",
    }
    read = read_one(
        tmp_path,
        {**under("audit", {**files, "evidence/b.json": "2"}), "out.md": "done", "output.md": "no"},
        layout=LAYOUT,
    )
    expected = {
        "manifest": "index.json",
        "report": "answer.json",
        "telemetry": "meta/trace.txt",
        "output_text": "output",
    }
    assert read.artifacts == expected
    assert [name for name, row in read.documents.items() if row["in_logs"]] == ["out/a.log"]
    assert [name for name, row in read.documents.items() if row["in_evidence"]] == ["proof/a.json"]
    assert read.texts["output"] == "done"


def test_a_layout_with_directories_in_its_names(tmp_path: Path) -> None:
    layout = {"report": ["out/answer.json"], "evidence_dir": ["out/proof"], "summary_text": ["out/summary.md"]}
    files = {"manifest.json": "{}", "out/answer.json": '{"a": 1}', "out/proof/a.json": "1"}
    read = read_one(tmp_path, {**under("audit/run", files), "audit/out/summary.md": "s"}, layout=layout)
    assert read.artifacts == {
        "manifest": "manifest.json",
        "report": "out/answer.json",
        "summary_text": "out/summary.md",
    }
    assert read.documents["out/proof/a.json"]["in_evidence"]


@pytest.mark.parametrize(
    ("name", "content", "in_logs", "code"),
    [
        ("a.bin", b"\0", False, "binary_skipped"),
        ("core.1", b"\0", False, "binary_skipped"),
        ("a.log", b"\0", True, "binary_skipped"),
        ("a.log.1", b"\0", True, "binary_skipped"),
        ("a.log.2025-03-04.gz", gzip.compress(b"\0", mtime=0), True, "binary_skipped"),
        ("a.dump.gz", gzip.compress(b"\0", mtime=0), False, "binary_skipped"),
        ("a.dump", b"x", True, None),
        ("a.dump.gz", b"x", True, "archive_refused"),
        ("a.dump", b"x" * 2000, True, "document_too_large"),
    ],
)
def test_binary_files_without_a_text_extension_are_no_logs(
    tmp_path: Path, name: str, content: bytes, in_logs: bool, code: str | None
) -> None:
    read = read_one(tmp_path, audit({f"logs/{name}": content}), limits=Limits(document_bytes=1000))
    document = read.documents[f"logs/{name.removesuffix('.gz')}"]
    assert (document["in_logs"], document["unread"], document["text"] is None) == (
        in_logs,
        code is not None,
        code is not None,
    )
    assert read.codes == ([code] if code else [])
    assert read.reading.bundles["has_logs_dir"].to_list() == [True]


@pytest.mark.parametrize(
    ("files", "texts", "clashes"),
    [
        ({"a.json.gz": "[ 1]"}, {"a.json": "[1]"}, []),
        ({"a.JSON.GZ": "[ 1]"}, {"a.JSON": "[1]"}, []),
        ({"a.gz": "x"}, {"a": "x"}, []),
        ({"a.gz": "x", "a": "y"}, {"a": "y"}, ["a"]),
        ({"a.gz": "x", "a.GZ": "y"}, {"a": "y"}, ["a"]),
        ({"a.gz/b": "x"}, {"a.gz/b": "x"}, []),
        ({"x/a.gz": "x", "a": "y"}, {"a": "y", "x/a": "x"}, []),
        ({"a.tgz": "x"}, {"a.tgz": "x"}, []),
    ],
)
def test_packed_files_go_by_their_name_without_gz(
    tmp_path: Path, files: Files, texts: dict[str, str], clashes: list[str]
) -> None:
    read = read_one(tmp_path, audit(files))
    assert {name: text for name, text in read.texts.items() if name not in BUNDLE} == texts
    assert read.issues == [(name, "document_name_clash") for name in clashes]


def test_only_one_layer_is_unpacked(tmp_path: Path) -> None:
    read = read_one(tmp_path, audit({"a.txt.gz.gz": gzip.compress(gzip.compress(b"x", mtime=0))}))
    assert (read.documents["a.txt.gz"]["unread"], read.codes) == (True, ["binary_skipped"])


def test_names_that_are_no_utf_8_are_told_apart(tmp_path: Path) -> None:
    directory = case_run(tmp_path, audit())
    for name in (b"a\xff.txt", b"a\xfe.txt"):
        Path(os.fsdecode(os.fsencode(directory / "audit") + b"/" + name)).write_bytes(name[1:2])
    read = read_runs(tmp_path / "runs")
    assert {name for name in read.documents if name not in BUNDLE} == {"a\\xff.txt", "a\\xfe.txt"}


OUTPUTS = [
    ("none", {}, {}, None),
    ("default", {"output.md": "a", "output.txt": "b"}, {}, "a"),
    ("second default", {"output.txt": "b"}, {}, "b"),
    ("packed", {"output.md.gz": "a"}, {}, "a"),
    ("of the record", {"answer.txt": "c", "output.md": "a"}, {"output_file": "answer.txt"}, "c"),
    ("of the record, packed", {"answer.txt.gz": "c"}, {"output_file": "answer.txt"}, "c"),
    ("of the record, named with .gz", {"answer.txt.gz": "c"}, {"output_file": "answer.txt.gz"}, "c"),
    ("of the record, deeper", {"audit/answer.txt": "c"}, {"output_file": "./audit/answer.txt"}, "c"),
    ("of the record, hidden", {".answer": "c"}, {"output_file": ".answer"}, "c"),
    ("of the record, absent", {"output.txt": "b"}, {"output_file": "answer.txt"}, "b"),
    ("of the record, no text", {"output.txt": "b"}, {"output_file": 5}, "b"),
    ("as it stands", {"answer.json": '{"a" : 1}'}, {"output_file": "answer.json"}, '{"a" : 1}'),
]


@pytest.mark.parametrize(("files", "record", "text"), [row[1:] for row in OUTPUTS], ids=[row[0] for row in OUTPUTS])
def test_the_final_output(tmp_path: Path, files: Files, record: dict[str, object], text: str | None) -> None:
    read = read_one(tmp_path, {"notes": "", **files, "case_run.json": json.dumps(record)})
    if text is None:
        assert read.documents == {}
    else:
        document = read.documents["output"]
        columns = ("bundle", "artifact", "kind", "in_logs", "in_evidence", "text")
        assert tuple(document[column] for column in columns) == (None, "output_text", "text", False, False, text)
    assert read.issues == []


@pytest.mark.parametrize("content", ["", " \n", "\ufeff\u3000"])
def test_a_blank_output_has_no_text(tmp_path: Path, content: str) -> None:
    document = read_one(tmp_path, {"output.md": content}).documents["output"]
    assert (document["text"], document["unread"], document["size"]) == (None, False, len(content.encode()))


@pytest.mark.parametrize(
    ("output_file", "code", "text"),
    [
        ("../output.md", "path_outside_case_run", "right"),
        ("/etc/passwd", "path_outside_case_run", "right"),
        ("link-out", "path_outside_case_run", "right"),
        ("link-in", None, "linked"),
        ("fifo", "not_a_regular_file", "right"),
        ("audit", "not_a_regular_file", "right"),
        ("loop", "not_a_regular_file", "right"),
    ],
)
def test_an_output_file_must_be_a_regular_one_inside(
    tmp_path: Path, output_file: str, code: str | None, text: str
) -> None:
    record = json.dumps({"output_file": output_file})
    directory = case_run(tmp_path, {"case_run.json": record, "output.md": "right", "audit/answer.md": "linked"})
    write(directory.parent, {"output.md": "outside"})
    link(directory / "link-out", "../output.md")
    link(directory / "link-in", "audit/answer.md")
    link(directory / "loop", "loop")
    os.mkfifo(directory / "fifo")
    read = read_runs(tmp_path / "runs")
    assert (read.texts, read.codes) == ({"output": text}, [code] if code else [])


def test_the_json_of_the_output_is_visited(tmp_path: Path) -> None:
    read = read_one(tmp_path, {"output.md": "so:\n```json\n[1]\n```\n"})
    assert read.visits.values == {(0, None, 0, "case-a", "output", "output_text"): [1]}


@pytest.mark.parametrize(
    ("files", "valid"),
    [
        ({}, None),
        ({"analysis_patch.json": "[]"}, True),
        ({"analysis_patch.json": "null"}, True),
        ({"analysis_patch.json": "{"}, False),
        ({"analysis_patch.json": b"\0"}, False),
        ({"analysis_patch.json.gz": "[]"}, True),
        ({"x/analysis_patch.json": "[]"}, None),
    ],
)
def test_whether_the_patch_is_valid_json(tmp_path: Path, files: Files, valid: bool | None) -> None:
    bundles = read_one(tmp_path, audit(files)).reading.bundles
    assert bundles.select("patch_json_valid", "patch_shape_valid").rows() == [(valid, None)]
