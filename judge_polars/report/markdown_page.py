"""The report as Markdown, in the order of the HTML form; everything that came from a run is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from judge_polars.baselines.words import (
    change_words,
    evidence_words,
    heading_words,
    measure_words,
    suite_lines,
    verdict_words,
)
from judge_polars.printable import markdown_cell
from judge_polars.report.content import CaseRunTold, Cell, MatrixRow, Report, Row
from judge_polars.report.formats import SYMBOLS
from judge_polars.report.outline import QUOTE
from judge_polars.report.told import score_words
from judge_polars.report.words import count_words, group_title, rate_words, tally_words
from judge_polars.vocabulary import BUCKETS

_SYMBOLS = {**SYMBOLS, "partial": "◐", "none": "–"}


def as_markdown(report: Report) -> bytes:
    """The whole document, UTF-8."""
    return ("\n".join(_document(report)) + "\n").encode()


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table, escaped; nothing without rows."""
    every = list(rows)
    if not every:
        return
    yield "| " + " | ".join(columns) + " |"
    yield "| " + " | ".join("---" for _ in columns) + " |"
    for row in every:
        yield "| " + " | ".join(markdown_cell(str(cell)) for cell in row) + " |"
    yield ""


def regression_lines(report: Report) -> Iterator[str]:
    """What the eval run is compared with and the cases that changed, those that need a look first."""
    difference = report.difference
    if difference is None:
        yield from (markdown_cell(report.no_difference), "")
        return
    yield from (markdown_cell(heading_words(difference)) + ".", "")
    changed = [row for row in difference.cases if row["change"] != "unchanged"]
    yield from table(
        ("change", "case", "verdict", "measures", "evidence"),
        (
            (change_words(row["change"]), row["case_id"], verdict_words(row), measure_words(row), evidence_words(row))
            for row in changed
        ),
    )
    if not changed:
        yield from ("No case changed.", "")
    yield from (f"- {what}: {markdown_cell(words)}" for what, words in suite_lines(difference))
    yield ""


def result_lines(report: Report) -> Iterator[str]:
    """Gate, counts, rates with intervals, causes and codes."""
    planned = "" if report.planned is None else f" of {report.planned:,} planned"
    yield from (f"**{markdown_cell(report.gate.line)}**", "")
    yield f"- case runs: {report.judged:,} judged{planned}"
    yield f"- verdicts: {count_words(report.counts)}"
    yield f"- pass rate: {rate_words(report.pass_rate, 'comparable')}"
    yield f"- invalid rate: {rate_words(report.invalid_rate, 'judged')}"
    for what, tally in (("invalid by cause", report.invalid_by_cause), ("no pass by code", report.codes)):
        if tally:
            yield f"- {what}: {tally_words(tally)}"
    if report.shadow:
        yield f"- semantic shadow: {report.shadow}"
    if report.shown is not None:
        yield f"- told below: {report.shown:,} of the {report.judged:,} case runs"
    yield ""


def _document(report: Report) -> Iterator[str]:
    run = report.eval_run
    suite = f"{run['suite_id']} version {run['suite_version']}" if run["suite_version"] else run["suite_id"]
    about = (suite, run["agent_name"], run["agent_version"], run["agent_model"], report.started)
    yield from (f"# Eval run {markdown_cell(run['eval_run_id'])}", "")
    yield from (markdown_cell(" · ".join(part for part in about if part)), "")
    yield from ("## Result", "", *result_lines(report))
    yield from ("## Regressions", "", *regression_lines(report))
    columns = ("case", "verdict", "pass rate", *(bucket.replace("_", " ") for bucket in BUCKETS))
    yield from ("## Verdicts of cases by bucket", "", *table(columns, map(_matrix_row, report.matrix)))
    yield from ("## Trends", "", *_trends(report.trends))
    yield from ("## Case runs", "")
    for group, runs in report.groups.items():
        yield from (f"### {group_title(group)} ({len(runs):,})", "")
        for told in runs:
            yield from _case_run(told)
    for heading, texts in (("Issues beside these case runs", report.beside), ("Masked", report.masked)):
        if texts:
            yield from (f"## {heading}", "", *(f"- {markdown_cell(text)}" for text in texts), "")
    yield from ("## Reproduce", "")
    yield from (f"- {markdown_cell(what)}: {markdown_cell(words)}" for what, words in report.reproduce)


def _matrix_row(row: MatrixRow) -> tuple[str, ...]:
    if row.verdict is None:
        return (row.case_id, "no case run", *[""] * (len(BUCKETS) + 1))
    changed = f", {change_words(row.change)}" if row.change not in (None, "unchanged") else ""
    interval = (
        ""
        if row.rate.low is None or row.rate.high is None
        else f" ({100 * row.rate.low:.0f}–{100 * row.rate.high:.0f} %)"
    )
    verdict = f"{SYMBOLS[row.verdict]} {row.verdict}{changed}"
    return (row.case_id, verdict, f"{row.rate.part}/{row.rate.whole}{interval}", *map(_cell, row.cells))


def _cell(cell: Cell) -> str:
    return ", ".join(
        f"{_SYMBOLS[status]} {count} {status if status != 'none' else 'no bundle'}"
        if cell.configured or status == "none"
        else "not configured"
        for status, count in cell.counts.items()
    )


def _trends(trends: Sequence[Row]) -> Iterator[str]:
    """The numbers of the charts; `part` rises where the meaning of the verdicts changes."""
    columns = ("#", "eval run", "part", "pass", "fail", "invalid", "planned", "pass rate", "mean score")
    rows = (
        (
            *(row[key] for key in ("place", "eval_run_id", "segment", "passed", "failed", "invalid")),
            "–" if row["planned"] is None else row["planned"],
            "–"
            if row["pass_rate"] is None
            else f"{100 * row['pass_rate']:.0f} % ({100 * row['pass_rate_low']:.0f}–{100 * row['pass_rate_high']:.0f})",
            "–" if row["mean_score"] is None else f"{row['mean_score']:.1f}",
        )
        for row in trends
    )
    yield from table(columns, rows)


def _case_run(told: CaseRunTold) -> Iterator[str]:
    row = told.row
    code = f", {row['primary_failure_code']}" if row["primary_failure_code"] else ""
    why = f": {told.why}" if told.why else ""
    score = f", score {score_words(row)}" if score_words(row) else ""
    head = f"{row['case_id']}, trial {row['trial']}: {SYMBOLS[row['verdict']]} {row['verdict']}{code}{why}{score}"
    yield from (f"#### {markdown_cell(head)}", "")
    if row["verdict"] == "pass" and not (told.checks or told.references or told.shadow or told.issues):
        return
    yield from (f"{markdown_cell(told.deciding)} {markdown_cell(told.about)}", "")
    for check in told.checks:
        yield f"- ✗ {markdown_cell(check.name)} ({markdown_cell(check.words)})"
        for line in check.lines:
            text = markdown_cell(line.text)
            yield "  " * line.level + "- " + (f"“{text}”" if line.role == QUOTE else text)
    if told.checks:
        yield ""
    answers = [
        f"{answer.check}: {answer.words}" + (f": “{answer.reasoning}”" if answer.reasoning else "")
        for answer in told.shadow
    ]
    for heading, texts in (
        ("What would have to change for a pass", told.to_pass),
        ("References that are not resolved or not verified", told.references),
        ("Semantic shadow: not scored", answers),
        ("Issues", told.issues),
    ):
        if texts:
            yield from (f"{heading}:", "", *(f"- {markdown_cell(text)}" for text in texts), "")
    if told.notes:
        yield from (" ".join(map(markdown_cell, told.notes)), "")
