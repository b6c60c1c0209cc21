"""What each finding is raised for, where it points, and what nearly is one (specification 10, "Validation")."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_polars.errors import Finding, RegistryError
from judge_polars.registry import load_registry
from tests.registry.small import MARK, SHORT, changed, judge_with, place_of_mark, write_registry


def findings_of(root: Path, changes: dict[str, str]) -> tuple[Finding, ...]:
    """Everything that is found in the small registry with some of its files changed."""
    write_registry(root, {SHORT.get(name, name): text for name, text in changes.items()})
    try:
        return load_registry(root).findings
    except RegistryError as error:
        return error.findings


def check(bucket: str, check: str) -> str:
    """A judge.yaml with one bucket that holds one check, written in flow style."""
    key = "hard_checks" if bucket == "diagnosis" else "checks"
    return judge_with(f"{bucket}:\n  {key}:\n    - {check}")


def fact(definition: str) -> str:
    """A judge.yaml with a fact of its own."""
    return judge_with("contract:\n  checks: [{id: time_window_match}]", facts=f"facts:\n  - {definition}\n")


A = "artifact: logs"
X = "artifact: x.json"

SCHEMA = {
    "misspelt key": ("judge", "hard_checks:", "«hard_check:", "unknown_key"),
    "misspelt key in a rule": ("judge", "keywords: [busy]", "keywords: [busy], «sektion: x", "unknown_key"),
    "misspelt key beside a single rule": (
        "judge",
        check("critical_evidence", f"{{id: a, match: keyword_any, {A}, keywords: [x], «wieght: 2}}"),
        "unknown_key",
    ),
    "parameter of another method": (
        "judge",
        check("critical_evidence", f"{{id: a, match: keyword_any, {A}, keywords: [x], «min_points: 2}}"),
        "unknown_key",
    ),
    "unless of a denial": (
        "judge",
        check("diagnosis", "{id: a, match: denied_any, patterns: [x], «unless: [y]}"),
        "unknown_key",
    ),
    "ignore_unread where nothing is avoided": (
        "judge",
        check("critical_evidence", f"{{id: a, match: keyword_any, {A}, keywords: [x], «ignore_unread: true}}"),
        "unknown_key",
    ),
    "required where it has no meaning": ("judge", "id: seen\n", "id: seen\n        «required: true\n", "unknown_key"),
    "missing key": ("case", '  cluster_id: "1001"', "  «env: {A: b}", "missing_key"),
    "missing key of a file": ("case", "schema_version: 1\nid: case-a", "«id: case-a", "missing_key"),
    "missing parameter": (
        "judge",
        check("critical_evidence", f"«{{id: a, match: json_exists, {X}}}"),
        "missing_key",
    ),
    "missing comparison": (
        "judge",
        check("critical_evidence", f"«{{id: a, match: json_value, {X}, path: $}}"),
        "missing_key",
    ),
    "missing keywords": ("judge", check("critical_evidence", f"«{{id: a, match: keyword_any, {A}}}"), "missing_key"),
    "missing artifact": (
        "judge",
        check("critical_evidence", "«{id: a, match: keyword_any, keywords: [x]}"),
        "missing_key",
    ),
    "missing match": ("judge", check("critical_evidence", f"«{{id: a, {A}, keywords: [x]}}"), "missing_key"),
    "misspelt match": (
        "judge",
        check("critical_evidence", f"{{id: a, «mach: keyword_any, {A}, keywords: [x]}}"),
        "unknown_key",
    ),
    "definition without rules": ("judge", fact("«{name: output.x}"), "missing_key"),
    "diagnosis without checks": ("judge", judge_with("diagnosis:\n  «hard_max_score: 3"), "missing_key"),
    "number as a cluster id": ("case", '"1001"', "«1001", "wrong_type"),
    "version as a number": ("judge", "[busy]", "[«8.10]", "wrong_type"),
    "boolean as a number": ("case", "version: 2", "version: «true", "wrong_type"),
    "text as a boolean": ("judge", "{id: started}", "{id: started, required: «'true'}", "wrong_type"),
    "boolean of YAML 1.1": ("judge", "{id: started}", "{id: started, required: «yes}", "wrong_type"),
    "fraction as a version": ("suite", "version: 1\ntitle", "version: «1.5\ntitle", "wrong_type"),
    "text as a list": ("judge", "[busy]", "«busy", "wrong_type"),
    "mapping as a list": ("suite", "[case-a]", "«{case-a: 1}", "wrong_type"),
    "list as a rule": ("judge", "[{fact: hot}]", "[«[hot]]", "wrong_type"),
    "number as a duration": ("case", "timeout: 30m", "timeout: «30", "wrong_type"),
    "boolean as a threshold": (
        "judge",
        check("critical_evidence", f"{{id: a, match: numeric_series_any_gt, {X}, threshold: «true}}"),
        "wrong_type",
    ),
    "null that would mean everywhere": (
        "judge",
        check("critical_evidence", f"{{id: a, match: keyword_any, {A}, keywords: [x], section: «null}}"),
        "wrong_type",
    ),
    "list as a file": ("suite", "«- a\n- b\n", "wrong_type"),
    "unknown status": ("case", "status: active", "status: «aktive", "unknown_value"),
    "unknown aggregate": (
        "suite",
        "cases: [case-a]",
        "cases: [case-a]\nexecution_policy: {aggregate: «most}",
        "unknown_value",
    ),
    "unknown cause": ("registry", "packs: [pack.yaml]", "packs: [pack.yaml]\ncauses: {x: «agnet}", "unknown_value"),
    "unknown bucket in a baseline": ("baseline", "diagnosis: partial", "«diagnose: partial", "unknown_value"),
    "unknown verdict": ("baseline", "verdict: pass", "verdict: «passed", "unknown_value"),
    "unknown schema version": ("case", "schema_version: 1", "schema_version: «2", "unknown_value"),
    "unknown restriction": (
        "judge",
        check("critical_evidence", f"{{id: a, match: keyword_any, {A}, keywords: [x], within: «windows}}"),
        "unknown_value",
    ),
    "no checks": ("judge", judge_with("contract:\n  checks: «[]"), "empty_list"),
    "no rules": ("judge", "[{fact: hot}]", "«[]", "empty_list"),
    "no conditions": (
        "judge",
        check("critical_evidence", f"{{id: a, match: json_record_any, {X}, path: $, where: «[]}}"),
        "empty_list",
    ),
    "no cases": ("suite", "[case-a]", "«[]", "empty_list"),
    "version of nothing": ("case", "version: 2", "version: «0", "out_of_range"),
    "version beyond 64 bits": ("case", "version: 2", "version: «9223372036854775808", "out_of_range"),
    "weight of nothing": ("judge", "{id: started}", "{id: started, weight: «0}", "out_of_range"),
    "endless weight": ("judge", "{id: started}", "{id: started, weight: «.inf}", "out_of_range"),
    "negative score": ("judge", "    hard_checks:", "    hard_max_score: «-1\n    hard_checks:", "out_of_range"),
    "more than all rules": ("judge", "all_of: [{fact: hot}]", "at_least: {n: «2, of: [{fact: hot}]}", "out_of_range"),
    "more trials passed than run": ("baseline", "passed_trials: 2", "passed_trials: «4", "out_of_range"),
    "timeout of nothing": ("case", "timeout: 30m", "timeout: «0s", "out_of_range"),
    "id with capitals": ("case", "id: case-a", "id: «Case-A", "invalid_id"),
    "check id with a hyphen": ("judge", "id: named", "id: «is-named", "invalid_id"),
    "fact without a family": ("judge", fact("{name: «hot, fact: output.hot}"), "invalid_id"),
    "fact of a built-in family": ("judge", fact("{name: «cluster.hot, fact: cluster.matched}"), "invalid_family"),
    "duration with a fraction": ("case", "timeout: 30m", "timeout: «1.5h", "invalid_duration"),
    "empty duration": ("case", "timeout: 30m", "timeout: «''", "invalid_duration"),
    "duration in the wrong order": ("case", "timeout: 30m", "timeout: «5s3m", "invalid_duration"),
    "time without an offset": ("case", "end: 2025-03-04T09:45:00Z", "end: «2025-03-04T09:45:00", "invalid_timestamp"),
    "time that there is not": ("case", "end: 2025-03-04T09:45:00Z", "end: «2025-02-30T09:45:00Z", "invalid_timestamp"),
    "date alone": ("case", "end: 2025-03-04T09:45:00Z", "end: «2025-03-05", "invalid_timestamp"),
    "window turned round": ("case", "end: 2025-03-04T09:45:00Z", "end: «2025-03-04T08:59:59Z", "window_reversed"),
    "allowed window turned round": (
        "case",
        "execution:",
        "  allowed: [{start: 2025-03-04T09:00:00+01:00, end: «2025-03-04T07:59:59Z}]\nexecution:",
        "window_reversed",
    ),
    "blank prompt": ("case", "text: Please diagnose cluster 1001.", "text: «' '", "blank_text"),
    "workspace outside the case": (
        "case",
        '  cluster_id: "1001"',
        '  cluster_id: "1001"\n  workspace_files: «../x',
        "invalid_file",
    ),
    "workspace that is not there": (
        "case",
        '  cluster_id: "1001"',
        '  cluster_id: "1001"\n  workspace_files: «workspace/',
        "missing_file",
    ),
    "digest that is none": ("baseline", f'"sha256:{"0" * 64}"', "«'sha256:0'", "invalid_digest"),
    "two formulas": (
        "judge",
        "all_of: [{fact: hot}]",
        "all_of: [{fact: hot}]\n        «any_of: [{fact: hot}]",
        "several_formulas",
    ),
    "formula and a single rule": (
        "judge",
        "all_of: [{fact: hot}]",
        "all_of: [{fact: hot}]\n        «fact: hot",
        "several_formulas",
    ),
    "fact and match": ("judge", "{fact: hot}", "{match: keyword_any, «fact: hot}", "several_kinds"),
    "two comparisons": ("judge", "{fact: hot}", "{fact: hot, equals: true, «exists: true}", "several_comparisons"),
    "unknown method": ("judge", "keyword_any, ", "«keyword_some, ", "unknown_method"),
    "method that is no text": ("judge", "match: keyword_any, ", "match: «[keyword_any], ", "unknown_method"),
    "check id twice": (
        "judge",
        "  critical_evidence:",
        "      - {id: «started, fact: started}\n  critical_evidence:",
        "duplicate_id",
    ),
    "fact twice in a file": (
        "judge",
        fact("{name: output.x, fact: output.hot}\n  - {name: «output.x, fact: output.hot}"),
        "duplicate_id",
    ),
    "case twice in a suite": ("suite", "[case-a]", "[case-a, «case-a]", "duplicate_id"),
    "key twice": ("judge", "case_id: case-a", "case_id: case-a\n«case_id: case-a", "duplicate_key"),
}

VALUES = {
    "unclosed group": ("judge", check("diagnosis", "{id: a, match: regex_any, patterns: [«'a(b']}"), "invalid_regex"),
    "look-behind": (
        "judge",
        check("diagnosis", "{id: a, match: regex_any, patterns: ['x', «'(?<!a)b']}"),
        "invalid_regex",
    ),
    "back-reference": (
        "judge",
        check("diagnosis", r"{id: a, match: asserted_any, patterns: [«'(a)\1']}"),
        "invalid_regex",
    ),
    "too large a regex": (
        "judge",
        check("diagnosis", r"{id: a, match: regex_any, patterns: [«'\w{1,300}x']}"),
        "invalid_regex",
    ),
    "comment without an end": (
        "judge",
        check("diagnosis", "{id: a, match: regex_any, patterns: [«'(?x)a # b']}"),
        "invalid_regex",
    ),
    "regex of a section": (
        "judge",
        check("diagnosis", "{id: a, match: keyword_any, keywords: [x], section: «'['}"),
        "invalid_regex",
    ),
    "regex of unless": (
        "judge",
        check("diagnosis", "{id: a, match: claimed_any, patterns: [x], unless: [«'+']}"),
        "invalid_regex",
    ),
    "regex of a series": (
        "judge",
        check("critical_evidence", f"{{id: a, match: numeric_series_present, {X}, series: «/a(/}}"),
        "invalid_regex",
    ),
    "regex of matches": ("judge", check("contract", "{id: a, fact: cluster.id, matches: «'('}"), "invalid_regex"),
    "regex of a concept": ("pack", "['slow disk', '慢盘']", "['slow disk', «'慢(盘']", "invalid_regex"),
    "regex of a word list": ("pack", r"['\bnot\b']", r"['\bnot\b', «'(']", "invalid_regex"),
    "word list whose entries do not stand together": (
        "pack",
        r"negators: ['\bnot\b']",
        "negators: «['(?P<a>x)', '(?P<a>y)']",
        "invalid_regex",
    ),
    "pattern that matches nothing": (
        "judge",
        check("diagnosis", "{id: a, match: regex_any, patterns: [«'a*']}"),
        "regex_matches_empty",
    ),
    "alternative that is empty": (
        "judge",
        check("diagnosis", "{id: a, match: regex_any, patterns: [«'a|']}"),
        "regex_matches_empty",
    ),
    "word that is empty": ("pack", r"['，', '\bbut\b']", r"['，', «'']", "regex_matches_empty"),
    "blank keyword": ("judge", "[busy]", "[busy, «'  ']", "empty_keyword"),
    "invisible keyword": ("judge", "[busy]", '[«"\\u200b\\ufeff"]', "empty_keyword"),
    "path with a leading zero": (
        "judge",
        check("critical_evidence", f"{{id: a, match: json_exists, {X}, path: «'$.a[01]'}}"),
        "invalid_path",
    ),
    "path of a condition": (
        "judge",
        check(
            "critical_evidence",
            f"{{id: a, match: json_record_any, {X}, path: $, where: [{{path: «'$.a[?@.b]', equals: 1}}]}}",
        ),
        "invalid_path",
    ),
    "endless threshold": (
        "judge",
        check("critical_evidence", f"{{id: a, match: numeric_spread_gt, {X}, by: max_minus_min, threshold: «.inf}}"),
        "threshold_not_finite",
    ),
    "threshold that is no number": (
        "judge",
        check("critical_evidence", f"{{id: a, match: numeric_series_all_lt, {X}, threshold: «.nan}}"),
        "threshold_not_finite",
    ),
    "threshold beyond a double": (
        "judge",
        check("critical_evidence", f"{{id: a, match: numeric_series_any_gt, {X}, threshold: «1{'0' * 309}}}"),
        "threshold_not_finite",
    ),
    "order of texts": (
        "judge",
        check("critical_evidence", f"{{id: a, match: json_value, {X}, path: $, gt: «'5'}}"),
        "operand_type",
    ),
    "comparison with NaN": (
        "judge",
        check("critical_evidence", f"{{id: a, match: json_value, {X}, path: $, equals: «.nan}}"),
        "operand_type",
    ),
    "count compared with a text": (
        "judge",
        check("critical_evidence", f"{{id: a, match: json_count, {X}, path: $, in: [1, «'2']}}"),
        "operand_type",
    ),
    "text fact and a number": ("judge", check("contract", "{id: a, fact: cluster.id, equals: «1001}"), "operand_type"),
    "text fact without a comparison": ("judge", check("contract", "{id: a, fact: «cluster.id}"), "operand_type"),
    "boolean fact and an order": ("judge", check("contract", "{id: a, fact: cluster.matched, gt: «0}"), "operand_type"),
    "boolean fact and a number": ("judge", "{fact: hot}", "{fact: hot, equals: «1}", "operand_type"),
    "number fact and a boolean": (
        "judge",
        check("evidence_collection", "{id: a, fact: collection_error_count, not_in: «[0, true]}"),
        "operand_type",
    ),
    "number fact and a regex": (
        "judge",
        check("evidence_collection", "{id: a, fact: collection_error_count, matches: «'3'}"),
        "operand_type",
    ),
    "timestamp fact and a number": ("judge", check("contract", "{id: a, fact: window.start, ge: «5}"), "operand_type"),
    "timestamp fact and another text": (
        "judge",
        check("contract", "{id: a, fact: window.start, equals: «today}"),
        "operand_type",
    ),
    "selector that climbs": (
        "judge",
        check("critical_evidence", "{id: a, match: artifact_present, artifact: «../x.json}"),
        "invalid_selector",
    ),
    "selector from the root": (
        "judge",
        check("critical_evidence", "{id: a, match: artifact_present, artifact: «/x.json}"),
        "invalid_selector",
    ),
    "offset that is none": (
        "judge",
        check(
            "critical_evidence",
            f"{{id: a, match: json_value, {X}, path: $, "
            "time_within: {of: 2025-03-04T09:00:00Z, tolerance: 1m, offset: «CET}}",
        ),
        "invalid_offset",
    ),
}

REFERENCES = {
    "directory of another name": ("case", "id: case-a", "id: «case-b", "id_mismatch"),
    "judge of another case": ("judge", "case_id: case-a", "case_id: «case-b", "id_mismatch"),
    "suite of another name": ("suite", "id: daily", "id: «nightly", "id_mismatch"),
    "unknown case": ("suite", "[case-a]", "[case-a, «case-b]", "unknown_case"),
    "inactive case": ("suite", "[case-a]", "[«case-a]", "inactive_case"),
    "unknown pack": ("registry", "[pack.yaml]", "[pack.yaml, «tdib]", "unknown_pack"),
    "pack file that is not there": ("registry", "[pack.yaml]", "[pack.yaml, «packs/other.yaml]", "unknown_pack"),
    "pack file outside the registry": ("registry", "[pack.yaml]", "[pack.yaml, «../../etc/passwd]", "unknown_pack"),
    "pack of the same id": ("registry", "[pack.yaml]", "[pack.yaml, ./pack.yaml]", "duplicate_id"),
    "unknown fact": ("judge", "{fact: hot}", "{fact: «hto}", "unknown_fact"),
    "unknown fact by its full name": ("judge", "{fact: hot}", "{fact: «output.hto}", "unknown_fact"),
    "unknown family": ("judge", "{fact: hot}", "{fact: «outptu.hot}", "unknown_fact"),
    "short name in a pack": (
        "pack",
        "any_of: [{match: claimed_any, concepts: [slow_disk]}]",
        "any_of: [{match: claimed_any, concepts: [slow_disk]}]\n  - {name: output.very, fact: «hot}",
        "unknown_fact",
    ),
    "fact of two families": ("judge", check("contract", "{id: a, fact: «source, exists: true}"), "ambiguous_fact"),
    "fact that comes later": (
        "judge",
        fact("{name: output.x, fact: «output.y}\n  - {name: output.y, fact: output.hot}"),
        "fact_defined_later",
    ),
    "fact of itself": ("judge", fact("{name: output.x, fact: «output.x}"), "fact_defined_later"),
    "built-in fact defined": (
        "judge",
        fact(f"{{name: «evidence.logs_channel_observed, match: artifact_present, {A}}}"),
        "built_in_fact",
    ),
    "unknown channel": (
        "judge",
        judge_with(
            "evidence_collection:\n  preferred_channels: [logs, «metrics]\n"
            "  checks: [{id: preferred_channels_all_observed}]"
        ),
        "unknown_channel",
    ),
    "unknown artifact": ("judge", "artifact: logs", "artifact: «log", "unknown_artifact"),
    "unknown required artifact": (
        "judge",
        judge_with(
            "execution_contract:\n  required_artifacts: [«reprot]\n  checks: [{id: required_artifacts_present}]"
        ),
        "unknown_artifact",
    ),
    "layout of an unknown artifact": (
        "registry",
        "packs: [pack.yaml]",
        "packs: [pack.yaml]\nlayout: {«telemtry: x}",
        "unknown_artifact",
    ),
    "two evidence directories": (
        "registry",
        "packs: [pack.yaml]",
        "packs: [pack.yaml]\nlayout: {evidence_dir: «[a, b]}",
        "out_of_range",
    ),
    "artifact by both names": (
        "registry",
        "packs: [pack.yaml]",
        "packs: [pack.yaml]\nlayout: {logs: a, «logs_dir: b}",
        "duplicate_id",
    ),
    "unknown concept": ("pack", "concepts: [slow_disk]}", "concepts: [«slow_dsik]}", "unknown_concept"),
    "unknown concept of a case": (
        "judge",
        check("diagnosis", "{id: a, match: claimed_any, concepts: [slow_disk, «hot]}"),
        "unknown_concept",
    ),
    "unknown cause": ("pack", "causes: [slow_disk]", "causes: [«slow]", "unknown_concept"),
    "unknown well-known check": ("judge", "{id: started}", "{id: «startd}", "unknown_check"),
    "well-known check of another bucket": ("judge", check("contract", "{id: «patch_present}"), "unknown_check"),
    "check without rules": ("judge", check("critical_evidence", "{id: «panic}"), "unknown_check"),
    "shadow of an unknown check": (
        "judge",
        judge_with(
            "diagnosis:\n  hard_checks: [{id: a, fact: hot}]\n"
            "  semantic_checks: [{id: q, kind: rubric, question: Why?, shadows: «b}]"
        ),
        "unknown_check",
    ),
}

ISOLATION = {
    "contract reads the output": ("judge", check("contract", "{id: a, fact: «output.hot}"), "bucket_isolation"),
    "contract reads documents": (
        "judge",
        check("contract", f"{{id: a, match: «keyword_any, {A}, keywords: [x]}}"),
        "bucket_isolation",
    ),
    "workflow reads evidence": ("judge", check("workflow", "{id: a, fact: «panic}"), "bucket_isolation"),
    "execution contract reads the window": (
        "judge",
        check("execution_contract", "{id: a, fact: «window.present}"),
        "bucket_isolation",
    ),
    "evidence collection reads the workflow": (
        "judge",
        check("evidence_collection", "{id: a, fact: «workflow.started}"),
        "bucket_isolation",
    ),
    "critical evidence reads the output": (
        "judge",
        check("critical_evidence", "{id: a, match: keyword_any, artifact: «output_text, keywords: [x]}"),
        "bucket_isolation",
    ),
    "critical evidence reads a built-in fact": (
        "judge",
        check("critical_evidence", "{id: a, fact: «evidence.logs_channel_observed}"),
        "bucket_isolation",
    ),
    "routing reads evidence": (
        "judge",
        check("evidence_routing", "{id: a, fact: «evidence.panic}"),
        "bucket_isolation",
    ),
    "diagnosis reads logs": (
        "judge",
        check("diagnosis", "{id: a, match: keyword_any, artifact: «logs, keywords: [x]}"),
        "bucket_isolation",
    ),
    "diagnosis reads series": (
        "judge",
        check("diagnosis", "{id: a, match: «numeric_series_present}"),
        "bucket_isolation",
    ),
    "diagnosis reads evidence facts": ("judge", check("diagnosis", "{id: a, fact: «panic}"), "bucket_isolation"),
    "output fact reads logs": (
        "judge",
        fact("{name: output.x, match: keyword_any, artifact: «logs, keywords: [x]}"),
        "bucket_isolation",
    ),
    "output fact reads evidence": ("judge", fact("{name: output.x, fact: «evidence.panic}"), "bucket_isolation"),
    "evidence fact reads the output": ("judge", fact("{name: evidence.x, fact: «output.hot}"), "bucket_isolation"),
    "evidence fact reads routing": (
        "judge",
        fact("{name: evidence.x, fact: «routing.analysis_patch_present}"),
        "bucket_isolation",
    ),
    "evidence fact reads the output text": (
        "judge",
        fact("{name: evidence.x, match: regex_any, artifact: «output, patterns: [x]}"),
        "bucket_isolation",
    ),
    "channel reads the output": (
        "pack",
        "[{match: artifact_present, artifact: logs}]",
        "[{match: artifact_present, artifact: «output}]",
        "bucket_isolation",
    ),
    "channel reads facts": (
        "pack",
        "[{match: artifact_present, artifact: logs}]",
        "[{fact: «evidence.panic}]",
        "bucket_isolation",
    ),
    "progress by another family": (
        "judge",
        judge_with("workflow:\n  progressed_any_of: [«evidence.panic]\n  checks: [{id: started}]"),
        "bucket_isolation",
    ),
}

BROKEN = {**SCHEMA, **VALUES, **{f"reference: {name}": row for name, row in REFERENCES.items()}, **ISOLATION}


@pytest.mark.parametrize("row", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_registry_says_what_is_wrong_and_where(tmp_path: Path, row: tuple[str, ...]) -> None:
    file, *passage, code = row
    marked = changed(file, *passage) if len(passage) == 2 else passage[0]
    changes = {file: marked.replace(MARK, "")}
    if code == "inactive_case":
        changes["case"] = changed("case", "status: active", "status: inactive")
    found = findings_of(tmp_path, changes)
    assert [(finding.code, finding.severity) for finding in found] == [(code, "error")], found
    if MARK in marked:
        assert (found[0].line, found[0].column) == place_of_mark(marked)
        assert found[0].file == str(tmp_path / SHORT[file])


NEAR_MISSES = {
    "no change at all": ("case", "tags: [x]", "tags: []"),
    "quoted number as a cluster id": ("case", '"1001"', "'0017'"),
    "version that is text anyway": ("judge", "[busy]", "[8.5.2, 12:30:45, no, 2025-03-04]"),
    "whole number as a weight": ("judge", "{id: started}", "{id: started, weight: 2}"),
    "exponent as a weight": ("judge", "{id: started}", "{id: started, weight: 1e2}"),
    "score of nothing": ("judge", "    hard_checks:", "    hard_max_score: 0\n    hard_checks:"),
    "window of no length": ("case", "end: 2025-03-04T09:45:00Z", "end: 2025-03-04T10:00:00+01:00"),
    "time with a space and a fraction": ("case", "end: 2025-03-04T09:45:00Z", "end: 2025-03-04 09:45:00.1234567Z"),
    "all parts of a duration": ("case", "timeout: 30m", "timeout: 1h0m90s"),
    "all rules of at_least": ("judge", "all_of: [{fact: hot}]", "at_least: {n: 1, of: [{fact: hot}]}"),
    "all trials passed": ("baseline", "passed_trials: 2", "passed_trials: 3"),
    "no case": ("baseline", "diagnosis: partial", "diagnosis: null"),
    "full name": ("judge", "{fact: hot}", "{fact: output.hot}"),
    "fact that is to be false": ("judge", "{fact: hot}", "{fact: hot, equals: false}"),
    "built-in output fact": ("judge", "{fact: hot}", "{fact: claimed_causes, lt: 3}"),
    "synonym of an artifact": ("judge", "artifact: logs", "artifact: logs_dir"),
    "file without an extension": ("judge", "artifact: logs", "artifact: HISTORY"),
    "glob": ("judge", "artifact: logs", "artifact: 'logs/**/*.log'"),
    "file like an artifact": ("judge", "artifact: logs", "artifact: log.txt"),
    "case without a suite": ("suite", "status: active", "status: inactive"),
    "removed default": ("judge", "judge:\n", "judge:\n  evidence_routing: null\n"),
    "no buckets": ("judge", judge_with("{}")),
    "same id in another list": (
        "judge",
        judge_with("diagnosis:\n  hard_checks: [{id: a, fact: hot}]\n  supporting_checks: [{id: a, fact: hot}]"),
    ),
    "definition replaced by the case": ("judge", fact("{name: output.hot, match: keyword_any, keywords: [x]}")),
    "fact of an earlier one": (
        "judge",
        fact("{name: output.x, fact: hot}\n  - {name: output.y, fact: output.x, equals: false}"),
    ),
    "evidence fact of the trace": (
        "judge",
        fact("{name: evidence.x, any_of: [{fact: window.present}, {fact: started}, {fact: artifacts.logs_present}]}"),
    ),
    "well-known check with its own rules": (
        "judge",
        check("contract", "{id: time_window_match, fact: cluster.matched}"),
    ),
    "optional check made required": (
        "judge",
        check("execution_contract", "{id: preferred_channels_all_observed, required: true}"),
    ),
    "routing check": ("judge", check("evidence_routing", "{id: event_refs_resolvable, required: false}")),
    "full-width signs in a regex": (
        "judge",
        check("diagnosis", r"{id: a, match: regex_any, patterns: ['根因：（x）', '\（']}"),
    ),
    "JSON rule on the output": ("judge", check("diagnosis", "{id: a, match: json_value, path: $.a, equals: '1'}")),
    "infinity as an operand": (
        "judge",
        check("critical_evidence", f"{{id: a, match: json_value, {X}, path: $, lt: .inf}}"),
    ),
    "integer beyond 64 bits": (
        "judge",
        check("critical_evidence", f"{{id: a, match: json_value, {X}, path: $, equals: 18446744073709551617}}"),
    ),
    "timestamps in a list": (
        "judge",
        check("contract", "{id: a, fact: window.start, in: [2025-03-04T09:00:00+08:00]}"),
    ),
    "whole layout": (
        "registry",
        "packs: [pack.yaml]",
        "packs: [pack.yaml]\nlayout: {report: answer.json, evidence: proof, logs_dir: [log, out/log]}\n"
        "causes: {flaky_network: environment}\nlimits: {document_bytes: 1048576}",
    ),
    "pack twice as large": ("pack", "version: 3", "version: 3\nschema_version: 1\ntitle: A pack"),
}


@pytest.mark.parametrize("row", NEAR_MISSES.values(), ids=NEAR_MISSES.keys())
def test_what_is_nearly_wrong_is_right(tmp_path: Path, row: tuple[str, ...]) -> None:
    file, *passage = row
    text = changed(file, *passage) if len(passage) == 2 else passage[0]
    assert findings_of(tmp_path, {file: text}) == ()


WARNINGS = {
    "margin without within": (
        check("critical_evidence", f"{{id: a, match: keyword_any, {A}, keywords: [x], «margin: 5m}}"),
        "no_effect",
    ),
    "section_or_all without section": (
        check("diagnosis", "{id: a, match: keyword_any, keywords: [x], «section_or_all: true}"),
        "no_effect",
    ),
    "consecutive of an increase": (
        check(
            "critical_evidence",
            f"{{id: a, match: numeric_series_any_gt, {X}, series: a, threshold: 1, of: increase, «consecutive: true}}",
        ),
        "no_effect",
    ),
    "progress by a fact that nobody defines": (
        judge_with("workflow:\n  progressed_any_of: [started, «finished]\n  checks: [{id: started}]"),
        "unknown_fact",
    ),
}


@pytest.mark.parametrize("row", WARNINGS.values(), ids=WARNINGS.keys())
def test_warnings_do_not_stop_a_registry(tmp_path: Path, row: tuple[str, str]) -> None:
    text, code = row
    (found,) = findings_of(tmp_path, {"judge": text.replace(MARK, "")})
    assert (found.code, found.severity, found.line, found.column) == (code, "warning", *place_of_mark(text))


def test_messages_say_what_is_there_what_is_allowed_and_how_to_mend_it(tmp_path: Path) -> None:
    judge = changed("judge", "[busy]", "[8.10]").replace("hard_checks", "hard_check").replace("started", "startd")
    messages = [str(finding) for finding in findings_of(tmp_path, {"judge": judge})]
    judge_file = tmp_path / "cases" / "case-a" / "judge.yaml"
    assert messages == [
        f"{judge_file}:9:14: judge.workflow.checks[0].id: `startd` is no well-known check of this bucket (did you mean "
        "`started`?); give it rules, or take one of: started [unknown_check]",
        f"{judge_file}:13:66: judge.critical_evidence.checks[0].all_of[0].keywords[0]: found a number (`8.10`) where a "
        'text is wanted; quote it: "8.10" [wrong_type]',
        f"{judge_file}:15:5: judge.diagnosis.hard_check: unknown key `hard_check` (did you mean `hard_checks`?); "
        "allowed here: hard_max_score, hard_checks, supporting_weight, supporting_checks, "
        "semantic_checks [unknown_key]",
    ]


def test_the_position_within_a_path_and_a_regex_is_told(tmp_path: Path) -> None:
    judge = judge_with(
        f"critical_evidence:\n  checks:\n    - {{id: a, match: json_exists, {X}, path: '$.a[-1]'}}\n"
        f"    - {{id: b, match: regex_any, {A}, patterns: ['（中文）(']}}"
    )
    path, regex = findings_of(tmp_path, {"judge": judge})
    assert "negative indexes are not taken at character 5" in path.message
    assert "unclosed group at character 5" in regex.message


def test_all_errors_of_all_files_come_at_once(tmp_path: Path) -> None:
    changes = {
        "case": changed("case", "version: 2", "version: x"),
        "judge": changed("judge", "{fact: hot}", "{fact: hto}").replace("[busy]", "['']").replace("started", "startd"),
        "suite": changed("suite", "[case-a]", "[case-b]"),
        "baseline": changed("baseline", "verdict: pass", "verdict: good"),
        "pack": changed("pack", "causes: [slow_disk]", "causes: [fast_disk]"),
        "registry": "packs: [pack.yaml]\nlayout: {report: []}\n",
        "cases/case-c/case.yaml": "a: [",
        "cases/case-d/judge.yaml": changed("judge", "case_id: case-a", "case_id: case-e"),
    }
    found = {(finding.file.removeprefix(f"{tmp_path}/"), finding.code) for finding in findings_of(tmp_path, changes)}
    assert found == {
        ("cases/case-a/case.yaml", "wrong_type"),
        ("cases/case-a/judge.yaml", "unknown_fact"),
        ("cases/case-a/judge.yaml", "empty_keyword"),
        ("cases/case-a/judge.yaml", "unknown_check"),
        ("suites/daily.yaml", "unknown_case"),
        ("baselines/daily.yaml", "unknown_value"),
        ("pack.yaml", "unknown_concept"),
        ("registry.yaml", "empty_list"),
        ("cases/case-c/case.yaml", "yaml_syntax"),
        ("cases/case-c/judge.yaml", "missing_file"),
        ("cases/case-d/case.yaml", "missing_file"),
        ("cases/case-d/judge.yaml", "id_mismatch"),
    }


def test_findings_stand_in_the_order_of_file_and_line(tmp_path: Path) -> None:
    judge = changed("judge", "{fact: hot}", "{fact: hto}").replace("[busy]", "['']")
    found = findings_of(tmp_path, {"judge": judge, "case": changed("case", "version: 2", "version: x")})
    places = [(finding.file, finding.line, finding.column) for finding in found]
    assert places == sorted(places)


def test_what_follows_from_a_broken_pack_is_not_told(tmp_path: Path) -> None:
    found = findings_of(tmp_path, {"pack": "id: small\nversion: [\n"})
    assert [finding.code for finding in found] == ["yaml_syntax"]


def test_a_definition_with_errors_keeps_its_name(tmp_path: Path) -> None:
    pack = changed("pack", "artifact: logs, keywords: [panic]", "artifakt: logs, keywords: ['']")
    judge = judge_with("critical_evidence:\n  checks:\n    - {id: a, fact: panic}\n    - {id: b, fact: pnic}")
    found = findings_of(tmp_path, {"pack": pack, "judge": judge})
    assert [(finding.code, finding.key) for finding in found] == [
        ("unknown_fact", "judge.critical_evidence.checks[1].fact"),
        ("unknown_key", "facts[1].all_of[0].artifakt"),
        ("empty_keyword", "facts[1].all_of[0].keywords[0]"),
    ]


def test_two_errors_of_one_key_take_nothing_else_away(tmp_path: Path) -> None:
    judge = judge_with(
        "critical_evidence:\n  checks:\n    - {id: a, fact: pnic, weight: 0}\n    - {id: A, fact: x, weight: 0}\n"
        "    - {id: b, fact: panik}\n    - {id: c, fact: panic}\n    - {id: c, fact: panic}"
    )
    found = findings_of(tmp_path, {"judge": judge})
    assert [(finding.code, finding.line) for finding in found] == [
        ("out_of_range", 6),
        ("invalid_id", 7),
        ("out_of_range", 7),
        ("unknown_fact", 8),
        ("duplicate_id", 10),
    ]


def test_two_cases_of_one_id(tmp_path: Path) -> None:
    changes = {"cases/case-b/case.yaml": changed("case", "tags: [x]", "tags: []")}
    changes["cases/case-b/judge.yaml"] = changed("judge", "case_id: case-a", "case_id: case-b")
    found = findings_of(tmp_path, changes)
    assert [(finding.code, finding.key) for finding in found] == [("duplicate_id", "id"), ("id_mismatch", "id")]
    assert found[0].file == str(tmp_path / "cases/case-b/case.yaml")


def test_an_error_of_a_default_is_told_once(tmp_path: Path) -> None:
    registry = "packs: [pack.yaml]\njudge_defaults:\n  evidence_routing: {checks: [{id: patch}]}\n"
    changes = {"registry": registry}
    for name in ("case-b", "case-c"):
        changes[f"cases/{name}/case.yaml"] = changed("case", "id: case-a", f"id: {name}")
        changes[f"cases/{name}/judge.yaml"] = changed("judge", "case_id: case-a", f"case_id: {name}")
    (found,) = findings_of(tmp_path, changes)
    assert (found.code, found.line, found.key) == ("unknown_check", 3, "judge_defaults.evidence_routing.checks[0].id")


def test_a_default_that_every_case_replaces_is_checked_too(tmp_path: Path) -> None:
    registry = "packs: [pack.yaml]\njudge_defaults:\n  contract: {checks: [{id: time_window}]}\n"
    assert [finding.code for finding in findings_of(tmp_path, {"registry": registry})] == ["unknown_check"]
