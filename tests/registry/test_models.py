"""The models as a whole: every method and key has its meaning, and JSON Schemas come of them (specification 10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from judge_polars.registry.baseline import BaselineFile
from judge_polars.registry.case import CaseFile
from judge_polars.registry.compile_checks import BUCKET_SCOPES, OPTIONAL_CHECKS, WELL_KNOWN_FACTS, WELL_KNOWN_PARAMETERS
from judge_polars.registry.fact_names import FORMULA_FACTS
from judge_polars.registry.formula import Rule
from judge_polars.registry.pack import Pack, Words
from judge_polars.registry.policy import Judge, JudgeFile
from judge_polars.registry.registry_file import RegistryFile
from judge_polars.registry.rule import METHOD_MODELS, RULES
from judge_polars.registry.suite import SuiteFile
from judge_polars.registry.values import Model, duration_us, offset_minutes
from judge_polars.vocabulary import BUCKETS, BUILT_IN_FACTS, METHODS, NONE_METHODS, WORD_LISTS

FILES = (BaselineFile, CaseFile, JudgeFile, Pack, RegistryFile, SuiteFile)


def models_below(model: type[Model]) -> Iterator[type[Model]]:
    yield model
    for field in model.model_fields.values():
        yield from models_in(field.annotation)


def models_in(annotation: object) -> Iterator[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield from models_below(annotation)
    for argument in get_args(annotation):
        yield from models_in(argument)


ALL_MODELS = sorted({model for file in FILES for model in models_below(file)}, key=lambda model: model.__name__)


@pytest.mark.parametrize("model", ALL_MODELS, ids=lambda model: model.__name__)
def test_every_model_and_key_says_what_it_means(model: type[Model]) -> None:
    assert model.__doc__
    assert [name for name, field in model.model_fields.items() if not field.description] == []


def test_every_method_has_its_parameters() -> None:
    assert set(METHOD_MODELS) == set(METHODS)
    assert {method for method, model in METHOD_MODELS.items() if "ignore_unread" in model.model_fields} == set(
        NONE_METHODS
    )


def test_every_rule_is_a_member_of_the_union() -> None:
    union = get_args(get_args(Rule)[0])
    assert [get_args(member)[0] for member in union] == list(RULES)
    assert [get_args(member)[1].tag for member in union] == [model.__name__ for model in RULES]


def test_the_closed_sets_are_those_of_the_vocabulary() -> None:
    assert tuple(Judge.model_fields) == BUCKETS
    assert tuple(BUCKET_SCOPES) == BUCKETS
    assert tuple(Words.model_fields) == WORD_LISTS


def test_well_known_checks_read_facts_that_there_are() -> None:
    known = {*BUILT_IN_FACTS, *FORMULA_FACTS, "evidence.events_attempted_implies_artifact_present"}
    assert {fact for facts in WELL_KNOWN_FACTS.values() for fact in facts.values()} <= known
    for bucket, checks in OPTIONAL_CHECKS.items():
        assert set(checks) <= {*WELL_KNOWN_PARAMETERS[bucket], *WELL_KNOWN_FACTS.get(bucket, ())}


@pytest.mark.parametrize("model", FILES, ids=lambda model: model.__name__)
def test_json_schemas_forbid_unknown_keys(model: type[Model]) -> None:
    schema = model.model_json_schema(by_alias=True)
    objects = [part for part in parts_of(schema) if "properties" in part]
    assert objects
    assert all(part.get("additionalProperties") is False for part in objects)


def test_the_schema_of_a_check_takes_a_formula_or_any_single_rule() -> None:
    schema = JudgeFile.model_json_schema(by_alias=True)["$defs"]
    for name, own in (("Check", {"id", "title", "weight", "required"}), ("HardCheck", {"id", "title", "weight"})):
        formula, *single = schema[name]["anyOf"]
        assert set(formula["properties"]) == own | {"all_of", "any_of", "at_least"}
        assert len(single) == len(RULES)
        for form, rule in zip(single, RULES, strict=True):
            keys = {field.alias or key for key, field in rule.model_fields.items()}
            assert set(form["properties"]) == own | keys
            assert {"id"} < set(form["required"])
    assert "in" in schema["FactRule"]["properties"]


def parts_of(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts_of(part)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0s", 0),
        ("5m", 300),
        ("1h", 3600),
        ("1h30m", 5400),
        ("2h5s", 7205),
        ("1h1m1s", 3661),
        ("90s", 90),
        ("", None),
        ("5", None),
        ("m", None),
        ("5m1h", None),
        ("1m1m", None),
        ("1.5h", None),
        ("-5m", None),
        ("5 m", None),
        ("5M", None),
        ("1d", None),
        ("٥m", None),
        ("5m\n", None),
        ("999999999h", None),
    ],
)
def test_durations(text: str, seconds: int | None) -> None:
    assert duration_us(text) == (None if seconds is None else seconds * 1_000_000)


@pytest.mark.parametrize(("text", "minutes"), [("Z", 0), ("z", 0), ("+08:00", 480), ("-02:30", -150), ("+00:00", 0)])
def test_offsets(text: str, minutes: int) -> None:
    assert offset_minutes(text) == minutes
