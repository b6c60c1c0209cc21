"""What the shadow takes beside rows and documents: the notes of a case, and the mask that is put on texts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from judge_polars.masking import mask
from judge_polars.rulebook import RuleBook

OUTPUT: Final = "output"
NOTES_FILE: Final = "expected.md"


def expected_notes(book: RuleBook, case_id: str) -> str | None:
    """The notes for people of a case, `expected.md` of its directory; None where there is none."""
    path = Path(book.root) / "cases" / case_id / NOTES_FILE
    try:
        return path.read_text("utf-8", errors="replace") if path.is_file() else None
    except OSError:
        return None


def masked(text: str) -> tuple[str, list[tuple[str, int]]]:
    """The text without secrets, and kind and line of each (`model.Mask`)."""
    clean = mask(text)
    return clean.text, [(secret.kind, secret.line) for secret in clean.secrets]
