"""An analysis patch: whether its items have the right shape, and its well-formed references (specification 30)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

import polars as pl

from judge_polars.tables import SHARD_REFS
from judge_polars.vocabulary import ROUTING_CHANNELS

ROLES: Final = {"key_evidence": "key", "supporting_evidence": "supporting"}
_CHANNELS: Final = {**{name: name for name in ROUTING_CHANNELS}, "metrics": "metric", "queries": "query"} | {
    "logs": "log",
    "events": "event",
}


class Reference(NamedTuple):
    """A well-formed reference; `quote` only for logs."""

    channel: str
    ref: str
    quote: str | None = None


def read_items(patch: object) -> list[Any] | None:
    """The items of a patch: a bare list, or the list `items` of an object; None when it is neither form."""
    items = patch.get("items") if isinstance(patch, dict) else patch
    return items if isinstance(items, list) else None


def has_valid_shape(item: object) -> bool:
    """Whether an item has an `id` or `title`, and evidence lists that hold nothing but well-formed references."""
    if not isinstance(item, dict) or item_id(item) is None:
        return False
    lists = [item[name] for name in ROLES if name in item]
    return bool(lists) and all(
        isinstance(references, list) and all(read_reference(entry) is not None for entry in references)
        for references in lists
    )


def item_id(item: object) -> str | None:
    """The `id` of an item if it is a non-empty text, else its `title` if it is one, else None."""
    if not isinstance(item, dict):
        return None
    return next((text for name in ("id", "title") if isinstance(text := item.get(name), str) and text), None)


def read_reference(entry: object) -> Reference | None:
    """A reference, `channel:ref` or an object; None when it is ill-formed.

    A `quote` of a log reference is a text; null is none.
    """
    channel: object
    ref: object
    quote: object = None
    if isinstance(entry, str):
        return _read_text(entry)
    if isinstance(entry, dict):
        channel = entry["channel"] if "channel" in entry else entry.get("type")
        ref, quote = entry.get("ref"), entry.get("quote")
    else:
        return None
    if not isinstance(channel, str) or not isinstance(ref, str):
        return None
    reference = _reference(channel, ref)
    if reference is None or reference.channel != "log":
        return reference
    return reference._replace(quote=quote) if quote is None or isinstance(quote, str) else None


@lru_cache(maxsize=4096)
def _read_text(entry: str) -> Reference | None:
    """The reference that is written `channel:ref`."""
    channel, colon, ref = entry.partition(":")
    return _reference(channel, ref) if colon else None


def _reference(channel: str, ref: str) -> Reference | None:
    known = _CHANNELS.get(channel.strip().lower())
    return None if known is None or not ref.strip() else Reference(known, ref.strip())


def references(items: list[Any]) -> Iterator[tuple[int, str | None, str, Reference]]:
    """Item ordinal, item id, role and reference of every well-formed reference, those of ill-formed items included."""
    for ordinal, item in enumerate(items):
        if not isinstance(item, dict):
            continue
        for name, role in ROLES.items():
            entries = item.get(name)
            for entry in entries if isinstance(entries, list) else ():
                reference = read_reference(entry)
                if reference is not None:
                    yield ordinal, item_id(item), role, reference


class PatchColumns:
    """`tables.SHARD_REFS` and, per bundle, `routing.analysis_items_shape_valid`."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, str | None, str, str, str, str | None]] = []
        self.shape_valid: dict[int, bool] = {}

    def add(self, bundle: int, patch: object) -> None:
        """Keep what a bundle's patch says."""
        items = read_items(patch)
        self.shape_valid[bundle] = bool(items) and all(map(has_valid_shape, items or ()))
        for ordinal, name, role, reference in references(items or []):
            self._rows.append((bundle, ordinal, name, role, *reference))

    def frame(self) -> pl.DataFrame:
        """`tables.SHARD_REFS`."""
        return pl.DataFrame(self._rows, schema=SHARD_REFS.schema, orient="row")
