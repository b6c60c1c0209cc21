"""The exceptions of judge_polars and the exit code that each one means (specification 70, "Exit codes").

    JudgePolarsError                 3   something went wrong inside
    ├── UsageError                   2   wrong options, paths or settings
    ├── RegistryError                2   the registry has findings of severity error
    ├── InputError                   2   runs or history that cannot be used at all
    ├── MissingPieceError            4   an extra, an agent, a provider is not there
    └── NothingSelectedError         5   the selection is empty

A fault of one run is never an exception: it is a row of the `issues` table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

EXIT_FINE = 0
EXIT_CONDITION_MET = 1
EXIT_INVALID_INPUT = 2
EXIT_INTERNAL = 3
EXIT_MISSING_PIECE = 4
EXIT_NOTHING_SELECTED = 5
EXIT_INTERRUPTED = 130


class JudgePolarsError(Exception):
    """The root of all exceptions that judge_polars raises on purpose; its text is written for people.

    Each argument is a line of its own, whatever it holds: what a user typed may hold a line break.
    """

    exit_code = EXIT_INTERNAL

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the message; one that holds line breaks all the same is shown in one line."""
        return tuple(map(str, self.args))


class UsageError(JudgePolarsError):
    """An option, a path or a setting is wrong; the message says what is allowed."""

    exit_code = EXIT_INVALID_INPUT


class InputError(JudgePolarsError):
    """Runs, a history or a file that cannot be used at all."""

    exit_code = EXIT_INVALID_INPUT


class MissingPieceError(JudgePolarsError):
    """Something around judge_polars is missing; the message holds the command that brings it."""

    exit_code = EXIT_MISSING_PIECE


class NothingSelectedError(JudgePolarsError):
    """The selection (`--suite`, `--case`, `--where` …) leaves nothing to work on."""

    exit_code = EXIT_NOTHING_SELECTED


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is wrong with a registry.

    Attributes:
        file: path of the file, as the user would type it.
        line, column: position, counted from 1.
        key: dotted key path inside the file, empty for the file as a whole.
        code: stable short name of the kind of finding, see `docs/`.
        severity: `error` or `warning`.
        message: what was found, what is allowed, how to mend it.
    """

    file: str
    line: int
    column: int
    key: str
    code: str
    severity: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}"
        what = f"{self.key}: {self.message}" if self.key else self.message
        return f"{place}: {what} [{self.code}]"


class RegistryError(JudgePolarsError):
    """A registry with errors; `findings` holds all of them, in the order of file and line."""

    exit_code = EXIT_INVALID_INPUT

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(sorted(findings))
        errors = sum(finding.severity == "error" for finding in self.findings)
        super().__init__(*map(str, self.findings), f"{errors} error{'s' if errors != 1 else ''} in the registry")
