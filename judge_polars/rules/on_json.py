"""JSON rules, and whether a document is there at all (specification 40, "Document rules").

The nodes that paths select were kept while the documents were parsed (`tables.NODES`); rules are joined to them by
document and path, so that equal paths of many rules and cases are one.  Equal values are compared once, however many
nodes have them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from judge_polars.plan import NodeRequest, request_of
from judge_polars.rulebook import Comparison, DocumentRule
from judge_polars.rules.comparison import INTEGER, TEXT, satisfied
from judge_polars.rules.searching import Search, find, keyword_search, regex_search
from judge_polars.shard import Shard
from judge_polars.tables import RULE_RESULTS
from judge_polars.text_forms import json_keyword, normalise_keyword, regex_forms
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

_ON_PATHS: Final = ("json_exists", "json_list_nonempty", "json_record_any", "json_text_contains_any", "json_value")
"""Methods that say `path_selects_nothing`; `json_count` counts nothing as 0."""
METHODS: Final = ("artifact_present", "json_valid", "json_count", *_ON_PATHS)

_KEY: Final = ["run", "rule"]
_VALUE: Final = ["kind", "boolean", "integer", "number", "string"]
_NOT_PLAIN: Final = r"[^\x00-\x7f]|\r|\x1b"

Rules = Mapping[int, DocumentRule]


def evaluate(asked: pl.DataFrame, selected: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard) -> pl.DataFrame:
    """Codes of JSON rules: `tables.RULE_RESULTS`, one row per row of `asked`."""
    if asked.is_empty():
        return RULE_RESULTS.empty()
    chosen = {index: rules[index] for index in asked["rule"].unique().sort()}
    documents = selected.with_columns(_of_documents(shard, selected, "has_json", "text", "plain"))
    with_json = documents.filter("has_json")
    selecting = _selecting(with_json, chosen, shard)
    true = pl.concat(
        [
            _present(documents, chosen),
            with_json.filter(_is(chosen, "json_valid")).select(_KEY),
            selecting.filter(_is(chosen, "json_exists")).select(_KEY),
            selecting.filter(_is(chosen, "json_list_nonempty") & pl.col("some_list")).select(_KEY),
            _values(selecting, chosen, shard),
            _records(with_json, selecting, chosen, shard),
            _texts(with_json, selecting, chosen, shard),
        ]
    ).unique()
    return _codes(asked, documents, selecting, true, chosen)


def _is(rules: Rules, *methods: str) -> pl.Expr:
    """Whether a row's rule is of one of the methods."""
    return pl.col("rule").is_in(_numbers([index for index, rule in rules.items() if rule.method in methods]))


def _of_documents(shard: Shard, selected: pl.DataFrame, *columns: str) -> list[pl.Series]:
    return [shard.documents[column].gather(selected["doc"]) for column in columns]


def _numbers(values: Sequence[int]) -> pl.Series:
    return pl.Series(values, dtype=pl.UInt32).implode()


def _codes(
    asked: pl.DataFrame, documents: pl.DataFrame, selecting: pl.DataFrame, true: pl.DataFrame, rules: Rules
) -> pl.DataFrame:
    """`tables.RULE_RESULTS`: true, or the first reason that fits; without a document nothing is true."""
    there = documents.group_by(_KEY).agg(json=pl.col("has_json").sum())
    some = selecting.select(_KEY).unique().with_columns(selecting=pl.lit(value=True))
    table = (
        asked.join(true.with_columns(true=pl.lit(value=True)), on=_KEY, how="left", maintain_order="left")
        .join(there, on=_KEY, how="left", maintain_order="left")
        .join(some, on=_KEY, how="left", maintain_order="left")
    )
    presence = [index for index, rule in rules.items() if rule.method == "artifact_present"]
    on_paths = [index for index, rule in rules.items() if rule.method in _ON_PATHS and rule.path != "$"]
    missing = pl.col("json").is_null() | pl.col("rule").is_in(_numbers(presence))
    nothing = pl.col("selecting").is_null() & pl.col("rule").is_in(_numbers(on_paths))
    code = (
        pl.when("true")
        .then(TRUE_CODE)
        .when(missing)
        .then(REASON_CODES["artifact_missing"])
        .when(pl.col("json") == 0)
        .then(REASON_CODES["no_json_value"])
        .when(nothing)
        .then(REASON_CODES["path_selects_nothing"])
        .otherwise(REASON_CODES["not_matched"])
    )
    return RULE_RESULTS.check(table.select(*_KEY, code=code.cast(pl.UInt8)))


def _present(documents: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """`artifact_present`: a document is selected; as the output one that holds more than white space."""
    of_output = [index for index, rule in rules.items() if rule.selector.artifact == "output_text"]
    blank_output = pl.col("rule").is_in(_numbers(of_output)) & pl.col("text").is_null()
    return documents.filter(_is(rules, "artifact_present") & ~blank_output).select(_KEY)


def _request(rule: DocumentRule) -> NodeRequest | None:
    """The nodes that a rule reads; those of a text rule at `$` are kept only where the text is not the document's."""
    at_whole = rule.method == "json_text_contains_any" and rule.path == "$"
    return NodeRequest("$", text=True) if at_whole else request_of(rule)


def _requests(rules: Rules, shard: Shard) -> pl.DataFrame:
    """`rule`, `path`: the rules that read nodes and the indexes of their requests in the plan."""
    requests = ((index, _request(rule)) for index, rule in rules.items())
    known = shard.plan.request_index
    rows = [(index, known[request]) for index, request in requests if request is not None and request in known]
    return pl.DataFrame(rows, schema={"rule": pl.UInt32, "path": pl.UInt32}, orient="row")


def _selecting(with_json: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """Documents in which a rule's path selects something.

    Columns: `run`, `rule`, `doc`, `path`, `count` of the nodes (of a rule with `where`: 1), and whether there is
    `some_list` with an element among them.
    """
    wanted = with_json.select(*_KEY, "doc").join(_requests(rules, shard), on="rule", how="inner")
    tally = (
        shard.nodes.filter(pl.col("condition").is_null())
        .group_by("doc", "path")
        .agg(count=pl.len(), some_list=(pl.col("length") > 0).any())
    )
    return wanted.join(tally, on=["doc", "path"], how="inner")


def _satisfying(nodes: pl.DataFrame, wanted: pl.DataFrame, comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """`doc`, `key`, `record`, `comparison` of the nodes that satisfy comparisons.

    Args:
        nodes: `key` and `tables.NODES`.
        wanted: `key`, `comparison` (index into `comparisons`): what nodes are compared with.
    """
    asked = nodes.join(wanted, on="key", how="semi").select("doc", "key", "record", *_VALUE)
    equal = asked.with_row_index("at").group_by("key", *_VALUE).agg("at")
    compared = equal.join(wanted, on="key", how="inner")
    true = compared.filter(satisfied(compared, comparisons)).select("comparison", "at").explode("at")
    return asked.select("doc", "key", "record")[true["at"]].with_columns(true["comparison"])


def _values(selecting: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`json_value`: a selected scalar satisfies the comparison."""
    comparisons = {
        index: rule.comparison
        for index, rule in rules.items()
        if rule.method == "json_value" and rule.comparison is not None
    }
    distinct = {comparison: number for number, comparison in enumerate(dict.fromkeys(comparisons.values()))}
    of_rules = pl.DataFrame(
        [(index, distinct[comparison]) for index, comparison in comparisons.items()],
        schema={"rule": pl.UInt32, "comparison": pl.UInt32},
        orient="row",
    )
    wanted = selecting.join(of_rules, on="rule", how="inner").rename({"path": "key"})
    nodes = shard.nodes.filter(pl.col("condition").is_null()).rename({"path": "key"})
    true = _satisfying(nodes, wanted.select("key", "comparison").unique(), list(distinct))
    return wanted.join(true, on=["doc", "key", "comparison"], how="semi").select(_KEY)


def _position(rules: Mapping[int, object]) -> pl.Expr:
    """The ordinal of the column `rule` among the keys."""
    return pl.col("rule").replace_strict({index: at for at, index in enumerate(rules)}, return_dtype=pl.UInt32)


def _records(with_json: pl.DataFrame, selecting: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`json_record_any` and `json_count`: nodes, with `where` only those that satisfy all conditions."""
    of_records = [index for index, rule in rules.items() if rule.method in ("json_record_any", "json_count")]
    plain = [index for index in of_records if not rules[index].where]
    fitting = pl.concat(
        [
            selecting.filter(pl.col("rule").is_in(_numbers(plain))).select(*_KEY, "count"),
            _fitting_records(selecting, rules, shard),
        ]
    )
    counts = (
        with_json.filter(pl.col("rule").is_in(_numbers(of_records)))
        .select(_KEY)
        .unique()
        .join(fitting.group_by(_KEY).agg(integer=pl.col("count").sum()), on=_KEY, how="left")
        .with_columns(pl.col("integer").fill_null(0).cast(pl.Int128))
    )
    some = counts.filter(_is(rules, "json_record_any") & (pl.col("integer") > 0)).select(_KEY)
    return pl.concat([some, _right_counts(counts.filter(_is(rules, "json_count")), rules)])


def _right_counts(counts: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """`json_count`: the number of nodes of all selected documents together satisfies the comparison."""
    comparisons = {
        index: rule.comparison
        for index, rule in rules.items()
        if rule.method == "json_count" and rule.comparison is not None
    }
    values = counts.with_columns(
        comparison=_position(comparisons),
        kind=pl.lit(INTEGER, pl.UInt8),
        boolean=pl.lit(None, pl.Boolean),
        number=pl.col("integer").cast(pl.Float64),
        string=pl.lit(None, pl.String),
    )
    return values.filter(satisfied(values, list(comparisons.values()))).select(_KEY)


def _fitting_records(selecting: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`run`, `rule`, `count` of the selected nodes that satisfy all conditions of `where`.

    Only documents that have something for every condition of a rule are looked at record by record.
    """
    conditions, comparisons, keys = _conditions(rules, shard)
    below = shard.nodes.filter(pl.col("condition").is_not_null()).join(keys, on=["path", "condition"], how="inner")
    true = _satisfying(below, conditions.select("key", "comparison").unique(), comparisons)
    pairs = selecting.select(*_KEY, "doc").join(conditions.select("rule").unique(), on="rule", how="semi")
    pairs = pairs.with_row_index("pair")
    wanted = pairs.select("pair", "rule", "doc").join(conditions, on="rule", how="inner")
    there = wanted.join(true.select("doc", "key", "comparison").unique(), on=["doc", "key", "comparison"], how="semi")
    there = there.filter(pl.len().over("pair") == pl.col("conditions"))
    held = there.join(true, on=["doc", "key", "comparison"], how="inner").unique(["pair", "record", "ordinal"])
    tally = held.group_by("pair", "record").agg(pl.len(), pl.col("conditions").first())
    fitting = tally.filter(pl.col("len") == pl.col("conditions")).group_by("pair").agg(count=pl.len())
    return fitting.join(pairs, on="pair", how="inner").select(*_KEY, "count")


def _conditions(rules: Rules, shard: Shard) -> tuple[pl.DataFrame, list[Comparison], pl.DataFrame]:
    """The comparisons of `where`, and which nodes they are about.

    A `key` stands for the nodes at a path below records of a path, whichever request they were kept for.

    Returns:
        `rule`, `key`, `ordinal` within the rule, `comparison` (index into the list), number of the rule's `conditions`;
        the distinct comparisons; `path` and `condition` as in `tables.NODES`, and `key`.
    """
    keys: dict[tuple[str, str], int] = {}
    of_nodes = [
        (index, at, keys.setdefault((request.path, below), len(keys)))
        for index, request in enumerate(shard.plan.requests)
        for at, below in enumerate(request.where)
    ]
    comparisons: dict[Comparison, int] = {}
    rows = [
        (
            index,
            keys[rule.path, condition.path],
            ordinal,
            comparisons.setdefault(condition.comparison, len(comparisons)),
            len(rule.where),
        )
        for index, rule in rules.items()
        if rule.where and request_of(rule) in shard.plan.request_index
        for ordinal, condition in enumerate(rule.where)
    ]
    names = ("rule", "key", "ordinal", "comparison", "conditions")
    places = ("path", "condition", "key")
    return (
        pl.DataFrame(rows, schema=dict.fromkeys(names, pl.UInt32), orient="row"),
        list(comparisons),
        pl.DataFrame(of_nodes, schema=dict.fromkeys(places, pl.UInt32), orient="row"),
    )


def _texts(with_json: pl.DataFrame, selecting: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`json_text_contains_any`: a keyword occurs in the text of a selected node.

    A text at `$` that was not kept is the document's own.
    """
    items, searches = _searches(rules)
    if items.is_empty():
        return with_json.clear().select(_KEY)
    kept = selecting.filter(_is(rules, "json_text_contains_any")).join(
        shard.nodes.filter(pl.col("text").is_not_null()), on=["doc", "path"], how="inner"
    )
    whole = [index for index, rule in rules.items() if rule.method == "json_text_contains_any" and rule.path == "$"]
    own = with_json.filter(pl.col("rule").is_in(_numbers(whole)) & pl.col("text").is_not_null())
    own = own.join(kept, on=[*_KEY, "doc"], how="anti")
    in_json = (shard.documents["kind"] != "text").gather(own["doc"])
    nowhere = pl.lit(None, pl.UInt32)
    read = pl.concat(
        [
            kept.select(
                *_KEY,
                "doc",
                "path",
                "record",
                "text",
                plain=~pl.col("text").str.contains(_NOT_PLAIN),
                in_json=pl.col("kind") != TEXT,
            ),
            own.select(*_KEY, "doc", nowhere.alias("path"), nowhere.alias("record"), "text", "plain", in_json=in_json),
        ]
    )
    return _with_keywords(read, items, searches)


def _with_keywords(read: pl.DataFrame, items: pl.DataFrame, searches: Sequence[Search]) -> pl.DataFrame:
    """`run`, `rule` of those of which a keyword or pattern is found in a text; each distinct search is made once."""
    node = ["doc", "path", "record"]
    units = read.select(*node, "text", "plain").unique(node, keep="any").with_row_index("unit")
    reader = pl.col("rule").cast(pl.UInt64) * 2 + pl.col("in_json")
    readers = read.join(units.select("unit", *node), on=node, how="inner", nulls_equal=True)
    readers = readers.select(*_KEY, "unit", reader=reader)
    wanted = items.select("search", reader=reader)
    forms = regex_forms(units.select("text", "plain", doc="unit"))
    found = find(forms, readers.select("unit", "reader"), wanted, searches)
    return found.join(readers, on="unit", how="inner").join(wanted, on=["reader", "search"], how="semi").select(_KEY)


def _searches(rules: Rules) -> tuple[pl.DataFrame, list[Search]]:
    """What text rules look for: `rule`, `in_json`, `search` (index into the list)."""
    numbers: dict[Search, int] = {}
    rows: list[tuple[int, bool, int]] = []
    for index, rule in rules.items():
        if rule.method != "json_text_contains_any":
            continue
        for in_json in (False, True):
            keywords = (json_keyword(text) if in_json else text for text in map(normalise_keyword, rule.keywords))
            found = [*map(keyword_search, keywords), *map(regex_search, rule.patterns)]
            rows += [(index, in_json, numbers.setdefault(search, len(numbers))) for search in dict.fromkeys(found)]
    schema = {"rule": pl.UInt32, "in_json": pl.Boolean, "search": pl.UInt32}
    return pl.DataFrame(rows, schema=schema, orient="row"), list(numbers)
