"""Routing facts: the references of the analysis patch (30-facts, "Routing facts")."""

import re
from dataclasses import dataclass

from tests.plain.bundles import Bundle
from tests.plain.comparisons import Value
from tests.plain.documents import Document
from tests.plain.evidence import Evidence
from tests.plain.text import keyword_occurs
from tests.plain.values import Json

CHANNELS = ("metric", "query", "log", "event")
PLURALS = {"metrics": "metric", "queries": "query", "logs": "log", "events": "event"}
ROLES = ("key_evidence", "supporting_evidence")
LABEL = r'\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*'
SELECTOR = re.compile(rf"([^{{]*)(?:\{{(\s*|{LABEL}(?:,{LABEL})*,?\s*)\}})?")
LINE = re.compile(r"(.+?)(?::|#L)(\d+)", re.DOTALL | re.ASCII)


@dataclass(frozen=True)
class Reference:
    """A well-formed reference."""

    role: str
    channel: str
    ref: str
    quote: str | None


@dataclass(frozen=True)
class Resolved:
    """A reference and what became of it."""

    reference: Reference
    resolved: bool
    verified: bool


def routing_facts(bundle: Bundle, evidence: Evidence, known: dict[str, Value]) -> dict[str, Value]:
    """The whole table of routing facts; `known` holds the channel facts."""
    name = bundle.artifacts.get("analysis_patch")
    patch = bundle.documents[name] if name else None
    facts: dict[str, Value] = dict.fromkeys(fact_names())
    facts["routing.analysis_patch_present"] = patch is not None
    if patch is None:
        return facts
    facts["routing.analysis_patch_json_valid"] = bool(patch.values)
    if not patch.values:
        return facts
    items = items_of(patch.values[0])
    found = [resolve(reference, bundle, evidence, known) for item in items or [] for reference in references_of(item)]
    facts["routing.analysis_items_shape_valid"] = bool(items) and all(is_valid_item(item) for item in items or [])
    for role in ROLES:
        facts[f"routing.analysis_{role}_present"] = any(one.reference.role == role for one in found)
    for channel in CHANNELS:
        cited = [one for one in found if one.reference.channel == channel]
        facts[f"routing.analysis_{channel}_refs_required"] = bool(cited)
        facts[f"routing.analysis_{channel}_refs_resolvable"] = all(one.resolved for one in cited)
        if channel in ("log", "event"):
            facts[f"routing.analysis_{channel}_refs_verified"] = all(one.verified for one in cited)
    facts["routing.refs_total"] = len(found)
    facts["routing.refs_unresolved"] = sum(not one.resolved for one in found)
    return facts


def fact_names() -> list[str]:
    """The names of all routing facts."""
    of_patch = ["patch_present", "patch_json_valid", "items_shape_valid", *(f"{role}_present" for role in ROLES)]
    of_channels = [f"{channel}_refs_{what}" for channel in CHANNELS for what in ("required", "resolvable")]
    strict = ["log_refs_verified", "event_refs_verified"]
    return [*(f"routing.analysis_{name}" for name in (*of_patch, *of_channels, *strict)), *COUNTS]


COUNTS = ("routing.refs_total", "routing.refs_unresolved")


def items_of(value: Json) -> list[Json] | None:
    """The items of a patch, None where it is neither form (30-facts, Routing facts)."""
    held = value.get("items") if isinstance(value, dict) else value
    return held if isinstance(held, list) else None


def is_valid_item(item: Json) -> bool:
    """Whether an item has a name and well-formed lists of references (30-facts, Routing facts)."""
    if not isinstance(item, dict):
        return False
    named = any(isinstance(item.get(key), str) and item[key] != "" for key in ("id", "title"))
    lists = [item[role] for role in ROLES if role in item]
    return named and bool(lists) and all(is_list_of_references(one) for one in lists)


def is_list_of_references(held: Json) -> bool:
    """Whether each entry of a list, perhaps an empty one, is well formed (30-facts, Routing facts)."""
    return isinstance(held, list) and all(reference_of(entry, "") is not None for entry in held)


def references_of(item: Json) -> list[Reference]:
    """The well-formed references of an item, whatever else is wrong with it (30-facts, Routing facts)."""
    found: list[Reference] = []
    for role in ROLES if isinstance(item, dict) else ():
        held = item.get(role) if isinstance(item, dict) else None
        references = [reference_of(entry, role) for entry in held] if isinstance(held, list) else []
        found += [reference for reference in references if reference is not None]
    return found


def reference_of(entry: Json, role: str) -> Reference | None:
    """A reference in either form, None where it is ill-formed (30-facts, Routing facts)."""
    if isinstance(entry, str):
        channel, colon, ref = entry.partition(":")
        return well_formed(role, channel, ref, None) if colon else None
    if isinstance(entry, dict):
        named = entry.get("channel") if "channel" in entry else entry.get("type")
        return well_formed(role, named, entry.get("ref"), entry.get("quote"))
    return None


def well_formed(role: str, named: Json, ref: Json, quote: Json) -> Reference | None:
    """A reference of its parts, None where one of them is wrong (30-facts, Routing facts)."""
    if not isinstance(named, str) or not isinstance(ref, str) or not ref.strip():
        return None
    channel = named.strip().lower()
    channel = PLURALS.get(channel, channel)
    if channel not in CHANNELS:
        return None
    if channel == "log" and quote is not None and not isinstance(quote, str):
        return None
    return Reference(role, channel, ref.strip(), quote if isinstance(quote, str) else None)


def resolve(reference: Reference, bundle: Bundle, evidence: Evidence, known: dict[str, Value]) -> Resolved:
    """What becomes of a reference (30-facts, Routing facts)."""
    if reference.channel == "metric":
        verified = is_metric(reference.ref, evidence)
    elif reference.channel == "query":
        verified = reference.ref in evidence.queries
    elif reference.channel == "event":
        verified = reference.ref in evidence.events
    else:
        verified = is_log(reference, bundle)
    observed = {"log": "evidence.logs_channel_observed", "event": "evidence.events_channel_observed"}
    resolved = verified or known.get(observed.get(reference.channel, "")) is True
    return Resolved(reference, resolved, verified)


def is_metric(ref: str, evidence: Evidence) -> bool:
    """Whether a series has the name and all labels of the reference (30-facts, Routing facts)."""
    found = SELECTOR.fullmatch(ref)
    if found is None:
        return False
    name = found[1].strip() if found[2] is not None else ref
    labels = {key: re.sub(r"\\(.)", r"\1", value) for key, value in re.findall(LABEL, found[2] or "")}
    return any(series.name == name and labels.items() <= series.labels.items() for series in evidence.metrics)


def is_log(reference: Reference, bundle: Bundle) -> bool:
    """Whether document, line and quote of the reference exist (30-facts, Routing facts)."""
    documents = documents_at(reference.ref, bundle)
    if documents:
        return any(has_quote(document, reference.quote) for document in documents)
    found = LINE.fullmatch(reference.ref)
    if found is None:
        return False
    with_line = [one for one in documents_at(found[1], bundle) if 1 <= int(found[2]) <= one.line_count]
    return any(has_quote(document, reference.quote) for document in with_line)


def documents_at(path: str, bundle: Bundle) -> list[Document]:
    """The documents of a path from the logs directory or from the root (30-facts, Routing facts)."""
    logs = bundle.artifacts.get("logs_dir")
    names = [*([f"{logs}/{path}"] if logs else []), path]
    return [bundle.documents[name] for name in names if name in bundle.documents]


def has_quote(document: Document, quote: str | None) -> bool:
    """Whether the quote, if there is one, occurs in the document (30-facts, Routing facts)."""
    if quote is None:
        return True
    return document.text is not None and keyword_occurs(quote, document.text, in_json=document.as_json)
