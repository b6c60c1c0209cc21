"""The HTML report: one file that loads nothing, sound for keyboard and screen reader, the same bytes every time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import judge_polars as jp
from judge_polars.judgment import Judgment
from judge_polars.report.content import REGRESSED, Report
from judge_polars.report.html import TEMPLATES, as_html
from judge_polars.tables import SEMANTIC_RESULTS
from tests.cli.world import write_world
from tests.report.scene import Page, page_of, report_of

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
LEAST_CONTRAST = 4.5


@pytest.fixture(scope="module")
def judgment(tmp_path_factory: pytest.TempPathFactory) -> Judgment:
    """The small world, judged."""
    world = write_world(tmp_path_factory.mktemp("world"))
    return jp.judge(world / "runs", world / "registry")


@pytest.fixture(scope="module")
def report(judgment: Judgment) -> Report:
    """On the later night."""
    return report_of(judgment)


@pytest.fixture(scope="module")
def page(report: Report) -> Page:
    """Its document."""
    return page_of(as_html(report))


def test_two_reports_of_one_judgment_are_the_same_bytes(judgment: Judgment, report: Report) -> None:
    assert as_html(report_of(judgment)) == as_html(report)


def test_reports_of_the_same_runs_judged_twice_are_the_same_bytes(
    report: Report, tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = write_world(tmp_path_factory.mktemp("again"))
    again = jp.judge(world / "runs", world / "registry")
    assert as_html(report_of(again)) == as_html(report)


def test_headings_come_in_order(page: Page) -> None:
    levels = [int(one.tag[1]) for one in page.named(*HEADINGS)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= before + 1 for before, later in pairwise(levels))
    assert all(one.text.strip() for one in page.named(*HEADINGS))


def test_sections_come_in_order(page: Page) -> None:
    found = [one.text for one in page.named("h2")]
    assert found[:5] == ["Result", "Regressions", "Verdicts of cases by bucket", "Trends", "Case runs"]
    assert found[-1] == "Reproduce"


def test_nothing_is_loaded_and_nothing_runs(page: Page) -> None:
    forbidden = ("script", "iframe", "img", "link", "object", "embed", "base", "form", "video", "audio", "image", "use")
    assert not page.named(*forbidden)
    for element in page.elements:
        assert not [name for name in element.attributes if name.startswith("on") or name in ("src", "srcset", "style")]
        assert (element.attributes.get("href") or "#").startswith("#"), element
    style = page.named("style")[0].text
    assert "url(" not in style
    assert "@import" not in style
    assert "//" not in style


def test_a_policy_forbids_loading(page: Page) -> None:
    [policy] = [one for one in page.named("meta") if one.attributes.get("http-equiv")]
    assert policy.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'"


def test_tables_tell_what_their_cells_mean(page: Page) -> None:
    tables = page.named("table")
    assert len(tables) == len(page.named("caption")) == 3
    assert {one.attributes.get("scope") for one in page.named("th")} == {"col", "row"}


def test_links_lead_somewhere(page: Page) -> None:
    ids = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    links = [str(one.attributes["href"]) for one in page.named("a")]
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert links[0] == "#main"
    assert next(one for one in page.elements if one.tag in ("a", "summary", "button")).attributes["class"] == "skip"
    labels = {one.attributes["aria-labelledby"] for one in page.elements if "aria-labelledby" in one.attributes}
    assert {part for label in labels for part in str(label).split()} <= set(ids)


def test_charts_have_words(page: Page) -> None:
    charts = page.named("svg")
    assert len(charts) == 2
    assert all(one.attributes["role"] == "img" for one in charts)
    assert len(page.named("desc")) == 2
    assert [one.text for one in page.named("title") if one.around[-1:] == ("rect",)]


def test_a_verdict_is_a_word_and_a_symbol(page: Page) -> None:
    badges = [one for one in page.named("span") if one.attributes.get("class") == "badge"]
    assert badges
    assert all(re.fullmatch(r"[✓✗○◐–] ?[\d,]* ?(pass|fail|invalid|partial|no bundle)", one.text) for one in badges)


def test_what_regressed_comes_first(report: Report, page: Page) -> None:
    assert next(iter(report.groups)) == REGRESSED
    order = [run.row["verdict"] for runs in report.groups.values() for run in runs]
    assert order == ["fail", "fail", "invalid", "invalid"]
    assert [row.change for row in report.matrix] == ["regressed", "regressed"]
    assert page.named("details")[1].attributes["id"] == "run-1"


def test_a_case_run_tells_all_that_decided(page: Page) -> None:
    run = next(one for one in page.named("details") if "disk-hang, trial 2" in one.text).text
    assert "Row 7 of precedence" in run or "Row 6 of precedence" in run
    assert "critical evidence: writes_stalled" in run
    assert "output line 1" in run
    assert "ruled out" in run
    assert "What would have to change for a pass" in run
    routing = next(one for one in page.named("details") if "disk-hang, trial 1" in one.text).text
    assert "metric:node_disk_util" in routing
    assert "not resolved" in routing


def test_cases_and_issues_beside_are_told(page: Page) -> None:
    assert any("unknown case" in one.text for one in page.named("li"))


def test_it_says_how_to_make_it_again(page: Page) -> None:
    text = page.named("main")[0].text
    assert "judge-polars report 2025-03-05-nightly" in text
    assert len(re.findall("sha256:[0-9a-f]{64}", text)) >= 4


def test_selected_case_runs_alone_are_told(judgment: Judgment) -> None:
    from dataclasses import replace

    from judge_polars.report import gather as gathering

    one = judgment.verdicts.filter(pl.col("eval_run_id") == "2025-03-05-nightly")["case_run_id"][0]
    whole = report_of(judgment)
    wanted = gathering.Wanted(
        eval_run_id="2025-03-05-nightly",
        gate=whole.gate,
        command="",
        explanations=lambda ids: iter(()),
        chosen=frozenset({one}),
    )
    told = gathering.gather(judgment, wanted)
    assert told.shown == 1
    assert told.judged == 4
    assert [run.row["case_run_id"] for runs in told.groups.values() for run in runs] == [one]
    with pytest.raises(jp.JudgePolarsError, match="none of the 4 case runs"):
        gathering.gather(judgment, replace(wanted, chosen=frozenset()))


def test_the_shadow_is_told_and_not_scored(judgment: Judgment) -> None:
    run = judgment.verdicts.row(by_predicate=pl.col("case_run_id") == "2025-03-05-nightly/disk-hang/2", named=True)
    answers = SEMANTIC_RESULTS.frame(
        {
            "judgment_id": [run["judgment_id"]] * 2,
            "case_run_id": [run["case_run_id"]] * 2,
            "case_digest": [run["case_digest"]] * 2,
            "semantic_check_id": ["explains_mechanism", "is_calm"],
            "kind": ["rubric"] * 2,
            "shadows": ["names_the_host", None],
            "status": ["ok", "timeout"],
            "expected": ["yes", "yes"],
            "answer": ["no", None],
            "matched": [False, None],
            "reasoning": ["<b>password: hunter2hunter2</b>", None],
            "provider": ["local"] * 2,
            "model": ["m"] * 2,
            "context_digest": ["sha256:0"] * 2,
            "evaluated_at": [datetime(2025, 3, 6, tzinfo=UTC)] * 2,
        }
    )
    told = report_of(Judgment({**judgment.frames, "semantic_results": answers}, origin=judgment.origin))
    page = page_of(as_html(told))
    [shadowed] = [one.text for one in page.named("details") if "Semantic shadow: not scored" in one.text]
    assert "explains_mechanism: no, expected yes, beside the check names_the_host (local m)" in shadowed
    assert "is_calm: no answer (timeout), expected yes" in shadowed
    assert "<b>password: [masked:password]" in shadowed
    assert told.masked == ("password in 2025-03-05-nightly/disk-hang/2, semantic shadow",)
    assert (
        "1 of 2 questions answered; 0 of 1 answers with an expectation are the expected ones."
        in page.named("main")[0].text
    )


def luminance(color: str) -> float:
    """WCAG's relative luminance of `#rrggbb`."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_measured_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def palettes() -> dict[str, dict[str, str]]:
    """The colours of the style sheet: light, dark and print."""
    style = (TEMPLATES / "style.css").read_text("utf-8")
    blocks = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)
    ]
    light, dark, paper = blocks
    return {"light": light, "dark": {**light, **dark}, "print": {**light, **paper}}


@pytest.mark.parametrize("name", ["light", "dark", "print"])
def test_contrast_is_enough(name: str) -> None:
    colors = palettes()[name]
    for ground in ("paper", "panel"):
        for text in ("ink", "faint", "link"):
            assert contrast(colors[text], colors[ground]) >= LEAST_CONTRAST, (text, ground)
    for mark in ("pass", "fail", "invalid", "partial", "none"):
        assert contrast(colors["on-mark"], colors[mark]) >= LEAST_CONTRAST, mark


def test_colors_of_verdicts_are_those_of_the_charts() -> None:
    light = palettes()["light"]
    assert (light["pass"], light["fail"], light["invalid"]) == ("#2a9d55", "#d1495b", "#8d99ae")


def test_templates_escape_everything() -> None:
    for path in Path(TEMPLATES).glob("*.j2"):
        assert "safe" not in re.findall(r"\|\s*(\w+)", path.read_text("utf-8")), path.name
        assert "autoescape" not in path.read_text("utf-8")
