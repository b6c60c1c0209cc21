"""The nearest known name, for messages (specification 10: "and the nearest known name")."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest_name(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most like `name`, or None when none is like it."""
    lowered: dict[str, str] = {}
    for candidate in known:
        lowered.setdefault(candidate.lower(), candidate)
    found = get_close_matches(name.lower()[:200], lowered, n=1, cutoff=cutoff)
    return lowered[found[0]] if found else None


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean …?)` for a message, or nothing."""
    found = nearest_name(name, known)
    return f" (did you mean `{found}`?)" if found and found != name else ""


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names for a message, in order, the first of many."""
    known = list(names)
    shown = ", ".join(known[:limit])
    return f"{shown} … ({len(known)} in all)" if len(known) > limit else shown or "none"
