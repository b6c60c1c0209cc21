"""A registry with everything that is found in it, errors and lint together, for `validate` and `inspect`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from judge_polars.errors import Finding
from judge_polars.registry.compile import compile_registry
from judge_polars.registry.files import read_files, validated_contents
from judge_polars.registry.lint import lint_findings
from judge_polars.registry.lint_world import World, lint_world


@dataclass(frozen=True)
class Examined:
    """A registry as far as it could be read; `findings` in the order of file and line."""

    world: World
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return len(self.findings) - self.errors


def examine(root: str | Path) -> Examined:
    """Reads, validates, compiles and lints a registry; nothing that is wrong with it raises."""
    files = read_files(Path(root))
    contents, found = validated_contents(files)
    book, more = compile_registry(contents)
    world = lint_world(contents, book, [*found, *more], files.root)
    every = dict.fromkeys([*found, *more, *lint_findings(world)])
    return Examined(world, tuple(sorted(every)))
