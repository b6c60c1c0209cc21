"""An explanation as lines with a role each: what terminal, Markdown and HTML all show, in one order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from judge_polars.printable import printable
from judge_polars.report.formats import SYMBOLS, number_text
from judge_polars.report.records import timestamp_text
from judge_polars.vocabulary import SUPPORTING

if TYPE_CHECKING:
    from judge_polars.explain import Explanation
    from judge_polars.explain.model import BucketTold, CheckTold, RuleTold, Sighting

TITLE: Final = "title"
HEADING: Final = "heading"
GOOD: Final = "good"
BAD: Final = "bad"
ODD: Final = "odd"
TEXT: Final = "text"
FAINT: Final = "faint"
QUOTE: Final = "quote"
BULLET: Final = "• "
RULE_LENGTH: Final = 220
_MARKS: Final = {
    "pass": (GOOD, "✓"),
    "fail": (BAD, "✗"),
    "partial": (ODD, "◐"),
    "invalid": (ODD, "○"),
    None: (FAINT, "–"),
}


class Line(NamedTuple):
    """One line: how far it is indented, its role, its text (printable, of any length)."""

    level: int
    role: str
    text: str


def outline(told: Explanation, *, whole: bool = False) -> Iterator[Line]:
    """The explanation in lines; `whole`: passed checks too with all that is known of their rules."""
    role, symbol = _MARKS[told.verdict][0], SYMBOLS[told.verdict]
    yield Line(0, TITLE, printable(told.case_run_id))
    yield Line(0, FAINT, " · ".join(_facts_of_run(told)))
    yield Line(0, role, f"{symbol} {told.verdict}" + _code(told) + _score(told))
    yield Line(0, TEXT, told.deciding)
    if told.to_pass:
        yield Line(0, HEADING, "What would have to change for a pass")
        for sentence in told.to_pass:
            yield Line(1, TEXT, f"{BULLET}{printable(sentence)}")
    yield Line(0, HEADING, "Bundle")
    yield from _bundle(told)
    for bucket in told.buckets:
        if bucket.status is not None:
            yield from _bucket(told, bucket, whole=whole)
    if told.references:
        yield Line(0, HEADING, "References that are not resolved or not verified")
        for ref in told.references:
            state = "not resolved" if not ref.resolved else "not verified"
            reason = f": {ref.reason.replace('_', ' ')}" if ref.reason else ""
            item = printable(ref.item_id or f"item {ref.item}")
            yield Line(
                1,
                BAD if not ref.resolved else ODD,
                f"{ref.channel}:{printable(ref.ref)} ({item}, {ref.role}) {state}{reason}",
            )
    if told.issues:
        yield Line(0, HEADING, "Issues")
        for issue in told.issues:
            where = f" {printable(issue.document)}" if issue.document else ""
            yield Line(1, ODD, f"{issue.code}{where}: {printable(issue.detail or '')}")
    if told.masked:
        yield Line(0, HEADING, "Masked")
        for place in told.masked:
            yield Line(1, FAINT, printable(place))
    yield Line(0, HEADING, "Judged by")
    for key, value in told.reproduce.items():
        yield Line(1, FAINT, f"{key.replace('_', ' ')} {printable(str(value))}")


def _facts_of_run(told: Explanation) -> Iterator[str]:
    yield f"{printable(told.case_title)}, version {told.case_version}"
    run = told.run
    agent = " ".join(printable(str(run[key])) for key in ("agent_name", "agent_version", "agent_model") if run[key])
    if agent:
        yield agent
    if run["started_at"] is not None:
        yield timestamp_text(run["started_at"])
    ended = ", ".join(printable(run[key]) for key in ("status", "stop_reason") if run[key])
    if ended:
        yield ended


def _code(told: Explanation) -> str:
    if not told.primary_failure_code:
        return ""
    others = ", ".join(told.failure_codes[1:])
    also = f"; also {others}" if others else ""
    cause = f" (cause: {told.cause})" if told.cause else ""
    return f", {told.primary_failure_code}{also}{cause}"


def _score(told: Explanation) -> str:
    if told.score is None or told.max_score is None:
        return ""
    share = "" if told.score_pct is None else f" ({told.score_pct:.1f} %)"
    return f", score {number_text(told.score)} of {number_text(told.max_score)}{share}"


def _bundle(told: Explanation) -> Iterator[Line]:
    if told.bundle is not None:
        yield Line(1, TEXT, f"{told.bundle_status}: {printable(told.bundle)}")
    else:
        yield Line(1, BAD, f"{told.bundle_status}: {len(told.candidates)} candidates")
    for candidate in told.candidates:
        if candidate.root == told.bundle:
            continue
        why = ", ".join(reason.replace("_", " ") for reason in candidate.reasons) or "valid"
        yield Line(1, FAINT if candidate.reasons else ODD, f"not taken: {printable(candidate.root)} ({why})")


def _bucket(told: Explanation, bucket: BucketTold, *, whole: bool) -> Iterator[Line]:
    symbol = _MARKS[bucket.status][1]
    name = bucket.bucket.replace("_", " ")
    if not bucket.configured:
        yield Line(0, FAINT, f"– {name}: not configured, so it passes")
        return
    score = (
        ""
        if bucket.score is None or bucket.max_score is None
        else f", {number_text(bucket.score)} of {number_text(bucket.max_score)}"
    )
    yield Line(0, HEADING, f"{name}: {symbol} {bucket.status}{score}")
    for check in told.checks_of(bucket.bucket):
        yield from check_lines(check, whole=whole)


def check_lines(check: CheckTold, *, whole: bool) -> Iterator[Line]:
    """One check: a failed one with all its rules, a passed one with what decided it."""
    role, symbol = _MARKS["pass" if check.passed else "fail"]
    kind = check.layer or ("" if check.required else "optional")
    marks = ", ".join(part for part in (kind, f"weight {check.weight:g}" if check.weight != 1 else "") if part)
    if not check.passed and (check.layer == SUPPORTING or not check.required):
        role = ODD
    title = f": {printable(check.title)}" if check.title else ""
    reason = f" – {check.reason.replace('_', ' ')}" if check.reason else ""
    yield Line(1, role, f"{symbol} {check.id}{f' ({marks})' if marks else ''}{title}{reason}")
    for rule in check.rules:
        if check.passed and not whole:
            if rule.decided:
                yield from _briefly(rule)
        elif rule.decided or not check.passed or whole:
            yield from _rule(rule, 2)
    if len(check.rules) > 1 and not check.passed:
        true = sum(rule.passed for rule in check.rules)
        yield Line(2, FAINT, f"{true} of {len(check.rules)} rules true, {check.need} needed")


def _briefly(rule: RuleTold) -> Iterator[Line]:
    """The rule that decided a passed check: the first place that it, or a rule behind its fact, found; else a note."""
    found = _first_sighting(rule)
    if found is None:
        yield Line(2, FAINT, printable(rule.notes[-1] if rule.notes else rule.text[:RULE_LENGTH]))
        return
    sighting, holds = found
    place = f" {sighting.place}" if sighting.place else ""
    what = f", {printable(sighting.what)}" if sighting.what and not holds else ""
    excerpt = f": {sighting.excerpt}" if sighting.excerpt else ""
    yield Line(2, FAINT, f"{printable(sighting.document)}{place}{what}{excerpt}")


def _first_sighting(rule: RuleTold) -> tuple[Sighting, bool] | None:
    """The first sighting, and whether the rule that it belongs to is true."""
    if rule.sightings:
        return rule.sightings[0], rule.passed
    return next((found for inner in rule.because if (found := _first_sighting(inner)) is not None), None)


def _rule(rule: RuleTold, level: int) -> Iterator[Line]:
    text = rule.text if len(rule.text) <= RULE_LENGTH else rule.text[: RULE_LENGTH - 1] + "…"
    yield Line(level, FAINT, f"{'✓' if rule.passed else '✗'} {printable(text)}")
    for sighting in rule.sightings:
        yield from _sighting(sighting, level + 1)
    for note in rule.notes:
        yield Line(level + 1, TEXT, printable(note))
    for inner in rule.because:
        yield from _rule(inner, level + 1)


def _sighting(sighting: Sighting, level: int) -> Iterator[Line]:
    place = f" {sighting.place}" if sighting.place else ""
    what = f", {printable(sighting.what)}" if sighting.what else ""
    yield Line(level, TEXT, f"{printable(sighting.document)}{place}{what}")
    if sighting.excerpt:
        yield Line(level + 1, QUOTE, sighting.excerpt)
