"""JUnit XML, annotations and the job summary."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

import judge_polars as jp
from judge_polars.gate import decide, parse_conditions
from judge_polars.judgment import Judgment
from judge_polars.report.github import as_annotations, as_summary
from judge_polars.report.junit import as_junit, xml_text
from judge_polars.report.outcomes import Outcomes, outcomes
from judge_polars.report.workflow_commands import command_data, command_property
from tests.cli.world import RUNS, write_world

LATER, EARLIER = "2025-03-05-nightly", "2025-03-04-nightly"


@pytest.fixture(scope="module")
def judgment(tmp_path_factory: pytest.TempPathFactory) -> Judgment:
    """The small world without the second trial of a passing case."""
    runs = {key: files for key, files in RUNS.items() if key != f"{EARLIER}/lock-wait/2"}
    world = write_world(tmp_path_factory.mktemp("world"), runs)
    return jp.judge(world / "runs", world / "registry")


@pytest.fixture(scope="module")
def told(judgment: Judgment) -> Outcomes:
    """What CI is told of all of it."""
    return outcomes(judgment, decide(judgment, judgment.verdicts, parse_conditions(["fail", "incomplete"])))


def test_outcomes(told: Outcomes) -> None:
    assert [run.eval_run_id for run in told.eval_runs] == [EARLIER, LATER]
    assert told.counts == {"pass": 3, "fail": 2, "invalid": 2}
    assert told.not_run == 1
    assert told.eval_runs[0].not_run == (("lock-wait", 2),)
    assert [(row["change"], row["case_id"]) for row in told.changes] == [
        ("regressed", "disk-hang"),
        ("regressed", "lock-wait"),
    ]
    why = {row["case_run_id"]: row["why"] for row in told.case_runs}
    assert why[f"{EARLIER}/disk-hang/1"] is None
    assert "writes_stalled" in why[f"{LATER}/disk-hang/2"]
    assert why[f"{LATER}/lock-wait/2"].startswith("the environment or the provider broke the run")


def test_selected_case_runs_alone(judgment: Judgment) -> None:
    gate = decide(judgment, judgment.verdicts, ())
    told = outcomes(judgment, gate, case_runs=[f"{LATER}/disk-hang/1"], eval_runs=[LATER])
    assert [row["case_run_id"] for row in told.case_runs] == [f"{LATER}/disk-hang/1"]
    assert told.not_run == 0
    assert [run.eval_run_id for run in told.eval_runs] == [LATER]


def test_junit_as_its_own_library_reads_it(told: Outcomes) -> None:
    whole = JUnitXml.fromstring(as_junit(told))
    assert (whole.tests, whole.failures, whole.errors, whole.skipped) == (8, 2, 2, 1)
    results = {
        (suite.name, case.name): [(type(one), one.type) for one in case.result] for suite in whole for case in suite
    }
    assert results == {
        (EARLIER, "disk-hang/1"): [],
        (EARLIER, "disk-hang/2"): [],
        (EARLIER, "lock-wait/1"): [],
        (EARLIER, "lock-wait/2"): [(Skipped, None)],
        (LATER, "disk-hang/1"): [(Failure, "evidence_routing_failed")],
        (LATER, "disk-hang/2"): [(Failure, "critical_evidence_missing")],
        (LATER, "lock-wait/1"): [(Error, "contract_failed")],
        (LATER, "lock-wait/2"): [(Error, "environment_failed")],
    }
    assert {case.classname for suite in whole for case in suite} == {"daily"}


def test_junit_has_the_form_that_readers_expect(told: Outcomes) -> None:
    content = as_junit(told)
    assert content.startswith(b'<?xml version="1.0" encoding="utf-8"?>\n')
    assert content == as_junit(told)
    root = ET.parse(io.BytesIO(content)).getroot()
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite"
        assert {"name", "tests", "failures", "errors", "skipped", "time"} <= set(suite.attrib)
        assert all(re.fullmatch(r"\d+", suite.attrib[key]) for key in ("tests", "failures", "errors", "skipped"))
        assert re.fullmatch(r"\d+(\.\d+)?", suite.attrib["time"])
        tags = [child.tag for child in suite]
        assert tags == ["properties", *["testcase"] * (len(tags) - 1)]
        assert int(suite.attrib["tests"]) == len(tags) - 1
        for case in suite.iter("testcase"):
            assert {"name", "classname"} <= set(case.attrib) <= {"name", "classname", "time"}
            assert [child.tag for child in case] in ([], ["failure"], ["error"], ["skipped"])
            for child in case:
                assert set(child.attrib) <= {"message", "type"}
        names = [case.attrib["name"] for case in suite.iter("testcase")]
        assert len(names) == len(set(names))
    assert sum(int(suite.attrib["tests"]) for suite in root) == int(root.attrib["tests"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain 磁盘 😀", "plain 磁盘 😀", id="as-it-is"),
        pytest.param("a\x00b\x1b[31m", "a␀b␛[31m", id="controls"),
        pytest.param("a\ud800b", "a\\ud800b", id="lone-surrogate"),
        pytest.param("a\ufffeb\uffff", "a\\ufffeb\\uffff", id="no-characters"),
        pytest.param("a\nb", "a⏎b", id="line-break"),
    ],
)
def test_characters_of_xml(text: str, shown: str) -> None:
    assert xml_text(text) == shown
    ET.fromstring(f"<a>{shown}</a>")


def test_annotations_tell_regressions_first(told: Outcomes) -> None:
    lines = as_annotations(told).decode().splitlines()
    assert [line.partition("::disk")[0].partition("::lock")[0] for line in lines[:2]] == [
        "::error title=▼ regressed"
    ] * 2
    assert lines[2].startswith("::error title=evidence_routing_failed::2025-03-05-nightly/disk-hang/1 fail: ")
    assert lines[-1].startswith("::warning title=environment_failed::")
    assert len(lines) == 6


def test_at_most_ten_annotations(told: Outcomes) -> None:
    from dataclasses import replace

    many = replace(told, eval_runs=told.eval_runs * 5)
    lines = as_annotations(many).decode().splitlines()
    assert len(lines) == 10
    assert lines[-1] == "::warning title=more::13 more: see the summary of the job"


@pytest.mark.parametrize(
    ("text", "data", "value"),
    [
        ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
        ("50%", "50%25", "50%25"),
        ("::error::x", ": :error: :x", "%3A%3Aerror%3A%3Ax"),
        (":::", ": : :", "%3A%3A%3A"),
        ("a,b", "a,b", "a%2Cb"),
        ("\x1b[0m", "␛[0m", "␛[0m"),
    ],
)
def test_texts_of_workflow_commands(text: str, data: str, value: str) -> None:
    assert command_data(text) == data
    assert command_property(text) == value


def test_summary_tells_regressions_first(told: Outcomes) -> None:
    content = as_summary(told).decode()
    assert content.startswith("## ✗ judge-polars: 2 eval runs\n\n**gate FAILED (fail: 2 of 7 case runs")
    assert "1 planned case runs are not there" in content
    assert 0 < content.index("▼ regressed") < content.index("### Case runs that are no pass (4)")
    rows = [line for line in content.splitlines() if line.startswith("| 2025-03-05-nightly/")]
    assert [row.split(" | ")[1] for row in rows] == ["✗ fail", "✗ fail", "○ invalid", "○ invalid"]


@pytest.mark.parametrize("most", [0, 250, 700, 1_000])
def test_summary_keeps_to_its_size(told: Outcomes, most: int) -> None:
    content = as_summary(told, most)
    assert len(content) <= max(most, 120)
    assert b"more lines are left out" in content


def test_a_judgment_without_baseline_and_suite(tmp_path_factory: pytest.TempPathFactory) -> None:
    runs = {"adhoc/disk-hang/1": RUNS[f"{EARLIER}/disk-hang/1"]}
    world = write_world(tmp_path_factory.mktemp("adhoc"), runs)
    (world / "runs" / "adhoc" / "eval_run.json").unlink()
    judgment = jp.judge(world / "runs", world / "registry")
    told = outcomes(judgment, decide(judgment, judgment.verdicts, ()))
    assert (told.changes, told.not_run) == ((), 0)
    [suite] = JUnitXml.fromstring(as_junit(told))
    assert [case.classname for case in suite] == ["judge-polars"]
    assert as_annotations(told) == b""
