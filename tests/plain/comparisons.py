"""Comparisons of one value with the operands of a rule (40-rules, "Fact rules" and `json_value`)."""

from collections.abc import Callable
from typing import Any

from tests.plain.text import keyword_occurs, regex_found
from tests.plain.times import Instant, duration, instant_of, instant_of_text
from tests.plain.values import Json

Value = bool | int | float | str | Instant | None

ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "gt": lambda value, operand: bool(value > operand),
    "ge": lambda value, operand: bool(value >= operand),
    "lt": lambda value, operand: bool(value < operand),
    "le": lambda value, operand: bool(value <= operand),
}
COMPARISONS = ("equals", "not_equals", "in", "not_in", *ORDERS, "matches", "exists", "contains_any", "time_within")


def comparison_of(rule: dict[str, Any], default: tuple[str, Any] = ("", None)) -> tuple[str, Any]:
    """The comparison that a rule names, and its operand."""
    return next(((name, rule[name]) for name in COMPARISONS if name in rule), default)


def kind(value: object) -> str:
    """boolean, number, string, timestamp, or other."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "timestamp" if isinstance(value, Instant) else "other"


def as_operand(operand: Any, value: Value) -> Any:
    """The operand, read as a time where the value is one (40-rules, Fact rules)."""
    if isinstance(value, Instant) and isinstance(operand, str):
        return instant_of_text(operand)
    return operand


def is_equal(value: Value, operand: Any) -> bool:
    """Equal and of one kind, integers exactly (40-rules, Fact rules)."""
    operand = as_operand(operand, value)
    return kind(value) == kind(operand) != "other" and bool(value == operand)


def is_other(value: Value, operand: Any) -> bool:
    """Of one kind and not equal; NaN is nothing's other (40-rules, Fact rules)."""
    operand = as_operand(operand, value)
    return kind(value) == kind(operand) != "other" and value == value and bool(value != operand)


def satisfies(value: Value, name: str, operand: Any) -> bool:
    """Whether a known value satisfies one of the comparisons that facts and JSON nodes share."""
    if name == "equals":
        return is_equal(value, operand)
    if name == "not_equals":
        return is_other(value, operand)
    if name == "in":
        return any(is_equal(value, one) for one in operand)
    if name == "not_in":
        of_kind = [one for one in operand if kind(value) == kind(as_operand(one, value)) != "other"]
        return bool(of_kind) and all(is_other(value, one) for one in of_kind)
    if name in ORDERS:
        operand = as_operand(operand, value)
        return kind(value) == kind(operand) and kind(value) in ("number", "timestamp") and ORDERS[name](value, operand)
    if name == "matches":
        return isinstance(value, str) and regex_found(operand, value)
    raise ValueError(f"no comparison: {name}")


def node_satisfies(node: Json, rule: dict[str, Any]) -> bool:
    """Whether a node is a scalar that satisfies the rule (40-rules, `json_value`)."""
    name, operand = comparison_of(rule)
    if isinstance(node, list | dict) or node is None:
        return False
    if name == "contains_any":
        return isinstance(node, str) and any(keyword_occurs(keyword, node) for keyword in operand)
    if name == "time_within":
        return is_time_within(node, operand)
    return satisfies(node, name, operand)


def is_time_within(node: Json, operand: dict[str, str]) -> bool:
    """Whether a node is a time near enough to another (40-rules, `time_within`)."""
    time, of = instant_of(node, operand.get("offset", "Z")), instant_of_text(operand["of"])
    if time is None or of is None:
        return False
    return abs(time.microseconds - of.microseconds) <= duration(operand["tolerance"])
