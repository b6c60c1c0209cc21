"""The exported, filtered, masked snapshot of a promoted eval run: `baselines/runs/<eval_run_id>/` (specification 10).

It is laid out as an eval run, so it can be judged, and `EXPORT.json` lists its files with their digests, what was left out and what
was masked.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from judge_polars.baselines.kept_documents import REASONS, clashing, is_unsafe, left_out_reason
from judge_polars.baselines.records import AUDIT, OUTPUT, case_run_record, eval_run_record, judgment_records
from judge_polars.baselines.source import Row, eval_run_row, in_portions, rows_of
from judge_polars.errors import InputError
from judge_polars.masking import mask, scanner_is_there
from judge_polars.rulebook import Baseline
from judge_polars.sources import Source

LISTING: Final = "EXPORT.json"
_PORTION: Final = 50
"""Case runs whose documents are held at once."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document that is not exported: of which case run, and why (a key of `kept_documents.REASONS`)."""

    case_run_id: str
    document: str
    reason: str
    size: int | None


@dataclass(frozen=True, slots=True)
class MaskedPlace:
    """A secret that was masked: in which exported file, on which of its lines, of which kind."""

    path: str
    line: int
    kind: str


@dataclass
class Export:
    """What was written: path -> (bytes, SHA-256), what was left out, what was masked."""

    files: dict[str, tuple[int, str]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    masked: list[MaskedPlace] = field(default_factory=list)

    def listing(self, baseline: Baseline) -> bytes:
        """`EXPORT.json`."""
        record: dict[str, Any] = {
            "schema_version": 1,
            "eval_run_id": baseline.eval_run_id,
            "suite_id": baseline.suite_id,
            "judgment_id": baseline.judgment_id,
            "scanner": "detect-secrets and own patterns" if scanner_is_there() else "own patterns",
            "files": [
                {"path": path, "size": size, "sha256": digest} for path, (size, digest) in sorted(self.files.items())
            ],
            "left_out": [asdict(one) | {"meaning": REASONS[one.reason]} for one in self.left_out],
            "masked": [asdict(one) for one in self.masked],
        }
        return orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n"


def write_export(
    source: Source, baseline: Baseline, directory: Path, logs_dirs: Sequence[str], *, replace: bool = False
) -> Export:
    """Write the export of a baseline's eval run; it is there whole or not at all.

    Args:
        directory: `baselines/runs/<eval_run_id>`.
        logs_dirs: names of the logs directory in a bundle (`RuleBook.layout`).
        replace: whether an export that is there gives way.

    Raises:
        InputError: it cannot be written, or it is there and may not be replaced.
    """
    if is_unsafe(directory.name) or directory.name != baseline.eval_run_id:
        raise InputError(f"the eval run {baseline.eval_run_id!r} cannot be exported: its id is no name of a directory")
    export = Export()
    try:
        with _built_beside(directory, replace=replace) as beside:
            for path, content in _files(source, baseline, logs_dirs, export):
                _write(beside, path, content, export)
            (beside / LISTING).write_bytes(export.listing(baseline))
    except OSError as wrong:
        raise InputError(f"the export {directory} cannot be written: {wrong.strerror or wrong}") from wrong
    return export


@contextmanager
def _built_beside(directory: Path, *, replace: bool) -> Iterator[Path]:
    """A new directory that takes the place of `directory` when the block ends well, and is gone when it does not."""
    beside = directory.with_name(f".{directory.name}.{os.getpid()}")
    before = beside.with_name(f"{beside.name}.before")
    beside.mkdir(parents=True)
    try:
        yield beside
        if directory.exists():
            if not replace:
                raise InputError(f"the export {directory} is there already")
            directory.replace(before)
        try:
            beside.replace(directory)
        except OSError:
            if before.exists():
                before.replace(directory)
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        shutil.rmtree(before, ignore_errors=True)


def _write(root: Path, path: str, content: bytes, export: Export) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    export.files[path] = (len(content), hashlib.sha256(content).hexdigest())


def _files(source: Source, baseline: Baseline, logs_dirs: Sequence[str], export: Export) -> Iterator[tuple[str, bytes]]:
    """Path and content of each file; what is left out and masked is noted."""
    eval_run = eval_run_row(source, baseline.eval_run_id)
    yield "eval_run.json", _masked("eval_run.json", eval_run_record(eval_run).decode(), "json", export)
    cases = {case.case_id for case in baseline.cases}
    rows = rows_of(
        source, "select * from case_runs where eval_run_id = ? order by case_id, trial", baseline.eval_run_id
    )
    runs = {row["case_run_id"]: row for row in rows if row["case_id"] in cases}
    for portion in in_portions(list(runs), _PORTION):
        records = dict(judgment_records(source, portion))
        documents: dict[str, list[Row]] = {}
        for document in source.documents(portion).iter_rows(named=True):
            documents.setdefault(document["case_run_id"], []).append(document)
        for case_run_id in portion:
            row = runs[case_run_id]
            place = f"cases/{row['case_id']}/trial-{row['trial']}"
            record = case_run_record(row)
            if record is not None:
                yield f"{place}/case_run.json", _masked(f"{place}/case_run.json", record.decode(), "json", export)
            if case_run_id in records:
                yield (
                    f"{place}/judgment.json",
                    _masked(f"{place}/judgment.json", records[case_run_id].decode(), "json", export),
                )
            yield from _document_files(place, documents.get(case_run_id, ()), logs_dirs, export)


def _document_files(
    place: str, documents: Sequence[Row], logs_dirs: Sequence[str], export: Export
) -> Iterator[tuple[str, bytes]]:
    reasons = [left_out_reason(document, logs_dirs) for document in documents]
    beside = [document for document, reason in zip(documents, reasons, strict=True) if reason is None]
    clashes = clashing([document for document in beside if document["artifact"] != "output_text"])
    for document, why in zip(documents, reasons, strict=True):
        name = document["document"]
        reason = "name_clash" if why is None and name in clashes else why
        if reason is not None:
            export.left_out.append(LeftOut(document["case_run_id"], name, reason, document["size"]))
            continue
        path = f"{place}/{OUTPUT}" if document["artifact"] == "output_text" else f"{place}/{AUDIT}/{name}"
        yield path, _masked(path, document["text"] or "", document["kind"], export)


def _masked(path: str, text: str, kind: str, export: Export) -> bytes:
    masked = mask(text, kind)
    export.masked += [MaskedPlace(path, secret.line, secret.kind) for secret in masked.secrets]
    content = masked.text if kind != "json" or masked.text.endswith("\n") else masked.text + "\n"
    return content.encode("utf-8", "replace")
