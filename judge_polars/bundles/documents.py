"""The documents of distinct bundles and the final outputs, as columns (specification 20, "Documents").

`DocumentReader` opens each file once, hands its JSON value to a visitor, and keeps name, text and digest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

import polars as pl

from judge_polars.bundles.files import Content, read_content
from judge_polars.bundles.issues import Issues
from judge_polars.bundles.json_text import BOM, JsonText
from judge_polars.bundles.layout import Layout
from judge_polars.bundles.resolve import Candidate
from judge_polars.bundles.sources import CaseRunFiles, Source, SourceFinder
from judge_polars.bundles.texts import (
    JSON,
    JSONL,
    Text,
    grows_beyond,
    has_text_extension,
    kind_of,
    of_json,
    read_json_document,
    read_json_lines,
    read_output,
    read_text,
)
from judge_polars.rulebook import Limits
from judge_polars.tables import DOCUMENTS

_FLUSH_EVERY: Final = 4 << 20
"""Bytes of texts."""

_UNREAD: Final[Text] = (None, False, None, ())


class Visitor(Protocol):
    """Takes what is wanted out of each JSON value while it is in memory."""

    def visit(
        self, run: int, bundle: int | None, doc: int, case_id: str, name: str, artifact: str | None, value: object
    ) -> None:
        """Called once for each document that has a JSON value; `bundle` is None for the output."""


class BundleState(NamedTuple):
    """Whether the logs directory holds a regular file, and whether the patch is valid JSON (None without a patch)."""

    has_logs_dir: bool
    patch_json_valid: bool | None


class DocumentReader:
    """Reads the documents of one shard; `text_bytes` is what their texts take up so far."""

    def __init__(self, layout: Layout, limits: Limits, visitor: Visitor, issues: Issues) -> None:
        self._finder = SourceFinder(layout, issues)
        self._limits = limits
        self._limits_of_output = replace(limits, document_bytes=min(limits.output_bytes, limits.document_bytes))
        self._visitor = visitor
        self._issues = issues
        self._rows: list[tuple[object, ...]] = []
        self._texts: list[bytes | None] = []
        self._taken: list[pl.Series] = []
        self._flushed_at = 0
        self.text_bytes = 0

    def frame(self) -> pl.DataFrame:
        """`tables.DOCUMENTS` of everything that was read."""
        names = [name for name in DOCUMENTS.schema if name != "text"]
        columns: Iterable[Iterable[object]] = zip(*self._rows, strict=True) if self._rows else [()] * len(names)
        frame = pl.DataFrame(
            [pl.Series(name, column, dtype=DOCUMENTS.schema[name]) for name, column in zip(names, columns, strict=True)]
        )
        self._flush()
        return DOCUMENTS.check(frame.with_columns(pl.concat(self._taken)))

    def _flush(self) -> None:
        """Moves the texts into a column: while they are warm, and so that no text is held twice."""
        self._taken.append(pl.Series("text", self._texts, dtype=pl.Binary).cast(pl.String))
        self._texts = []
        self._flushed_at = self.text_bytes

    def read_bundle(self, files: CaseRunFiles, bundle: int, candidate: Candidate) -> BundleState:
        """Reads every document of a bundle, in the order of their names."""
        has_logs_dir, patch_json_valid = False, None
        for source in self._finder.of_bundle(files, bundle, candidate):
            has_json = self._read(files, bundle, source, candidate.read.pop(source.path, None))
            has_logs_dir |= source.in_logs
            if source.artifact == "analysis_patch":
                patch_json_valid = has_json
        return BundleState(has_logs_dir, patch_json_valid)

    def read_output(self, files: CaseRunFiles, output_file: str | None) -> None:
        """Reads the final output text of a case run; `output_file` is the record's."""
        source = self._finder.of_output(files, output_file)
        if source is not None:
            self._read(files, None, source, None)

    def _read(
        self, files: CaseRunFiles, bundle: int | None, source: Source, read: tuple[Content, JsonText] | None
    ) -> bool:
        """Appends one document; whether it has a JSON value.  `read` is what was read of it before."""
        name, run, doc = source.name, files.run, len(self._rows)
        kind = kind_of(name)
        limits = self._limits_of_output if bundle is None else self._limits
        content = read[0] if read else read_content(source.path, source.packed, limits, files.tree)
        data = content.data
        in_logs = source.in_logs
        if data is None:
            whole, has_json, value, issues = _UNREAD
            lines = None
            self._issues.add(run, bundle, name, content.code or "", content.detail)
            in_logs = in_logs and (content.code != "binary_skipped" or has_text_extension(name))
        else:
            whole, has_json, value, issues = self._text_of(kind, bundle is None, data, read[1] if read else None)
            lines = data.count(b"\n") + (data[-1:] != b"\n" and data not in (b"", BOM))
            if whole is not None and grows_beyond(whole, limits.document_bytes):
                data, (whole, has_json, value, _) = None, _UNREAD
                detail = f"its text grows to more than {limits.document_bytes} bytes"
                issues = (("document_too_large", f"{detail} when it is put into the form in which it is read"),)
        plain = whole is not None and whole.isascii() and b"\r" not in whole and b"\x1b" not in whole
        self._rows.append(
            (
                doc, run, bundle, name, source.artifact, in_logs, source.in_evidence, kind, data is None, has_json,
                plain, content.size, lines, content.digest,
            )
        )  # fmt: skip
        self._texts.append(whole)
        if whole is not None:
            self.text_bytes += len(whole)
            if self.text_bytes > self._flushed_at + _FLUSH_EVERY:
                self._flush()
        for code, detail in issues:
            self._issues.add(run, bundle, name, code, detail)
        if has_json:
            self._visitor.visit(run, bundle, doc, files.case_id, name, source.artifact, value)
        return has_json

    def _text_of(self, kind: str, is_output: bool, data: bytes, read: JsonText | None) -> Text:
        if is_output:
            return read_output(data, self._limits.nesting)
        if kind == JSON:
            return read_json_document(data, self._limits.nesting) if read is None else of_json(read)
        if kind == JSONL:
            return read_json_lines(data, self._limits.nesting)
        return read_text(data)
