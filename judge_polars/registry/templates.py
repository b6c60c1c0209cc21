"""Filled-in templates of cases and suites, which validate as they are (specification 10; 70, `new`)."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from judge_polars.registry.lint_tickets import tickets_in_name
from judge_polars.registry.schemas import schema_file, schemas_near
from judge_polars.registry.suggestions import listed

LONGEST_NAME: Final = 100

CASE: Final = """\
{schema}
schema_version: 1
id: {name}
version: 1                       # raise it on every change of meaning
title: {title}
status: inactive                 # make it active, and put it into a suite, when it is whole
tags: [draft]
prompt:
  # What the person on call would have written at that time, whole: which cluster, when, what was seen, what is wanted.
  # No ticket, no issue, no version that mended it, no word that only somebody who knows the answer would choose.
  text: |
    Please diagnose cluster 1000000000000000001 between 2025-01-01T09:00:00Z and 2025-01-01T09:45:00Z.

    Say here what users saw: which requests were slow or failed, how much, since when.

    Collect the evidence you need (logs, metrics, statements, cluster events), find the root cause, say which alternatives you
    excluded and why, and propose what to do now and in the long run. Leave the usual run bundle with your evidence map.
environment:
  cluster_id: "1000000000000000001"
time_window:
  start: 2025-01-01T09:00:00Z
  end: 2025-01-01T09:45:00Z
  allowed:
    - {{start: 2025-01-01T09:00:00Z, end: 2025-01-01T09:45:00Z, match: within, tolerance: 5m}}
execution: {{timeout: 30m, trials: 1}}
"""

JUDGE: Final = """\
{schema}
schema_version: 1
case_id: {name}
judge:
  contract:                      # is it this cluster and this window?
    checks:
      - {{id: time_window_match}}
      - {{id: cluster_scope_match}}
  execution_contract:            # is the least there that a judgment needs?
    required_artifacts: [report, analysis_patch, telemetry]
    checks:
      - {{id: required_artifacts_present}}
  critical_evidence:             # is the telling signal in what was gathered?
    checks:
      - id: example_signal_logged
        match: keyword_any
        artifact: logs
        within: window
        keywords: ["replace: what the servers wrote"]
  evidence_routing:              # do the references of the evidence map lead anywhere?
    checks:
      - {{id: patch_present}}
      - {{id: items_shape_valid}}
      - {{id: key_evidence_present}}
      - {{id: metric_refs_resolvable}}
      - {{id: log_refs_resolvable}}
  diagnosis:                     # is the conclusion right, and no wrong one beside it?
    hard_checks:
      - id: names_the_cause
        match: claimed_any
        patterns: ['replace this finding']
      - id: avoids_the_wrong_cause
        match: claimed_none
        patterns: ['replace that finding']
    supporting_checks:
      - id: proposes_a_remedy
        match: keyword_any
        keywords: ["replace: a good proposal"]
"""

REFERENCE: Final = """\
The root cause was replace this finding.

Next, replace: a good proposal.

Write here an answer that you would be glad to get. `judge-polars probe {name}` shows whether it passes.
"""

EXPECTED: Final = """\
# {title}

## What happened

## What it may be confused with

## Which proposals are good
"""

SUITE: Final = """\
{schema}
schema_version: 1
id: {name}
version: 1                       # raise it on every change of the list
title: {title}
status: active
baseline_eligible: true
cases:
{cases}
execution_policy: {{trials: 1, concurrency: 1, aggregate: majority}}
"""


def name_fault(name: str, taken: Sequence[str], what: str) -> str | None:
    """Why a name cannot be that of a new case or suite, with what is allowed; None when it can."""
    form = "names are lower-case words and digits of ASCII joined by `-`, such as `slow-writes-during-incident-window`"
    if len(name) > LONGEST_NAME:
        return f"it has {len(name)} characters; at most {LONGEST_NAME} are allowed"
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name):
        near = suggested(name)
        return f"{form}" + (f"; `{near}` would do" if near and near not in taken else "")
    ticket = next(tickets_in_name(name), None)
    if ticket is not None:
        return f"`{ticket.text}` is a ticket id; {'a case is' if what == 'case' else 'a suite is'} not named for a ticket: {form}"
    if name in taken:
        return f"there is such a {what} already; choose another name, or change that one. There are: {listed(taken)}"
    return None


def suggested(name: str) -> str:
    """The nearest allowed name, empty where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_NAME].strip("-")


def schema_line(kind: str, file: Path, registry: Path) -> str:
    """The line by which editors find the schema, relative to the file."""
    directory = schemas_near(registry) or registry.resolve() / "schemas"
    place = os.path.relpath(directory / schema_file(kind), file.resolve().parent)
    return f"# yaml-language-server: $schema={Path(place).as_posix()}"


def title_of(name: str) -> str:
    """A name as a title, quoted where YAML would read a number or something else."""
    words = name.replace("-", " ").capitalize()
    return words if re.match(r"[A-Z][a-z]", words) and words.lower() not in ("null", "true", "false") else f'"{words}"'


def new_case_files(name: str, registry: Path) -> dict[Path, str]:
    """Path -> text of everything that a new case has."""
    directory = registry / "cases" / name
    title = title_of(name)
    case, judge = directory / "case.yaml", directory / "judge.yaml"
    quoted = _as_yaml(name)
    return {
        case: CASE.format(schema=schema_line("case", case, registry), name=quoted, title=title),
        judge: JUDGE.format(schema=schema_line("judge", judge, registry), name=quoted),
        directory / "reference.md": REFERENCE.format(name=name),
        directory / "expected.md": EXPECTED.format(title=title.strip('"')),
    }


def new_suite_file(name: str, registry: Path, cases: Sequence[str]) -> dict[Path, str]:
    """Path -> text of a new suite's file."""
    file = registry / "suites" / f"{name}.yaml"
    listed_cases = "\n".join(f"  - {_as_yaml(case)}" for case in cases)
    schema = schema_line("suite", file, registry)
    return {file: SUITE.format(schema=schema, name=_as_yaml(name), title=title_of(name), cases=listed_cases)}


def _as_yaml(name: str) -> str:
    """A name as a YAML text: quoted where it would be a number or null."""
    return name if re.match(r"[a-z]", name) and name not in ("null", "true", "false") else f'"{name}"'
