"""`semantic_context_v1.json`: what the evaluator is shown of one case run, the same bytes for the same input."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

import polars as pl

from judge_polars.digests import digest_of
from judge_polars.rulebook import Case
from judge_polars.semantic.excerpts import Needle, evidence_excerpts, needles
from judge_polars.semantic.model import (
    ANSWERS,
    KINDS,
    CaseShown,
    Context,
    Digests,
    Mask,
    MaskedPlace,
    OutputShown,
    Question,
    Shown,
    time_text,
)
from judge_polars.semantic.source import OUTPUT

PROMPT_VERSION: Final = 1
"""Raised when the words around what is shown change their meaning (`prompt.py`)."""

FACT_FAMILIES: Final = ("cluster", "window", "evidence")
"""Facts about the scope and the evidence.  What the judge read out of the answer itself (`output.…`) is not shown: the shadow is
there for a second opinion on it."""

MOST_FACTS: Final = 100
FACT_CHARACTERS: Final = 200
NOTES_CHARACTERS: Final = 8_000
HEAD_SHARE: Final = 2 / 3
"""Share of a shortened output that is taken from its beginning; the rest is its end, where conclusions often stand."""


@dataclass(frozen=True, slots=True)
class SemanticCheck:
    """A question of judge.yaml; `expected` and `shadows` are not shown to the evaluator."""

    id: str
    kind: str
    question: str
    expected: str | None
    shadows: str | None

    @property
    def is_supported(self) -> bool:
        """Whether an answer can be asked for: a known kind, and an expected answer that can be given."""
        return self.kind in KINDS and (self.expected is None or self.expected in ANSWERS)


def semantic_checks(case: Case) -> tuple[SemanticCheck, ...]:
    """The semantic checks of a case, supported or not; expected answers in lower case."""
    return tuple(
        SemanticCheck(
            id=str(check["id"]),
            kind=str(check["kind"]),
            question=str(check["question"]),
            expected=None if check.get("expected") is None else str(check["expected"]).strip().lower(),
            shadows=None if check.get("shadows") is None else str(check["shadows"]),
        )
        for check in case.semantic_checks
    )


@dataclass(frozen=True)
class ContextMaker:
    """Makes the contexts of one case's runs.

    Attributes:
        notes: `expected.md` of the case, or None.
        output_characters: how much of an output is shown at most.
    """

    case: Case
    notes: str | None
    mask: Mask
    output_characters: int

    def make(self, run: Mapping[str, Any], facts: pl.DataFrame, documents: pl.DataFrame) -> Context:
        """The context of a case run.

        Args:
            run: `case_run_id`, `case_digest`, `bundle_digest`.
            facts: its rows of `tables.FACTS`.
            documents: its rows of `sources.DOCUMENT_TEXTS`.
        """
        masked: list[MaskedPlace] = []
        output = documents.filter(pl.col("document") == OUTPUT)
        text = self._clean(output["text"].item() or "" if output.height else "", "output", masked)
        told = {
            name: self._clean(value, f"fact {name}", masked)[:FACT_CHARACTERS] if isinstance(value, str) else value
            for name, value in chosen_facts(facts).items()
        }
        notes = None if self.notes is None else self._clean(self.notes, "notes", masked)[:NOTES_CHARACTERS]
        excerpts, also_masked = evidence_excerpts(self._needles, documents, self.mask)
        shown = Shown(
            prompt=PROMPT_VERSION,
            case=self._case(),
            questions=tuple(
                Question(id=check.id, kind=check.kind, question=check.question)  # type: ignore[arg-type]
                for check in semantic_checks(self.case)
                if check.is_supported
            ),
            notes=notes,
            facts=told,
            excerpts=tuple(excerpts),
            output=shortened(text, self.output_characters),
        )
        return Context(
            case_run_id=run["case_run_id"],
            context_digest=digest_of(shown.model_dump(mode="json")),
            shown=shown,
            digests=Digests(
                case=run["case_digest"],
                bundle=run["bundle_digest"],
                output=output["digest"].item() if output.height else None,
            ),
            masked=tuple(dict.fromkeys([*masked, *also_masked])),
        )

    @cached_property
    def _needles(self) -> tuple[Needle, ...]:
        return needles(self.case)

    def _case(self) -> CaseShown:
        case = self.case
        return CaseShown(
            id=case.id,
            title=case.title,
            cluster_id=case.cluster_id,
            window_start=time_text(case.window.start),
            window_end=time_text(case.window.end),
        )

    def _clean(self, text: str, place: str, masked: list[MaskedPlace]) -> str:
        """The text without secrets; what was masked is noted by kind and place."""
        clean, found = self.mask(text)
        masked += [MaskedPlace(kind=kind, place=f"{place} line {line}") for kind, line in found]
        return clean


def chosen_facts(facts: pl.DataFrame) -> dict[str, bool | int | str]:
    """Known facts of `FACT_FAMILIES` by name, times as text; `facts` are rows of `tables.FACTS`."""
    family = pl.col("fact").str.split(".").list.first()
    chosen = facts.filter(family.is_in(FACT_FAMILIES)).sort("fact")
    values = ((row["fact"], row[row["type"]]) for row in chosen.iter_rows(named=True))
    known = [(name, value) for name, value in values if value is not None][:MOST_FACTS]
    return {name: time_text(value) if isinstance(value, datetime) else value for name, value in known}


def shortened(text: str, most: int) -> OutputShown:
    """At most `most` characters of an output: all, or its beginning and its end with the number left out between them."""
    left_out = max(0, len(text) - most)
    if left_out:
        head = int(most * HEAD_SHARE)
        text_shown = (
            f"{text[:head]}\n[… {left_out} characters are left out here …]\n{text[len(text) - (most - head) :]}"
        )
        return OutputShown(text=text_shown, characters=len(text), left_out=left_out)
    return OutputShown(text=text, characters=len(text), left_out=0)


def fence_of(texts: Sequence[str]) -> str:
    """A mark that none of the texts can hold, being made of the digest of all; the same for the same texts."""
    return "DATA-" + hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]
