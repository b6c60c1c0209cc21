"""Texts of a report without secrets, and what was masked in them by kind and place (specification 90, "Security")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl

from judge_polars.masking import mask, mask_beginning, masked_kinds, told_masks

LOOKED_AT: Final = 20_000
"""Characters of one text that are looked at for secrets; no more of it can be shown."""
LONGEST: Final = 400
"""Characters of one text; what is longer is cut."""
LONGEST_WORD: Final = 80
"""Characters of what a record says of an agent and its end, which are a few words."""
_SAID: Final = ("agent_name", "agent_version", "agent_model", "status", "stop_reason")
_ALSO: Final = ("suite_id", "execution_mode", "workspace_id", "string")
"""What else a record says, and a fact's text."""


class Veil:
    """Masks and cuts texts, and remembers what was masked where."""

    def __init__(self) -> None:
        self._found: Counter[tuple[str, str]] = Counter()

    def __call__(self, text: str, place: str, longest: int = LONGEST) -> str:
        """The text without secrets, at most so many characters of it; `place` is told where something was masked."""
        clean = mask_beginning(text, LOOKED_AT)
        self._found.update((place, kind) for kind in masked_kinds(clean))
        return clean if len(clean) <= longest else clean[: longest - 1] + "…"

    def row(self, row: Mapping[str, Any], place: str) -> dict[str, Any]:
        """A row of which everything that a record says of agent and end is veiled."""
        said = {name: self(row[name], f"{place}, record", LONGEST_WORD) for name in _SAID if row.get(name)}
        return {**row, **said}

    def frame(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows of any table without secrets in what a record or a document says; nothing is cut.

        The columns that are looked at are those of `_SAID` and `_ALSO`; each text once.
        """
        for name in (*_SAID, *_ALSO):
            if name not in rows.columns:
                continue
            clean: dict[str, str] = {}
            for text, times in rows[name].drop_nulls().value_counts(sort=True).iter_rows():
                masked = mask(text)
                if masked.secrets:
                    clean[text] = masked.text
                    self._found.update({(name, secret.kind): times for secret in masked.secrets})
            if clean:
                rows = rows.with_columns(pl.col(name).replace(clean))
        return rows

    def told(self) -> Iterator[str]:
        """`url password in r1/case-a/1, check disk_busy (2 times)`, in the order in which the places were first met."""
        return told_masks(self._found)
