"""Lint of rules as they are written: numeric rules without care, sections, negative comparisons, checks that stand twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from judge_polars.json_path import parse_path
from judge_polars.registry.lint_answers import truth_wanted
from judge_polars.registry.lint_world import Hit, World, WrittenRule, hit
from judge_polars.registry.rule import (
    JsonCountRule,
    JsonRecordRule,
    JsonValueRule,
    SeriesAllRule,
    SeriesAnyRule,
    SeriesPresentRule,
    SpreadRule,
    given_comparisons,
)
from judge_polars.registry.source import Loc, shown
from judge_polars.registry.values import Model
from judge_polars.rulebook import Definition, DocumentRule, FactRule, Formula, Rule
from judge_polars.vocabulary import NONE_METHODS

_MANY: Final = frozenset(("every", "descend_member", "descend_every"))


def series_unrestricted(world: World) -> Iterator[Hit]:
    """Numeric rules that read whatever series there is."""
    for case, written in world.rules():
        rule = written.model
        if isinstance(rule, SeriesAnyRule | SeriesAllRule | SpreadRule | SeriesPresentRule) and not (
            rule.series or rule.labels or "path" in rule.model_fields_set
        ):
            message = f"`{rule.match}` reads every series that is there; say which with `series`, `labels` or `path`"
            yield hit(case, written.source, (*written.loc, "match"), message)


def single_point(world: World) -> Iterator[Hit]:
    """Numeric rules that one point decides, without `min_points` saying that this is meant."""
    for case, written in world.rules():
        rule = written.model
        if isinstance(rule, SeriesAnyRule | SeriesAllRule) and "min_points" not in rule.model_fields_set:
            message = f"one noisy point decides `{rule.match}`; write `min_points`, `min_points: 1` if one is meant to"
            yield hit(case, written.source, (*written.loc, "match"), message)


def must_avoid_in_section(world: World) -> Iterator[Hit]:
    """What must be avoided, looked for in a section that need not be there."""
    for case in world.cases:
        for written in case.check_rules():
            section = _section_of(written.rule, case.definitions)
            if section is not None:
                message = (
                    f"what must be avoided is looked for in the section {shown(section)} alone: an answer without it avoids "
                    "nothing, or everything; write `section_or_all: true`"
                )
                yield hit(case.name, written.source, _told_at(written), message)


def _told_at(written: WrittenRule) -> Loc:
    return (*written.loc, "fact" if isinstance(written.rule, FactRule) else "section")


def _section_of(rule: Rule | None, definitions: Mapping[str, Definition]) -> str | None:
    """The section that a rule about what must be avoided depends on."""
    if isinstance(rule, DocumentRule):
        return rule.section if rule.method in NONE_METHODS and not rule.section_or_all else None
    if rule is None or truth_wanted(rule.comparison) is not False or rule.fact not in definitions:
        return None
    return next(_sections(definitions[rule.fact].formula, definitions), None)


def _sections(formula: Formula, definitions: Mapping[str, Definition]) -> Iterator[str]:
    """Sections that a formula depends on, through facts."""
    for rule in formula.rules:
        if isinstance(rule, DocumentRule):
            if rule.section is not None and not rule.section_or_all:
                yield rule.section
        elif rule.fact in definitions:
            yield from _sections(definitions[rule.fact].formula, definitions)


def negative_comparison_on_many(world: World) -> Iterator[Hit]:
    """`not_equals` and `not_in` of JSON values that any one of many nodes satisfies."""
    for case, written in world.rules():
        for loc, part in _json_values(written):
            comparison = next(iter(given_comparisons(part)), "")
            path = str(vars(part)["path"])
            if comparison in ("not_equals", "not_in") and any(step[0] in _MANY for step in parse_path(path)):
                message = (
                    f"`{comparison}` on {shown(path)} is true as soon as one of many nodes differs; to say that none is "
                    "such, use `json_count` with `where` and `equals: 0`"
                )
                yield hit(case, written.source, (*loc, comparison), message)


def _json_values(written: WrittenRule) -> Iterator[tuple[Loc, Model]]:
    """A `json_value` rule, or the conditions of a rule."""
    rule = written.model
    if isinstance(rule, JsonValueRule):
        yield written.loc, rule
    elif isinstance(rule, JsonRecordRule | JsonCountRule):
        for index, condition in enumerate(rule.where):
            yield (*written.loc, "where", index), condition


def duplicate_check(world: World) -> Iterator[Hit]:
    """Checks of one bucket with the same rules; those that need no rules of their own are not compared with each other."""
    for case in world.cases:
        seen: dict[tuple[str, int, frozenset[Rule]], tuple[str, bool]] = {}
        for written in case.checks():
            check = written.check
            own = written.model.need_and_rules() is not None
            key = check.bucket, check.formula.need, frozenset(check.formula.rules)
            first, first_own = seen.setdefault(key, (check.id, own))
            if first != check.id and (own or first_own):
                message = f"this check has the same rules as `{first}`, so it counts twice; remove one of them"
                yield hit(case.name, written.source, (*written.loc, "id"), message)
