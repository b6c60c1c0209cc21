"""`--junit-xml` and `--github`: what CI is told beside the results (specification 70)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judge_polars.cli.console import Talk
from judge_polars.cli.outputs import require_writable, write_file
from judge_polars.errors import UsageError

if TYPE_CHECKING:
    from judge_polars.baselines import Difference
    from judge_polars.gate import GateResult
    from judge_polars.sources import Rows

SUMMARY_VARIABLE: Final = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True, slots=True)
class Announcing:
    """Where CI is told; a file that cannot be written or a missing extra is told before the work begins.

    Raises:
        UsageError: the file cannot be written.
        MissingPieceError: the extra `report` is not installed.
    """

    junit_xml: Path | None = None
    github: bool = False

    def __post_init__(self) -> None:
        if self.junit_xml is not None:
            from judge_polars.report.junit import require_junit

            require_writable(self.junit_xml, "--junit-xml")
            require_junit()

    def tell(
        self,
        source: Rows,
        gate: GateResult,
        talk: Talk,
        *,
        case_runs: Sequence[str] | None = None,
        eval_runs: Collection[str] | None = None,
        difference: Difference | None = None,
    ) -> None:
        """Write what was asked for; `case_runs`, `eval_runs` and `difference` as `outcomes` has them.

        Annotations go to standard error, where GitHub reads them too, so that standard output stays data.
        """
        if self.junit_xml is None and not self.github:
            return
        from judge_polars.report.outcomes import outcomes

        told = outcomes(source, gate, case_runs=case_runs, eval_runs=eval_runs, difference=difference)
        if self.junit_xml is not None:
            from judge_polars.report.junit import as_junit

            write_file(self.junit_xml, as_junit(told))
            talk.say(f"written: {self.junit_xml}")
        if self.github:
            from judge_polars.report.github import SUMMARY_BYTES, as_annotations, as_summary

            sys.stderr.write(as_annotations(told).decode())
            sys.stderr.flush()
            place = os.environ.get(SUMMARY_VARIABLE)
            if place:
                _append(Path(place), lambda held: as_summary(told, max(0, SUMMARY_BYTES - held)))
            else:
                talk.say(f"--github: {SUMMARY_VARIABLE} names no file, so there is no summary")


def _append(path: Path, content: Callable[[int], bytes]) -> None:
    """Append to the summary what is made for (how many bytes it holds already): other steps may have written there.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        with path.open("ab") as file:
            file.write(content(file.tell()))
    except OSError as wrong:
        raise UsageError(f"{SUMMARY_VARIABLE}={path}: {wrong.strerror or wrong}") from wrong
