"""Nothing that an agent wrote is more than text, in any form of a report."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import judge_polars as jp
from judge_polars.gate import decide
from judge_polars.judgment import Judgment
from judge_polars.report.content import Report
from judge_polars.report.github import as_annotations, as_summary
from judge_polars.report.html import as_html
from judge_polars.report.junit import as_junit
from judge_polars.report.markdown_page import as_markdown
from judge_polars.report.outcomes import Outcomes, outcomes
from tests.report.scene import EVIL, EVIL_RUN, page_of, report_of, write_hostile_world

UNPRINTABLE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
LONG_LINE = 1_000_000


@pytest.fixture(scope="module")
def judgment(tmp_path_factory: pytest.TempPathFactory) -> Judgment:
    """The hostile world, judged."""
    world = write_hostile_world(tmp_path_factory.mktemp("hostile"))
    return jp.judge(world / "runs", world / "registry")


@pytest.fixture(scope="module")
def report(judgment: Judgment) -> Report:
    """On its eval run."""
    return report_of(judgment, EVIL_RUN)


@pytest.fixture(scope="module")
def told(judgment: Judgment) -> Outcomes:
    """What CI is told of it."""
    return outcomes(judgment, decide(judgment, judgment.verdicts, ()))


def test_the_scene_is_hostile(judgment: Judgment, report: Report) -> None:
    assert judgment.verdicts.height == 2
    runs = [run for runs in report.groups.values() for run in runs]
    lines = [line.text for run in runs for check in run.checks for line in check.lines]
    assert any("owned" in line for line in lines)
    assert any(run.references for run in runs)
    assert any(run.issues for run in runs)
    assert report.beside


def test_html_holds_only_our_own_elements(report: Report) -> None:
    content = as_html(report)
    page = page_of(content)
    assert not page.named("script", "img", "iframe", "object")
    assert not [name for one in page.elements for name in one.attributes if name.startswith("on")]
    assert "<script>alert(1)" in page.named("main")[0].text
    assert "{{ 7*7 }}" in page.named("main")[0].text
    assert len(page.named("style")) == 1


@pytest.mark.parametrize("write", [as_html, as_markdown])
def test_documents_are_printable(report: Report, write: object) -> None:
    assert callable(write)
    content = write(report).decode()
    assert not UNPRINTABLE.search(content)
    assert "owned" in content


def test_markdown_holds_no_markup_of_others(report: Report) -> None:
    content = as_markdown(report).decode()
    assert not re.search(r"(?<!\\)[<>`]", content)


def test_junit_is_valid_xml(told: Outcomes) -> None:
    content = as_junit(told)
    root = ET.fromstring(content)
    assert {element.tag for element in root.iter()} <= {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "error",
        "skipped",
    }
    assert not UNPRINTABLE.search(content.decode())


def test_annotations_stay_in_their_lines(told: Outcomes) -> None:
    lines = as_annotations(told).decode().split("\n")
    assert lines.pop() == ""
    assert 0 < len(lines) <= 10
    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) title=[^:,]*::.*", line)
        assert "::" not in line.split("::", 2)[2]
        assert not UNPRINTABLE.search(line)


def test_the_summary_holds_no_markup_of_others(told: Outcomes) -> None:
    content = as_summary(told).decode()
    assert not UNPRINTABLE.search(content)
    assert not re.search(r"(?<!\\)[<>`]", content)


def test_lines_of_a_megabyte_are_cut(tmp_path: Path) -> None:
    world = write_hostile_world(tmp_path, EVIL + "x" * LONG_LINE)
    judgment = jp.judge(world / "runs", world / "registry")
    report = report_of(judgment, EVIL_RUN)
    assert len(as_html(report)) < 200_000
    assert len(as_markdown(report)) < 200_000
    told = outcomes(judgment, decide(judgment, judgment.verdicts, ()))
    assert len(as_junit(told)) < 200_000
    assert len(as_annotations(told)) < 200_000


def test_secrets_are_masked_and_told(tmp_path: Path) -> None:
    secret = "hunter2hunter2"
    world = write_hostile_world(tmp_path, f"root:{secret}@tcp(10.0.0.1:4000) password: {secret} ")
    report = report_of(jp.judge(world / "runs", world / "registry"), EVIL_RUN)
    for content in (as_html(report).decode(), as_markdown(report).decode()):
        assert "masked:" in content
        assert secret not in content
    assert report.masked
