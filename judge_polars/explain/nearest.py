"""Names that are there, those most like the wanted one first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from judge_polars.printable import printable

MOST_NAMES = 8


def nearest_first(wanted: str, there: Iterable[str]) -> list[str]:
    """Distinct names, by likeness to the wanted one, then by name."""
    plain = wanted.replace("*", "").replace("?", "").strip("/").lower()

    def unlikeness(name: str) -> tuple[float, str]:
        return -SequenceMatcher(None, plain, name.lower()).ratio(), name

    return sorted(dict.fromkeys(there), key=unlikeness)


def listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """The first names for a sentence, made printable."""
    shown = ", ".join(printable(name) for name in names[:most])
    return f"{shown} … ({len(names)} in all)" if len(names) > most else shown or "none"
