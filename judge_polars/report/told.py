"""Case runs as a report tells them: what decided, the failed checks with what was found, references, shadow, issues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from judge_polars.precedence import deciding_words, precedence_by_code
from judge_polars.report.content import (
    GROUPS,
    REGRESSED,
    BucketStatus,
    CaseRunTold,
    FailedCheck,
    Line,
    Row,
    ShadowAnswer,
)
from judge_polars.report.formats import number_text
from judge_polars.report.outline import FAINT, check_lines
from judge_polars.report.records import timestamp_text
from judge_polars.report.veil import Veil
from judge_polars.sources import Rows
from judge_polars.vocabulary import SUPPORTING

if TYPE_CHECKING:
    from judge_polars.explain import Explanation

Explanations = Callable[[Sequence[str]], Iterator["Explanation"]]
"""Case run ids -> their explanations, in any order; none of a case run whose case the registry does not know."""

BYTES_OF_ALL: Final = 1_500_000
FEWEST_BYTES: Final = 1_000
MOST_BYTES: Final = 20_000
"""What is said of a case run beside its outline takes so many bytes: less of each where there are many."""
_OF_A_LINE: Final = 45
MOST_LISTED: Final = 20

_FAILED = """
    with chosen as (
        select judgment_id, case_run_id, case_digest
        from verdicts
        where eval_run_id = ?
    )

    select
        chosen.case_run_id,
        check_results.bucket,
        check_results.layer,
        check_results.check_id,
        check_results.required,
        check_results.weight,
        checks.title,
        reasons.meaning,
        rules.rule_text
    from chosen
    inner join check_results using (judgment_id, case_run_id)
    left join checks
        on
            chosen.case_digest = checks.case_digest
            and check_results.bucket = checks.bucket
            and check_results.layer is not distinct from checks.layer
            and check_results.check_id = checks.check_id
    left join rules
        on
            chosen.case_digest = rules.case_digest
            and check_results.bucket = rules.bucket
            and check_results.layer is not distinct from rules.layer
            and check_results.check_id = rules.check_id
            and check_results.deciding_rule = rules.rule
    left join reasons using (reason)
    where not check_results.passed
    order by chosen.case_run_id, check_results.position
"""
_REFERENCES = """
    select routing_refs.*
    from routing_refs
    inner join verdicts using (case_run_id)
    where verdicts.eval_run_id = ? and (not routing_refs.resolved or not routing_refs.verified)
    order by routing_refs.case_run_id, routing_refs.item, routing_refs.role, routing_refs.channel, routing_refs.ref
"""
_ISSUES = """
    select issues.*
    from issues
    inner join verdicts using (case_run_id)
    where verdicts.eval_run_id = ?
    order by issues.case_run_id, issues.document nulls first, issues.code, issues.detail
"""
_BUCKETS = """
    select bucket_statuses.case_run_id, bucket_statuses.bucket, bucket_statuses.status, bucket_statuses.configured,
        bucket_statuses.score, bucket_statuses.max_score
    from bucket_statuses
    inner join verdicts using (judgment_id, case_run_id)
    where verdicts.eval_run_id = ?
    order by bucket_statuses.case_run_id, bucket_statuses.position
"""
_SHADOW = """
    select semantic_results.*
    from semantic_results
    inner join verdicts using (case_run_id, case_digest)
    inner join judgments on semantic_results.judgment_id = judgments.judgment_id
    where verdicts.eval_run_id = ?
    qualify row_number() over (
        partition by semantic_results.case_run_id, semantic_results.semantic_check_id
        order by judgments.judged_at desc, semantic_results.judgment_id desc
    ) = 1
    order by semantic_results.case_run_id, semantic_results.semantic_check_id
"""


@dataclass(frozen=True, slots=True)
class Told:
    """The case runs by group, the first anchor of each case, and what the shadow comes to (null where it said nothing)."""

    groups: Mapping[str, tuple[CaseRunTold, ...]]
    anchors: Mapping[str, str]
    shadow: str | None


def grouped(verdicts: Sequence[Row], regressed: frozenset[str]) -> list[tuple[str, Row]]:
    """Case runs with their group, in the order in which they are told."""
    of = [
        (REGRESSED if row["case_id"] in regressed and row["verdict"] != "pass" else row["verdict"], row)
        for row in verdicts
    ]
    return sorted(of, key=lambda one: (GROUPS.index(one[0]), one[1]["case_id"], one[1]["trial"]))


class Teller:
    """Tells case runs of one eval run out of a source.

    `buckets`: case run id -> rows of `bucket_statuses`.
    """

    def __init__(self, source: Rows, eval_run_id: str, veil: Veil) -> None:
        self._veil = veil
        self._failed = _by_case_run(source, _FAILED, eval_run_id)
        self._references = _by_case_run(source, _REFERENCES, eval_run_id)
        self._issues = _by_case_run(source, _ISSUES, eval_run_id)
        self._shadow = _by_case_run(source, _SHADOW, eval_run_id)
        self.buckets = _by_case_run(source, _BUCKETS, eval_run_id)
        self._precedence = precedence_by_code(source)

    def tell(self, runs: Sequence[tuple[str, Row]], explained: Mapping[str, Explanation | None], limit: int) -> Told:
        """Tell the case runs of `grouped`; `explained` as from `gather.explained`, `limit`: how many it looked up at most."""
        room = min(MOST_BYTES, max(FEWEST_BYTES, BYTES_OF_ALL // max(1, len(runs))))
        groups: dict[str, list[CaseRunTold]] = {}
        anchors: dict[str, str] = {}
        for number, (group, row) in enumerate(runs, start=1):
            anchor = f"run-{number}"
            anchors.setdefault(row["case_id"], anchor)
            told = self._case_run(anchor, row, explained, limit, _Room(room))
            groups.setdefault(group, []).append(told)
        answers = [row for _, run in runs for row in self._shadow.get(run["case_run_id"], ())]
        return Told({name: tuple(told) for name, told in groups.items()}, anchors, _shadow_line(answers))

    def _case_run(
        self, anchor: str, row: Row, explained: Mapping[str, Explanation | None], limit: int, room: _Room
    ) -> CaseRunTold:
        key = row["case_run_id"]
        explanation = explained.get(key)
        stale = explanation is not None and _differs(explanation, row)
        known = None if stale else explanation
        failed = self._failed.get(key, [])
        decided = self._precedence[row["primary_failure_code"]]["bucket"]
        checks = tuple(self._check(key, check, known, room, decides=check["bucket"] == decided) for check in failed)
        to_pass = (
            ()
            if known is None
            else tuple(
                self._veil(sentence, f"{key}, what would have to change")
                for sentence in known.to_pass
                if room.take(sentence)
            )
        )
        references = _listed((_reference(ref) for ref in self._references.get(key, ())), room)
        issues = _listed((_issue(issue) for issue in self._issues.get(key, ())), room)
        return CaseRunTold(
            anchor=anchor,
            row=row,
            deciding=self._deciding(row),
            why=self._why(row, failed),
            about=_about(row),
            buckets=tuple(map(_bucket, self.buckets.get(key, ()))),
            checks=checks,
            to_pass=to_pass,
            references=tuple(self._veil(text, f"{key}, references") for text in references),
            shadow=tuple(self._answer(key, answer, room) for answer in self._shadow.get(key, ())),
            issues=tuple(self._veil(text, f"{key}, issues") for text in issues),
            notes=tuple(_notes(row, failed, known, room, _lacking(row, explained, limit, stale=stale))),
        )

    def _deciding(self, row: Row) -> str:
        """The row of precedence that decided, as a sentence."""
        words = deciding_words(self._precedence[row["primary_failure_code"]])
        return f"{words[0].upper()}{words[1:]}."

    def _why(self, row: Row, failed: Sequence[Row]) -> str:
        decided = self._precedence[row["primary_failure_code"]]
        if row["verdict"] == "pass":
            return ""
        names = [one["check_id"] for one in failed if one["bucket"] == decided["bucket"] and one["layer"] != SUPPORTING]
        return ", ".join(names) or str(decided["meaning"])

    def _check(self, key: str, check: Row, known: Explanation | None, room: _Room, *, decides: bool) -> FailedCheck:
        place = f"{key}, check {check['check_id']}"
        kind = check["layer"] or ("" if check["required"] else "optional")
        weight = f"weight {check['weight']:g}" if check["weight"] != 1 else ""
        decided = "it is of the bucket that decided" if decides and check["layer"] != SUPPORTING else ""
        words = [part for part in (kind, weight, check["title"], check["meaning"], decided) if part]
        lines = self._lines(check, known) if known is not None else _deciding_rule(check)
        return FailedCheck(
            name=f"{check['bucket'].replace('_', ' ')}: {check['check_id']}",
            words=", ".join(words),
            counts=check["layer"] != SUPPORTING,
            lines=tuple(line._replace(text=self._veil(line.text, place)) for line in lines if room.take(line.text)),
        )

    def _lines(self, check: Row, known: Explanation) -> Iterator[Line]:
        """What is said of the check's rules, from the first level on."""
        for told in known.checks:
            if (told.bucket, told.layer, told.id) == (check["bucket"], check["layer"], check["check_id"]):
                for line in list(check_lines(told, whole=False))[1:]:
                    yield Line(line.level - 1, line.role, line.text)

    def _answer(self, key: str, row: Row, room: _Room) -> ShadowAnswer:
        answer = row["answer"] if row["status"] == "ok" else f"no answer ({row['status'].replace('_', ' ')})"
        wanted = "" if row["expected"] is None else f", expected {row['expected']}"
        of = f", beside the check {row['shadows']}" if row["shadows"] else ""
        who = " ".join(part for part in (row["provider"], row["model"]) if part)
        place = f"{key}, semantic shadow"
        reasoning = row["reasoning"] if row["reasoning"] and room.take(row["reasoning"]) else None
        return ShadowAnswer(
            check=row["semantic_check_id"],
            words=self._veil(f"{answer}{wanted}{of}" + (f" ({who})" if who else ""), place),
            reasoning=None if reasoning is None else self._veil(reasoning, place),
        )


class _Room:
    """Bytes that are left for a case run; what finds no room is counted."""

    def __init__(self, left: int) -> None:
        self._left = left
        self.refused = 0

    def take(self, text: str) -> bool:
        """Whether there is room for one more text."""
        cost = len(escape(text).encode(errors="replace")) + _OF_A_LINE
        if self.refused or cost > self._left:
            self.refused += 1
            return False
        self._left -= cost
        return True


def _by_case_run(source: Rows, query: str, eval_run_id: str) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in source.sql(query, [eval_run_id]).iter_rows(named=True):
        rows.setdefault(row["case_run_id"], []).append(row)
    return rows


def _differs(explanation: Explanation, row: Row) -> bool:
    """Whether the explanation is by another rubric, or of another bundle, than the verdict."""
    now = explanation.reproduce
    return (now["case_digest"], now["bundle_digest"]) != (row["case_digest"], row["bundle_digest"])


def _deciding_rule(check: Row) -> Iterator[Line]:
    if check["rule_text"]:
        yield Line(1, FAINT, f"✗ {check['rule_text']}")


def _lacking(row: Row, explained: Mapping[str, Explanation | None], limit: int, *, stale: bool) -> str:
    """Why there are no excerpts."""
    if stale:
        return "No excerpts: the case or the bundle has changed since this verdict; judge again, then report."
    if row["case_run_id"] in explained:
        return "No excerpts: the registry does not know the case."
    return f"No excerpts: the report looks up those of at most {limit:,} case runs, what regressed first."


def _notes(row: Row, failed: Sequence[Row], known: Explanation | None, room: _Room, lacking: str) -> Iterator[str]:
    """Why something is missing, and the command that tells all of it."""
    lacks = bool(failed) and known is None
    if lacks and row["verdict"] != "pass":
        yield lacking
    if room.refused:
        yield f"{room.refused:,} more lines are left out here."
    if lacks or room.refused:
        yield f"All of it: judge-polars explain {row['case_run_id']}"


def _about(row: Row) -> str:
    agent = " ".join(row[key] for key in ("agent_name", "agent_version", "agent_model") if row[key])
    started = row["started_at"] and timestamp_text(row["started_at"])
    ended = ", ".join(row[key] for key in ("status", "stop_reason") if row[key])
    cause = f"cause: {row['cause']}" if row["cause"] else ""
    return " · ".join(part for part in (f"case version {row['case_version']}", agent, started, ended, cause) if part)


def _bucket(row: Row) -> BucketStatus:
    scored = row["score"] is not None and row["max_score"] is not None
    score = f"{number_text(row['score'])} of {number_text(row['max_score'])}" if scored else None
    return BucketStatus(row["bucket"], bool(row["configured"]), row["status"], score)


def _reference(ref: Row) -> str:
    state = "not verified" if ref["resolved"] else "not resolved"
    reason = f": {ref['reason'].replace('_', ' ')}" if ref["reason"] else ""
    return (
        f"{ref['channel']}:{ref['ref']} ({ref['item_id'] or 'item ' + str(ref['item'])}, {ref['role']}) {state}{reason}"
    )


def _issue(issue: Row) -> str:
    where = f" {issue['document']}" if issue["document"] else ""
    return f"{issue['code'].replace('_', ' ')}{where}: {issue['detail'] or ''}"


def _listed(texts: Iterable[str], room: _Room) -> list[str]:
    """The first texts, as far as there is room; how many more there are."""
    every = list(texts)
    shown = [text[:1_000] for text in every[:MOST_LISTED] if room.take(text[:1_000])]
    more = len(every) - len(shown)
    return [*shown, f"… and {more:,} more"] if more and shown else shown


def _shadow_line(answers: Sequence[Row]) -> str | None:
    """How many answers the shadow gave and how often they are the expected ones."""
    if not answers:
        return None
    given = [row for row in answers if row["status"] == "ok"]
    compared = [row for row in given if row["matched"] is not None]
    matched = sum(bool(row["matched"]) for row in compared)
    return (
        f"{len(given):,} of {len(answers):,} questions answered; {matched:,} of {len(compared):,} answers with an "
        "expectation are the expected ones. Not scored: no verdict depends on them."
    )


def score_words(row: Row) -> str:
    """`61.5 of 80 (77 %)`; empty without a score."""
    if row["score"] is None or row["max_score"] is None:
        return ""
    share = "" if row["score_pct"] is None else f" ({row['score_pct']:.0f} %)"
    return f"{number_text(row['score'])} of {number_text(row['max_score'])}{share}"
