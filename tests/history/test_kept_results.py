"""After one edited rule only that rule is evaluated; then nothing is, until something else changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from judge_polars import rejudge
from judge_polars.chronicle import judge_record
from judge_polars.engine import Engine, Prepared
from judge_polars.history.recall import Recalled
from judge_polars.history.record import Record
from judge_polars.registry import load_registry
from judge_polars.rereading import evaluate_missing
from judge_polars.rulebook import Check, DocumentRule, RuleBook
from tests.cli.world import write_world
from tests.history.worlds import ingest


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[DocumentRule]:
    """The rules that are evaluated on texts of the record, in order."""
    rules: list[DocumentRule] = []
    evaluate = evaluate_missing

    def told(engine: Engine, recalled: Recalled, ready: Prepared, missing: pl.DataFrame) -> object:
        rules.extend(engine.program.document_rules[index] for index in missing["rule"].unique().sort())
        return evaluate(engine, recalled, ready, missing)

    monkeypatch.setattr(rejudge, "evaluate_missing", told)
    return rules


def edited(book: RuleBook) -> tuple[RuleBook, DocumentRule]:
    """The registry with one pattern more in the first document rule of a hard check, and that rule."""
    case = next(case for case in book.cases if any(map(_rule, case.checks)))
    check = next(check for check in case.checks if _rule(check))
    rule = _rule(check)
    assert rule is not None
    other = replace(rule, patterns=(*rule.patterns, "nothing says this"))
    rules = tuple(other if one == rule else one for one in check.formula.rules)
    changed = replace(check, formula=replace(check.formula, rules=rules))
    checks = tuple(changed if one is check else one for one in case.checks)
    cases = tuple(replace(case, checks=checks, digest="sha256:edited") if one is case else one for one in book.cases)
    return replace(book, cases=cases, digest="sha256:edited"), other


def _rule(check: Check) -> DocumentRule | None:
    return next((rule for rule in check.formula.rules if isinstance(rule, DocumentRule) and rule.patterns), None)


def test_only_the_edited_rule_is_evaluated(tmp_path: Path, evaluated: list[DocumentRule]) -> None:
    write_world(tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    ingest(tmp_path / "history", tmp_path / "runs", book)
    record = Record.open(tmp_path / "history")
    judge_record(record, Engine(book))
    assert evaluated == []
    other, rule = edited(book)
    judge_record(record, Engine(other))
    assert evaluated == [rule]
    judge_record(record, Engine(other))
    judge_record(record, Engine(book))
    assert evaluated == [rule]


def test_another_meaning_of_the_engine_evaluates_everything(
    tmp_path: Path, evaluated: list[DocumentRule], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_world(tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    ingest(tmp_path / "history", tmp_path / "runs", book)
    record = Record.open(tmp_path / "history")
    from judge_polars import rule_memory
    from judge_polars.rule_digests import rule_digests

    monkeypatch.setattr(rule_memory, "rule_digests", lambda program: rule_digests(program, 99))
    judge_record(record, Engine(book))
    assert set(evaluated) == set(Engine(book).program.document_rules)
