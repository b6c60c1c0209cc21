"""A registry directory as a `Registry`, read, validated and compiled, or a `RegistryError` with all that is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from judge_polars.errors import Finding, RegistryError
from judge_polars.registry.baseline import BaselineFile
from judge_polars.registry.case import CaseFile
from judge_polars.registry.compile import compile_registry, digest, dumped
from judge_polars.registry.contents import Contents
from judge_polars.registry.files import File, Files, in_memory, read_files, validated_contents
from judge_polars.registry.pack import Pack
from judge_polars.registry.policy import JudgeFile
from judge_polars.registry.registry_file import RegistryFile
from judge_polars.registry.source import Source
from judge_polars.registry.suite import SuiteFile
from judge_polars.rulebook import RuleBook


@dataclass
class CaseEntry:
    """The two files of one case: `case.yaml` and `judge.yaml`."""

    case: CaseFile
    policy: JudgeFile


@dataclass
class Registry:
    """A valid registry, whose models may be edited in memory (a threshold, a weight, keywords, checks …).

    Attributes:
        root: the registry's directory.
        settings: `registry.yaml`.
        packs: by id, in the order in which they count.
        cases, suites, baselines: by id.
        findings: warnings that were met when it was compiled last.
    """

    root: Path
    settings: RegistryFile
    packs: dict[str, Pack]
    cases: dict[str, CaseEntry]
    suites: dict[str, SuiteFile]
    baselines: dict[str, BaselineFile]
    findings: tuple[Finding, ...] = ()
    _sources: dict[str, Source] = field(default_factory=dict, repr=False)
    _compiled: tuple[str, RuleBook] | None = field(default=None, repr=False)

    def compile(self) -> RuleBook:
        """The rule book of the models as they are now; `RegistryError` when an edit made them invalid."""
        files = self._files()
        key = _key(files)
        if self._compiled is None or self._compiled[0] != key:
            _, book, findings = _checked(files)
            self.findings = findings
            self._compiled = key, book
        return self._compiled[1]

    def _files(self) -> Files:
        """The models as plain data, each with the source that it came from."""
        root = self.root
        files = Files(root, self._file(root / "registry.yaml", self.settings))
        files.packs = [File(self._source(f"pack {name}"), dumped(pack)) for name, pack in self.packs.items()]
        for name, entry in self.cases.items():
            directory = root / "cases" / name
            judge = self._file(directory / "judge.yaml", entry.policy)
            files.cases[name] = self._file(directory / "case.yaml", entry.case), judge
        for name, suite in self.suites.items():
            files.suites[name] = self._file(root / "suites" / f"{name}.yaml", suite)
        for name, baseline in self.baselines.items():
            files.baselines[name] = self._file(root / "baselines" / f"{name}.yaml", baseline)
        return files

    def _file(self, path: Path, model: RegistryFile | CaseFile | JudgeFile | SuiteFile | BaselineFile) -> File:
        return File(self._source(str(path)), dumped(model))

    def _source(self, name: str) -> Source:
        return self._sources.get(name) or in_memory(Path(name))


def load_registry(root: str | Path) -> Registry:
    """Reads, validates and compiles a registry; `RegistryError` holds all findings of all its files at once."""
    files = read_files(Path(root))
    contents, book, findings = _checked(files)
    sources = {pair.source.file: pair.source for pair in _every_file(files)}
    sources |= {f"pack {pack.model.id}": pack.source for pack in contents.packs}
    registry = Registry(
        files.root,
        contents.registry.model,
        {pack.model.id: pack.model for pack in contents.packs},
        {
            name: CaseEntry(pair.case.model, pair.judge.model)
            for name, pair in contents.cases.items()
            if pair.case and pair.judge
        },
        {name: suite.model for name, suite in contents.suites.items() if suite},
        {name: baseline.model for name, baseline in contents.baselines.items() if baseline},
        findings,
        sources,
    )
    registry._compiled = _key(registry._files()), book
    return registry


def _every_file(files: Files) -> list[File]:
    pairs = [file for pair in files.cases.values() for file in pair if file]
    return [files.registry, *pairs, *files.suites.values(), *files.baselines.values()]


def _key(files: Files) -> str:
    """Digest of everything that is compiled."""
    every = (*files.packs, *_every_file(files))
    return digest([[file.source.file, file.data] for file in every])


def _checked(files: Files) -> tuple[Contents, RuleBook, tuple[Finding, ...]]:
    """Contents, rule book and warnings; `RegistryError` with all findings when one of them is an error."""
    contents, findings = validated_contents(files)
    book, more = compile_registry(contents)
    every = sorted(dict.fromkeys([*findings, *more]))
    if any(finding.severity == "error" for finding in every):
        raise RegistryError(every)
    return contents, book, tuple(every)
