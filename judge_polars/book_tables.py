"""A compiled registry as published tables (`cases`, `case_windows`, `case_buckets`, `checks`, `rules`, `suites` …)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime

import polars as pl

from judge_polars.rulebook import Case, Check, Comparison, DocumentRule, FactRule, Rule, RuleBook, Selector, TimeWithin
from judge_polars.tables import (
    BASELINE_CASES,
    BASELINES,
    CASE_BUCKETS,
    CASE_WINDOWS,
    CASES,
    CHECKS,
    RULES,
    SUITE_CASES,
    SUITES,
    Table,
)

_SELECTOR_NAMES = {"logs_dir": "logs", "evidence_dir": "evidence", "output_text": "output"}
_UNSHOWN = ("method", "selector", "comparison", "where", "words", "reason", "labels", "margin_us")


def registry_tables(book: RuleBook, checks: tuple[tuple[int, Check], ...]) -> dict[str, pl.DataFrame]:
    """Table name -> frame; `checks` are (row of `book.cases`, check), their index is the `check_key`."""
    return {
        "cases": _frame(CASES, [_case_row(case) for case in book.cases]),
        "case_windows": _frame(
            CASE_WINDOWS,
            [(case.digest, w.start, w.end, w.match, w.tolerance_us) for case in book.cases for w in case.allowed],
        ),
        "case_buckets": _frame(
            CASE_BUCKETS,
            [
                (c.digest, b.name, b.max_score, b.hard_max_score, b.supporting_weight)
                for c in book.cases
                for b in c.buckets
            ],
        ),
        "checks": _checks(book, checks),
        "rules": _rules(book, checks),
        "suites": _frame(
            SUITES,
            [
                (s.digest, s.id, s.version, s.title, s.status, s.baseline_eligible, s.aggregate, s.trials)
                for s in book.suites
            ],
        ),
        "suite_cases": _frame(
            SUITE_CASES,
            [(s.digest, s.id, case_id, place) for s in book.suites for place, case_id in enumerate(s.cases)],
        ),
        **_baselines(book),
    }


def _frame(table: Table, rows: list[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=table.schema, orient="row")


def _case_row(case: Case) -> tuple[object, ...]:
    window = case.window
    return (
        case.digest,
        case.id,
        case.version,
        case.title,
        case.status,
        list(case.tags),
        case.cluster_id,
        window.start,
        window.end,
        case.trials,
    )


def _checks(book: RuleBook, checks: tuple[tuple[int, Check], ...]) -> pl.DataFrame:
    rows: list[tuple[object, ...]] = []
    first = 0
    for key, (case, check) in enumerate(checks):
        if key and checks[key - 1][0] != case:
            first = key
        digest = book.cases[case].digest
        rows.append(
            (
                key,
                digest,
                check.bucket,
                check.layer,
                check.id,
                key - first,
                check.title,
                check.required,
                check.weight,
                check.formula.need,
            )
        )
    return _frame(CHECKS, rows)


def _rules(book: RuleBook, checks: tuple[tuple[int, Check], ...]) -> pl.DataFrame:
    return _frame(
        RULES,
        [
            (
                book.cases[case].digest,
                check.bucket,
                check.layer,
                check.id,
                ordinal,
                rule.method if isinstance(rule, DocumentRule) else "fact",
                rule_text(rule),
            )
            for case, check in checks
            for ordinal, rule in enumerate(check.formula.rules)
        ],
    )


def _baselines(book: RuleBook) -> dict[str, pl.DataFrame]:
    return {
        "baselines": _frame(
            BASELINES,
            [
                (b.suite_id, b.suite_version, b.eval_run_id, b.judgment_id, b.promoted_at, b.created_by, b.notes, True)
                for b in book.baselines
            ],
        ),
        "baseline_cases": _frame(
            BASELINE_CASES,
            [
                (
                    b.suite_id,
                    b.eval_run_id,
                    c.case_id,
                    c.case_version,
                    c.case_digest,
                    c.verdict,
                    c.primary_failure_code,
                    c.score,
                    c.max_score,
                    c.trials,
                    c.passed_trials,
                    json.dumps(dict(c.buckets)),
                )
                for b in book.baselines
                for c in b.cases
            ],
        ),
    }


def selector_text(selector: Selector) -> str:
    """A selector as an author writes it."""
    if selector.artifact is not None:
        return _SELECTOR_NAMES.get(selector.artifact, selector.artifact)
    return selector.name or ""


def rule_text(rule: Rule) -> str:
    """A rule in one line, as YAML flow: `{match: keyword_any, artifact: logs, keywords: ["server is busy"]}`."""
    if isinstance(rule, FactRule):
        if rule.comparison == Comparison("equals", operand=True):
            return f"{{fact: {rule.fact}}}"
        return f"{{fact: {rule.fact}, {comparison_text(rule.comparison)}}}"
    parts = [f"match: {rule.method}", f"artifact: {_scalar_text(selector_text(rule.selector))}"]
    for declared in fields(DocumentRule):
        value = getattr(rule, declared.name)
        if declared.name not in _UNSHOWN and value != declared.default:
            parts.append(f"{declared.name}: {_value_text(value)}")
    if rule.labels:
        parts.append(f"labels: {_value_text(dict(rule.labels))}")
    if rule.margin_us:
        parts.append(f"margin: {duration_text(rule.margin_us)}")
    if rule.where:
        conditions = (f"{{path: {_scalar_text(c.path)}, {comparison_text(c.comparison)}}}" for c in rule.where)
        parts.append(f"where: [{', '.join(conditions)}]")
    if rule.comparison is not None:
        parts.append(comparison_text(rule.comparison))
    return f"{{{', '.join(parts)}}}"


def duration_text(microseconds: int) -> str:
    """A duration as an author writes it: `1h30m`, `0s`."""
    seconds = microseconds // 1_000_000
    parts = [(seconds // 3600, "h"), (seconds % 3600 // 60, "m"), (seconds % 60, "s")]
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0s"


def comparison_text(comparison: Comparison) -> str:
    """A comparison as an author writes it: `ge: 3`."""
    operand = comparison.operand
    if isinstance(operand, TimeWithin):
        of = operand.of.isoformat().replace("+00:00", "Z")
        minutes = operand.offset_minutes
        offset = (
            f', offset: "{"-" if minutes < 0 else "+"}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"'
            if minutes
            else ""
        )
        return f"time_within: {{of: {of}, tolerance: {duration_text(operand.tolerance_us)}{offset}}}"
    return f"{comparison.operator}: {_value_text(operand)}"


def _value_text(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_value_text(item)}' for key, item in value.items())}}}"
    return _scalar_text(value)


def _scalar_text(value: object) -> str:
    """A scalar in YAML flow; texts are quoted where they could be read as anything else."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, str):
        plain = (
            value
            and all(char.isalnum() or char in "_./-*$" for char in value)
            and not value[0].isdigit()
            and value[0] not in "*-"
        )
        return value if plain and value not in ("true", "false", "null") else json.dumps(value, ensure_ascii=False)
    return str(value)
