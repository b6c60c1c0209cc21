"""Bundles with one thing spoilt, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from judge_polars.probe.bundles import KEPT
from judge_polars.probe.json_edits import emptied, emptied_at, later, later_points, later_text
from judge_polars.probe.spoilings import Spoiling, days_beside, spoilings
from judge_polars.registry import load_registry
from judge_polars.rulebook import RuleBook
from tests.cli.world import PACK
from tests.probe.rubrics import GOOD_CHECKS, diagnosis, good_run, write_registry

PACK_WITH_STEPS = (
    PACK.replace(
        "facts:\n",
        """facts:
  - name: workflow.guide_read
    any_of:
      - match: json_record_any
        artifact: telemetry
        path: '$[*]'
        where: [{path: $.status, equals: ok}, {path: $.args.path, matches: 'GUIDE\\.md$'}]
  - name: workflow.run_started
    any_of:
      - {match: artifact_present, artifact: manifest}
      - {match: json_record_any, artifact: telemetry, path: '$[*]', where: [{path: $.tool, equals: start}]}
""",
    )
    + "  metrics:\n    observed_any_of: [{match: numeric_series_present, artifact: '*metric*'}]\n"
    + "  events:\n    observed_any_of:\n      - {match: json_list_nonempty, artifact: events.json}\n"
    + "      - {match: json_list_nonempty, artifact: report, path: $.evidence.events}\n"
)
STEPS = {"workflow": {"checks": [{"id": "guide_read"}, {"id": "run_started"}]}}
TELEMETRY = (
    '{"tool": "start", "status": "ok"}\n'
    '{"tool": "read_file", "status": "ok", "args": {"path": "docs/GUIDE.md"}}\n'
    '{"tool": "read_file", "status": "ok", "args": {"path": "docs/OTHER.md"}}\n'
)
OBSERVED = frozenset(
    {f"evidence.{channel}_channel_observed" for channel in ("logs", "metrics", "events")}
    | {"workflow.guide_read", "workflow.run_started"}
)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> RuleBook:
    """A registry with channels and milestones."""
    root = tmp_path_factory.mktemp("steps")
    judge = {**STEPS, **diagnosis(*GOOD_CHECKS)}
    return load_registry(write_registry(root, judge, pack=PACK_WITH_STEPS)).compile()


def files_of(**more: str) -> dict[str, bytes]:
    """The bundle of the good run, by names below its root."""
    audit = {name.removeprefix("audit/"): text for name, text in good_run().items() if name.startswith("audit/")}
    return {name: text.encode() for name, text in {**audit, f"evidence/{KEPT}": "", **more}.items()}


def spoilt(book: RuleBook, files: Mapping[str, bytes], true: frozenset[str] = OBSERVED) -> dict[str, Spoiling]:
    """Spoilings by name."""
    return {one.name: one for one in spoilings(files, book.cases[0], book, true)}


def changed(spoiling: Spoiling, files: Mapping[str, bytes]) -> set[str]:
    """Files that are gone or other."""
    return {name for name in files if spoiling.files.get(name) != files[name]}


def test_names(book: RuleBook) -> None:
    files = files_of(**{"telemetry.jsonl": TELEMETRY, "summary.md": "x"})
    assert set(spoilt(book, files)) == {
        *(f"artifact_gone:{name}" for name in ("manifest", "report", "evidence_dir", "analysis_patch", "summary_text")),
        *("artifact_gone:logs_dir", "artifact_gone:telemetry"),
        *("artifact_gone:evidence/events.json", "artifact_gone:evidence/metrics.json"),
        *("channel_emptied:logs", "channel_emptied:metrics", "channel_emptied:events"),
        *("another_cluster", "shifted_window", "log_lines_out_of_window", "points_out_of_window"),
        *("failed_milestone:guide_read", "removed_milestone:guide_read"),
        *("failed_milestone:run_started", "removed_milestone:run_started"),
        "dangling_reference:metric",
    }


@pytest.mark.parametrize(
    ("name", "touched"),
    [
        ("artifact_gone:analysis_patch", {"analysis_patch.json"}),
        ("artifact_gone:logs_dir", {"logs/tikv.log"}),
        ("artifact_gone:evidence/metrics.json", {"evidence/metrics.json"}),
        ("artifact_gone:evidence_dir", {"evidence/metrics.json", "evidence/events.json", f"evidence/{KEPT}"}),
        ("channel_emptied:logs", {"logs/tikv.log"}),
        ("channel_emptied:metrics", {"evidence/metrics.json"}),
        ("channel_emptied:events", {"evidence/events.json"}),
        ("another_cluster", {"diagnosis_report.json", "manifest.json"}),
        ("shifted_window", {"diagnosis_report.json"}),
        ("log_lines_out_of_window", {"logs/tikv.log"}),
        ("points_out_of_window", {"evidence/metrics.json"}),
        ("failed_milestone:guide_read", {"telemetry.jsonl"}),
        ("dangling_reference:metric", {"analysis_patch.json"}),
    ],
)
def test_nothing_else_is_touched(book: RuleBook, name: str, touched: set[str]) -> None:
    files = files_of(**{"telemetry.jsonl": TELEMETRY})
    assert changed(spoilt(book, files)[name], files) == touched


def test_a_channel_that_is_not_observed_is_not_emptied(book: RuleBook) -> None:
    assert "channel_emptied:logs" not in spoilt(book, files_of(), frozenset())


def test_an_emptied_channel_keeps_its_files(book: RuleBook) -> None:
    files = files_of(**{"diagnosis_report.json": json.dumps({"evidence": {"events": [1], "other": [1]}})})
    emptied_events = spoilt(book, files)["channel_emptied:events"].files
    assert emptied_events["evidence/events.json"] == b"[]"
    assert json.loads(emptied_events["diagnosis_report.json"]) == {"evidence": {"events": [], "other": [1]}}
    assert spoilt(book, files)["channel_emptied:logs"].files["logs/tikv.log"] == b""


def test_a_failed_call_is_still_there(book: RuleBook) -> None:
    found = spoilt(book, files_of(**{"telemetry.jsonl": TELEMETRY}))
    failed = [json.loads(line) for line in found["failed_milestone:guide_read"].files["telemetry.jsonl"].splitlines()]
    assert [record["status"] for record in failed] == ["ok", "failed", "ok"]
    removed = found["removed_milestone:guide_read"]
    assert b"GUIDE.md" not in removed.files["telemetry.jsonl"]
    assert b"OTHER.md" in removed.files["telemetry.jsonl"]
    assert removed.only_to_compare


@pytest.mark.parametrize(
    ("line", "failed"),
    [
        ("read_file docs/GUIDE.md ok", "read_file docs/GUIDE.md failed"),
        ("read GUIDE.md", "read GUIDE.md failed"),
        (
            '{"update": {"status": "completed", "path": "GUIDE.md"}}',
            '{"update": {"status": "failed", "path": "GUIDE.md"}}',
        ),
        ('{"ok": true, "path": "GUIDE.md"}', '{"ok": false, "path": "GUIDE.md"}'),
        ('{"path": "GUIDE.md"}', '{"path": "GUIDE.md", "status": "failed"}'),
        ("read OTHER.md ok", None),
    ],
)
def test_shapes_of_telemetry(tmp_path: Path, line: str, failed: str | None) -> None:
    pack = PACK.replace(
        "facts:\n",
        "facts:\n  - name: workflow.guide_read\n"
        "    any_of: [{match: keyword_any, artifact: telemetry, keywords: [guide.md]}]\n",
    )
    judge = {"workflow": {"checks": [{"id": "guide_read"}]}, **diagnosis(*GOOD_CHECKS)}
    book = load_registry(write_registry(tmp_path, judge, pack=pack)).compile()
    found = spoilt(book, files_of(**{"telemetry.log": f"before\n{line}\n"}))
    if failed is None:
        assert "failed_milestone:guide_read" not in found
    else:
        assert found["failed_milestone:guide_read"].files["telemetry.log"].decode() == f"before\n{failed}\n"


@pytest.mark.parametrize(
    ("patch", "after"),
    [
        (["metric:a", "metric:b"], ["metric:probe-no-such-reference", "metric:b"]),
        (["query:q", "Metrics: a"], ["query:q", "Metrics:probe-no-such-reference"]),
        (
            [{"channel": "metric", "ref": "a", "quote": "x"}],
            [{"channel": "metric", "ref": "probe-no-such-reference", "quote": "x"}],
        ),
        ([{"type": "metrics", "ref": "a"}], [{"type": "metrics", "ref": "probe-no-such-reference"}]),
    ],
)
@pytest.mark.parametrize("is_bare", [True, False])
def test_dangling_references(book: RuleBook, patch: list[Any], after: list[Any], is_bare: bool) -> None:
    def whole(references: list[Any]) -> Any:
        items = [{"id": "A0", "key_evidence": []}, {"id": "A1", "supporting_evidence": references}]
        return items if is_bare else {"items": items, "note": 1}

    files = files_of(**{"analysis_patch.json": json.dumps(whole(patch))})
    assert json.loads(spoilt(book, files)["dangling_reference:metric"].files["analysis_patch.json"]) == whole(after)


@pytest.mark.parametrize("patch", ["{", "[]", '{"items": 3}', '[{"id": "a", "key_evidence": [1, "metric:"]}]', "[7]"])
def test_a_patch_without_references_has_none_to_spoil(book: RuleBook, patch: str) -> None:
    assert not [name for name in spoilt(book, files_of(**{"analysis_patch.json": patch})) if "dangling" in name]


@pytest.mark.parametrize(
    ("holder", "expected"),
    [
        (
            {"cluster_id": 1, "time_window": {"start": "2025-03-04T09:00:00Z", "end": 1741079100}},
            {"start": "2025-04-03T09:00:00Z", "end": 1743671100},
        ),
        (
            {"metadata": {"start_time": "2025-03-04 09:00:00", "end_time": 1741079100000}},
            {"start_time": "2025-04-03 09:00:00", "end_time": 1743671100000},
        ),
        ({"start_time": "2025-12-31T23:00:00+08:00"}, {"start_time": "2026-01-30T23:00:00+08:00"}),
    ],
)
def test_the_window_is_shifted_wherever_it_stands(
    book: RuleBook, holder: dict[str, Any], expected: dict[str, Any]
) -> None:
    after = json.loads(
        spoilt(book, files_of(**{"manifest.json": json.dumps(holder)}))["shifted_window"].files["manifest.json"]
    )
    assert after.get("time_window") == expected or after.get("metadata") == expected or after == expected
    assert days_beside(book.cases[0]) == 30


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([[1741079100, "1"], [1741079160, 2]], [[1741165500, "1"], [1741165560, 2]]),
        ({"ts": 1741079100000, "value": 1}, {"ts": 1741165500000, "value": 1}),
        ({"timestamps": [1741079100], "values": [3]}, {"timestamps": [1741165500], "values": [3]}),
        ([{"time": "2025-03-04T09:00:00Z", "v": 1}], [{"time": "2025-03-05T09:00:00Z", "v": 1}]),
        ({"time": "2025-03-04T09:00:00Z", "reason": "OOM"}, {"time": "2025-03-04T09:00:00Z", "reason": "OOM"}),
        ([1, 2], [1, 2]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    ],
)
def test_points_a_day_later(value: Any, expected: Any) -> None:
    assert later_points(value, 1) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025/02/28 09:00", "2025/03/01 09:00"),
        ("2025-12-31T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2025-02-30", "2025-02-30"),
        ("at 2025-02-28", "at 2025-02-28"),
        ("9999-12-31", "9999-12-31"),
    ],
)
def test_text_a_day_later(text: str, expected: str) -> None:
    assert later_text(text, 1) == expected


def test_only_times_become_later() -> None:
    assert [later(value, 1) for value in (True, 5, "x", None, 1_741_079_100)] == [True, 5, "x", None, 1_741_165_500]


def test_emptied() -> None:
    assert emptied({"a": [1], "b": {"c": 2, "d": "x", "e": True}}) == {"a": [], "b": {"c": 0, "d": "x", "e": True}}
    assert emptied_at({"a": {"b": [1]}, "c": [1]}, ["a", "b"]) == {"a": {"b": []}, "c": [1]}
    assert emptied_at({"a": 1}, ["x"]) == {"a": 1}
