"""Formulas: rules under `all_of`, `any_of`, `at_least`, or one rule's keys directly (specification 10, "A check")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator, Discriminator, Field, GetJsonSchemaHandler, Tag, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from judge_polars.registry.rule import (
    METHOD_MODELS,
    PARAMETERS,
    RULES,
    AssertionNoneRule,
    AssertionRule,
    DenialRule,
    FactRule,
    JsonCountRule,
    JsonExistsRule,
    JsonListRule,
    JsonRecordRule,
    JsonTextRule,
    JsonValueRule,
    KeywordNoneRule,
    KeywordRule,
    PresenceRule,
    RegexNoneRule,
    RegexRule,
    SeriesAllRule,
    SeriesAnyRule,
    SeriesPresentRule,
    SpreadRule,
)
from judge_polars.registry.source import shown
from judge_polars.registry.suggestions import nearest, nearest_name
from judge_polars.registry.values import Given, Model, Positive, refused
from judge_polars.vocabulary import METHODS


def _tag(value: object) -> str | None:
    """Which model a rule is read by; `_check_shape` has seen to it that there is one."""
    method = value.get("match") if isinstance(value, dict) else getattr(value, "match", None)
    return METHOD_MODELS[method].__name__ if method in METHOD_MODELS else FactRule.__name__


def _check_shape(value: object) -> object:
    """A mapping with either `fact` or a known `match`."""
    if isinstance(value, Model):
        return value
    if not isinstance(value, dict):
        raise refused("wrong_type", f"found {shown(value)} where a rule is wanted: a mapping with `match` or `fact`")
    if "match" in value and "fact" in value:
        raise refused("several_kinds", "found `match` and `fact`; a rule has one of them: make it two rules", "fact")
    if "match" not in value and "fact" not in value:
        raise _lacking_a_kind(value)
    method = value.get("match")
    if "match" in value and (not isinstance(method, str) or method not in METHOD_MODELS):
        message = f"{shown(method)} is no match method{nearest(str(method), METHODS)}; known are {', '.join(METHODS)}"
        raise refused("unknown_method", message, "match")
    return value


Rule = Annotated[
    Annotated[FactRule, Tag("FactRule")]
    | Annotated[PresenceRule, Tag("PresenceRule")]
    | Annotated[JsonExistsRule, Tag("JsonExistsRule")]
    | Annotated[JsonListRule, Tag("JsonListRule")]
    | Annotated[JsonRecordRule, Tag("JsonRecordRule")]
    | Annotated[JsonCountRule, Tag("JsonCountRule")]
    | Annotated[JsonTextRule, Tag("JsonTextRule")]
    | Annotated[JsonValueRule, Tag("JsonValueRule")]
    | Annotated[SeriesPresentRule, Tag("SeriesPresentRule")]
    | Annotated[SeriesAnyRule, Tag("SeriesAnyRule")]
    | Annotated[SeriesAllRule, Tag("SeriesAllRule")]
    | Annotated[SpreadRule, Tag("SpreadRule")]
    | Annotated[KeywordRule, Tag("KeywordRule")]
    | Annotated[KeywordNoneRule, Tag("KeywordNoneRule")]
    | Annotated[RegexRule, Tag("RegexRule")]
    | Annotated[RegexNoneRule, Tag("RegexNoneRule")]
    | Annotated[AssertionRule, Tag("AssertionRule")]
    | Annotated[AssertionNoneRule, Tag("AssertionNoneRule")]
    | Annotated[DenialRule, Tag("DenialRule")],
    Discriminator(_tag),
    BeforeValidator(_check_shape),
]


def _lacking_a_kind(keys: Iterable[object]) -> PydanticCustomError:
    """The error of a rule that has neither `match` nor `fact`, at the key that may be meant as one of them."""
    for key in keys:
        near = nearest_name(str(key), ("match", "fact"))
        if key not in PARAMETERS and near:
            return refused("unknown_key", f"unknown key `{key}` (did you mean `{near}`?)", str(key))
    return refused("missing_key", "a rule needs `match` (a method) or `fact` (a name)")


class AtLeast(Model):
    """At least `n` of the rules are true."""

    n: Positive = Field(description="How many rules must be true.")
    of: list[Rule] = Field(min_length=1, description="The rules.")

    @model_validator(mode="after")
    def _reachable(self) -> AtLeast:
        if self.n > len(self.of):
            raise refused(
                "out_of_range", f"{self.n} of {len(self.of)} rules cannot be true; lower `n` or add rules", "n"
            )
        return self


FORMULA_KEYS: Final = ("all_of", "any_of", "at_least")


class Formula(Model):
    """What checks and definitions share: rules under `all_of`, `any_of` or `at_least`, or one rule's keys directly.

    A single rule is kept as `all_of` with one rule.
    """

    needs_rules: ClassVar[bool] = True

    all_of: Annotated[list[Rule] | None, Given] = Field(
        default=None, min_length=1, description="All of these rules are true."
    )
    any_of: Annotated[list[Rule] | None, Given] = Field(
        default=None, min_length=1, description="One of these rules is true."
    )
    at_least: Annotated[AtLeast | None, Given] = Field(default=None, description="So many of these rules are true.")

    @model_validator(mode="before")
    @classmethod
    def _single_rule(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        formulas = [key for key in (*FORMULA_KEYS, "match", "fact") if key in data]
        if len(formulas) > 1 and formulas != ["match", "fact"]:
            message = f"found {' and '.join(f'`{key}`' for key in formulas)}; give one of them"
            raise refused("several_formulas", message, formulas[1])
        others = [key for key in data if key not in cls.model_fields]
        if not formulas and PARAMETERS.intersection(others):
            raise _lacking_a_kind(others)
        if not formulas and cls.needs_rules:
            raise refused("missing_key", "rules are missing: `all_of`, `any_of`, `at_least`, or one rule's keys")
        if not formulas or formulas[0] in FORMULA_KEYS:
            return data
        own = {key: value for key, value in data.items() if key in cls.model_fields}
        return own | {"all_of": [{key: value for key, value in data.items() if key not in own}]}

    def need_and_rules(self) -> tuple[int, str, Sequence[Model]] | None:
        """How many rules must be true, the key that they stand under, and the rules; None without rules."""
        if self.all_of is not None:
            return len(self.all_of), "all_of", self.all_of
        if self.any_of is not None:
            return 1, "any_of", self.any_of
        if self.at_least is not None:
            return self.at_least.n, "at_least.of", self.at_least.of
        return None

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The mapping with a formula, or with the keys of any one rule beside its own."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        own = {name: value for name, value in schema["properties"].items() if name not in FORMULA_KEYS}
        described = {key: value for key, value in schema.items() if key in ("title", "description")}
        forms: list[JsonSchemaValue] = [
            {key: value for key, value in schema.items() if key not in described} | {"oneOf": _one_of(cls.needs_rules)}
        ]
        for model in RULES:
            rule = handler.resolve_ref_schema(handler(model.__pydantic_core_schema__))
            forms.append(
                {
                    "type": "object",
                    "properties": own | rule["properties"],
                    "required": [*schema.get("required", ()), *rule.get("required", ())],
                    "additionalProperties": False,
                }
            )
        schema.clear()
        schema.update(described | {"anyOf": forms})
        return schema


def _one_of(needed: bool) -> list[JsonSchemaValue]:
    forms: list[JsonSchemaValue] = [{"required": [key]} for key in FORMULA_KEYS]
    return forms if needed else [*forms, {"not": {"anyOf": list(forms)}}]
