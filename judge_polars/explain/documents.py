"""What a document rule found or lacked, whatever its method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from judge_polars.book_tables import selector_text
from judge_polars.explain.model import Findings, Sighting
from judge_polars.explain.nearest import listed, nearest_first
from judge_polars.explain.on_assertions import assertion_findings
from judge_polars.explain.on_json import json_findings
from judge_polars.explain.on_series import series_findings
from judge_polars.explain.on_text import text_findings
from judge_polars.explain.run import CaseRunAgain
from judge_polars.rulebook import DocumentRule
from judge_polars.rules import on_assertions, on_json, on_series, on_text
from judge_polars.rules.document_rules import LONGEST_PROSE, reads_prose, too_long
from judge_polars.vocabulary import NONE_METHODS

_BY_KIND: Final[tuple[tuple[tuple[str, ...], Callable[..., Findings]], ...]] = (
    (on_text.METHODS, text_findings),
    (on_series.METHODS, series_findings),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a rule gave for a case run, so that what it found is told."""

    run: CaseRunAgain
    passed: bool
    reason: str | None


def document_findings(rule: DocumentRule, asked: Sequence[Asked]) -> list[Findings]:
    """Sightings and notes of one rule, for each of some case runs of one case."""
    known = [_at_once(one.run, rule, passed=one.passed, reason=one.reason) for one in asked]
    left = [one for one, findings in zip(asked, known, strict=True) if findings is None]
    if rule.method in on_assertions.METHODS:
        found: Iterator[Findings] = iter(assertion_findings([one.run for one in left], rule)) if left else iter(())
    elif rule.method in on_json.METHODS:
        found = json_findings([(one.run, one.passed) for one in left], rule)
    else:
        find = next(find for methods, find in _BY_KIND if rule.method in methods)
        found = (find(one.run, rule, passed=one.passed) for one in left)
    return [next(found) if findings is None else findings for findings in known]


def _at_once(run: CaseRunAgain, rule: DocumentRule, *, passed: bool, reason: str | None) -> Findings | None:
    """What can be told without looking into documents; None where it takes that."""
    documents = run.selected(rule)
    if documents.is_empty():
        return (), (_missing(run, rule),)
    if rule.method == "artifact_present":
        return tuple(Sighting(name) for name in documents["name"].head(3)), ()
    without = _without_content(run, rule, documents, reason)
    if without is not None:
        return (), (without,)
    if passed and rule.method in NONE_METHODS:
        return (), (f"read without finding any: {listed(documents['name'].to_list())}",)
    return None


def _missing(run: CaseRunAgain, rule: DocumentRule) -> str:
    """No document fits the selector: which are nearest by name."""
    wanted = selector_text(rule.selector)
    names = run.documents["name"].to_list()
    if not names:
        return f"no document fits {wanted}: there is none at all"
    return f"no document fits {wanted}; nearest: {listed(nearest_first(wanted, names))}"


def _without_content(run: CaseRunAgain, rule: DocumentRule, documents: pl.DataFrame, reason: str | None) -> str | None:
    """What keeps the selected documents from being read, where that decided."""
    names = documents["name"].to_list()
    longer = run.documents.filter(too_long(run.documents) & pl.col("name").is_in(names))["name"].to_list()
    if longer and reads_prose(rule) and reason in ("unread_document", "no_text"):
        return f"more than {LONGEST_PROSE >> 20} MiB, of which no sentences and sections are read: {listed(longer)}"
    if reason == "unread_document":
        unread = documents.filter("unread")["name"].to_list()
        return f"could not be read: {listed(unread)} ({_issues(run, unread)})"
    if reason == "no_json_value":
        return f"no JSON value in {listed(names)} ({_issues(run, names)})"
    if reason == "no_text":
        what = (
            f"no section that fits {rule.section!r}"
            if rule.section
            else "no line in the window"
            if rule.within
            else "no text"
        )
        return f"{what} in {listed(names)}"
    return None


def _issues(run: CaseRunAgain, names: list[str]) -> str:
    """The issues of documents, in a few words."""
    told = run.frames["issues"].filter(pl.col("document").is_in(names)).head(3)
    words = [f"{row['code'].replace('_', ' ')}: {row['detail']}" for row in told.iter_rows(named=True)]
    return "; ".join(words) or "no issue was raised"
