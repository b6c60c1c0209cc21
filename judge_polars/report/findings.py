"""Findings about a registry as text, JSON and annotations of GitHub Actions (specification 70)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import orjson

from judge_polars.errors import Finding
from judge_polars.printable import printable
from judge_polars.report.workflow_commands import command_data, command_property

FINDING_FORMATS: Final = ("text", "json", "github")
ANNOTATIONS: Final = 10
"""Annotations of one severity; GitHub shows no more of one step."""
SEVERITIES: Final = ("error", "warning")


def findings_as(output_format: str, findings: Sequence[Finding], registry: str) -> bytes:
    """Findings in one of `FINDING_FORMATS`, in the order in which they come."""
    writers = {"text": findings_as_text, "github": findings_as_annotations}
    if output_format in writers:
        return writers[output_format](findings)
    return findings_as_json(findings, registry)


def findings_as_text(findings: Sequence[Finding]) -> bytes:
    """A line per finding that begins with `file:line:column:`, which terminals and editors open."""
    return "".join(f"{printable(_line(finding))}\n" for finding in findings).encode("utf-8", "replace")


def _line(finding: Finding) -> str:
    if finding.severity == "error":
        return str(finding)
    place = f"{finding.file}:{finding.line}:{finding.column}:"
    return str(finding).replace(place, f"{place} {finding.severity}:", 1)


def findings_as_json(findings: Sequence[Finding], registry: str) -> bytes:
    """One object: `registry`, `errors`, `warnings` (counts) and `findings`."""
    rows = [
        {
            "file": finding.file,
            "line": finding.line,
            "column": finding.column,
            "key": finding.key,
            "code": finding.code,
            "severity": finding.severity,
            "message": finding.message,
        }
        for finding in findings
    ]
    counts = {f"{severity}s": _count(findings, severity) for severity in SEVERITIES}
    return orjson.dumps({"registry": registry, **counts, "findings": rows}, option=orjson.OPT_INDENT_2) + b"\n"


def _count(findings: Sequence[Finding], severity: str) -> int:
    return sum(finding.severity == severity for finding in findings)


def findings_as_annotations(findings: Sequence[Finding]) -> bytes:
    """Workflow commands of GitHub Actions, at most `ANNOTATIONS` of each severity, and a line that counts the others."""
    lines: list[str] = []
    for severity in SEVERITIES:
        mine = [finding for finding in findings if finding.severity == severity]
        lines += [_annotation(finding) for finding in mine[:ANNOTATIONS]]
        if len(mine) > ANNOTATIONS:
            left = len(mine) - ANNOTATIONS
            lines.append(f"{left} more {severity}{'s' if left > 1 else ''} of {len(mine)}; `validate` lists all")
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _annotation(finding: Finding) -> str:
    place = f"file={command_property(finding.file)},line={finding.line},col={finding.column},title={command_property(finding.code)}"
    told = f"{finding.key}: {finding.message}" if finding.key else finding.message
    return f"::{finding.severity} {place}::{command_data(told)}"
