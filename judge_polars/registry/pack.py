"""A pack: fact definitions, channels, concepts and word lists of one domain (specification 30, 40)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field

from judge_polars.registry.formula import Formula, Rule
from judge_polars.registry.regexes import FULL_WIDTH_COMMA, TEXT_FLAGS, regex_fault
from judge_polars.registry.source import shown
from judge_polars.registry.suggestions import nearest
from judge_polars.registry.values import CommaPattern, Distinct, Model, Name, Pattern, Positive, Text, refused
from judge_polars.vocabulary import DEFINABLE_FAMILIES

_FACT_NAME: Final = re.compile(r"([a-z]+)\.[a-z0-9]+(?:_[a-z0-9]+)*")


def _check_fact_name(value: str) -> str:
    found = _FACT_NAME.fullmatch(value)
    families = ", ".join(f"`{family}.`" for family in DEFINABLE_FAMILIES)
    if not found:
        raise refused(
            "invalid_id", f"{shown(value)} is no fact name; wanted is {families} and lower-case words joined by `_`"
        )
    if found[1] not in DEFINABLE_FAMILIES:
        near = nearest(found[1], DEFINABLE_FAMILIES)
        raise refused(
            "invalid_family", f"facts of the family `{found[1]}` cannot be defined{near}; families are {families}"
        )
    return value


def _distinct_names(facts: Sequence[FactDefinition]) -> Sequence[FactDefinition]:
    seen: set[str] = set()
    for index, fact in enumerate(facts):
        if fact.name in seen:
            raise refused(
                "duplicate_id", f"`{fact.name}` is already defined in this file; keep one of them", index, "name"
            )
        seen.add(fact.name)
    return facts


def _one_alternation(entries: list[str]) -> list[str]:
    """A list is tried as one alternation, so its entries must stand together."""
    if len(entries) > 1 and all(regex_fault(entry, keep=FULL_WIDTH_COMMA) is None for entry in entries):
        fault = regex_fault("|".join(f"(?:{entry})" for entry in entries), TEXT_FLAGS, keep=FULL_WIDTH_COMMA)
        if fault:
            raise refused("invalid_regex", f"these regexes do not stand together: {fault.message}")
    return entries


WordList = Annotated[list[Pattern], AfterValidator(_one_alternation)]
CommaWordList = Annotated[list[CommaPattern], AfterValidator(_one_alternation)]


class Words(Model):
    """Word lists of the assertion rules; a list that is named replaces the one before it."""

    negators: WordList | None = Field(default=None, description="Deny what follows: not, never, without …")
    post_negators: WordList | None = Field(default=None, description="Deny what precedes: was ruled out, is unlikely …")
    pseudo_negators: CommaWordList | None = Field(
        default=None, description="Look like negators and deny nothing: not only …"
    )
    terminators: CommaWordList | None = Field(default=None, description="Begin a new clause: but, however …")
    sentence_negators: WordList | None = Field(default=None, description="Make the whole sentence assert nothing: if …")
    claims: WordList | None = Field(
        default=None, description="Say that a sentence is a conclusion: root cause, caused by …"
    )


class FactDefinition(Formula):
    """A named boolean built from rules."""

    needs_rules: ClassVar[bool] = True

    name: Annotated[str, AfterValidator(_check_fact_name)] = Field(
        description="Full name: `workflow.`, `evidence.` or `output.` and lower-case words joined by `_`."
    )
    title: Text | None = Field(default=None, description="One line for people: what it means.")


FactDefinitions = Annotated[list[FactDefinition], AfterValidator(_distinct_names)]


class Channel(Model):
    """A channel of evidence: how it is seen to be observed, tried and kept.  A missing list is false."""

    title: Text | None = Field(default=None, description="One line for people.")
    observed_any_of: list[Rule] = Field(default=[], description="Document rules: evidence of this channel is there.")
    present_any_of: list[Rule] = Field(default=[], description="Document rules: an artifact exists, even an empty one.")
    attempted_any_of: list[Rule] = Field(default=[], description="Document rules: its collection was attempted.")


class Pack(Model):
    """Facts, channels, concepts and word lists of one domain."""

    schema_version: Literal[1] = Field(default=1, description="Version of this file's form: 1.")
    id: Text = Field(description="The pack's id.")
    version: Positive = Field(description="Raised on every change of meaning.")
    title: Text | None = Field(default=None, description="One line for people.")
    words: Words = Field(default=Words(), description="Word lists of the assertion rules.")
    concepts: dict[Text, Annotated[list[Pattern], Field(min_length=1)]] = Field(
        default={}, description="Notion -> regexes for it, in all languages."
    )
    causes: Annotated[list[Text], Distinct] = Field(
        default=[], description="Concepts that are causes; `output.claimed_causes` counts those that are claimed."
    )
    facts: FactDefinitions = Field(default=[], description="Fact definitions, in the order of evaluation.")
    channels: dict[Name, Channel] = Field(default={}, description="Channels of evidence by name.")
