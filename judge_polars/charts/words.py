"""What the charts say, in words: one or two sentences each, from the same rows (specification 70, "Notebooks").

An answer is a text; a notebook shows it as Markdown, with texts from runs escaped.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from judge_polars.charts.facets import DECIDING, KINDS, kinds_of_checks
from judge_polars.printable import markdown_cell

MOST_NAMED = 3


class Answer(str):
    """A sentence or two in Markdown."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)


def _named(names: Sequence[object], most: int = MOST_NAMED) -> str:
    """The first names, and how many more there are."""
    first = ", ".join(f"**{markdown_cell(str(name))}**" for name in names[:most])
    return first + (f" and {len(names) - most} more" if len(names) > most else "")


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share * 100:.0f} %"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _in_time(trends: pl.DataFrame) -> pl.DataFrame:
    return trends.sort("suite_id", "place", nulls_last=True)


def verdict_shares(trends: pl.DataFrame) -> Answer:
    """How many case runs passed, failed, are invalid, whose doing the invalid ones are, and what was never run."""
    if trends.is_empty():
        return Answer("There is no eval run in this history yet.")
    total = trends.select(pl.col("passed", "failed", "invalid", "comparable", "found").sum()).row(0, named=True)
    judged = total["comparable"] + total["invalid"]
    causes = ("agent", "environment", "provider", "harness", "case", "unknown")
    by = trends.select(pl.col(f"invalid_by_{cause}").sum() for cause in causes).row(0)
    reasons = ", ".join(f"{cause} {count}" for cause, count in zip(causes, by, strict=True) if count)
    text = (
        f"{_counted(trends.height, 'eval run')}, {_counted(judged, 'case run')} judged: {total['passed']} pass, "
        f"{total['failed']} fail, {total['invalid']} invalid{f' (by {reasons})' if reasons else ''}."
    )
    lost = trends.filter(pl.col("found") < pl.col("planned"))
    if lost.is_empty():
        return Answer(text)
    missing = int((lost["planned"] - lost["found"]).sum())
    return Answer(
        f"{text} {_counted(missing, 'planned case run')} never ran, in {_named(lost['eval_run_id'].to_list())}."
    )


def pass_rate(trends: pl.DataFrame) -> Answer:
    """The latest pass rate of each suite with its interval, how it moved, and whether that is more than noise."""
    rated = _in_time(trends.filter(pl.col("pass_rate").is_not_null()))
    if rated.is_empty():
        return Answer("No eval run has a comparable case run yet, so there is no pass rate.")
    parts = rated.partition_by("suite_id", maintain_order=True)
    return Answer(" ".join(_rate_of_suite(part) for part in parts))


def _rate_of_suite(rated: pl.DataFrame) -> str:
    now = rated.row(-1, named=True)
    suite = markdown_cell(now["suite_id"] or "no suite")
    text = (
        f"**{suite}** stands at {_percent(now['pass_rate'])} ({now['passed']} of {now['comparable']}; 95 % interval "
        f"{_percent(now['pass_rate_low'])} to {_percent(now['pass_rate_high'])}) in {_named([now['eval_run_id']])}."
    )
    if rated.height > 1:
        before = rated.row(-2, named=True)
        if before["segment"] != now["segment"]:
            text += " The rubric or the engine changed since the eval run before it: the two rates do not compare."
        else:
            apart = now["pass_rate_low"] > before["pass_rate_high"] or now["pass_rate_high"] < before["pass_rate_low"]
            certain = "the intervals do not overlap" if apart else "the intervals overlap: it may be noise"
            text += f" Before that it was {_percent(before['pass_rate'])}; {certain}."
    if rated["mixed_semantics"].any():
        text += " Some eval runs mix verdicts of different rubrics: `judge-polars rejudge` is the remedy."
    return text


def case_map(cases: pl.DataFrame) -> Answer:
    """Which cases do not pass in the latest eval run of their suite, and which have no verdict there."""
    latest = cases.filter(pl.col("place") == pl.col("place").max().over("suite_id"))
    if latest.is_empty():
        return Answer("There is no case to show yet.")
    bad = latest.filter(pl.col("verdict").is_in(["fail", "invalid"]))["case_id"].to_list()
    lost = latest.filter(pl.col("verdict").is_null())["case_id"].to_list()
    text = (
        f"In the latest eval run {_named(bad)} did not pass."
        if bad
        else "Every judged case passes in the latest eval run."
    )
    return Answer(text + (f" Without a verdict: {_named(lost)}." if lost else ""))


def failure_codes(codes: pl.DataFrame) -> Answer:
    """The codes that ended most case runs, over all eval runs and in the latest one."""
    total = codes.group_by("code").agg(pl.col("case_runs").sum()).filter(pl.col("case_runs") > 0)
    if total.is_empty():
        return Answer("No case run ended with a failure code.")
    most = total.sort(["case_runs", "code"], descending=[True, False]).row(0, named=True)
    latest = codes.filter((pl.col("place") == pl.col("place").max().over("suite_id")) & (pl.col("case_runs") > 0))
    now = (
        f"In the latest eval run: {_named(latest.sort('code')['code'].to_list())}."
        if latest.height
        else ("The latest eval run has none.")
    )
    return Answer(f"Most often: **{most['code']}**, {_counted(most['case_runs'], 'case run')}. {now}")


def comparison(compared: pl.DataFrame) -> Answer:
    """What regressed, what is missing, what improved, and which of it is more than noise."""
    if compared.is_empty():
        return Answer("This eval run has nothing to be compared with: no active baseline, and no eval run before it.")
    with_what = "the baseline" if compared["compared_with"][0] == "baseline" else "the eval run before it"
    names = {
        kind: compared.filter(pl.col("change") == kind)["case_id"].to_list()
        for kind in ("regressed", "missing", "improved")
    }
    told = [f"{kind}: {_named(cases)}" for kind, cases in names.items() if cases]
    text = f"Against {with_what}: {'; '.join(told)}." if told else f"Against {with_what} no verdict changed."
    regressed = compared.filter(pl.col("change") == "regressed")
    if regressed.is_empty():
        return Answer(text)
    sure = regressed.filter(pl.col("evidence") == "significant")["case_id"].to_list()
    return Answer(f"{text} More than noise by Fisher's test: {_named(sure) if sure else 'none of the regressions'}.")


def whole_suite(row: pl.DataFrame) -> Answer:
    """McNemar's test over the shared cases, and whether more case runs were lost.

    Args:
        row: `rows.whole_suite`.
    """
    if row.is_empty():
        return Answer("There is no pair of eval runs to test.")
    told = row.row(0, named=True)
    p, lost = told["p_value"], told["invalid_p_value"]
    chance = "" if p is None else f" By McNemar's exact test chance alone gives this with p = {p:.2f}."
    more = "" if lost is None or lost > 0.05 else f" More case runs are invalid than chance explains (p = {lost:.3f})."
    return Answer(
        f"Of {_counted(told['shared_cases'], 'shared case')}, {told['pass_to_fail']} went from pass to fail and "
        f"{told['fail_to_pass']} from fail to pass.{chance}{more}"
    )


def first_bad_runs(checks: pl.DataFrame) -> Answer:
    """With which eval runs the checks that are bad now turned bad."""
    first = checks.filter("first_bad")
    if first.is_empty():
        return Answer("No check is bad in this eval run.")
    turned = first.group_by("eval_run_id", "place").agg(checks=pl.len()).sort("place", descending=True)
    told = [
        f"{_counted(count, 'check')} with {_named([run])}"
        for run, count in turned.select("eval_run_id", "checks").rows()
    ]
    return Answer(f"Bad now: {_counted(first.height, 'check')}. They turned bad: {', '.join(told)}.")


def fact_differences(facts: pl.DataFrame) -> Answer:
    """The fact that differs most between the two eval runs."""
    if facts.is_empty():
        return Answer("No boolean fact differs, or the two eval runs have no shared case in this history.")
    most = facts.row(0, named=True)
    return Answer(
        f"{_counted(facts.height, 'fact')} differ. Most: {_named([most['fact']])}, which held in "
        f"{_percent(most['other_share'])} of the case runs before and holds in {_percent(most['share'])} now."
    )


def flips(rows: pl.DataFrame, judged: int) -> Answer:
    """How many verdicts flip, of how many, and by which checks most.

    Args:
        rows: the view `verdict_flips`.
        judged: case runs that were judged again.
    """
    if rows.is_empty():
        return Answer(f"None of {_counted(judged, 'case run')} changes its verdict or its code.")
    checks = rows.explode("changed_checks").select(check=pl.col("changed_checks").struct.field("check_id")).drop_nulls()
    most = checks.group_by("check").agg(flips=pl.len()).sort(["flips", "check"], descending=[True, False])
    by = f", most of them by {_named(most['check'].to_list(), 1)}" if most.height else ""
    to_pass = rows.filter((pl.col("to_verdict") == "pass") & (pl.col("from_verdict") != "pass")).height
    from_pass = rows.filter((pl.col("from_verdict") == "pass") & (pl.col("to_verdict") != "pass")).height
    return Answer(
        f"{rows.height} of {_counted(judged, 'case run')} flip{by}: {to_pass} would pass now, {from_pass} no longer would."
    )


def baseline_flips(rows: pl.DataFrame) -> Answer:
    """Whether a verdict of an active baseline would change.

    Args:
        rows: `WhatIf.baselines`.
    """
    if rows.is_empty():
        return Answer("No active baseline changes.")
    return Answer(f"An active baseline changes in {_named(rows['case_id'].to_list())}: it must be promoted anew.")


def threshold_sweep(sweep: pl.DataFrame) -> Answer:
    """Between which thresholds the verdicts stay as they are today."""
    if sweep.is_empty():
        return Answer("There is no numeric rule with case runs to sweep.")
    counts = (
        sweep.sort("threshold", "verdict")
        .group_by("threshold", "today", maintain_order=True)
        .agg(verdicts=pl.format("{} {}", "case_runs", "verdict").str.join(", "))
    )
    now = counts.filter("today").row(0, named=True)
    moves = (counts["verdicts"] != counts["verdicts"].shift()).fill_null(False).cum_sum()
    same = counts.with_columns(block=moves)
    block = same.filter("today")["block"][0]
    steady = same.filter(pl.col("block") == block)["threshold"].to_list()
    return Answer(
        f"Today's threshold {now['threshold']:g} gives {now['verdicts']}; of the thresholds tried, those from "
        f"{min(steady):g} to {max(steady):g} around it give the same."
    )


def check_quality(checks: pl.DataFrame) -> Answer:
    """How many checks are dead, redundant, deciding, and which one decides most.

    Args:
        checks: the view `check_quality`.
    """
    kinds = kinds_of_checks(checks)
    if kinds.is_empty():
        return Answer("No check has judged a case run yet.")
    counts = dict(kinds.group_by("kind").agg(pl.len()).rows())
    told = ", ".join(f"{kind}: {counts[kind]}" for kind in KINDS if kind in counts)
    text = f"{_counted(kinds.height, 'check')} ({told})."
    deciding = kinds.filter(pl.col("kind") == DECIDING)
    return Answer(
        text + (f" Those that decide most often: {_named(deciding['check_id'].to_list())}." if deciding.height else "")
    )


def shadow_agreement(agreement: pl.DataFrame) -> Answer:
    """How far the semantic shadow agrees with the checks, and where it agrees least."""
    compared = agreement.filter(pl.col("compared") > 0)
    if compared.is_empty():
        return Answer("The semantic shadow has not answered in this history; verdicts never depend on it.")
    answers = int(compared["compared"].sum())
    agreed = int((compared["both_passed"] + compared["neither_passed"]).sum())
    least = compared.sort("agreement", "check_id").row(0, named=True)
    return Answer(
        f"The shadow agrees in {agreed} of {_counted(answers, 'answer')}, least with {_named([least['check_id']])} "
        f"({_percent(least['agreement'])}). It is not scored."
    )


def channels(rows: pl.DataFrame) -> Answer:
    """Which channels are attempted more often than anything of them is observed."""
    if rows.is_empty():
        return Answer("No channel facts are known in this history.")
    summed = rows.group_by("channel", "state").agg(share=pl.col("holds").sum() / pl.col("case_runs").sum())
    wide = {
        state: dict(summed.filter(pl.col("state") == state).select("channel", "share").rows())
        for state in ("attempted", "observed")
    }
    lost = sorted(name for name, share in wide["attempted"].items() if share > wide["observed"].get(name, 0.0) + 1e-9)
    least = min(wide["observed"], key=lambda name: (wide["observed"][name], name), default=None)
    text = f"Attempted more often than observed: {_named(lost)}." if lost else "Whatever is attempted is observed, too."
    return Answer(
        text + (f" Least observed: {_named([least])} ({_percent(wide['observed'][least])})." if least else "")
    )


def references(rows: pl.DataFrame) -> Answer:
    """How many references dangle, and in which eval run most do."""
    if rows.is_empty():
        return Answer("No analysis patch cites evidence.")
    total, dangling = int(rows["refs"].sum()), int(rows["dangling"].sum())
    if not dangling:
        return Answer(f"All {_counted(total, 'reference')} resolve.")
    most = rows.group_by("eval_run_id").agg(pl.col("dangling").sum()).sort(["dangling", "eval_run_id"], descending=True)
    return Answer(
        f"{dangling} of {_counted(total, 'reference')} dangle, most of them in {_named([most['eval_run_id'][0]])}."
    )


def grounding(rows: pl.DataFrame) -> Answer:
    """Whether the collector or the reasoning is what is lacking."""
    counts = dict(rows.group_by("class").agg(pl.col("case_runs").sum()).rows())
    total = sum(counts.values())
    if not total:
        return Answer("No case run is comparable yet.")
    return Answer(
        f"{_counted(total, 'comparable case run')}: grounded {counts.get('grounded', 0)}; the evidence was there but the "
        f"diagnosis is wrong {counts.get('missed_signal', 0)}; right without the evidence "
        f"{counts.get('unsupported_claim', 0)}; neither {counts.get('neither', 0)}."
    )


def failures(rows: pl.DataFrame) -> Answer:
    """How many case runs did not pass, and where to look first.

    Args:
        rows: the view `failures`.
    """
    if rows.is_empty():
        return Answer("Every judged case run passes.")
    first = str(rows["case_run_id"][0])
    return Answer(f"{_counted(rows.height, 'case run')} did not pass; `explain` tells why, for one: {_named([first])}.")
