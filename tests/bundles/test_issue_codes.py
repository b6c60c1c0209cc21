"""Every issue that reading can raise: a tree in which it is raised, and one, hardly different, in which it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_polars.rulebook import Limits
from judge_polars.vocabulary import ISSUE_CODES
from tests.bundles.trees import Files, audit, case_run, read_runs, under

LIMITS = Limits(document_bytes=1000, archive_free_bytes=500, archive_ratio=10, directories=5)

RAISED_ELSEWHERE = {
    "unknown_case",
    "case_version_differs",
    "duplicate_case_run",
    "text_not_in_record",
    "read_with_other_layout",
}
"""By whoever knows the registry."""

WITH_LINKS = {"not_a_regular_file"}
CASES: list[tuple[str, Files, Files]] = [
    ("record_invalid", {"case_run.json": "[]"}, {"case_run.json": "{}"}),
    ("record_path_mismatch", {"case_run.json": '{"trial": 2}'}, {"case_run.json": '{"trial": 1}'}),
    ("path_outside_case_run", {"case_run.json": '{"audit_dir": "../x"}'}, {"case_run.json": '{"audit_dir": "x"}'}),
    ("manifest_invalid", audit({"manifest.json": "1"}), audit()),
    ("report_invalid", audit({"diagnosis_report.json": "{"}), audit({"report.json": "{}"})),
    ("report_missing", {"audit/manifest.json": "{}", "audit/evidence/": ""}, {"audit/evidence/x": ""}),
    ("evidence_missing", {"audit/manifest.json": "{}", "audit/report.json": "{}"}, {"audit/report.json": "{}"}),
    ("json_nonstandard", audit({"a.json": "[NaN]"}), audit({"a.json": '["NaN"]'})),
    ("json_invalid", audit({"a.json": "[nan]"}), audit({"a.txt": "[nan]"})),
    ("jsonl_bad_line", audit({"a.jsonl": "1\nx\n"}), audit({"a.jsonl": "1\n\n"})),
    ("text_undecodable", audit({"a.txt": b"\xff"}), audit({"a.txt": "\u00ff"})),
    ("document_name_clash", audit({"a": "", "a.gz": ""}), audit({"a": "", "b/a.gz": ""})),
    ("archive_refused", audit({"a.gz": b"x"}), audit({"a.gz": "x"})),
    ("binary_skipped", audit({"a": b"\0"}), audit({"a": b"0"})),
    ("document_too_large", audit({"a": "x" * 1001}), audit({"a": "x" * 1000})),
    ("document_unreadable", {"audit": "no directory"}, {"audit/a": ""}),
    ("limit_reached", under("audit/1/2/3/4", {"x": ""}), under("audit/1/2/3", {"x": ""})),
    ("timestamp_invalid", audit({"manifest.json": '{"start_time": "x", "end_time": 1}'}), audit()),
    (
        "timestamp_without_offset",
        audit({"manifest.json": '{"start_time": "2025-03-04T09:00:00", "end_time": 1741078800}'}),
        audit({"manifest.json": '{"start_time": "2025-03-04T09:00:00Z", "end_time": 1741078800}'}),
    ),
    (
        "cluster_id_inexact",
        audit({"manifest.json": '{"cluster_id": 1.0}'}),
        audit({"manifest.json": '{"cluster_id": 1}'}),
    ),
]


@pytest.mark.parametrize(("code", "files", "near_miss"), CASES, ids=[case[0] for case in CASES])
def test_an_issue_is_raised_and_only_then(tmp_path: Path, code: str, files: Files, near_miss: Files) -> None:
    for name, tree in (("raised", files), ("near-miss", near_miss)):
        case_run(tmp_path / name, tree)
    assert set(read_runs(tmp_path / "raised/runs", limits=LIMITS).codes) == {code}
    assert read_runs(tmp_path / "near-miss/runs", limits=LIMITS).codes == []


def test_a_link_is_told_and_a_file_is_not(tmp_path: Path) -> None:
    directory = case_run(tmp_path, audit({"real.txt": ""}))
    assert read_runs(tmp_path / "runs").codes == []
    (directory / "audit/link.txt").symlink_to("real.txt")
    assert read_runs(tmp_path / "runs").codes == ["not_a_regular_file"]


def test_no_code_is_forgotten() -> None:
    of_trial_names = {"trial_name_invalid", "hidden_directory"}  # see test_discover.py
    assert {case[0] for case in CASES} | RAISED_ELSEWHERE | WITH_LINKS | of_trial_names == set(ISSUE_CODES)
