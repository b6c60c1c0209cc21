"""What pydantic says of a file, as findings with the position in the YAML (specification 10, third paragraph)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from judge_polars.errors import Finding
from judge_polars.registry.contents import Read
from judge_polars.registry.formula import FORMULA_KEYS, Formula
from judge_polars.registry.rule import COMPARISON_KEYS, RULES
from judge_polars.registry.salvage import salvaged
from judge_polars.registry.source import Loc, Source, kind_of, shown
from judge_polars.registry.suggestions import listed, nearest
from judge_polars.registry.values import Model

M = TypeVar("M", bound=Model)

_WANTED: Final = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_STANDS_AT_A_KEY: Final = frozenset((*COMPARISON_KEYS, *FORMULA_KEYS, "fact"))
"""An error about one of these being there stands at the key, not at its value."""
_RULE_MODELS: Final[Mapping[str, type[Model]]] = {model.__name__: model for model in RULES}


def validated(model: type[M], data: object, source: Source, findings: list[Finding]) -> Read[M] | None:
    """The model of a file's data; its errors are added to `findings`, and what is right of it is kept if it can be."""
    try:
        return Read(model.model_validate(data), source)
    except ValidationError as error:
        findings += [_finding(model, details, source) for details in error.errors(include_url=False)]
        return salvaged(model, data, error, source, lambda later, rest: findings.append(_finding(model, later, rest)))


def _finding(model: type[Model], error: ErrorDetails, source: Source) -> Finding:
    loc: Loc = tuple(error["loc"])
    of_a_key = loc[-1:] == ("[key]",)
    loc = loc[:-1] if of_a_key else loc
    kind = error["type"]
    value = error["input"]
    if kind == "extra_forbidden":
        return source.finding(loc, "unknown_key", _unknown_key(model, loc, source), key=True)
    if kind == "missing":
        return source.finding(loc[:-1], "missing_key", f"the key `{loc[-1]}` is missing: {_meaning(model, loc)}")
    if kind in _WANTED:
        return source.finding(loc, "wrong_type", _wrong_type(kind, value, source, loc))
    if kind == "literal_error":
        return _unknown_value(error, source, loc, of_a_key=of_a_key)
    if kind == "too_short":
        return source.finding(
            loc, "empty_list", f"the list is empty; at least one entry is wanted, or leave `{_last(loc)}` out"
        )
    context: Mapping[str, Any] = error.get("ctx") or {}
    if "message" in context:
        at: Sequence[str | int] = context["at"]
        at_key = of_a_key or kind == "unknown_key" or bool(at and at[-1] in _STANDS_AT_A_KEY)
        return source.finding((*loc, *at), kind, context["message"], key=at_key)
    return source.finding(loc, "invalid_value", f"found {shown(value)}: {error['msg']}")


def _last(loc: Loc) -> str:
    return next((step for step in reversed(loc) if isinstance(step, str)), "")


def _wrong_type(kind: str, value: object, source: Source, loc: Loc) -> str:
    wanted = _WANTED[kind]
    if kind != "string_type":
        return f"found {shown(value)} where {wanted} is wanted"
    written = source.spot(loc).written
    if value is None:
        mend = "fill it in; a text that begins with `#`, `&`, `*` or `!` must be quoted"
        return f"found {shown(value)} where {wanted} is wanted; {mend}"
    if written is None:
        return f"found {shown(value)} where {wanted} is wanted"
    return f'found {kind_of(value)} (`{written}`) where {wanted} is wanted; quote it: "{written}"'


def _unknown_value(error: ErrorDetails, source: Source, loc: Loc, *, of_a_key: bool) -> Finding:
    """A value, or a mapping's key, that is not one of a closed set."""
    expected = str((error.get("ctx") or {}).get("expected", "")).replace(" or ", ", ")
    names = [name.strip("'\"") for name in expected.split(", ")]
    value = error["input"]
    message = (
        f"found {shown(value)}{nearest(value, names) if isinstance(value, str) else ''}; allowed: {listed(names, 20)}"
    )
    return source.finding(loc, "unknown_value", message, key=of_a_key)


def _unknown_key(model: type[Model], loc: Loc, source: Source) -> str:
    key = str(loc[-1])
    known = list(_allowed_keys(model, loc, source))
    if key == "required" and "weight" in known:
        return "`required` has no meaning in this bucket: every check counts; remove it"
    return f"unknown key `{key}`{nearest(key, known)}; allowed here: {listed(known, 24)}"


def _allowed_keys(model: type[Model], loc: Loc, source: Source) -> Iterator[str]:
    """The keys that a mapping may have.  Of a rule that stands directly in a check, the check's keys too."""
    current, outer = model, None
    for step in loc[:-1]:
        if isinstance(step, str) and step in _RULE_MODELS:
            outer = current if issubclass(current, Formula) else None
            current = _RULE_MODELS[step]
        elif isinstance(step, str):
            current = _models_of(current).get(step, current)
    inline = outer is not None and not any(
        key in loc and source.holds(loc[: loc.index(key) + 1]) for key in FORMULA_KEYS
    )
    yield from _keys_of(current)
    if inline and outer is not None:
        yield from (key for key in _keys_of(outer) if key not in FORMULA_KEYS)
    elif issubclass(current, Formula):
        yield from ("match", "fact")


def _keys_of(model: type[Model]) -> Iterator[str]:
    return (field.alias or name for name, field in model.model_fields.items())


@cache
def _models_of(model: type[Model]) -> Mapping[str, type[Model]]:
    """Key -> the one model that stands below it, for keys that have one."""
    below: dict[str, type[Model]] = {}
    for name, field in model.model_fields.items():
        models = set(_models_in(field.annotation))
        if len(models) == 1:
            below[field.alias or name] = models.pop()
    return below


def _models_in(annotation: object) -> Iterator[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _meaning(model: type[Model], loc: Loc) -> str:
    """The description of a missing key."""
    current = model
    for step in loc[:-1]:
        if isinstance(step, str):
            current = _RULE_MODELS.get(step) or _models_of(current).get(step, current)
    fields = {field.alias or name: field for name, field in current.model_fields.items()}
    field = fields.get(str(loc[-1]))
    return field.description[0].lower() + field.description[1:] if field and field.description else "add it"
