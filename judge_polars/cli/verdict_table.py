"""`judge --format table`: verdicts for people, calm and aligned (specification 70).

A block per eval run, then what it all comes to.  Up to `MOST_ROWS` case runs have a row each; of more there is a row
per case, and of very many cases one per eval run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from judge_polars.cli.rows_table import plain_table
from judge_polars.gate import coverage
from judge_polars.printable import printable
from judge_polars.report.formats import SYMBOLS, number_text, score_text
from judge_polars.report.reasons import deciding_reasons
from judge_polars.report.records import timestamp_text, without_secrets
from judge_polars.report.summary import OLD_BASELINE_DAYS, WORSE, BaselineComparison, Rate, Summary, summarise

if TYPE_CHECKING:
    import polars as pl

    from judge_polars.judgment import Judgment

MOST_ROWS: Final = 200
COLUMNS_BESIDE_THE_CASE: Final = 100
"""What the rest of a row needs: with less room the case is a line of its own instead of a column."""
STYLES: Final = {"pass": "green", "fail": "red", "invalid": "yellow"}
CHANGE_SYMBOLS: Final = {
    "regressed": ("▼", "red"),
    "missing": ("?", "red"),
    "score_dropped": ("↓", "yellow"),
    "incomparable": ("≠", "yellow"),
    "new_case": ("+", ""),
    "improved": ("▲", "green"),
    "score_raised": ("↑", "green"),
    "unchanged": ("=", ""),
}
Row = dict[str, Any]


def verdict_table(judgment: Judgment, verdicts: pl.DataFrame, gate_line: str, *, width: int) -> RenderableType:
    """Everything that `judge` shows of the verdicts, for a terminal of that many columns."""
    summary = summarise(judgment, verdicts)
    return Group(
        *_blocks(judgment, verdicts, width),
        *comparison_blocks(summary, width),
        summary_block(summary),
        Text(gate_line, style="bold"),
    )


def _blocks(judgment: Judgment, verdicts: pl.DataFrame, width: int) -> Iterator[RenderableType]:
    """The blocks of eval runs, each with a blank line below it."""
    if verdicts.height <= MOST_ROWS:
        why = deciding_reasons(judgment)
        longest = max((cell_len(printable(case)) for case in verdicts["case_id"].unique()), default=0)
        yield from _by_block(judgment, verdicts, lambda rows: _trials(rows, why, _case_column(longest, width)))
        return
    cases = judgment.case_verdicts.join(verdicts, on=["eval_run_id", "case_id"], how="semi", maintain_order="left")
    if cases.height <= MOST_ROWS:
        yield from _by_block(judgment, cases, lambda rows: _cases(rows, width - 2))
        return
    yield Padding(_runs(judgment, verdicts), (0, 0, 1, 0))


def _by_block(
    judgment: Judgment, rows: pl.DataFrame, body: Callable[[list[Row]], RenderableType]
) -> Iterator[RenderableType]:
    """A heading and a body per eval run; one without a case run is shown only where nothing was selected by verdict."""
    shown = _by_eval_run(rows)
    whole = rows["eval_run_id"].n_unique() == judgment.verdicts["eval_run_id"].n_unique()
    for run in _eval_runs(judgment):
        rows_of_run = shown.get(run["eval_run_id"], [])
        if rows_of_run:
            yield from (*_heading(run), Padding(body(rows_of_run), (0, 0, 1, 2)))
        elif whole and not run["judged"]:
            yield from (*_heading(run), Padding(Text("no case run", style="dim"), (0, 0, 1, 2)))


def _case_column(longest: int, width: int) -> int | None:
    """The width of the column of cases; None where it would leave the other columns too little room."""
    return longest if width >= longest + COLUMNS_BESIDE_THE_CASE else None


def _by_eval_run(rows: pl.DataFrame) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for row in rows.iter_rows(named=True):
        grouped.setdefault(row["eval_run_id"], []).append(row)
    return grouped


def _eval_runs(judgment: Judgment) -> list[Row]:
    """Eval runs with their coverage, by id."""
    runs = judgment.frames["eval_runs"].join(coverage(judgment), on="eval_run_id", how="left", maintain_order="left")
    return list(runs.iter_rows(named=True))


def _heading(run: Row) -> tuple[Text, Text]:
    """`2025-03-05-nightly`, and below it suite, agent, model, date and how many of the planned case runs there are."""
    agent = " ".join(part for part in (run["agent_name"], run["agent_version"]) if part)
    suite = (
        run["suite_id"] and f"{run['suite_id']} v{run['suite_version']}" if run["suite_version"] else run["suite_id"]
    )
    date = run["started_at"] and timestamp_text(run["started_at"])[:16].replace("T", " ") + " UTC"
    judged = run["judged"] or 0
    planned = f"{judged} judged" if run["planned"] is None else f"{judged} of {run['planned']} planned"
    parts = [printable(without_secrets(part)) for part in (suite, agent, run["agent_model"], date) if part]
    told = Text(" · ".join(parts), style="dim")
    told.append((" · " if parts else "") + planned, style="bold yellow" if run["incomplete"] else "dim")
    return Text(printable(run["eval_run_id"]), style="bold"), told


def verdict_text(verdict: str) -> Text:
    """A symbol and a word, and a colour."""
    return Text(f"{SYMBOLS[verdict]} {verdict}", style=STYLES[verdict])


def _trials(rows: list[Row], why: dict[str, str], case_width: int | None) -> RenderableType:
    """A row per case run: the case is the first column, of that width; with None it is a line above its trials."""
    columns = ("trial", "verdict", "score", "why")
    if case_width is not None:
        table = plain_table(
            "case", *columns, right=("trial", "score"), least={"case": case_width, "verdict": 9, "score": 7}
        )
        before = None
        for row in rows:
            case = "" if row["case_id"] == before else printable(row["case_id"])
            before = row["case_id"]
            table.add_row(Text(case), *_trial_cells(row, why))
        return table
    cases: dict[str, list[Row]] = {}
    for row in rows:
        cases.setdefault(row["case_id"], []).append(row)
    parts: list[RenderableType] = []
    for case_id, trials in cases.items():
        table = plain_table(
            *columns, right=("trial", "score"), least={"trial": 2, "verdict": 9, "score": 7}, header=False
        )
        for row in trials:
            table.add_row(*_trial_cells(row, why))
        parts += [Text(printable(case_id), overflow="fold"), Padding(table, (0, 0, 0, 1))]
    return Group(*parts)


def _trial_cells(row: Row, why: dict[str, str]) -> tuple[Text, Text, Text, Text]:
    reason = Text()
    if row["primary_failure_code"]:
        reason.append(row["primary_failure_code"])
        cause = row["cause"] if row["verdict"] == "invalid" and row["cause"] not in (None, "agent") else None
        stopped = (
            ", ".join(printable(without_secrets(part)) for part in (row["status"], row["stop_reason"]) if part)
            if cause
            else ""
        )
        reason.append(f" [{cause}: {stopped}]" if cause else "")
        reason.append(f": {printable(why.get(row['case_run_id'], ''))}", style="dim")
    return Text(str(row["trial"])), verdict_text(row["verdict"]), Text(score_text(row)), reason


def _cases(rows: list[Row], width: int) -> RenderableType:
    """A row per case with counts and pass rate; on narrow terminals in two lines."""
    counts = ("pass", "fail", "invalid")
    in_columns = _case_column(max(cell_len(printable(row["case_id"])) for row in rows), width) is not None
    table = plain_table(
        "case", "verdict", *counts, "pass rate", "score", "mostly", right=(*counts, "pass rate", "score")
    )
    parts: list[RenderableType] = []
    for row in rows:
        case, verdict, share = Text(printable(row["case_id"])), verdict_text(row["verdict"]), rate_text(_rate_of(row))
        score = (
            "–" if row["mean_score"] is None else f"{number_text(row['mean_score'])}/{number_text(row['max_score'])}"
        )
        code = row["primary_failure_code"] or ""
        numbers = [f"{row[name]:,}" for name in ("passed", "failed", "invalid")]
        if in_columns:
            table.add_row(case, verdict, *map(Text, numbers), Text(share), Text(score), Text(code, style="dim"))
            continue
        told = [f"{number} {name}" for number, name in zip(numbers, counts, strict=True)]
        told += [f"pass rate {share}", f"score {score}", *([f"mostly {code}"] if code else [])]
        line = Text(" · ").join([verdict, *(Text(part, style="dim") for part in told)])
        parts += [case, Padding(line, (0, 0, 0, 2))]
    return Group(*parts) if parts else table


def _rate_of(row: Row) -> Rate:
    """The pass rate in a row of `case_verdicts` or `eval_run_counts`."""
    return Rate(row["passed"], row["comparable"], row["pass_rate"], row["pass_rate_low"], row["pass_rate_high"])


def _runs(judgment: Judgment, verdicts: pl.DataFrame) -> Table:
    """A row per eval run."""
    counted = judgment.sql("from eval_run_counts order by eval_run_id")
    counts = ("pass", "fail", "invalid")
    columns = (*counts, "pass rate", "planned")
    table = plain_table(*columns, "eval run", right=columns)
    for row in counted.join(verdicts, on="eval_run_id", how="semi", maintain_order="left").iter_rows(named=True):
        numbers = [f"{row[name]:,}" for name in ("passed", "failed", "invalid")]
        planned = "–" if row["planned"] is None else f"{row['planned']:,}"
        cells = (*numbers, rate_text(_rate_of(row)), planned, printable(row["eval_run_id"]))
        table.add_row(*map(Text, cells))
    return table


def rate_text(rate: Rate) -> str:
    """`77 % (61–88 %)`, or `–` where nothing is comparable."""
    if rate.rate is None or rate.low is None or rate.high is None:
        return "–"
    return f"{rate.rate:.0%} ({100 * rate.low:.0f}–{rate.high:.0%})".replace("%", " %")


def summary_block(summary: Summary) -> RenderableType:
    """Counts, rate, causes, codes, issues, unknown cases."""
    counts = Text()
    for verdict, count in summary.counts.items():
        counts.append(f"{SYMBOLS[verdict]} {count:,} {verdict}", style=STYLES[verdict] if count else "dim")
        counts.append("  ")
    judged = f"{summary.judged:,} judged" + ("" if summary.planned is None else f" of {summary.planned:,} planned")
    table = plain_table("what", "how many", header=False)
    table.add_row(Text("case runs", style="dim"), Text(judged))
    shown = "verdicts" if summary.shown == summary.judged else f"{summary.shown:,} shown"
    table.add_row(Text(shown, style="dim"), counts)
    rate = summary.pass_rate
    if rate.rate is not None:
        table.add_row(Text("pass rate", style="dim"), Text(f"{rate_text(rate)} of {rate.whole:,} comparable"))
    for title, tally, style in (
        ("invalid by cause", summary.invalid_by_cause, ""),
        ("no pass by code", summary.codes, ""),
        ("issues by code", summary.issues, ""),
        ("unknown cases", summary.unknown_cases, "yellow"),
    ):
        if tally:
            listed = ", ".join(f"{printable(name)} {count:,}" for name, count in tally.items())
            table.add_row(Text(title, style="dim"), Text(listed, style=style))
    if summary.shown > MOST_ROWS:
        table.add_row(Text("more", style="dim"), Text("--format csv or jsonl has a line for every case run"))
    return Group(Text("Result", style="bold"), Padding(table, (0, 0, 0, 2)))


def comparison_blocks(summary: Summary, width: int) -> Iterator[RenderableType]:
    """Eval runs against their baselines: counts, then each case that changed, on narrow terminals in two lines."""
    compared = [one for one in summary.comparisons if one.eval_run_id != one.baseline_eval_run_id]
    longest = max((cell_len(printable(row["case_id"])) for one in compared for row in one.rows), default=0)
    for one in compared:
        told = Text(f"{printable(one.eval_run_id)}: ", style="bold")
        told.append(", ".join(f"{count} {change.replace('_', ' ')}" for change, count in one.changes.items()))
        old = one.age_days is not None and one.age_days > OLD_BASELINE_DAYS
        told.append(
            f" · baseline {printable(one.baseline_eval_run_id)} ({age_text(one)})", style="yellow" if old else "dim"
        )
        yield told
        yield Padding(_changes(one.rows, _case_column(longest, width)), (0, 0, 1, 2))


def _changes(rows: Sequence[Row], case_width: int | None) -> RenderableType:
    """The cases that changed: change, case (a column of that width, or with None the whole line) and how."""
    table = plain_table("change", "case", "how", least={"change": 14, "case": case_width or 0}, header=False)
    parts: list[RenderableType] = []
    for row in rows:
        symbol, style = CHANGE_SYMBOLS[row["change"]]
        words = Text(f"{symbol} {row['change'].replace('_', ' ')}", style=style)
        case = Text(printable(row["case_id"]), overflow="fold")
        if case_width is not None:
            table.add_row(words, case, change_text(row))
        else:
            parts += [Text("  ").join([words, case]), Padding(change_text(row), (0, 0, 0, 4))]
    return table if case_width is not None else Group(*parts)


def age_text(comparison: BaselineComparison) -> str:
    """How old the baseline was when the eval run began."""
    days, runs = comparison.age_days, comparison.age_eval_runs
    if days is None:
        return "promoted after this run"
    return f"{days} day{'s' if days != 1 else ''}, {runs} eval run{'s' if runs != 1 else ''} old"


def change_text(row: Row) -> Text:
    """`pass → fail at evidence_collection, 3/3 → 1/3 passed, within noise (p 0.20)`."""
    if row["change"] in ("missing", "new_case"):
        side = row["baseline_verdict"] or row["verdict"]
        return Text(f"{'was' if row['change'] == 'missing' else 'is'} {side}", style="dim")
    told = Text()
    if row["verdict"] != row["baseline_verdict"]:
        told.append(f"{row['baseline_verdict']} → {row['verdict']}")
    if row["first_worse_bucket"]:
        told.append(f" at {row['first_worse_bucket']}" if told.plain else f"{row['first_worse_bucket']} got worse")
    parts = []
    if row["score_change"] is not None and abs(row["score_change"]) >= 0.5:
        parts.append(f"score {row['baseline_score_pct']:.0f} → {row['score_pct']:.0f} %")
    parts.append(f"{row['baseline_passed']}/{row['baseline_trials']} → {row['passed']}/{row['trials']} passed")
    if row["change"] in WORSE or row["change"] == "improved":
        p_value = "" if row["p_value"] is None else f" (p {row['p_value']:.2f})"
        parts.append(f"{(row['evidence'] or 'unknown').replace('_', ' ')}{p_value}")
    told.append((", " if told.plain else "") + ", ".join(parts), style="dim")
    return told
