"""The names under which a bundle's artifacts are looked for (specification 20, "Logical artifacts")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from judge_polars.vocabulary import ARTIFACTS_ALSO_IN_AUDIT_DIR

RECORD_OF_CASE_RUN: Final = "case_run.json"
RECORD_OF_EVAL_RUN: Final = "eval_run.json"
OUTPUT: Final = "output"
"""The document that holds the final output text."""

WRITTEN_BY_THE_JUDGE: Final = frozenset({"judgment.json", "semantic_context_v1.json", "semantic_packet_v1.json"})
"""Files in a case run's directory that are never read as evidence."""

AUDIT_DIR: Final = "audit"
WORKSPACE_DIR: Final = "workspace"

_SINGLE_FILES: Final = ("analysis_patch", "summary_text", "summary_json", "telemetry")


@dataclass(frozen=True, slots=True)
class FileArtifact:
    """A logical artifact that is one file; its names are tried in the bundle's root and perhaps then in `audit_dir`."""

    artifact: str
    names: tuple[str, ...]
    also_in_audit_dir: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """A registry's layout, ready for looking; names are relative to the bundle's root (`output`: to the case run)."""

    manifest: tuple[str, ...]
    report: tuple[str, ...]
    evidence_dir: str
    logs_dir: tuple[str, ...]
    output: tuple[str, ...]
    files: tuple[FileArtifact, ...]

    @classmethod
    def of(cls, names: Mapping[str, tuple[str, ...]]) -> Layout:
        """From artifact -> names tried in order, defaults filled in (`RuleBook.layout`)."""
        return cls(
            manifest=names["manifest"],
            report=names["report"],
            evidence_dir=names["evidence_dir"][0],
            logs_dir=names["logs_dir"],
            output=names["output_text"],
            files=tuple(
                FileArtifact(artifact, names[artifact], artifact in ARTIFACTS_ALSO_IN_AUDIT_DIR)
                for artifact in _SINGLE_FILES
            ),
        )


def is_packed(name: str) -> bool:
    """Whether a file is a gzip archive by its name."""
    return name[-3:].lower() == ".gz"


def is_left_out(name: str) -> bool:
    """Whether a file or directory is none of the bundle by its name: hidden, or `node_modules`."""
    return name[0] == "." or name == "node_modules"
