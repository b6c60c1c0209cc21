"""`inspect` for people: a suite at a glance, then its cases check by check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from judge_polars.cli.rows_table import plain_table
from judge_polars.printable import printable
from judge_polars.report.rows import cell_text

Record = Mapping[str, Any]

SHORT: Final = {
    "contract": "contract",
    "workflow": "workflow",
    "execution_contract": "execution",
    "evidence_collection": "collection",
    "critical_evidence": "critical",
    "evidence_routing": "routing",
    "diagnosis": "diagnosis",
}
"""Bucket -> the head of its column."""
SYMBOLS: Final = {"error": "✗", "warning": "!"}
LEGEND: Final = (
    "checks per bucket, in brackets their weights where these are not all 1; diagnosis hard+supporting; "
    "* from judge_defaults; – not configured"
)
LEAST_CHECK: Final = 36
"""Columns of check ids, so that the tables of all buckets are aligned."""
LEAST_FACTS: Final = 30
"""Columns that what a check reads needs, to stand beside it."""


def inspection_view(told: Record, width: int, *, in_detail: bool) -> RenderableType:
    """Suites at a glance; `in_detail` also each case."""
    cases = {case["id"]: case for case in told["cases"]}
    parts: list[RenderableType] = []
    for suite in told["suites"]:
        parts += [Text(_suite_line(suite), style="bold"), *_suite_notes(suite)]
        mine = [cases[name] for name in suite["cases"] if name in cases]
        parts += [Padding(_glance(mine, suite["id"], width - 2), (1, 0, 1, 2))]
    alone = [case for case in told["cases"] if not case["suites"]]
    if alone and not in_detail:
        parts += [Text("in no suite", style="bold"), Padding(_glance(alone, None, width - 2), (1, 0, 1, 2))]
    parts.append(Text(LEGEND, style="dim"))
    if in_detail:
        parts += [part for case in told["cases"] for part in _case(case, width)]
    parts += [_replaced(one) for one in told["replaced"]]
    findings = [one for case in told["cases"] for one in case["findings"]] + list(told["findings"])
    parts += _findings(findings)
    return Group(*parts)


def _suite_line(suite: Record) -> str:
    count = len(suite["cases"])
    return printable(
        f"{suite['id']} v{suite['version']} · {suite['status']} · {_counted(count, 'case')} × "
        f"{_counted(suite['trials'], 'trial')} · {suite['aggregate']} · {suite['title']}"
    )


def _suite_notes(suite: Record) -> Iterator[Text]:
    baseline = suite["baseline"]
    if baseline is None:
        eligible = "none yet" if suite["baseline_eligible"] else "none, and not eligible for one"
        yield Text(f"  baseline: {eligible}")
        return
    note = f"  baseline: {baseline['eval_run_id']}, promoted {_moment(baseline['promoted_at'])}"
    if baseline["state"] != "current":
        note += f", of suite version {baseline['suite_version']}"
    if baseline["cases_missing"]:
        note += f", without {', '.join(baseline['cases_missing'])}"
    yield Text(printable(note))


def _glance(cases: Sequence[Record], suite: str | None, width: int) -> RenderableType:
    """A row per case; where that is too wide, a block of lines per case."""
    rows = [_glance_row(case, suite) for case in cases]
    if not rows:
        return Text("no cases")
    columns = list(rows[0])
    needed = sum(max(cell_len(name), *(cell_len(row[name]) for row in rows)) + 2 for name in columns)
    if needed - 2 > width:
        return Group(*(line for row in rows for line in _glance_block(row, width)))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in columns:
        table.add_column(name, no_wrap=True, justify="right" if name in ("v", "trials", *SHORT.values()) else "left")
    for row in rows:
        table.add_row(*map(Text, row.values()))
    return table


def _glance_row(case: Record, suite: str | None) -> dict[str, str]:
    buckets = {SHORT[bucket["bucket"]]: _bucket_cell(bucket) for bucket in case["buckets"]}
    baselines = [one for one in case["baselines"] if suite in (None, one["suite"])]
    return {
        "case": printable(case["id"]) + ("" if case["status"] == "active" else " (inactive)"),
        "v": str(case["version"]),
        "window": _window(case["window"]["start"], case["window"]["end"]),
        "trials": str(case["trials"]),
        **buckets,
        "baseline": ", ".join(_baseline_cell(one) for one in baselines) or "none",
        "lint": _lint_cell(case["findings"]),
    }


def _bucket_cell(bucket: Record) -> str:
    checks = bucket["checks"]
    if bucket["from"] is None:
        return "–"
    if bucket["bucket"] == "diagnosis":
        hard = sum(check["layer"] == "hard" for check in checks)
        cell = f"{hard}+{len(checks) - hard}"
    else:
        weight = sum(check["weight"] for check in checks)
        cell = str(len(checks)) if weight == len(checks) else f"{len(checks)} ({weight:g})"
    return cell + ("*" if bucket["from"] == "judge_defaults" else "")


def _baseline_cell(one: Record) -> str:
    state = "" if one["state"] == "current" else f", {one['state']}"
    return f"{one['verdict']}{state}"


def _lint_cell(findings: Sequence[Record]) -> str:
    counts = {severity: sum(one["severity"] == severity for one in findings) for severity in SYMBOLS}
    return (
        " ".join(f"{SYMBOLS[severity]} {_counted(count, severity)}" for severity, count in counts.items() if count)
        or "✓"
    )


def _glance_block(row: Mapping[str, str], width: int) -> Iterator[RenderableType]:
    yield Text(row["case"], style="bold", overflow="fold")
    facts = [f"v{row['v']}", row["window"], _counted(int(row["trials"]), "trial")]
    states = [f"baseline {row['baseline']}", f"lint {row['lint']}"]
    for parts in ([*facts, *states], [f"{name} {row[name]}" for name in SHORT.values()]):
        yield from (Padding(Text(line), (0, 0, 0, 2)) for line in _packed(parts, width - 2))


def _packed(parts: Sequence[str], width: int) -> Iterator[str]:
    """Parts with dots between them, as many in a line as fit."""
    line = ""
    for part in parts:
        longer = f"{line} · {part}" if line else part
        if line and cell_len(longer) > width:
            yield line
            longer = part
        line = longer
    yield line


def _case(case: Record, width: int) -> Iterator[RenderableType]:
    """One case: windows, then its checks bucket by bucket with what they read."""
    yield Text("")
    yield Text(printable(f"{case['id']} v{case['version']}"), style="bold")
    yield Text(printable(f"  {case['title']} · {', '.join(case['tags']) or 'no tags'} · cluster {case['cluster_id']}"))
    for window in case["allowed"]:
        tolerance = f" ± {window['tolerance_seconds']:g} s" if window["tolerance_seconds"] else ""
        yield Text(f"  allowed window: {window['match']} {_window(window['start'], window['end'])}{tolerance}")
    for bucket in case["buckets"]:
        yield Text(f"  {_bucket_line(bucket)}", style="dim" if bucket["from"] is None else "underline")
        if bucket["checks"]:
            yield Padding(_checks(bucket["checks"], width - 4), (0, 0, 0, 4))
    yield from (_replaced(one) for one in case["replaced"])
    for code, reason in case["ignored"].items():
        yield Text(printable(f"  lint ignores {code}: {reason}"))


def _bucket_line(bucket: Record) -> str:
    name = bucket["bucket"]
    if bucket["from"] is None:
        return f"{name}: not configured" + (", removed by the case" if bucket["removed"] else "")
    labels = {"max_score": "score", "hard_max_score": "hard score", "supporting_weight": "supporting score"}
    scores = [f"{label} {bucket[key]:g}" for key, label in labels.items() if bucket[key] is not None]
    origin = ["from judge_defaults"] if bucket["from"] == "judge_defaults" else []
    return " · ".join([name, *scores, *origin])


def _checks(checks: Sequence[Record], width: int) -> RenderableType:
    longest = max(LEAST_CHECK, *(cell_len(check["id"]) for check in checks))
    if longest + LEAST_FACTS + 22 > width:
        return Group(*(line for check in checks for line in _check_lines(check)))
    table = plain_table(
        "check", "kind", "weight", "reads", right=("weight",), header=False, least={"check": LEAST_CHECK, "kind": 10}
    )
    for check in checks:
        table.add_row(
            Text(check["id"]), Text(_kind(check)), Text(f"{check['weight']:g}"), Text(printable(_reads(check)))
        )
    return table


def _check_lines(check: Record) -> Iterator[RenderableType]:
    parts = [check["id"], _kind(check), f"weight {check['weight']:g}"]
    yield Text(" · ".join(filter(None, parts)), overflow="fold")
    yield Padding(Text(printable(_reads(check)), style="dim", overflow="fold"), (0, 0, 0, 2))


def _kind(check: Record) -> str:
    """Hard or supporting, required or optional; nothing where every check counts."""
    required = {True: "required", False: "optional"}.get(check["required"], "")
    return str(check["layer"] or required)


def _reads(check: Record) -> str:
    """What a check reads, facts with those that they are built on."""
    facts = [name.removeprefix("check.") if name.startswith("check.workflow.") else name for name in check["facts"]]
    told = ", ".join([*facts, *check["documents"]]) or "nothing"
    return told + (f" ← {', '.join(check['through'])}" if check["through"] else "")


def _replaced(one: Record) -> Text:
    kind = {"facts": "fact", "channels": "channel", "concepts": "concept", "words": "word list"}[one["kind"]]
    return Text(printable(f"  {one['by']} replaces the {kind} {one['name']} of {one['of']}"))


def _findings(findings: Sequence[Record]) -> list[RenderableType]:
    """All findings, a line each."""
    if not findings:
        return [Text("\n✓ nothing found by lint")]
    lines = [
        f"{one['file']}:{one['line']}:{one['column']}: {SYMBOLS[one['severity']]} {one['message']} [{one['code']}]"
        for one in findings
    ]
    return [
        Text(f"\n{_lint_cell(findings)}", style="bold"),
        *(Text(printable(line), overflow="fold") for line in lines),
    ]


def _window(start: datetime, end: datetime) -> str:
    first, last = start.astimezone(UTC), end.astimezone(UTC)
    same_day = first.date() == last.date()
    return f"{first:%Y-%m-%d %H:%M}–{last:%H:%M}Z" if same_day else f"{first:%Y-%m-%d %H:%M}–{last:%Y-%m-%d %H:%M}Z"


def _moment(moment: datetime) -> str:
    return cell_text(moment.astimezone(UTC))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
