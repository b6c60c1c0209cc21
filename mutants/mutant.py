"""What a mutant is: a text of a file of the project, and what takes its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent


class StaleMutantError(ValueError):
    """The text that a mutant replaces does not stand in its file exactly once."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change that makes the judge wrong.

    Attributes:
        name: unique, `<what is broken>/<how>`.
        file: relative to the project's root.
        old, new: the text, which the file holds once, and what takes its place.
        tests: what pytest runs; one of them must fail.
        equivalent: why no test can notice, for a change that changes no result; else None.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    equivalent: str | None = None

    def apply(self, tree: Path) -> str:
        """The text of its file in a tree with the change made."""
        file = tree / self.file
        if not file.is_file():
            raise StaleMutantError(f"{self.name}: there is no file {self.file}")
        text = file.read_text(encoding="utf-8")
        found = text.count(self.old)
        if found != 1:
            raise StaleMutantError(f"{self.name}: {self.file} holds {self.old!r} {found} times, not once")
        if self.old == self.new:
            raise StaleMutantError(f"{self.name}: nothing is changed")
        return text.replace(self.old, self.new)


Changes = Mapping[str, tuple[str, str]]
"""How it is broken -> the text and what takes its place."""


def mutants_of(
    file: str, tests: tuple[str, ...], changes: Changes, equivalent: Mapping[str, str] | None = None
) -> Iterator[Mutant]:
    """The mutants of one file that the same tests must notice; `equivalent`: which cannot be noticed, and why."""
    reasons = equivalent or {}
    unknown = reasons.keys() - changes.keys()
    if unknown:
        raise StaleMutantError(f"{file}: no change is called {', '.join(sorted(unknown))}")
    what = Path(file).stem
    for how, (old, new) in changes.items():
        yield Mutant(f"{what}/{how}", file, old, new, tests, reasons.get(how))
