"""The validated files of a registry, each with its source: what `load` reads and `compile` turns into a rule book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from judge_polars.registry.baseline import BaselineFile
from judge_polars.registry.case import CaseFile
from judge_polars.registry.pack import Pack
from judge_polars.registry.policy import JudgeFile
from judge_polars.registry.registry_file import RegistryFile
from judge_polars.registry.source import Source
from judge_polars.registry.suite import SuiteFile
from judge_polars.registry.values import Model

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Read(Generic[M]):
    """A file's model and its source.

    Attributes:
        whole: false when parts with errors were left out.
        names_kept: false when names that other files may use were lost with them.
    """

    model: M
    source: Source
    whole: bool = True
    names_kept: bool = True


@dataclass(frozen=True)
class CaseFiles:
    """The two files of one case; None for one that could not be used."""

    case: Read[CaseFile] | None
    judge: Read[JudgeFile] | None


@dataclass(frozen=True)
class Contents:
    """A whole registry, file by file.

    Attributes:
        packs: in the order of `registry.yaml`.
        names_kept: false when names are unknown because a pack has errors.
        cases, suites, baselines: by the name of their directory or file, sorted.
    """

    root: str
    registry: Read[RegistryFile]
    packs: tuple[Read[Pack], ...]
    names_kept: bool = True
    cases: Mapping[str, CaseFiles] = field(default_factory=dict)
    suites: Mapping[str, Read[SuiteFile] | None] = field(default_factory=dict)
    baselines: Mapping[str, Read[BaselineFile] | None] = field(default_factory=dict)
