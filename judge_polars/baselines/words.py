"""A difference in words, and as text in each output format but the `table` of terminals (specification 70)."""

from __future__ import annotations

from typing import Any, Final

import orjson

from judge_polars.baselines.difference import COLUMNS, Difference
from judge_polars.baselines.source import Row
from judge_polars.printable import markdown_cell
from judge_polars.report.rows import rows_as

CHANGE_SYMBOLS: Final = {
    "regressed": "▼",
    "missing": "?",
    "score_dropped": "↓",
    "incomparable": "≠",
    "new_case": "+",
    "improved": "▲",
    "score_raised": "↑",
    "unchanged": "=",
    "dropped": "-",
}
"""A change is always a word and a symbol, never a colour alone."""


def change_words(change: str) -> str:
    """`▼ regressed`."""
    return f"{CHANGE_SYMBOLS[change]} {change.replace('_', ' ')}"


def verdict_words(row: Row) -> str:
    """`pass → fail at critical_evidence (critical_evidence_missing)`."""
    now, other = row["verdict"], row["other_verdict"]
    if now is None or other is None:
        side = f"is {now}" if other is None else f"was {other}"
        code = row["primary_failure_code"] or row["other_primary_failure_code"]
        return side + (f" ({code})" if code else "")
    told = f"{other} → {now}" if now != other else f"still {now}"
    if row["first_worse_bucket"]:
        told += f" at {row['first_worse_bucket']}" if now != other else f", {row['first_worse_bucket']} got worse"
    codes = [row["other_primary_failure_code"], row["primary_failure_code"]]
    named = [code for code in dict.fromkeys(codes) if code]
    return told + (f" ({' → '.join(named)})" if named else "")


def measure_words(row: Row) -> str:
    """`score 100 → 74 %, 3/3 → 1/3 passed, always pass → mixed`."""
    parts = []
    if row["score_pct"] is not None and row["other_score_pct"] is not None:
        parts.append(f"score {row['other_score_pct']:.0f} → {row['score_pct']:.0f} %")
    elif row["score_pct"] is not None or row["other_score_pct"] is not None:
        parts.append(
            " → ".join("–" if pct is None else f"{pct:.0f} %" for pct in (row["other_score_pct"], row["score_pct"]))
        )
        parts[-1] = f"score {parts[-1]}"
    sides = [(row["other_passed"], row["other_trials"]), (row["passed"], row["trials"])]
    parts.append(" → ".join(f"{passed}/{trials}" for passed, trials in sides if trials is not None) + " passed")
    stable = [name.replace("_", " ") for name in (row["other_stability"], row["stability"]) if name]
    parts.append(" → ".join(dict.fromkeys(stable)))
    return ", ".join(part for part in parts if part)


def evidence_words(row: Row) -> str:
    """`within noise (p 0.20, q 0.20)`; empty where a side is missing."""
    if row["evidence"] is None:
        return ""
    numbers = [f"{name} {row[f'{name}_value']:.3f}" for name in ("p", "q") if row[f"{name}_value"] is not None]
    changed = ", the rubric has changed" if row["rubric_changed"] else ""
    words = str(row["evidence"]).replace("_", " ")
    return words + (f" ({', '.join(numbers)})" if numbers else "") + changed


def heading_words(difference: Difference) -> str:
    """`r2 against the baseline r1 of core (3 days, 2 eval runs old)`."""
    use = difference.baseline
    if difference.compared_with != "baseline":
        return f"{difference.eval_run_id} against {difference.other_eval_run_id}"
    of_suite = f"the baseline {difference.other_eval_run_id} of {difference.suite_id}"
    return f"{difference.eval_run_id} against {of_suite}" + ("" if use is None else f" ({use.age_text})")


def suite_lines(difference: Difference) -> list[tuple[str, str]]:
    """What the suite as a whole comes to, as (what, words)."""
    counts, suite = difference.coverage, difference.suite
    planned = "" if counts["planned"] is None else f" of {counts['planned']:,} planned"
    lacking = counts["cases_without_run"]
    lines = [
        (
            "case runs",
            f"{counts['judged']:,} judged{planned}"
            + (f", {lacking} case{' has' if lacking == 1 else 's have'} none" if lacking else ""),
        )
    ]
    if suite is not None:
        flips = f"{suite['pass_to_fail']} pass → fail, {suite['fail_to_pass']} fail → pass"
        lines.append(("flips", f"{flips} of {suite['shared_cases']} shared cases (McNemar p {suite['p_value']:.3f})"))
        sides = [_invalid_words(suite, "other_"), _invalid_words(suite, "")]
        p_value = suite["invalid_p_value"]
        lines.append(("invalid", " → ".join(sides) + ("" if p_value is None else f" (p {p_value:.3f})")))
    if difference.suite_version_changed:
        lines.append(("suite", "the two ran different versions of the suite"))
    if difference.baseline is not None:
        lines.append(("baseline", difference.baseline.judged_text))
    return lines


def _invalid_words(suite: Row, side: str) -> str:
    count, comparable = suite[f"{side}invalid"], suite[f"{side}comparable"]
    if count is None or comparable is None:
        return "unknown"
    rate, low, high = (suite[f"{side}invalid_rate{end}"] for end in ("", "_low", "_high"))
    interval = "" if rate is None else f", {100 * rate:.0f} % ({100 * low:.0f}–{100 * high:.0f})"
    return f"{count}/{count + comparable}{interval}"


def difference_as(wanted: str, difference: Difference, gate: dict[str, Any]) -> bytes:
    """A difference in a format: `json` the whole, `jsonl` and `csv` a line per case, `markdown` the whole for people."""
    if wanted == "json":
        return orjson.dumps({**difference.as_record(), "gate": gate}, option=orjson.OPT_INDENT_2) + b"\n"
    if wanted == "markdown":
        return _as_markdown(difference, gate["line"])
    shared = {
        "eval_run_id": difference.eval_run_id,
        "compared_with": difference.compared_with,
        "other_eval_run_id": difference.other_eval_run_id,
    }
    return rows_as(wanted, [{**shared, **row} for row in difference.cases], [*shared, *COLUMNS])


def _as_markdown(difference: Difference, gate_line: str) -> bytes:
    changes = ", ".join(f"{change_words(change)} {count}" for change, count in difference.changes.items())
    lines = [f"## {markdown_cell(heading_words(difference))}", "", f"{changes or 'no case'}.", ""]
    changed = [row for row in difference.cases if row["change"] != "unchanged"]
    if changed:
        lines += ["| change | case | verdict | measures | evidence |", "| --- | --- | --- | --- | --- |"]
    for row in changed:
        cells = (
            change_words(row["change"]),
            row["case_id"],
            verdict_words(row),
            measure_words(row),
            evidence_words(row),
        )
        lines.append("| " + " | ".join(map(markdown_cell, cells)) + " |")
    lines += [""] if changed else []
    lines += [f"- {what}: {markdown_cell(words)}" for what, words in suite_lines(difference)]
    return "\n".join([*lines, "", markdown_cell(gate_line), ""]).encode()
