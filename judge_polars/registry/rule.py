"""The rules of the registry: a model per set of parameters (specification 40).  A rule has `fact` or `match`."""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

from pydantic import Field, model_validator

from judge_polars.registry.values import (
    ComparableNumber,
    CountOperand,
    Duration,
    Given,
    JsonPath,
    Keyword,
    Model,
    Number,
    Offset,
    Operand,
    Ordered,
    Pattern,
    Positive,
    Selector,
    SeriesName,
    Text,
    Timestamp,
    ValueRegex,
    refused,
)
from judge_polars.vocabulary import COMPARISONS

COMPARISON_KEYS: Final = (*COMPARISONS, "contains_any", "time_within")


def given_comparisons(rule: Model) -> list[str]:
    """The comparisons that a rule gives, by their names in YAML."""
    given = vars(rule)
    return [key for key in COMPARISON_KEYS if given.get("in_" if key == "in" else key) is not None]


def _check_comparisons(rule: Model, wanted: str) -> None:
    given = given_comparisons(rule)
    if len(given) > 1:
        raise refused(
            "several_comparisons",
            f"found {', '.join(given)}; a rule has one comparison: split it in two rules",
            given[1],
        )
    if not given and wanted:
        raise refused("missing_key", f"a comparison is missing: one of {wanted}")


class TimeWithin(Model):
    """`time_within`: the node is a time at most `tolerance` away from `of`."""

    of: Timestamp = Field(description="The time to be near: RFC 3339 with an offset.")
    tolerance: Duration = Field(description="How far away the node may be, as `<n>h<n>m<n>s`.")
    offset: Offset = Field(default="Z", description="Offset at which a text without one is read, such as `+08:00`.")


class _Equalities(Model):
    """Comparisons of values of any kind."""

    equals: Annotated[Operand | None, Given] = Field(default=None, description="The value is this one.")
    not_equals: Annotated[Operand | None, Given] = Field(
        default=None, description="The value is of the same kind and another one."
    )
    in_: Annotated[list[Operand] | None, Given] = Field(
        default=None, alias="in", description="The value is one of these."
    )
    not_in: Annotated[list[Operand] | None, Given] = Field(
        default=None, description="The value is of a kind named here and none of these."
    )
    matches: Annotated[ValueRegex | None, Given] = Field(
        default=None, description="A regex found in the text, whatever its case; `^` and `$` are ends of lines."
    )


class FactRule(_Equalities):
    """`{fact: NAME}`, with one comparison or none (`equals: true`).  With a null fact only `exists: false` is true."""

    fact: Text = Field(
        description="Name of a fact; the family may be left out in judge.yaml where the name stays unique."
    )
    gt: Annotated[Ordered | None, Given] = Field(
        default=None, description="Greater than a number, or later than a timestamp."
    )
    ge: Annotated[Ordered | None, Given] = Field(
        default=None, description="At least a number, or not before a timestamp."
    )
    lt: Annotated[Ordered | None, Given] = Field(
        default=None, description="Less than a number, or earlier than a timestamp."
    )
    le: Annotated[Ordered | None, Given] = Field(
        default=None, description="At most a number, or not after a timestamp."
    )
    exists: Annotated[bool | None, Given] = Field(default=None, description="Whether the fact is known at all.")

    @model_validator(mode="after")
    def _one_comparison(self) -> FactRule:
        _check_comparisons(self, "")
        return self


class _NodeComparison(_Equalities):
    """Comparisons of a scalar JSON node."""

    path: JsonPath = Field(description="JSON path of the nodes, such as `$.items[*].name`.")
    gt: Annotated[ComparableNumber | None, Given] = Field(default=None, description="A number greater than this one.")
    ge: Annotated[ComparableNumber | None, Given] = Field(default=None, description="A number of at least this one.")
    lt: Annotated[ComparableNumber | None, Given] = Field(default=None, description="A number less than this one.")
    le: Annotated[ComparableNumber | None, Given] = Field(default=None, description="A number of at most this one.")
    contains_any: Annotated[list[Keyword] | None, Given] = Field(
        default=None, min_length=1, description="One of these keywords occurs in the node's text."
    )
    time_within: Annotated[TimeWithin | None, Given] = Field(
        default=None, description="The node is a time near another one."
    )

    @model_validator(mode="after")
    def _one_comparison(self) -> _NodeComparison:
        wanted = ", ".join(key for key in COMPARISON_KEYS if key != "exists")
        _check_comparisons(self, wanted)
        return self


class Condition(_NodeComparison):
    """One condition on a selected node; its path is relative to the node (`$` is the node)."""


class _DocumentRule(Model):
    """A rule on documents."""

    artifact: Annotated[Selector | None, Given] = Field(
        default=None,
        description="Which documents: a logical artifact, a file name or a glob; `output` if left out in diagnosis.",
    )


class PresenceRule(_DocumentRule):
    """A document is there (`artifact_present`), or one has a JSON value (`json_valid`)."""

    match: Literal["artifact_present", "json_valid"] = Field(description="The match method.")


class JsonExistsRule(_DocumentRule):
    """The path selects a node."""

    match: Literal["json_exists"] = Field(description="The match method.")
    path: JsonPath = Field(description="JSON path of the nodes.")


class JsonListRule(_DocumentRule):
    """A selected node is a list with at least one element."""

    match: Literal["json_list_nonempty"] = Field(description="The match method.")
    path: JsonPath = Field(default="$", description="JSON path of the lists.")


class JsonRecordRule(_DocumentRule):
    """One selected node satisfies all conditions."""

    match: Literal["json_record_any"] = Field(description="The match method.")
    path: JsonPath = Field(description="JSON path of the records.")
    where: list[Condition] = Field(min_length=1, description="Conditions that one record satisfies together.")


class JsonCountRule(_DocumentRule):
    """The number of selected nodes in all selected documents together satisfies the comparison."""

    match: Literal["json_count"] = Field(description="The match method.")
    path: JsonPath = Field(description="JSON path of the nodes that are counted.")
    where: list[Condition] = Field(default=[], description="Count only the nodes that satisfy all of these.")
    equals: Annotated[CountOperand | None, Given] = Field(default=None, description="The count is this number.")
    not_equals: Annotated[CountOperand | None, Given] = Field(default=None, description="The count is another number.")
    in_: Annotated[list[CountOperand] | None, Given] = Field(
        default=None, alias="in", description="The count is one of these."
    )
    not_in: Annotated[list[CountOperand] | None, Given] = Field(default=None, description="The count is none of these.")
    gt: Annotated[CountOperand | None, Given] = Field(
        default=None, description="The count is greater than this number."
    )
    ge: Annotated[CountOperand | None, Given] = Field(default=None, description="The count is at least this number.")
    lt: Annotated[CountOperand | None, Given] = Field(default=None, description="The count is less than this number.")
    le: Annotated[CountOperand | None, Given] = Field(default=None, description="The count is at most this number.")

    @model_validator(mode="after")
    def _one_comparison(self) -> JsonCountRule:
        _check_comparisons(self, "equals, not_equals, in, not_in, gt, ge, lt, le")
        return self


class JsonValueRule(_NodeComparison, _DocumentRule):
    """A selected scalar node satisfies the comparison."""

    match: Literal["json_value"] = Field(description="The match method.")


class _Keywords(Model):
    """Keywords, written here or taken from concepts."""

    keywords: list[Keyword] = Field(
        default=[], description="Texts to look for, literally; see the language's normalisation."
    )
    concepts: list[Text] = Field(
        default=[], description="Names of a pack's concepts; each of their regexes counts as one more keyword."
    )

    @model_validator(mode="after")
    def _something(self) -> _Keywords:
        if not self.keywords and not self.concepts:
            raise refused("missing_key", "`keywords` or `concepts` must name at least one")
        return self


class _Patterns(Model):
    """Regexes, written here or taken from concepts."""

    patterns: list[Pattern] = Field(default=[], description="Regexes of Rust's `regex` crate.")
    concepts: list[Text] = Field(default=[], description="Names of a pack's concepts, whose regexes are added.")

    @model_validator(mode="after")
    def _something(self) -> _Patterns:
        if not self.patterns and not self.concepts:
            raise refused("missing_key", "`patterns` or `concepts` must name at least one")
        return self


class JsonTextRule(_Keywords, _DocumentRule):
    """A keyword occurs in the text of a selected node."""

    match: Literal["json_text_contains_any"] = Field(description="The match method.")
    path: JsonPath = Field(default="$", description="JSON path of the nodes.")


class _Section(Model):
    """Restriction to Markdown sections."""

    section: Annotated[Pattern | None, Given] = Field(
        default=None, description="Only sections whose heading or label matches this regex are read."
    )
    section_or_all: bool = Field(default=False, description="Without such a section the whole text is read.")


class _Within(Model):
    """Restriction to the case's time window."""

    within: Annotated[Literal["window", "before_window"] | None, Given] = Field(
        default=None, description="Only what carries a time in the case's window, or before it, is read."
    )
    margin: Annotated[Duration | None, Given] = Field(
        default=None, description="Widens the window (or narrows what is before it), as `<n>h<n>m<n>s`."
    )


class _IgnoreUnread(Model):
    """What `_none` methods add."""

    ignore_unread: bool = Field(
        default=False, description="Selected documents without a readable text do not make it false."
    )


class _KeywordRule(_Keywords, _Section, _Within, _DocumentRule):
    whole_word: bool = Field(default=False, description="No letter, digit or `_` stands before or behind the keyword.")


class KeywordRule(_KeywordRule):
    """A keyword, or each keyword, occurs in the selected documents taken together."""

    match: Literal["keyword_any", "keyword_all"] = Field(description="The match method.")


class KeywordNoneRule(_KeywordRule, _IgnoreUnread):
    """No keyword occurs in the selected documents."""

    match: Literal["keyword_none"] = Field(description="The match method.")


class _RegexRule(_Patterns, _Section, _Within, _DocumentRule):
    case_sensitive: bool = Field(default=False, description="Upper and lower case differ.")


class RegexRule(_RegexRule):
    """A pattern is found in some selected document."""

    match: Literal["regex_any"] = Field(description="The match method.")


class RegexNoneRule(_RegexRule, _IgnoreUnread):
    """No pattern is found in any selected document."""

    match: Literal["regex_none"] = Field(description="The match method.")


class _AssertionRule(_Patterns, _Section, _DocumentRule):
    negated_finding: bool = Field(
        default=False, description="The finding is itself a negation (`the query did not exit`)."
    )


class _Unless(Model):
    unless: list[Pattern] = Field(
        default=[], description="A clause in which one of these regexes is found does not count."
    )


class AssertionRule(_AssertionRule, _Unless):
    """A pattern is asserted, or claimed as a conclusion."""

    match: Literal["asserted_any", "claimed_any"] = Field(description="The match method.")


class AssertionNoneRule(_AssertionRule, _Unless, _IgnoreUnread):
    """No pattern is asserted, or claimed as a conclusion."""

    match: Literal["asserted_none", "claimed_none"] = Field(description="The match method.")


class DenialRule(_AssertionRule):
    """A pattern is denied."""

    match: Literal["denied_any"] = Field(description="The match method.")


class _SeriesRule(_Within, _DocumentRule):
    series: Annotated[SeriesName | None, Given] = Field(
        default=None,
        description="Glob on the series' name (`*`, `?`, case counts), or `/regex/`; all series where it is left out.",
    )
    labels: dict[Text, str] = Field(default={}, description="Labels that the series has, with exactly these values.")
    path: JsonPath = Field(default="$", description="Only series at or below these nodes.")


class SeriesPresentRule(_SeriesRule):
    """Some series has at least `min_points` points."""

    match: Literal["numeric_series_present"] = Field(description="The match method.")
    min_points: Positive = Field(default=1, description="Points that a series needs.")


class SeriesAnyRule(_SeriesRule):
    """Some series has points, or another number (`of`), beyond the threshold."""

    match: Literal[
        "numeric_series_any_gt", "numeric_series_any_ge", "numeric_series_any_lt", "numeric_series_any_le"
    ] = Field(description="The match method.")
    threshold: Number = Field(description="A finite number.")
    min_points: Positive = Field(
        default=1, description="Points that must be beyond it; with another `of`, that a series needs."
    )
    consecutive: bool = Field(default=False, description="The points stand in a row in time order.")
    of: Literal["value", "increase", "changes", "ratio"] = Field(
        default="value",
        description="What is compared: values, the sum of positive steps, the number of changes, largest ÷ median.",
    )


class SeriesAllRule(_SeriesRule):
    """There is a series with enough points, and each such series has all its points beyond the threshold."""

    match: Literal[
        "numeric_series_all_gt", "numeric_series_all_ge", "numeric_series_all_lt", "numeric_series_all_le"
    ] = Field(description="The match method.")
    threshold: Number = Field(description="A finite number.")
    min_points: Positive = Field(default=1, description="Points that a series needs to be looked at.")


class SpreadRule(_SeriesRule):
    """Of at least two series one stands out from the others."""

    match: Literal["numeric_spread_gt"] = Field(description="The match method.")
    threshold: Number = Field(description="A finite number.")
    by: Literal["max_over_median", "max_minus_min"] = Field(
        description="Which number of the series' means is compared."
    )


DOCUMENT_RULES: Final[tuple[type[Model], ...]] = (
    PresenceRule,
    JsonExistsRule,
    JsonListRule,
    JsonRecordRule,
    JsonCountRule,
    JsonTextRule,
    JsonValueRule,
    SeriesPresentRule,
    SeriesAnyRule,
    SeriesAllRule,
    SpreadRule,
    KeywordRule,
    KeywordNoneRule,
    RegexRule,
    RegexNoneRule,
    AssertionRule,
    AssertionNoneRule,
    DenialRule,
)
RULES: Final[tuple[type[Model], ...]] = (FactRule, *DOCUMENT_RULES)
METHOD_MODELS: Final[dict[str, type[Model]]] = {
    method: model for model in DOCUMENT_RULES for method in get_args(model.model_fields["match"].annotation)
}
"""Method -> its parameters."""
PARAMETERS: Final = frozenset(
    field.alias or name
    for model in RULES
    for name, field in model.model_fields.items()
    if name not in ("match", "fact")
)
"""Keys of rules other than `match` and `fact`."""
