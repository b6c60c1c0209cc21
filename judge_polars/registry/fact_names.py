"""Which facts there are, what type each has, and how a rule's `fact` finds one (specification 30; 10, buckets)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from judge_polars.registry.suggestions import listed, nearest
from judge_polars.vocabulary import ARTIFACT_SYNONYMS, BUILT_IN_FACTS, FAMILIES

CHANNEL_FACTS: Final = (
    "channel_observed",
    "collection_attempted",
    "output_file_present",
    "attempted_implies_artifact_present",
)
"""`evidence.<channel>_…`, in the order of evaluation."""
CLAIMED_CAUSES: Final = "output.claimed_causes"
QUERY_OR_METRIC: Final = "evidence.query_or_metric_channel_observed"
CORE_BUNDLE: Final = "evidence.core_evidence_bundle_present"

FORMULA_FACTS: Final[Mapping[str, str]] = {
    QUERY_OR_METRIC: "boolean",
    CORE_BUNDLE: "boolean",
    CLAIMED_CAUSES: "number",
}
"""Built-in facts that are formulas, those of channels aside -> type."""
_SYNONYMS: Final = {
    f"artifacts.{name}_present": f"artifacts.{same}_present" for name, same in ARTIFACT_SYNONYMS.items()
}


def built_in_types(channels: Iterable[str]) -> dict[str, str]:
    """Every built-in fact -> type, those of the channels included."""
    types: dict[str, str] = dict(BUILT_IN_FACTS)
    types.update(FORMULA_FACTS)
    types.update({fact: "boolean" for channel in channels for fact in channel_facts(channel)})
    return types


def channel_facts(channel: str) -> tuple[str, ...]:
    """Full names of a channel's facts, in the order of `CHANNEL_FACTS`."""
    return tuple(f"evidence.{channel}_{suffix}" for suffix in CHANNEL_FACTS)


@dataclass(frozen=True)
class Scope:
    """What the rules of one place may read.

    Attributes:
        what: the place in words, for messages.
        families: of facts.
        documents: none, anything but the final output (`evidence`), or the final output alone (`output`).
        short_names: the family may be left out.
        defined_only: only facts that a pack or a case defines.
        document_methods: prefixes of the methods that are allowed; empty for all.
    """

    what: str
    families: tuple[str, ...]
    documents: Literal["none", "evidence", "output"] = "none"
    short_names: bool = True
    defined_only: bool = False
    document_methods: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """Why a name is no fact that may be read here."""

    code: str
    message: str


@dataclass
class Facts:
    """The facts that are known at some point of the order of definitions.

    Attributes:
        types: full name -> type.
        defined: names that packs or the case define.
        later: names that are defined further down.
    """

    types: dict[str, str]
    defined: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)

    def define(self, name: str) -> None:
        """A definition is a boolean."""
        self.types[name] = "boolean"
        self.defined.add(name)
        self.later.discard(name)

    def copy(self) -> Facts:
        """The same facts, to be added to."""
        return Facts(dict(self.types), set(self.defined), set(self.later))

    def resolve(self, name: str, scope: Scope) -> str | Refusal:
        """The full name of a fact that a rule in `scope` names."""
        return self._full(_SYNONYMS.get(name, name), scope) if "." in name else self._short(name, scope)

    def _may_read(self, name: str, scope: Scope) -> bool:
        family = name.partition(".")[0]
        return family in scope.families and (not scope.defined_only or name in self.defined)

    def _full(self, name: str, scope: Scope) -> str | Refusal:
        if name in self.types:
            return name if self._may_read(name, scope) else self._isolated(name, scope)
        if name in self.later:
            return Refusal(
                "fact_defined_later", f"`{name}` is defined further down; move its definition before this one"
            )
        family = name.partition(".")[0]
        if family not in FAMILIES:
            near = nearest(family, FAMILIES)
            return Refusal("unknown_fact", f"`{family}` is no family of facts{near}; families are {listed(FAMILIES)}")
        return self._unknown(name, self._readable(scope))

    def _short(self, name: str, scope: Scope) -> str | Refusal:
        everywhere = [full for family in FAMILIES if (full := f"{family}.{name}") in self.types]
        found = [full for full in everywhere if self._may_read(full, scope)]
        if not scope.short_names:
            return Refusal("unknown_fact", f"`{name}` has no family; write the full name{nearest(name, everywhere)}")
        if len(found) == 1:
            return found[0]
        if found:
            return Refusal(
                "ambiguous_fact", f"`{name}` may be {' or '.join(f'`{full}`' for full in found)}; write which"
            )
        if everywhere:
            return self._isolated(everywhere[0], scope)
        readable = self._readable(scope)
        return self._unknown(name, [full.partition(".")[2] for full in readable], readable)

    def _readable(self, scope: Scope) -> list[str]:
        return sorted(name for name in self.types if self._may_read(name, scope))

    def _isolated(self, name: str, scope: Scope) -> Refusal:
        families = ", ".join(f"`{family}.*`" for family in scope.families)
        which = f"{families} that a pack or the case defines" if scope.defined_only else families
        return Refusal(
            "bucket_isolation", f"{scope.what} may not read `{name}`; it reads facts {which or 'of no family'}"
        )

    def _unknown(self, name: str, candidates: Iterable[str], readable: Iterable[str] | None = None) -> Refusal:
        names = list(candidates)
        known = listed(readable if readable is not None else names, 8)
        return Refusal("unknown_fact", f"there is no fact `{name}` here{nearest(name, names)}; known are {known}")
