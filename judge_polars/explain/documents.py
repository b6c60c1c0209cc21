"""What a document rule found or lacked, whatever its method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import polars as pl

from judge_polars.book_tables import selector_text
from judge_polars.explain.model import Sighting
from judge_polars.explain.nearest import listed, nearest_first
from judge_polars.explain.on_assertions import assertion_findings
from judge_polars.explain.on_json import json_findings
from judge_polars.explain.on_series import series_findings
from judge_polars.explain.on_text import text_findings
from judge_polars.explain.run import CaseRunAgain
from judge_polars.rulebook import DocumentRule
from judge_polars.rules import on_assertions, on_json, on_series, on_text
from judge_polars.vocabulary import NONE_METHODS

Findings = tuple[tuple[Sighting, ...], tuple[str, ...]]

_BY_KIND: Final[tuple[tuple[tuple[str, ...], Callable[[CaseRunAgain, DocumentRule], Findings]], ...]] = (
    (on_text.METHODS, text_findings),
    (on_assertions.METHODS, assertion_findings),
    (on_series.METHODS, series_findings),
    (on_json.METHODS, json_findings),
)


def document_findings(run: CaseRunAgain, rule: DocumentRule, *, passed: bool, reason: str | None) -> Findings:
    """Sightings and notes of one rule."""
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
    find = next(find for methods, find in _BY_KIND if rule.method in methods)
    return find(run, rule)


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
