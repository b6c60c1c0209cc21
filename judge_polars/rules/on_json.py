"""JSON rules, and whether a document is there at all (specification 40, "Document rules").

The nodes that paths select were kept while the documents were parsed (`tables.NODES`); rules are joined to them by
document and path, so that equal paths of many rules and cases are one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from judge_polars.plan import NodeRequest, request_of
from judge_polars.rulebook import Comparison, DocumentRule
from judge_polars.rules.comparison import INTEGER, LIST, TEXT, satisfied
from judge_polars.shard import Shard
from judge_polars.tables import RULE_RESULTS
from judge_polars.text_forms import json_keyword, keyword_regex, normalise_keyword, regex_forms
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

_ON_PATHS: Final = ("json_exists", "json_list_nonempty", "json_record_any", "json_text_contains_any", "json_value")
"""Methods that say `path_selects_nothing`; `json_count` counts nothing as 0."""
METHODS: Final = ("artifact_present", "json_valid", "json_count", *_ON_PATHS)

_KEY: Final = ["run", "rule"]
_NOT_PLAIN: Final = r"[^\x00-\x7f]|\r|\x1b"

Rules = Mapping[int, DocumentRule]


def evaluate(asked: pl.DataFrame, selected: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard) -> pl.DataFrame:
    """Codes of JSON rules: `tables.RULE_RESULTS`, one row per row of `asked`."""
    if asked.is_empty():
        return RULE_RESULTS.empty()
    chosen = {index: rules[index] for index in asked["rule"].unique().sort()}
    documents = selected.with_columns(
        _of_documents(shard, selected, "has_json", "text", "plain"),
        in_json=(shard.documents["kind"] != "text").gather(selected["doc"]),
        method=pl.col("rule").replace_strict({i: rule.method for i, rule in chosen.items()}, return_dtype=pl.String),
    )
    with_json = documents.filter("has_json")
    nodes = _selected_nodes(with_json, chosen, shard)
    true = pl.concat(
        [
            _present(documents, chosen),
            with_json.filter(pl.col("method") == "json_valid").select(_KEY),
            nodes.filter(pl.col("method") == "json_exists").select(_KEY),
            nodes.filter(
                (pl.col("method") == "json_list_nonempty") & (pl.col("kind") == LIST) & (pl.col("length") > 0)
            ).select(_KEY),
            _values(nodes, chosen),
            _records(with_json, nodes, chosen, shard),
            _texts(with_json, nodes, chosen),
        ]
    ).unique()
    return _codes(asked, documents, nodes, true, chosen)


def _of_documents(shard: Shard, selected: pl.DataFrame, *columns: str) -> list[pl.Series]:
    return [shard.documents[column].gather(selected["doc"]) for column in columns]


def _numbers(values: Sequence[int]) -> pl.Series:
    return pl.Series(values, dtype=pl.UInt32).implode()


def _codes(
    asked: pl.DataFrame, documents: pl.DataFrame, nodes: pl.DataFrame, true: pl.DataFrame, rules: Rules
) -> pl.DataFrame:
    """`tables.RULE_RESULTS`: true, or the first reason that fits; without a document nothing is true."""
    there = documents.group_by(_KEY).agg(json=pl.col("has_json").sum())
    selecting = nodes.select(_KEY).unique().with_columns(selecting=pl.lit(value=True))
    table = (
        asked.join(true.with_columns(true=pl.lit(value=True)), on=_KEY, how="left", maintain_order="left")
        .join(there, on=_KEY, how="left", maintain_order="left")
        .join(selecting, on=_KEY, how="left", maintain_order="left")
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
    return documents.filter((pl.col("method") == "artifact_present") & ~blank_output).select(_KEY)


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


def _selected_nodes(with_json: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`run`, `rule`, `method`, `path` and `tables.NODES` of every node that a rule's path selects."""
    of_paths = shard.nodes.filter(pl.col("condition").is_null()).drop("condition")
    wanted = with_json.select(*_KEY, "doc", "method").join(_requests(rules, shard), on="rule", how="inner")
    return wanted.join(of_paths, on=["doc", "path"], how="inner")


def _values(nodes: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """`json_value`: a selected scalar satisfies the comparison."""
    comparisons = {
        index: rule.comparison
        for index, rule in rules.items()
        if rule.method == "json_value" and rule.comparison is not None
    }
    values = nodes.filter(pl.col("method") == "json_value").with_columns(comparison=_position(comparisons))
    return values.filter(satisfied(values, list(comparisons.values()))).select(_KEY)


def _position(rules: Mapping[int, object]) -> pl.Expr:
    """The ordinal of the column `rule` among the keys."""
    return pl.col("rule").replace_strict({index: at for at, index in enumerate(rules)}, return_dtype=pl.UInt32)


def _records(with_json: pl.DataFrame, nodes: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`json_record_any` and `json_count`: nodes, with `where` only those that satisfy all conditions."""
    of_records = [index for index, rule in rules.items() if rule.method in ("json_record_any", "json_count")]
    plain = [index for index in of_records if not rules[index].where]
    fitting = pl.concat(
        [
            nodes.filter(pl.col("rule").is_in(_numbers(plain))).select(_KEY),
            _fitting_records(with_json, rules, shard),
        ]
    )
    counts = (
        with_json.filter(pl.col("rule").is_in(_numbers(of_records)))
        .select(*_KEY, "method")
        .unique()
        .join(fitting.group_by(_KEY).agg(integer=pl.len()), on=_KEY, how="left")
        .with_columns(pl.col("integer").fill_null(0).cast(pl.Int128))
    )
    some = counts.filter((pl.col("method") == "json_record_any") & (pl.col("integer") > 0)).select(_KEY)
    return pl.concat([some, _right_counts(counts.filter(pl.col("method") == "json_count"), rules)])


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


def _fitting_records(with_json: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`run`, `rule` of every selected node that satisfies all conditions of `where`, once per node."""
    conditions, comparisons = _conditions(rules, shard)
    below = shard.nodes.filter(pl.col("condition").is_not_null()).drop("text", "length")
    pairs = with_json.select(*_KEY, "doc").with_row_index("pair")
    values = (
        pairs.select("pair", "rule", "doc")
        .join(conditions, on="rule", how="inner")
        .drop("rule")
        .join(below, on=["doc", "path", "condition"], how="inner")
    )
    fitting = values.filter(satisfied(values, comparisons))
    record = pl.col("pair").cast(pl.UInt64) * 2**32 + pl.col("record")
    tally = fitting.group_by(record=record).agg(pl.col("ordinal").n_unique(), pl.col("conditions").first())
    satisfying = tally.filter(pl.col("ordinal") == pl.col("conditions"))["record"]
    return pairs.select(_KEY)[satisfying // 2**32]


def _conditions(rules: Rules, shard: Shard) -> tuple[pl.DataFrame, list[Comparison]]:
    """The comparisons of `where`, and which nodes they are about.

    Columns: `rule`, `path` and `condition` as in `tables.NODES`, `ordinal` within the rule, `comparison` (index into
    the list), and the number of the rule's `conditions`.
    """
    comparisons: list[Comparison] = []
    rows = []
    for index, rule in rules.items():
        request = _request(rule) if rule.where else None
        if request is None or request not in shard.plan.request_index:
            continue
        path = shard.plan.request_index[request]
        for ordinal, condition in enumerate(rule.where):
            at = request.where.index(condition.path)
            rows.append((index, path, at, ordinal, len(comparisons), len(rule.where)))
            comparisons.append(condition.comparison)
    names = ("rule", "path", "condition", "ordinal", "comparison", "conditions")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.UInt32), orient="row"), comparisons


def _texts(with_json: pl.DataFrame, nodes: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """`json_text_contains_any`: a keyword occurs in the text of a selected node.

    A text at `$` that was not kept is the document's own.
    """
    method = pl.col("method") == "json_text_contains_any"
    kept = nodes.filter(method & pl.col("text").is_not_null())
    whole = [index for index, rule in rules.items() if rule.path == "$"]
    own = with_json.filter(method & pl.col("rule").is_in(_numbers(whole)) & pl.col("text").is_not_null())
    own = own.join(kept, on=[*_KEY, "doc"], how="anti")
    units = pl.concat(
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
            own.select(
                *_KEY,
                "doc",
                pl.lit(None, pl.UInt32).alias("path"),
                pl.lit(None, pl.UInt32).alias("record"),
                "text",
                "plain",
                "in_json",
            ),
        ]
    )
    return _with_keywords(units, rules)


def _with_keywords(read: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """`run`, `rule` of those of which a keyword or pattern is found in a text; each distinct search is made once."""
    searches = _searches(rules)
    if read.is_empty() or searches.is_empty():
        return read.clear().select(_KEY)
    node = ["doc", "path", "record"]
    units = read.select(*node, "text", "plain").unique(node, keep="any").with_row_index("unit")
    pairs = read.join(units.select("unit", *node), on=node, how="inner", nulls_equal=True)
    pairs = pairs.select(*_KEY, "unit", "in_json").join(searches, on=["rule", "in_json"], how="inner")
    distinct = pairs.select("unit", "lower", "literal", "wanted").unique().sort("wanted")
    forms = regex_forms(units.select("text", "plain", doc="unit")).rename({"doc": "unit"})
    lowered = forms.with_columns(pl.col("text").str.to_lowercase())
    found = []
    for lower, literal in ((True, True), (True, False), (False, False)):
        part = distinct.filter((pl.col("lower") == lower) & (pl.col("literal") == literal))
        texts = part.join(lowered if lower else forms, on="unit", how="inner", maintain_order="left")
        found.append(texts.filter(pl.col("text").str.contains(pl.col("wanted"), literal=literal)).drop("text"))
    key = ["unit", "lower", "literal", "wanted"]
    return pairs.join(pl.concat(found), on=key, how="semi").select(_KEY)


def _searches(rules: Rules) -> pl.DataFrame:
    """What text rules look for: `rule`, `in_json`, `lower`, `literal`, `wanted`.

    A keyword with white space is a regex that finds it across runs of white space; patterns come from concepts.
    """
    rows: list[tuple[int, bool, bool, bool, str]] = []
    for index, rule in rules.items():
        if rule.method != "json_text_contains_any":
            continue
        for in_json in (False, True):
            for keyword in dict.fromkeys(map(normalise_keyword, rule.keywords)):
                text = json_keyword(keyword) if in_json else keyword
                literal = " " not in text
                wanted = text if literal else keyword_regex(text, whole_word=False)
                rows.append((index, in_json, True, literal, wanted))
            rows += [(index, in_json, False, False, f"(?im){pattern}") for pattern in rule.patterns]
    schema = {"rule": pl.UInt32, "in_json": pl.Boolean, "lower": pl.Boolean, "literal": pl.Boolean, "wanted": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")
