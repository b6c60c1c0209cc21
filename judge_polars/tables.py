"""Every table once: name, grain, columns with their meaning.

From a declaration come the Polars schema (`TABLE.schema`), an empty frame (`TABLE.empty()`), the check that a stage ends
with (`TABLE.check(frame)`), and, for published tables, the DuckDB DDL and comments (`history/bridge.py`) and the reference in
`docs/`.  Two groups:

- `SHARD_TABLES` live inside one shard of case runs while it is judged; their keys are small integers that count from 0
  within the shard (`run`, `bundle`, `doc`, `series`), so that a key is also a row number.
- `PUBLISHED_TABLES` are what the SQL views read and people query; their keys are ids that mean something outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from judge_polars.errors import JudgePolarsError

TIMESTAMP: Final = pl.Datetime("us", "UTC")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, Polars type and meaning."""

    name: str
    dtype: pl.DataType
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """A declared table; `grain` says what one row is."""

    name: str
    grain: str
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pl.Schema:
        """Column name -> Polars type, in order."""
        return pl.Schema({column.name: column.dtype for column in self.columns})

    def empty(self) -> pl.DataFrame:
        """A frame of this schema without rows."""
        return pl.DataFrame(schema=self.schema)

    def frame(self, data: dict[str, list[object]]) -> pl.DataFrame:
        """A frame of this schema from Python lists, columns in declared order."""
        return pl.DataFrame(data, schema=self.schema, strict=False)

    def check(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame itself, its columns in declared order; raises `JudgePolarsError` when it is not of this table."""
        wanted, found = self.schema, frame.schema
        if set(wanted) != set(found) or any(wanted[name] != found[name] for name in wanted):
            raise JudgePolarsError(f"table {self.name}: wanted {dict(wanted)}, found {dict(found)}")
        return frame if list(wanted) == list(found) else frame.select(list(wanted))


def _column(name: str, dtype: pl.DataType | type[pl.DataType], meaning: str) -> Column:
    return Column(name, dtype() if isinstance(dtype, type) else dtype, meaning)


def _table(name: str, grain: str, *columns: tuple[str, pl.DataType | type[pl.DataType], str]) -> Table:
    return Table(name, grain, tuple(_column(*column) for column in columns))


# Inside a shard -----------------------------------------------------------------------------------------------------

RUN = ("run", pl.UInt32, "case run, counted from 0 within the shard")
DOC = ("doc", pl.UInt32, "document, counted from 0 within the shard")

FOUND_RUNS = _table(
    "found_runs",
    "case run directory found on disk, judged or not",
    ("case_run_id", pl.String, "<eval_run_id>/<case_id>/<trial>"),
    ("eval_run_id", pl.String, "from the path"),
    ("case_id", pl.String, "from the path"),
    ("trial", pl.Int64, "counted from 1"),
    ("runs_root", pl.String, "the runs root that it was found under, as given"),
    ("directory", pl.String, "the case run's directory, relative to the runs root"),
    ("recorded_case_version", pl.Int64, "case_version of case_run.json"),
    ("workspace_id", pl.String, "of case_run.json"),
    ("status", pl.String, "of case_run.json"),
    ("stop_reason", pl.String, "of case_run.json"),
    ("started_at", TIMESTAMP, "of case_run.json"),
    ("finished_at", TIMESTAMP, "of case_run.json"),
    ("agent_name", pl.String, "of case_run.json, else of eval_run.json"),
    ("agent_version", pl.String, "likewise"),
    ("agent_model", pl.String, "likewise"),
    ("input_tokens", pl.Int64, "usage"),
    ("output_tokens", pl.Int64, "usage"),
    ("cost_usd", pl.Float64, "usage"),
    ("tool_calls", pl.Int64, "usage"),
    ("recorded", pl.Boolean, "whether case_run.json is a JSON object"),
)

SHARD_BUNDLES = _table(
    "shard_bundles",
    "distinct valid candidate of a case run (more than one only where the bundle may be ambiguous)",
    ("bundle", pl.UInt32, "counted from 0 within the shard"),
    RUN,
    ("root", pl.String, "relative to the case run's directory"),
    ("cluster_id", pl.String, "`cluster.id`"),
    ("cluster_source", pl.String, "`cluster.source`"),
    ("window_start", TIMESTAMP, "`window.start`"),
    ("window_end", TIMESTAMP, "`window.end`"),
    ("window_source", pl.String, "`window.source`"),
    ("has_logs_dir", pl.Boolean, "the logs directory holds a regular file"),
    ("patch_json_valid", pl.Boolean, "null without analysis_patch"),
    ("patch_shape_valid", pl.Boolean, "`routing.analysis_items_shape_valid`; null without valid JSON"),
)

CANDIDATES = _table(
    "candidates",
    "candidate directory of a case run, rejected ones included",
    RUN,
    ("root", pl.String, "relative to the case run's directory"),
    ("bundle", pl.UInt32, "the distinct bundle that it is or duplicates; null when rejected"),
    ("reasons", pl.List(pl.String), "issue codes of its rejection, empty when valid"),
    ("kept", pl.Boolean, "whether it is the one that stands for its bundle"),
)

DOCUMENTS = _table(
    "shard_documents",
    "document of a distinct bundle, or the output text of a case run; `doc` is the row number",
    DOC,
    RUN,
    ("bundle", pl.UInt32, "null for the output"),
    ("name", pl.String, "relative to the bundle's root, without .gz; `output` for the output"),
    ("artifact", pl.String, "canonical logical artifact of which it is the file, or null"),
    ("in_logs", pl.Boolean, "selected by `logs`"),
    ("in_evidence", pl.Boolean, "selected by `evidence`"),
    ("kind", pl.String, "json, jsonl or text, by its name; of the output text"),
    ("unread", pl.Boolean, "binary, too large, refused, unreadable"),
    ("has_json", pl.Boolean, "has a JSON value"),
    ("text", pl.String, "text for matching; null when unread or only white space"),
    ("plain", pl.Boolean, "the text is ASCII without carriage returns and escapes: already in NFKC form"),
    ("size", pl.Int64, "bytes on disk"),
    ("lines", pl.Int64, "lines of the file as it is; null when unread"),
    ("digest", pl.String, "sha256 hex of the bytes on disk; null when they could not be read"),
)

SHARD_ISSUES = _table(
    "shard_issues",
    "oddity of a case run met while reading",
    RUN,
    ("bundle", pl.UInt32, "the bundle whose document it is about, or null for the case run as a whole"),
    ("document", pl.String, "document name, candidate root, or null"),
    ("code", pl.String, "a key of `vocabulary.ISSUE_CODES`"),
    ("detail", pl.String, "what was found, for people"),
)

NODES = _table(
    "nodes",
    "JSON node that a path of the registry selects in a document",
    DOC,
    ("path", pl.UInt32, "index of the path in the extraction plan"),
    ("record", pl.UInt32, "ordinal of the node within (doc, path)"),
    (
        "condition",
        pl.UInt32,
        "index of the `where` path in the plan for a node below a record, or null for the record itself",
    ),
    ("kind", pl.UInt8, "0 null, 1 boolean, 2 integer, 3 float, 4 string, 5 list, 6 object"),
    ("boolean", pl.Boolean, "value of a boolean"),
    ("integer", pl.Int128, "value of an integer, clamped at the ends of 128 bits"),
    ("number", pl.Float64, "value of a float; of an integer the nearest double"),
    ("string", pl.String, "value of a string; digits of an integer beyond 128 bits"),
    ("length", pl.UInt32, "number of elements of a list"),
    ("text", pl.String, "text for matching, where the plan asks for it: a string's own text, else compact JSON"),
)

SERIES = _table(
    "series",
    "numeric series of a document; `series` is the row number",
    ("series", pl.UInt32, "counted from 0 within the shard"),
    DOC,
    ("name", pl.String, "specification 40, Numeric series"),
    ("labels", pl.List(pl.String), "`key` + NUL + `value`, sorted"),
    ("path", pl.String, "normalised path of the series' list, as in RFC 9535"),
    ("timed", pl.Boolean, "every point has a time"),
)

POINTS = _table(
    "points",
    "point of a series, in the order of the file (dropped points left out)",
    ("series", pl.UInt32, "the series"),
    ("ts", TIMESTAMP, "null without a time"),
    ("value", pl.Float64, "never NaN, perhaps infinite"),
)

SERIES_PATHS = _table(
    "series_paths",
    "series at or below a node that a numeric rule's path selects",
    ("series", pl.UInt32, "the series"),
    ("path", pl.UInt32, "index of the path in the extraction plan"),
)

EVIDENCE_SERIES = _table(
    "evidence_series",
    "metric series that counts as evidence (specification 30, Evidence tables)",
    ("bundle", pl.UInt32, "the bundle"),
    ("document", pl.String, "document name"),
    ("series", pl.UInt32, "row of `series`; null for a metric that the report only names"),
    ("name", pl.String, "series name"),
    ("labels", pl.List(pl.String), "as in `series`"),
)

SHARD_QUERIES = _table(
    "shard_queries",
    "id of a query entry",
    ("bundle", pl.UInt32, "the bundle"),
    ("document", pl.String, "document name"),
    ("query_id", pl.String, "an id of the entry"),
    ("digest", pl.String, "its first digest, or null"),
    ("query_text", pl.String, "its SQL text, or null"),
)

SHARD_EVENTS = _table(
    "shard_events",
    "id of an event entry",
    ("bundle", pl.UInt32, "the bundle"),
    ("document", pl.String, "document name"),
    ("event_id", pl.String, "an id of the entry"),
)

SHARD_REFS = _table(
    "shard_refs",
    "well-formed reference of an analysis patch",
    ("bundle", pl.UInt32, "the bundle"),
    ("item", pl.UInt32, "ordinal of the item, from 0"),
    ("item_id", pl.String, "its id, else its title, else null"),
    ("role", pl.String, "key or supporting"),
    ("channel", pl.String, "metric, query, log or event"),
    ("ref", pl.String, "white space around it cut"),
    ("quote", pl.String, "of a log reference, or null"),
)

ASKED = _table(
    "asked",
    "document rule to be evaluated for a case run",
    RUN,
    ("rule", pl.UInt32, "index of the distinct document rule"),
)

SELECTED = _table(
    "selected",
    "document that a rule's selector fits",
    RUN,
    ("rule", pl.UInt32, "index of the distinct document rule"),
    DOC,
)

RULE_RESULTS = _table(
    "rule_results",
    "document rule evaluated for a case run",
    RUN,
    ("rule", pl.UInt32, "index of the distinct document rule"),
    ("code", pl.UInt8, "0 true, else a value of `vocabulary.REASON_CODES`"),
)

SHARD_TABLES: Final = (
    FOUND_RUNS,
    SHARD_BUNDLES,
    CANDIDATES,
    DOCUMENTS,
    SHARD_ISSUES,
    NODES,
    SERIES,
    POINTS,
    SERIES_PATHS,
    EVIDENCE_SERIES,
    SHARD_QUERIES,
    SHARD_EVENTS,
    SHARD_REFS,
    ASKED,
    SELECTED,
    RULE_RESULTS,
)

# Published ----------------------------------------------------------------------------------------------------------

CASE_RUN_ID = ("case_run_id", pl.String, "<eval_run_id>/<case_id>/<trial>")
CASE_DIGEST = ("case_digest", pl.String, "sha256 over the merged case and judge files")

EVAL_RUNS = _table(
    "eval_runs",
    "eval run found on disk",
    ("eval_run_id", pl.String, "its directory's name"),
    ("suite_id", pl.String, "of eval_run.json, or null"),
    ("suite_version", pl.Int64, "of eval_run.json, or null"),
    ("execution_mode", pl.String, "of eval_run.json, or null"),
    ("started_at", TIMESTAMP, "of eval_run.json, or null"),
    ("finished_at", TIMESTAMP, "of eval_run.json, or null"),
    ("agent_name", pl.String, "of eval_run.json, or null"),
    ("agent_version", pl.String, "of eval_run.json, or null"),
    ("agent_model", pl.String, "of eval_run.json, or null"),
)

CASE_RUNS = _table(
    "case_runs",
    "case run found on disk; of a case that no registry knows only in a history, where no verdict and no count has it",
    CASE_RUN_ID,
    ("eval_run_id", pl.String, "from the path"),
    ("case_id", pl.String, "from the path"),
    ("trial", pl.Int64, "counted from 1"),
    ("directory", pl.String, "relative to the runs root"),
    ("recorded_case_version", pl.Int64, "case_version of case_run.json, or null"),
    ("workspace_id", pl.String, "of case_run.json"),
    ("status", pl.String, "of case_run.json"),
    ("stop_reason", pl.String, "of case_run.json"),
    ("started_at", TIMESTAMP, "of case_run.json"),
    ("finished_at", TIMESTAMP, "of case_run.json"),
    ("agent_name", pl.String, "of case_run.json, else of eval_run.json"),
    ("agent_version", pl.String, "likewise"),
    ("agent_model", pl.String, "likewise"),
    ("input_tokens", pl.Int64, "usage, or null"),
    ("output_tokens", pl.Int64, "usage, or null"),
    ("cost_usd", pl.Float64, "usage, US dollars, or null"),
    ("tool_calls", pl.Int64, "usage, or null"),
)

BUNDLES = _table(
    "bundles",
    "case run's bundle as it was resolved",
    CASE_RUN_ID,
    ("bundle_digest", pl.String, "sha256 over document names and digests, output text and record"),
    ("content_digest", pl.String, "sha256 over document names and digests and the output text"),
    ("status", pl.String, "resolved, unresolved or ambiguous"),
    ("root", pl.String, "chosen directory, relative to the case run's; null without a bundle"),
    ("candidates", pl.String, "JSON list of {root, reasons}: every candidate and why it was rejected"),
)

DOCUMENT_INDEX = _table(
    "documents",
    "document of a case run's bundle, or its output",
    CASE_RUN_ID,
    ("document", pl.String, "name relative to the bundle's root; `output`"),
    ("artifact", pl.String, "logical artifact of which it is the file, or null"),
    ("kind", pl.String, "json, jsonl or text"),
    ("size", pl.Int64, "bytes on disk"),
    ("lines", pl.Int64, "lines; null when unread"),
    ("unread", pl.Boolean, "binary, too large, refused, unreadable"),
    ("digest", pl.String, "sha256 hex of the bytes on disk"),
)

FACTS = _table(
    "facts",
    "case run, fact name; exactly one value column is filled, none when the fact is unknown",
    CASE_RUN_ID,
    ("fact", pl.String, "family.name"),
    ("type", pl.String, "boolean, number, string or timestamp"),
    ("boolean", pl.Boolean, "value of a boolean fact"),
    ("number", pl.Int64, "value of a number fact"),
    ("string", pl.String, "value of a string fact"),
    ("timestamp", TIMESTAMP, "value of a timestamp fact"),
)

METRIC_SERIES = _table(
    "metric_series",
    "metric series in a case run's evidence",
    CASE_RUN_ID,
    ("document", pl.String, "document name"),
    ("series_id", pl.Int64, "counted from 0 within the case run"),
    ("name", pl.String, "series name"),
    ("labels", pl.String, "JSON object of its labels"),
)

METRIC_POINTS = _table(
    "metric_points",
    "point of a metric series",
    CASE_RUN_ID,
    ("series_id", pl.Int64, "as in metric_series"),
    ("ts", TIMESTAMP, "null without a time"),
    ("value", pl.Float64, "never NaN"),
)

QUERY_EVIDENCE = _table(
    "query_evidence",
    "id of a query entry in a case run's evidence",
    CASE_RUN_ID,
    ("document", pl.String, "document name"),
    ("query_id", pl.String, "an id of the entry"),
    ("digest", pl.String, "its first digest, or null"),
    ("query_text", pl.String, "its SQL text, or null"),
)

EVENT_EVIDENCE = _table(
    "event_evidence",
    "id of an event entry in a case run's evidence",
    CASE_RUN_ID,
    ("document", pl.String, "document name"),
    ("event_id", pl.String, "an id of the entry"),
)

ROUTING_REFS = _table(
    "routing_refs",
    "well-formed reference of an analysis patch",
    CASE_RUN_ID,
    ("item", pl.Int64, "ordinal of the item, from 0"),
    ("item_id", pl.String, "its id, else its title, or null"),
    ("role", pl.String, "key or supporting"),
    ("channel", pl.String, "metric, query, log or event"),
    ("ref", pl.String, "the reference"),
    ("resolved", pl.Boolean, "whether it points at something that is there"),
    ("verified", pl.Boolean, "the strict form; null for metrics and queries"),
    ("reason", pl.String, "why it is not resolved or not verified, or null"),
)

ISSUES = _table(
    "issues",
    "oddity met while reading or judging",
    CASE_RUN_ID,
    ("code", pl.String, "a key of `vocabulary.ISSUE_CODES`"),
    ("document", pl.String, "document name, candidate root, or null"),
    ("detail", pl.String, "what was found, for people"),
)

CASES = _table(
    "cases",
    "case as it stands in a registry",
    CASE_DIGEST,
    ("case_id", pl.String, "the case"),
    ("case_version", pl.Int64, "of case.yaml"),
    ("title", pl.String, "of case.yaml"),
    ("status", pl.String, "active or inactive"),
    ("tags", pl.List(pl.String), "of case.yaml"),
    ("cluster_id", pl.String, "environment.cluster_id"),
    ("window_start", TIMESTAMP, "time_window.start"),
    ("window_end", TIMESTAMP, "time_window.end"),
    ("trials", pl.Int64, "execution.trials"),
)

CASE_WINDOWS = _table(
    "case_windows",
    "allowed time window of a case",
    CASE_DIGEST,
    ("start", TIMESTAMP, "S"),
    ("end", TIMESTAMP, "E"),
    ("match", pl.String, "within, exact or overlap"),
    ("tolerance_us", pl.Int64, "microseconds"),
)

CASE_BUCKETS = _table(
    "case_buckets",
    "bucket that a case configures",
    CASE_DIGEST,
    ("bucket", pl.String, "one of the seven"),
    ("max_score", pl.Float64, "null where the bucket has no such score"),
    ("hard_max_score", pl.Float64, "diagnosis only"),
    ("supporting_weight", pl.Float64, "diagnosis only"),
)

CHECKS = _table(
    "checks",
    "check of a case",
    (
        "check_key",
        pl.Int64,
        "stable small key: counted in the order of case digest, bucket, position within the database",
    ),
    CASE_DIGEST,
    ("bucket", pl.String, "one of the seven"),
    ("layer", pl.String, "hard, supporting or null"),
    ("check_id", pl.String, "unique in its list"),
    ("position", pl.Int64, "order within the case, from 0"),
    ("title", pl.String, "or null"),
    ("required", pl.Boolean, "true where it has no meaning"),
    ("weight", pl.Float64, "> 0"),
    ("need", pl.Int64, "how many of its rules must be true"),
)

RULES = _table(
    "rules",
    "rule of a check",
    CASE_DIGEST,
    ("bucket", pl.String, "one of the seven"),
    ("layer", pl.String, "hard, supporting or null"),
    ("check_id", pl.String, "the check"),
    ("rule", pl.Int64, "ordinal within the check, from 0"),
    ("method", pl.String, "match method, or `fact`"),
    ("rule_text", pl.String, "the rule in one line, as YAML flow"),
)

SUITES = _table(
    "suites",
    "suite as it stands in a registry",
    ("suite_digest", pl.String, "sha256 over the suite file's content"),
    ("suite_id", pl.String, "the suite"),
    ("suite_version", pl.Int64, "version"),
    ("title", pl.String, "title"),
    ("status", pl.String, "active or inactive"),
    ("baseline_eligible", pl.Boolean, "may be promoted"),
    ("aggregate", pl.String, "majority, all or any"),
    ("trials", pl.Int64, "execution_policy.trials"),
)

SUITE_CASES = _table(
    "suite_cases",
    "case of a suite",
    ("suite_digest", pl.String, "the suite"),
    ("suite_id", pl.String, "the suite"),
    ("case_id", pl.String, "the case"),
    ("position", pl.Int64, "order in the suite, from 0"),
)

BASELINES = _table(
    "baselines",
    "promoted snapshot of a suite",
    ("suite_id", pl.String, "the suite"),
    ("suite_version", pl.Int64, "at promotion"),
    ("eval_run_id", pl.String, "the promoted run"),
    ("judgment_id", pl.String, "the judgment that gave its verdicts"),
    ("promoted_at", TIMESTAMP, "when"),
    ("created_by", pl.String, "who"),
    ("notes", pl.String, "why"),
    ("active", pl.Boolean, "the one that comparisons use"),
)

BASELINE_CASES = _table(
    "baseline_cases",
    "case of a promoted snapshot",
    ("suite_id", pl.String, "the suite"),
    ("eval_run_id", pl.String, "the promoted run"),
    ("case_id", pl.String, "the case"),
    ("case_version", pl.Int64, "at promotion"),
    CASE_DIGEST,
    ("verdict", pl.String, "pass, fail or invalid"),
    ("primary_failure_code", pl.String, "or null"),
    ("score", pl.Float64, "or null"),
    ("max_score", pl.Float64, "or null"),
    ("trials", pl.Int64, "trials of the case"),
    ("passed_trials", pl.Int64, "trials that passed"),
    ("buckets", pl.String, "JSON object: bucket -> status"),
)

JUDGMENTS = _table(
    "judgments",
    "judging pass",
    ("judgment_id", pl.String, "its id"),
    ("judged_at", TIMESTAMP, "when"),
    ("registry_digest", pl.String, "of the compiled registry"),
    ("pack_digests", pl.String, "JSON object: pack id -> digest"),
    ("semantics_version", pl.Int64, "of the engine"),
    ("engine_version", pl.String, "of the package"),
    ("case_runs", pl.Int64, "case runs judged"),
    ("purpose", pl.String, "judge, rejudge, what-if, demo …"),
)

JUDGED_CASE_RUNS = _table(
    "judged_case_runs",
    "case run that a judgment judged, with all that its verdict depends on",
    ("judged_key", pl.Int64, "small key of the row, used by check_outcomes"),
    ("judgment_id", pl.String, "the judgment"),
    CASE_RUN_ID,
    ("eval_run_id", pl.String, "first part of case_run_id"),
    ("case_id", pl.String, "second part of case_run_id"),
    ("trial", pl.Int64, "third part of case_run_id"),
    CASE_DIGEST,
    ("case_version", pl.Int64, "the registry's"),
    (
        "suite_digest",
        pl.String,
        "the suite that the eval run recorded, as it stood in the registry; null where unknown",
    ),
    ("bundle_digest", pl.String, "the bundle's revision"),
    ("bundle_status", pl.String, "resolved, unresolved or ambiguous"),
    ("has_output", pl.Boolean, "the output text holds a character that is not white space"),
    ("cause", pl.String, "whose doing a verdict that is no pass is, by the record; null without a record"),
    ("progressed", pl.Boolean, "one of the workflow facts of progressed_any_of is true"),
)

SUPERSEDED_CASE_RUNS = _table(
    "superseded_case_runs",
    "judged case run that a later judgment judged again",
    ("judged_key", pl.Int64, "row of judged_case_runs"),
)

CHECK_OUTCOMES = _table(
    "check_outcomes",
    "check of a judged case run (keys only; `check_results` has the words)",
    ("judged_key", pl.Int64, "row of judged_case_runs"),
    ("check_key", pl.Int64, "row of checks"),
    ("passed", pl.Boolean, "the check's result"),
    ("deciding_rule", pl.Int64, "ordinal of the rule that decided; null for a check without rules"),
    ("reason", pl.String, "null when passed, else a value of `vocabulary.REASONS`"),
)

SEMANTIC_RESULTS = _table(
    "semantic_results",
    "answer of the semantic shadow to a question about a judged case run; never part of a verdict",
    ("judgment_id", pl.String, "the judgment"),
    CASE_RUN_ID,
    CASE_DIGEST,
    ("semantic_check_id", pl.String, "id of the question in judge.yaml"),
    ("kind", pl.String, "rubric, contradiction or equivalence"),
    ("shadows", pl.String, "id of the deterministic diagnosis check that it is compared with, or null"),
    (
        "status",
        pl.String,
        "of the packet: ok, provider_missing, unsupported_provider, provider_error, timeout, invalid_response",
    ),
    ("expected", pl.String, "the answer that judge.yaml expects"),
    ("answer", pl.String, "the answer that came back; null unless ok"),
    ("matched", pl.Boolean, "whether the answer is the expected one; null unless ok"),
    ("reasoning", pl.String, "the evaluator's words, or null"),
    ("provider", pl.String, "or null"),
    ("model", pl.String, "or null"),
    ("context_digest", pl.String, "sha256 of what the evaluator was shown"),
    ("evaluated_at", TIMESTAMP, "when"),
)

PUBLISHED_TABLES: Final = (
    EVAL_RUNS,
    CASE_RUNS,
    BUNDLES,
    DOCUMENT_INDEX,
    FACTS,
    METRIC_SERIES,
    METRIC_POINTS,
    QUERY_EVIDENCE,
    EVENT_EVIDENCE,
    ROUTING_REFS,
    ISSUES,
    CASES,
    CASE_WINDOWS,
    CASE_BUCKETS,
    CHECKS,
    RULES,
    SUITES,
    SUITE_CASES,
    BASELINES,
    BASELINE_CASES,
    JUDGMENTS,
    JUDGED_CASE_RUNS,
    SUPERSEDED_CASE_RUNS,
    CHECK_OUTCOMES,
    SEMANTIC_RESULTS,
)
