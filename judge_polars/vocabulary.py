"""The closed sets of the specification, each spelled once: YAML, Polars, DuckDB and docs take them from here."""

from __future__ import annotations

from typing import Final

SEMANTICS_VERSION: Final = 1
"""Raised when the meaning of a rule changes; part of every rule digest (specification 60)."""

CONTRACT: Final = "contract"
WORKFLOW: Final = "workflow"
EXECUTION_CONTRACT: Final = "execution_contract"
EVIDENCE_COLLECTION: Final = "evidence_collection"
CRITICAL_EVIDENCE: Final = "critical_evidence"
EVIDENCE_ROUTING: Final = "evidence_routing"
DIAGNOSIS: Final = "diagnosis"
BUCKETS: Final = (
    CONTRACT,
    WORKFLOW,
    EXECUTION_CONTRACT,
    EVIDENCE_COLLECTION,
    CRITICAL_EVIDENCE,
    EVIDENCE_ROUTING,
    DIAGNOSIS,
)
"""In the order in which they stand everywhere (specification 50)."""

HARD: Final = "hard"
SUPPORTING: Final = "supporting"
LAYERS: Final = (HARD, SUPPORTING)

STATUSES: Final = ("pass", "partial", "fail")
VERDICTS: Final = ("pass", "fail", "invalid")
AGGREGATES: Final = ("majority", "all", "any")
CAUSES: Final = ("agent", "environment", "provider", "harness", "case")

DEFAULT_CAUSES: Final = {
    "rate_limited": "provider",
    "provider_error": "provider",
    "auth_required": "provider",
    "setup_failed": "environment",
    "spawn_failed": "environment",
    "session_failed": "environment",
    "protocol_mismatch": "harness",
    "initialize_timeout": "harness",
}
"""`status` or `stop_reason` of a case run -> whose doing it was; everything else is the agent's (specification 50)."""

FAILURE_CODES: Final = (
    "environment_failed",
    "bundle_unresolved",
    "bundle_ambiguous",
    "contract_failed",
    "execution_contract_failed",
    "workflow_incomplete",
    "evidence_collection_incomplete",
    "evidence_collection_partial",
    "critical_evidence_missing",
    "critical_evidence_partial",
    "evidence_routing_failed",
    "evidence_routing_partial",
    "diagnosis_critical_gate_failed",
    "execution_contract_partial",
)
"""In the order of precedence (specification 50)."""

FAMILIES: Final = ("window", "cluster", "workflow", "artifacts", "evidence", "output", "routing")
DEFINABLE_FAMILIES: Final = ("workflow", "evidence", "output")

ARTIFACTS: Final = (
    "manifest",
    "report",
    "evidence_dir",
    "analysis_patch",
    "summary_text",
    "summary_json",
    "logs_dir",
    "telemetry",
    "output_text",
)
ARTIFACT_SYNONYMS: Final = {"logs": "logs_dir", "evidence": "evidence_dir", "output": "output_text"}
"""Both names mean the same, as selectors and as artifacts (specification 20)."""

DEFAULT_LAYOUT: Final[dict[str, tuple[str, ...]]] = {
    "manifest": ("manifest.json",),
    "report": ("diagnosis_report.json", "report.json"),
    "evidence_dir": ("evidence",),
    "analysis_patch": ("analysis_patch.json",),
    "summary_text": ("summary.md", "summary.txt"),
    "summary_json": ("summary.json",),
    "logs_dir": ("logs",),
    "telemetry": ("telemetry.jsonl", "telemetry.log", "telemetry.txt"),
    "output_text": ("output.md", "output.txt"),
}
"""Artifact -> names tried in order; the first that exists is the artifact (specification 20)."""
ARTIFACTS_ALSO_IN_AUDIT_DIR: Final = ("summary_text", "summary_json", "logs_dir", "telemetry")

ROUTING_CHANNELS: Final = ("metric", "query", "log", "event")
CORE_EVIDENCE_FILES: Final = ("collection_errors.json", "gate_checks.json", "log_stats.json", "queries.json")

REASONS: Final = (
    "artifact_missing",
    "no_json_value",
    "no_text",
    "path_selects_nothing",
    "no_series",
    "unread_document",
    "not_matched",
    "fact_unknown",
    "fact_not_satisfied",
    "workflow_check_failed",
    "channel_not_observed",
)
REASON_CODES: Final = {reason: code for code, reason in enumerate(REASONS, start=1)}
"""A rule result is one small integer: 0 true, else why it is false."""
TRUE_CODE: Final = 0

ISSUE_CODES: Final = {
    "trial_name_invalid": "a directory under a case is not named trial-<n>",
    "hidden_directory": "an eval run or a case whose name begins with a dot was not read",
    "record_invalid": "eval_run.json or case_run.json is no JSON object and counts as absent",
    "record_path_mismatch": "a record contradicts its path; the path wins",
    "path_outside_case_run": "a directory or file that a record names lies outside the case run",
    "duplicate_case_run": "another directory holds the same case run; it was left out",
    "text_not_in_record": "a rule asks for a document whose text the record does not hold; it counts as unread",
    "read_with_other_layout": "the case run was read with another layout, other limits or another engine: ingest it again",
    "unknown_case": "the registry does not know the case; the run is not judged",
    "case_version_differs": "the record has another case version than the registry",
    "manifest_invalid": "a candidate's manifest is no JSON object",
    "report_missing": "a candidate has no report beside its manifest",
    "report_invalid": "a candidate's report is no JSON object",
    "evidence_missing": "a candidate has no evidence directory",
    "json_nonstandard": "the file parses only with the bare tokens NaN, Infinity or -Infinity",
    "json_invalid": "the file has no JSON value; its text still serves text rules",
    "jsonl_bad_line": "lines of a JSON Lines file do not parse and are left out of its value",
    "text_undecodable": "bytes that are no UTF-8 were replaced",
    "document_name_clash": "a packed and a plain file have one name; the plain one wins",
    "archive_refused": "a .gz file is corrupt or unpacks beyond its limits",
    "binary_skipped": "a NUL byte near the start: the file has no text",
    "document_too_large": "the file is over the size limit and was not read",
    "document_unreadable": "the file could not be read",
    "timestamp_invalid": "an end of a time window is no time",
    "timestamp_without_offset": "a time without an offset was read as UTC",
    "cluster_id_inexact": "the cluster id is a number with a fraction or exponent",
    "limit_reached": "a limit was hit and something was left out",
    "not_a_regular_file": "a link, device, socket or pipe was not followed or opened",
}

METHODS: Final = (
    "artifact_present",
    "json_valid",
    "json_exists",
    "json_list_nonempty",
    "json_record_any",
    "json_count",
    "json_text_contains_any",
    "json_value",
    "numeric_series_present",
    "numeric_series_any_gt",
    "numeric_series_any_ge",
    "numeric_series_any_lt",
    "numeric_series_any_le",
    "numeric_series_all_gt",
    "numeric_series_all_ge",
    "numeric_series_all_lt",
    "numeric_series_all_le",
    "numeric_spread_gt",
    "keyword_any",
    "keyword_all",
    "keyword_none",
    "regex_any",
    "regex_none",
    "asserted_any",
    "asserted_none",
    "claimed_any",
    "claimed_none",
    "denied_any",
)
NONE_METHODS: Final = ("keyword_none", "regex_none", "asserted_none", "claimed_none")

COMPARISONS: Final = ("equals", "not_equals", "in", "not_in", "gt", "ge", "lt", "le", "matches", "exists")

WORD_LISTS: Final = (
    "negators",
    "post_negators",
    "pseudo_negators",
    "terminators",
    "sentence_negators",
    "claims",
)

BUILT_IN_FACTS: Final[dict[str, str]] = {
    "window.start": "timestamp",
    "window.end": "timestamp",
    "window.source": "string",
    "window.present": "boolean",
    "window.matched_allowed_window": "boolean",
    "cluster.id": "string",
    "cluster.source": "string",
    "cluster.matched": "boolean",
    **{f"artifacts.{artifact}_present": "boolean" for artifact in ARTIFACTS},
    "evidence.collection_error_count": "number",
    "routing.analysis_patch_present": "boolean",
    "routing.analysis_patch_json_valid": "boolean",
    "routing.analysis_items_shape_valid": "boolean",
    "routing.analysis_key_evidence_present": "boolean",
    "routing.analysis_supporting_evidence_present": "boolean",
    **{f"routing.analysis_{channel}_refs_required": "boolean" for channel in ROUTING_CHANNELS},
    **{f"routing.analysis_{channel}_refs_resolvable": "boolean" for channel in ROUTING_CHANNELS},
    "routing.analysis_log_refs_verified": "boolean",
    "routing.analysis_event_refs_verified": "boolean",
    "routing.refs_total": "number",
    "routing.refs_unresolved": "number",
}
"""Facts that no pack defines -> their type (specification 30); formulas define the others, see `registry/compile.py`."""
