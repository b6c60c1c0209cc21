"""The shadow of a judgment: contexts and packets of its case runs, as files and as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from judge_polars import tables
from judge_polars.errors import InputError
from judge_polars.rulebook import Case, RuleBook
from judge_polars.semantic.asking import Clock, evaluate
from judge_polars.semantic.context import ContextMaker, SemanticCheck, semantic_checks
from judge_polars.semantic.model import CONTEXT_FILE, PACKET_FILE, Context, Mask, Packet
from judge_polars.semantic.providers import Provider
from judge_polars.semantic.settings import SemanticSettings
from judge_polars.semantic.source import expected_notes, masked
from judge_polars.semantic.store import ResultStore, write_whole
from judge_polars.sources import Documents, Rows

Prepared = tuple[dict[str, Any], Context]
"""A row of `_RUNS`, and its context."""

RUNS_AT_ONCE: Final = 100
"""Case runs whose documents are held at once."""

_RUNS: Final = """
select v.judgment_id, v.case_run_id, v.eval_run_id, v.case_id, v.trial, v.case_digest, v.bundle_digest
from verdicts as v
join judged_case_runs as j on j.judgment_id = v.judgment_id and j.case_run_id = v.case_run_id
where j.has_output and v.case_digest in (select unnest(?))
order by v.eval_run_id, v.case_id, v.trial
"""
_FACTS: Final = "select * from facts where case_run_id in (select unnest(?)) order by case_run_id, fact"


@dataclass(frozen=True)
class Shadow:
    """How the shadow is cast.

    Attributes:
        settings: limits; `settings.provider` does not matter here.
        mask: takes secrets out of everything that is shown, and of everything that comes back.
        out: where the files go, `<eval_run_id>/cases/<case_id>/trial-<n>/` below it; None writes none.
        store: where results are kept; None keeps none.
        notes: the notes for people of a case, by its id.
        heard: told of each packet, in order, and how many of all are there.
    """

    mask: Mask = masked
    settings: SemanticSettings = field(default_factory=SemanticSettings)
    out: Path | None = None
    store: ResultStore | None = None
    notes: Callable[[RuleBook, str], str | None] = expected_notes
    heard: Callable[[Packet, int, int], None] | None = None
    clock: Clock = field(default_factory=Clock)


def run_shadow(
    judgment: Rows,
    documents: Documents,
    book: RuleBook,
    provider: Provider,
    shadow: Shadow,
    case_run_ids: Collection[str] | None = None,
) -> pl.DataFrame:
    """Ask about every judged case run that has an output and whose case has supported semantic checks.

    Of a history the latest judgment of a case run counts, where it judged by the case as it stands in the registry.  Nothing
    of the judgment is changed, and a provider that fails is a packet that says so.

    Args:
        judgment: a judgment in memory or a history.
        documents: the texts of its case runs.
        book: the registry that it was judged by.
        case_run_ids: only these.

    Returns:
        `tables.SEMANTIC_RESULTS`, a row for each question, in the order of case run and question.

    Raises:
        InputError: the files cannot be written.
    """
    cases = {case.digest: case for case in book.cases if any(check.is_supported for check in semantic_checks(case))}
    runs = judgment.sql(_RUNS, [list(cases)]) if cases else pl.DataFrame({"case_run_id": []})
    if case_run_ids is not None:
        runs = runs.filter(pl.col("case_run_id").is_in(list(case_run_ids)))
    makers = {digest: _maker(book, case, shadow) for digest, case in cases.items()}
    rows: list[tuple[object, ...]] = []
    done = 0
    for part in runs.iter_slices(RUNS_AT_ONCE):
        prepared = list(_prepared(part, judgment, documents, makers, shadow))
        for (run, context), packet in _asked(prepared, provider, shadow):
            _write(run, PACKET_FILE, packet.as_bytes(), shadow)
            rows += _rows(run, cases[run["case_digest"]], context, packet)
            done += 1
            if shadow.heard is not None:
                shadow.heard(packet, done, runs.height)
    return tables.SEMANTIC_RESULTS.check(
        pl.DataFrame(rows, schema=tables.SEMANTIC_RESULTS.schema, orient="row").with_columns(
            pl.col("evaluated_at").dt.convert_time_zone("UTC")
        )
    )


def _maker(book: RuleBook, case: Case, shadow: Shadow) -> ContextMaker:
    return ContextMaker(case, shadow.notes(book, case.id), shadow.mask, shadow.settings.output_characters)


def _prepared(
    runs: pl.DataFrame, judgment: Rows, documents: Documents, makers: dict[str, ContextMaker], shadow: Shadow
) -> Iterator[Prepared]:
    """Each run with its context, which is written before anybody is asked."""
    ids = runs["case_run_id"].to_list()
    facts = judgment.sql(_FACTS, [ids]).partition_by("case_run_id", as_dict=True)
    texts = documents.documents(ids).partition_by("case_run_id", as_dict=True)
    for run in runs.iter_rows(named=True):
        key = (run["case_run_id"],)
        if key not in texts:
            raise InputError(f"{run['case_run_id']}: its documents are not there")
        context = makers[run["case_digest"]].make(run, facts.get(key, tables.FACTS.empty()), texts[key])
        _write(run, CONTEXT_FILE, context.as_bytes(), shadow)
        yield run, context


def _asked(prepared: Sequence[Prepared], provider: Provider, shadow: Shadow) -> Iterator[tuple[Prepared, Packet]]:
    """Each run with its packet, in order; several are asked about at once, what is shown twice once.

    After an error no other is begun.
    """
    different = {context.context_digest: context for _, context in prepared}
    pool = ThreadPoolExecutor(shadow.settings.concurrency, thread_name_prefix="semantic")
    try:
        asked = {digest: pool.submit(_packet, context, provider, shadow) for digest, context in different.items()}
        for run, context in prepared:
            packet = asked[context.context_digest].result()
            yield (run, context), packet.model_copy(update={"case_run_id": context.case_run_id})
    finally:
        pool.shutdown(cancel_futures=True)


def _packet(context: Context, provider: Provider, shadow: Shadow) -> Packet:
    """The packet that was kept, else the one that the provider gives now."""
    kept = shadow.store.find(context, provider) if shadow.store is not None else None
    if kept is not None:
        return kept
    packet = evaluate(context, provider, shadow.settings.timeout, shadow.mask, shadow.clock)
    if shadow.store is not None:
        try:
            shadow.store.keep(context, provider, packet)
        except OSError as wrong:
            raise InputError(f"{shadow.store.directory}: {wrong.strerror or wrong}; name another directory") from wrong
    return packet


def files_of(out: Path, eval_run_id: str, case_id: str, trial: int) -> Path:
    """The directory of a case run's files, where its `judgment.json` stands too.

    Raises:
        InputError: an id that is no name of a directory.
    """
    if any(name in ("", ".", "..") or "/" in name or "\0" in name for name in (eval_run_id, case_id)):
        raise InputError(f"{eval_run_id!r}, {case_id!r}: these are no names of directories")
    return out / eval_run_id / "cases" / case_id / f"trial-{trial}"


def _write(run: dict[str, Any], name: str, content: bytes, shadow: Shadow) -> None:
    if shadow.out is None:
        return
    path = files_of(shadow.out, run["eval_run_id"], run["case_id"], run["trial"]) / name
    try:
        write_whole(path, content)
    except OSError as wrong:
        raise InputError(f"{path}: {wrong.strerror or wrong}; name another directory") from wrong


def _rows(run: dict[str, Any], case: Case, context: Context, packet: Packet) -> list[tuple[object, ...]]:
    """`tables.SEMANTIC_RESULTS` of one case run."""
    return [
        (
            run["judgment_id"],
            run["case_run_id"],
            run["case_digest"],
            check.id,
            check.kind,
            check.shadows,
            packet.status,
            check.expected,
            None if given is None else given.answer,
            _matched(check, None if given is None else given.answer),
            None if given is None else given.reasoning,
            packet.provider,
            packet.model,
            context.context_digest,
            packet.evaluated_at,
        )
        for check in semantic_checks(case)
        if check.is_supported
        for given in (packet.answers.get(check.id),)
    ]


def _matched(check: SemanticCheck, answer: str | None) -> bool | None:
    """Whether the answer is the expected one; null where there is none, or none is expected."""
    return None if answer is None or check.expected is None else answer == check.expected
