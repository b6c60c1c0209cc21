"""What the lint functions look at: the registry's files with their positions, their compiled form, and what the agent sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from judge_polars.errors import Finding
from judge_polars.registry.case import CaseFile
from judge_polars.registry.compile import configured_buckets
from judge_polars.registry.compile_checks import Configured
from judge_polars.registry.contents import Contents, Read
from judge_polars.registry.files import SHIPPED_PACKS
from judge_polars.registry.formula import Formula as FormulaModel
from judge_polars.registry.lint_seen import Seen, seen_by_agent
from judge_polars.registry.policy import HardCheck, JudgeFile
from judge_polars.registry.source import Loc, Source
from judge_polars.registry.values import Model
from judge_polars.rulebook import Case, Check, Definition, Rule, RuleBook


class Hit(NamedTuple):
    """One place that a lint function finds.

    Attributes:
        case: name of the case whose `lint_ignore` counts; None where no case is concerned.
        finding: with the position and the message; code and severity are those of the lint.
        severity: where it is not the lint's own.
    """

    case: str | None
    finding: Finding
    severity: str = ""


class WrittenRule(NamedTuple):
    """A rule as it stands in a file; `rule` is its compiled form, None in fact definitions."""

    model: Model
    source: Source
    loc: Loc
    rule: Rule | None


class WrittenCheck(NamedTuple):
    """A check as it stands in a file, with its compiled form."""

    model: HardCheck
    check: Check
    source: Source
    loc: Loc

    def rules(self) -> Iterator[WrittenRule]:
        """Its rules; none for a well-known check without rules of its own."""
        return _rules(self.model, self.source, self.loc, self.check.formula.rules)


@dataclass(frozen=True)
class LintCase:
    """One case.

    Attributes:
        name: of its directory, which is its id.
        judge, compiled: None where the policy has errors: nothing can be said about its checks then.
        references: names of its `reference*.md` files.
    """

    name: str
    directory: Path
    case: Read[CaseFile]
    judge: Read[JudgeFile] | None
    compiled: Case | None
    buckets: Mapping[str, Configured]
    references: tuple[str, ...]

    @cached_property
    def seen(self) -> tuple[Seen, ...]:
        """Everything that the agent can see of the case."""
        return tuple(seen_by_agent(self.case, self.directory))

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """Full name -> definition in force."""
        return {one.name: one for one in self.compiled.definitions} if self.compiled else {}

    def hit(self, loc: Loc, message: str, *, key: bool = False, severity: str = "") -> Hit:
        """A place in `case.yaml`."""
        return hit(self.name, self.case.source, loc, message, key=key, severity=severity)

    def judge_hit(self, loc: Loc, message: str) -> Hit:
        """A place in `judge.yaml`."""
        return hit(self.name, self.judge.source if self.judge else self.case.source, loc, message)

    def checks(self) -> Iterator[WrittenCheck]:
        """All checks in bucket order; none where the policy has errors."""
        compiled = iter(self.compiled.checks if self.compiled else ())
        for bucket in self.buckets.values():
            for _, key, models in bucket.lists():
                for (index, model), check in zip(enumerate(models), compiled, strict=False):
                    yield WrittenCheck(model, check, bucket.place.source, (*bucket.loc, key, index))

    def check_rules(self) -> Iterator[WrittenRule]:
        """The rules of all checks."""
        for check in self.checks():
            yield from check.rules()

    def rules(self) -> Iterator[WrittenRule]:
        """The rules of all checks and of the facts that the case defines."""
        yield from self.check_rules()
        if self.judge and self.compiled:
            yield from definition_rules(self.judge.model.facts, self.judge.source)


@dataclass(frozen=True)
class World:
    """A whole registry, as far as it could be read."""

    contents: Contents
    book: RuleBook
    cases: tuple[LintCase, ...]

    def pack_rules(self) -> Iterator[WrittenRule]:
        """The rules of the facts that the registry's own packs define; shipped packs are tested elsewhere."""
        for pack in self.contents.packs:
            if Path(pack.source.file).parent != SHIPPED_PACKS:
                yield from definition_rules(pack.model.facts, pack.source)

    def rules(self) -> Iterator[tuple[str | None, WrittenRule]]:
        """(case or None, rule) of everything that is written in the registry."""
        for rule in self.pack_rules():
            yield None, rule
        for case in self.cases:
            for rule in case.rules():
                yield case.name, rule


def hit(case: str | None, source: Source, loc: Loc, message: str, *, key: bool = False, severity: str = "") -> Hit:
    """A place in a file."""
    return Hit(case, source.finding(loc, "", message, key=key), severity)


def definition_rules(facts: Sequence[FormulaModel], source: Source) -> Iterator[WrittenRule]:
    """The rules of fact definitions."""
    for index, fact in enumerate(facts):
        yield from _rules(fact, source, ("facts", index), None)


def _rules(formula: FormulaModel, source: Source, loc: Loc, compiled: Sequence[Rule] | None) -> Iterator[WrittenRule]:
    given = formula.need_and_rules()
    if given is None:
        return
    _, key, models = given
    for index, model in enumerate(models):
        rule = compiled[index] if compiled is not None and index < len(compiled) else None
        yield WrittenRule(model, source, (*loc, *key.split("."), index), rule)


def lint_world(contents: Contents, book: RuleBook, findings: Iterable[Finding], root: Path) -> World:
    """The world of a registry; cases whose policy depends on a file with errors have no compiled form."""
    broken = {finding.file for finding in findings if finding.severity == "error"}
    common = {contents.registry.source.file, *(pack.source.file for pack in contents.packs)}
    sound = contents.names_kept and not broken & common
    compiled = {case.id: case for case in book.cases}
    cases: list[LintCase] = []
    for name, files in contents.cases.items():
        if files.case is None:
            continue
        directory = root / "cases" / name
        whole = sound and files.judge is not None and not broken & {files.judge.source.file, files.case.source.file}
        buckets = configured_buckets(files.judge, contents.registry, []) if whole and files.judge else {}
        references = tuple(sorted(path.name for path in directory.glob("reference*.md")))
        one = compiled.get(files.case.model.id) if whole else None
        cases.append(LintCase(name, directory, files.case, files.judge, one, buckets, references))
    return World(contents, book, tuple(cases))
