"""Small case runs on disk, and what is read of them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge_polars.bundles import ShardReading, find_case_runs, read_shard
from judge_polars.facts.trace import read_identity
from judge_polars.rulebook import Limits
from judge_polars.tables import CANDIDATES, DOCUMENTS, FOUND_RUNS, SHARD_BUNDLES, SHARD_ISSUES
from judge_polars.vocabulary import DEFAULT_LAYOUT

Files = Mapping[str, str | bytes]

BUNDLE: Files = {"manifest.json": "{}", "diagnosis_report.json": "{}", "evidence/a.json": "[1]"}


def under(directory: str, files: Files) -> dict[str, str | bytes]:
    """The same files below a directory."""
    return {f"{directory}/{name}": content for name, content in files.items()}


def audit(more: Files | None = None) -> dict[str, str | bytes]:
    """A valid bundle in `audit/`, with more files in it."""
    return under("audit", {**BUNDLE, **(more or {})})


def write(directory: Path, files: Files) -> None:
    """Files by their relative names; what ends in `/` is an empty directory, `.gz` is packed when given as text."""
    for name, content in files.items():
        path = directory / name
        if name.endswith("/"):
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(
            gzip.compress(data, mtime=0) if isinstance(content, str) and name.lower().endswith(".gz") else data
        )


@dataclass
class Visits:
    """A visitor that remembers: (run, bundle, doc, case id, name, artifact) -> value, and calls `then` each time."""

    values: dict[tuple[object, ...], object] = field(default_factory=dict)
    then: Callable[[], None] | None = None

    def visit(
        self, run: int, bundle: int | None, doc: int, case_id: str, name: str, artifact: str | None, value: object
    ) -> None:
        key = (run, bundle, doc, case_id, name, artifact)
        assert key not in self.values
        self.values[key] = value
        if self.then is not None:
            self.then()


@dataclass
class Read:
    """What was read of some case runs, with everything checked that holds for any reading."""

    reading: ShardReading
    visits: Visits

    def __post_init__(self) -> None:
        reading = self.reading
        for table, frame in (
            (FOUND_RUNS, reading.runs),
            (CANDIDATES, reading.candidates),
            (SHARD_BUNDLES, reading.bundles),
            (DOCUMENTS, reading.documents),
            (SHARD_ISSUES, reading.issues),
        ):
            assert table.check(frame).schema == table.schema
        assert reading.documents["doc"].to_list() == list(range(reading.documents.height))
        assert reading.bundles["bundle"].to_list() == list(range(reading.bundles.height))
        with_json = reading.documents.filter("has_json").select("run", "bundle", "doc").rows()
        assert [key[:3] for key in self.visits.values] == with_json

    @property
    def documents(self) -> dict[str, dict[str, Any]]:
        """Document name -> row; only for readings with one bundle of one run."""
        rows = self.reading.documents.rows(named=True)
        assert len({row["name"] for row in rows}) == len(rows)
        return {row["name"]: row for row in rows}

    @property
    def texts(self) -> dict[str, str | None]:
        """Document name -> text."""
        return {name: row["text"] for name, row in self.documents.items()}

    @property
    def values(self) -> dict[str, object]:
        """Document name -> JSON value."""
        return {str(key[4]): value for key, value in self.visits.values.items()}

    @property
    def artifacts(self) -> dict[str, str]:
        """Artifact -> name of its document."""
        return {row["artifact"]: name for name, row in self.documents.items() if row["artifact"]}

    @property
    def issues(self) -> list[tuple[str | None, str]]:
        """(document, code) of every issue, sorted."""
        rows = self.reading.issues.select("document", "code").rows()
        return sorted(rows, key=lambda row: (row[0] or "", row[1]))

    @property
    def codes(self) -> list[str]:
        """Codes of every issue, sorted."""
        return sorted(self.reading.issues["code"])

    @property
    def candidates(self) -> list[tuple[Any, ...]]:
        """(root, reasons, kept) of every candidate."""
        return self.reading.candidates.select("root", "reasons", "kept").rows()

    @property
    def roots(self) -> list[str]:
        """Roots of the distinct bundles."""
        return self.reading.bundles["root"].to_list()


def read_runs(
    root: Path,
    *,
    layout: Mapping[str, Sequence[str]] | None = None,
    limits: Limits | None = None,
    workspaces_root: Path | None = None,
    then: Callable[[], None] | None = None,
) -> Read:
    """All case runs below a runs root."""
    limits = limits or Limits()
    names = {**DEFAULT_LAYOUT, **{artifact: tuple(given) for artifact, given in (layout or {}).items()}}
    visits = Visits(then=then)
    places = find_case_runs([root], limits).places
    reading = read_shard(places, names, limits, visits, read_identity, workspaces_root=workspaces_root)
    return Read(reading, visits)


def case_run(root: Path, files: Files, *, trial: int = 1, case: str = "case-a", eval_run: str = "r1") -> Path:
    """Writes one case run; its directory."""
    directory = root / "runs" / eval_run / "cases" / case / f"trial-{trial}"
    directory.mkdir(parents=True)
    write(directory, files)
    return directory


def read_one(root: Path, files: Files, **options: Any) -> Read:
    """Writes one case run and reads it."""
    case_run(root, files)
    return read_runs(root / "runs", **options)


def link(path: Path, target: str | Path) -> None:
    """A symbolic link, with the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(target, path)
