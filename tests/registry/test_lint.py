"""Lint of checks, rules and cases: what each code finds, and what is nearly the same and fine."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_polars.registry import examine, load_registry
from judge_polars.registry.lint import LINT_CODES, LINTS
from tests.registry.lint_small import BUCKETS, DIAGNOSIS, PROMPT, bucket, case, codes_in, findings_in, judge

Changes = dict[str, str | None]


def critical(rule: str) -> Changes:
    """A policy with one critical evidence rule."""
    return {"judge": bucket("critical_evidence", f"{{id: a, {rule}}}")}


def diagnosis(*checks: str) -> Changes:
    """A policy with hard checks alone."""
    return {"judge": bucket("diagnosis", *checks)}


def told(prompt: str) -> Changes:
    """The case with another prompt."""
    return {"case": case(prompt)}


def with_bucket(name: str, *checks: str, parameters: str = "") -> Changes:
    return {"judge": bucket(name, *checks, parameters=parameters)}


def named(case_id: str, changes: Changes) -> Changes:
    """The case under another id."""
    files: Changes = {f"cases/{case_id}/case.yaml": case().replace("slow-writes", case_id)}
    files[f"cases/{case_id}/judge.yaml"] = str(changes["judge"]).replace("slow-writes", case_id)
    files[f"cases/{case_id}/reference.md"] = "x"
    files["suites/daily.yaml"] = f"schema_version: 1\nid: daily\nversion: 1\ntitle: D\ncases: [{case_id}]\n"
    return {**files, "case": None, "judge": None, "cases/slow-writes/reference.md": None}


LEAKING = PROMPT + " It looks like a slow disk."
HOT = PROMPT + " It looks like a cpu hotspot."

ANSWERS: dict[str, tuple[Changes, list[str]]] = {
    "concept through two facts": ({"case": case(LEAKING)}, ["answer_in_prompt"]),
    "in Chinese": ({"case": case(PROMPT + " 怀疑是慢盘。")}, ["answer_in_prompt"]),
    "in env": ({"case": case(environment="  env: {HINT: slow disk}\n")}, ["answer_in_prompt"]),
    "in a workspace file": (
        {"case": case(environment="  workspace_files: w/\n"), "cases/slow-writes/w/a.md": "It was a\nSLOW DISK.\n"},
        ["answer_in_prompt"],
    ),
    "in a file's name": (
        {"case": case(environment="  workspace_files: w/\n"), "cases/slow-writes/w/slow disk.md": "x\n"},
        ["answer_in_prompt"],
    ),
    "keyword across a line break": (
        told("Please diagnose the lazy\nwriter of 7401, 2025-03-04T09:00Z.")
        | diagnosis("{id: a, match: keyword_any, keywords: [lazy writer]}"),
        ["answer_in_prompt"],
    ),
    "whole word within a word": (
        told(PROMPT + " The broom is new.")
        | diagnosis("{id: a, match: keyword_any, keywords: [oom], whole_word: true}"),
        [],
    ),
    "case-sensitive pattern in other letters": (
        told(PROMPT + " The OOM.") | diagnosis("{id: a, match: regex_any, patterns: [oom], case_sensitive: true}"),
        [],
    ),
    "text that a JSON value equals": (
        told(PROMPT + " Is it disk_hang?") | diagnosis("{id: a, match: json_value, path: $.cause, equals: disk_hang}"),
        ["answer_in_prompt"],
    ),
    "text of two letters that a JSON value equals": (
        told(PROMPT + " It is up.") | diagnosis("{id: a, match: json_value, path: $.state, equals: up}"),
        [],
    ),
    "text of a record": (
        told(PROMPT + " Is it disk_hang?")
        | diagnosis("{id: a, match: json_record_any, path: '$[*]', where: [{path: $.cause, equals: disk_hang}]}"),
        ["answer_in_prompt"],
    ),
    "text of records of which some must be there": (
        told(PROMPT + " Is it disk_hang?")
        | diagnosis("{id: a, match: json_count, path: '$[*]', where: [{path: $.cause, equals: disk_hang}], ge: 1}"),
        ["answer_in_prompt"],
    ),
    "text of records of which few may be there": (
        told(PROMPT + " Is it disk_hang?")
        | diagnosis("{id: a, match: json_count, path: '$[*]', where: [{path: $.cause, equals: disk_hang}], le: 1}"),
        [],
    ),
    "not equal to not": (
        told(LEAKING) | diagnosis("{id: a, fact: disk, not_equals: false}"),
        ["answer_in_prompt"],
    ),
    "fact that must be false": (
        told(HOT) | diagnosis("{id: a, fact: disk}", "{id: b, fact: cpu, equals: false}"),
        [],
    ),
    "none rule": (told(HOT) | diagnosis("{id: a, match: claimed_none, concepts: [hot_cpu]}"), []),
    "none rule in a fact that must be false": (
        told(PROMPT + " The lazy writer.") | diagnosis("{id: a, fact: silent, equals: false}"),
        ["answer_in_prompt"],
    ),
    "none rule in a fact": (told(PROMPT + " The lazy writer.") | diagnosis("{id: a, fact: silent}"), []),
    "must be ruled out": (told(HOT) | diagnosis("{id: a, match: denied_any, concepts: [hot_cpu]}"), []),
    "known or not": (told(LEAKING) | diagnosis("{id: a, fact: disk, exists: true}"), []),
    "causes that are counted": (told(LEAKING) | diagnosis("{id: a, fact: claimed_causes, le: 3}"), []),
    "supporting check": (
        {"case": case(LEAKING), "judge": judge("diagnosis:\n  supporting_checks:\n    - {id: a, fact: disk}\n")},
        [],
    ),
    "name of a hard check's answer": (
        named("slow-disk-of-one-store", diagnosis("{id: a, fact: disk}")),
        ["answer_in_name"],
    ),
    "name of one word that a hard check needs": (
        named("overload-of-one-store", diagnosis("{id: a, match: keyword_any, keywords: [overload]}")),
        ["answer_in_name"],
    ),
    "name with hyphens for underscores": (
        named("disk-hang-of-one-store", diagnosis("{id: a, match: keyword_any, keywords: [disk_hang]}")),
        ["answer_in_name"],
    ),
    "name with hyphens for underscores of a whole word": (
        named("slow-disk-hang-of-one-store", diagnosis("{id: a, match: json_value, path: $.cause, equals: disk_hang}")),
        ["answer_in_name"],
    ),
    "name that a pattern goes on in": (
        named("disk-hang-of-one-store", diagnosis(r"{id: a, match: regex_any, patterns: ['disk_\w+']}")),
        ["answer_in_name"],
    ),
    "name with more hyphens than underscores": (
        named("old-disk-hangs-again", diagnosis("{id: a, match: json_value, path: $.cause, equals: disk_hang}")),
        [],
    ),
    "name of what must be avoided": (named("cpu-hotspot", diagnosis("{id: a, fact: cpu, equals: false}")), []),
    "name of critical evidence": (
        named("server-is-busy", critical("fact: evidence.busy")),
        ["answer_in_name"],
    ),
}


@pytest.mark.parametrize(("changes", "codes"), ANSWERS.values(), ids=ANSWERS)
def test_answers(tmp_path: Path, changes: Changes, codes: list[str]) -> None:
    assert codes_in(tmp_path, changes) == codes


def test_an_answer_in_the_name_is_an_error_for_hard_checks_and_a_warning_for_evidence(tmp_path: Path) -> None:
    hard = findings_in(tmp_path / "a", named("slow-disk", diagnosis("{id: a, fact: disk}")))
    evidence = findings_in(tmp_path / "b", named("server-is-busy", critical("fact: evidence.busy")))
    assert [one.severity for one in (*hard, *evidence)] == ["error", "warning"]


def test_the_place_of_an_answer(tmp_path: Path) -> None:
    (finding,) = findings_in(tmp_path, {"case": case(f"{PROMPT}\nIt looks like a slow  disk, a Slow Disk.")})
    assert (finding.line, finding.column, finding.key) == (8, 35, "prompt.text")
    assert "`Slow Disk`" in finding.message
    assert "`names_disk`" in finding.message


ARTIFACTS = "{id: required_artifacts_present}"
MINIMUM = "{id: preferred_channels_minimum_observed}"
S = "artifact: metrics.json, series: cpu"

CHECKS: dict[str, tuple[Changes, list[str]]] = {
    # check_cannot_fail
    "no artifacts": (with_bucket("execution_contract", ARTIFACTS), ["check_cannot_fail"]),
    "artifacts that every bundle has": (
        with_bucket("execution_contract", ARTIFACTS, parameters="  required_artifacts: [manifest, report, evidence]\n"),
        ["check_cannot_fail"],
    ),
    "one artifact more": (
        with_bucket("execution_contract", ARTIFACTS, parameters="  required_artifacts: [manifest, telemetry]\n"),
        [],
    ),
    "no channels": (with_bucket("execution_contract", MINIMUM), ["check_cannot_fail"]),
    "no channel needed": (
        with_bucket("execution_contract", MINIMUM, parameters="  preferred_channels: [logs]\n  minimum_channels: 0\n"),
        ["check_cannot_fail"],
    ),
    "a channel needed": (with_bucket("execution_contract", MINIMUM, parameters="  preferred_channels: [logs]\n"), []),
    "no workflow": (with_bucket("execution_contract", "{id: required_workflow_present}"), ["check_cannot_fail"]),
    "channel that nobody sees attempted": (
        with_bucket("evidence_collection", "{id: attempted_events_collection_persisted}"),
        ["check_cannot_fail"],
    ),
    "true or false": (
        with_bucket("contract", "{id: a, any_of: [{fact: cluster.matched}, {fact: cluster.matched, equals: false}]}"),
        ["check_cannot_fail"],
    ),
    "true or false of what may be unknown": (
        with_bucket(
            "evidence_routing",
            "{id: a, any_of: [{fact: analysis_patch_json_valid}, {fact: analysis_patch_json_valid, equals: false}]}",
        ),
        [],
    ),
    "in both": (with_bucket("contract", "{id: a, fact: cluster.matched, in: [true, false]}"), ["check_cannot_fail"]),
    "always known": (with_bucket("contract", "{id: a, fact: window.present, exists: true}"), ["check_cannot_fail"]),
    # check_cannot_pass
    "in nothing": (with_bucket("contract", "{id: a, fact: cluster.id, in: []}"), ["check_cannot_pass"]),
    "not in nothing": (with_bucket("contract", "{id: a, fact: cluster.id, not_in: []}"), ["check_cannot_pass"]),
    "in something": (with_bucket("contract", "{id: a, fact: cluster.id, in: [x]}"), []),
    "source that there is not": (
        with_bucket("contract", "{id: a, fact: window.source, equals: log}"),
        ["check_cannot_pass"],
    ),
    "source that there is": (with_bucket("contract", "{id: a, fact: window.source, equals: report}"), []),
    "true and false": (
        with_bucket("contract", "{id: a, all_of: [{fact: cluster.matched}, {fact: cluster.matched, equals: false}]}"),
        ["check_cannot_pass"],
    ),
    "wanted and avoided": (
        diagnosis("{id: a, all_of: [{match: keyword_any, keywords: [x]}, {match: keyword_none, keywords: [x]}]}"),
        ["check_cannot_pass"],
    ),
    "wanted and another avoided": (
        diagnosis("{id: a, all_of: [{match: keyword_any, keywords: [x]}, {match: keyword_none, keywords: [y]}]}"),
        [],
    ),
    "one of which is true or false, and another": (
        with_bucket(
            "contract",
            "{id: a, at_least: {n: 2, of: "
            "[{fact: cluster.matched}, {fact: cluster.matched, equals: false}, {fact: window.present}]}}",
        ),
        [],
    ),
    "true, or false and another": (
        with_bucket(
            "contract",
            "{id: a, any_of: [{fact: cluster.matched}, {fact: cluster.matched, in: [true]}, {fact: window.present}]}",
        ),
        [],
    ),
    "one of which cannot be": (
        with_bucket("contract", "{id: a, any_of: [{fact: cluster.matched}, {fact: cluster.id, in: []}]}"),
        [],
    ),
    "all of which one cannot be": (
        with_bucket("contract", "{id: a, all_of: [{fact: cluster.matched}, {fact: cluster.id, in: []}]}"),
        ["check_cannot_pass"],
    ),
    "two of which one cannot be": (
        with_bucket("contract", "{id: a, at_least: {n: 2, of: [{fact: cluster.matched}, {fact: cluster.id, in: []}]}}"),
        ["check_cannot_pass"],
    ),
    "manifest that must be absent": (
        with_bucket("execution_contract", "{id: a, fact: artifacts.manifest_present, equals: false}"),
        ["check_cannot_pass"],
    ),
    "workflow that cannot be and must be": (
        {
            "judge": judge(
                "workflow:\n  checks: [{id: a, fact: workflow.x}]\n"
                "execution_contract:\n  checks: [{id: required_workflow_present}]\n" + DIAGNOSIS,
                "facts: [{name: workflow.x, match: json_value, artifact: telemetry, path: $, in: []}]\n",
            )
        },
        ["check_cannot_pass", "check_cannot_pass"],
    ),
    "count below nothing": (critical("match: json_count, artifact: a.json, path: $, lt: 0"), ["check_cannot_pass"]),
    "count of less than nothing": (
        critical("match: json_count, artifact: a.json, path: $, le: -1"),
        ["check_cannot_pass"],
    ),
    "count of minus one": (critical("match: json_count, artifact: a.json, path: $, equals: -1"), ["check_cannot_pass"]),
    "count up to nothing": (critical("match: json_count, artifact: a.json, path: $, le: 0"), []),
    "count of a fraction": (
        critical("match: json_count, artifact: a.json, path: $, equals: 1.5"),
        ["check_cannot_pass"],
    ),
    "count of nothing": (critical("match: json_count, artifact: a.json, path: $, equals: 0"), []),
    "value in nothing": (critical("match: json_value, artifact: a.json, path: $.x, in: []"), ["check_cannot_pass"]),
    "record with a value in nothing": (
        critical("match: json_record_any, artifact: a.json, path: $, where: [{path: $.x, in: []}]"),
        ["check_cannot_pass"],
    ),
    "no record with a value in nothing": (
        critical("match: json_count, artifact: a.json, path: $, where: [{path: $.x, in: []}], equals: 0"),
        [],
    ),
    "more changes than none, from below": (
        critical(f"match: numeric_series_any_lt, {S}, of: changes, threshold: 0, min_points: 3"),
        ["check_cannot_pass"],
    ),
    "less than no changes": (
        critical(f"match: numeric_series_any_le, {S}, of: changes, threshold: -1, min_points: 3"),
        ["check_cannot_pass"],
    ),
    "no changes": (critical(f"match: numeric_series_any_le, {S}, of: changes, threshold: 0, min_points: 3"), []),
    "values below nothing": (critical(f"match: numeric_series_any_lt, {S}, threshold: 0, min_points: 3"), []),
    "fewer causes than none": (diagnosis("{id: a, fact: claimed_causes, lt: 0}"), ["check_cannot_pass"]),
    "more causes than there are": (diagnosis("{id: a, fact: claimed_causes, gt: 2}"), ["check_cannot_pass"]),
    "more causes than one": (diagnosis("{id: a, fact: claimed_causes, gt: 1}"), []),
    "at least more causes than there are": (diagnosis("{id: a, fact: claimed_causes, ge: 3}"), ["check_cannot_pass"]),
    "as many causes as there are": (diagnosis("{id: a, fact: claimed_causes, ge: 2}"), []),
    "fact whose rules cannot be": (
        {
            "judge": judge(
                "critical_evidence:\n  checks: [{id: a, fact: evidence.x}]\n" + DIAGNOSIS,
                "facts: [{name: evidence.x, match: json_value, artifact: a.json, path: $, in: []}]\n",
            )
        },
        ["check_cannot_pass"],
    ),
    # series_unrestricted, single_point
    "any series": (
        critical("match: numeric_series_any_gt, artifact: m.json, threshold: 1, min_points: 2"),
        ["series_unrestricted"],
    ),
    "any series there": (critical("match: numeric_series_present, artifact: m.json"), ["series_unrestricted"]),
    "any spread": (
        critical("match: numeric_spread_gt, artifact: m.json, threshold: 1, by: max_minus_min"),
        ["series_unrestricted"],
    ),
    "any series of all": (
        critical("match: numeric_series_all_lt, artifact: m.json, threshold: 1, min_points: 2"),
        ["series_unrestricted"],
    ),
    "series by labels": (
        critical("match: numeric_series_any_gt, artifact: m.json, labels: {a: b}, threshold: 1, min_points: 2"),
        [],
    ),
    "series by path": (
        critical("match: numeric_series_any_gt, artifact: m.json, path: $.a, threshold: 1, min_points: 2"),
        [],
    ),
    "any series of a case's fact": (
        {
            "judge": judge(
                facts="facts: [{name: evidence.x, match: numeric_series_any_gt, artifact: m.json, threshold: 1, min_points: 2}]\n"
            )
        },
        ["series_unrestricted"],
    ),
    "one point": (critical(f"match: numeric_series_any_gt, {S}, threshold: 1"), ["single_point"]),
    "one point of all": (critical(f"match: numeric_series_all_lt, {S}, threshold: 1"), ["single_point"]),
    "one point that is meant": (critical(f"match: numeric_series_any_gt, {S}, threshold: 1, min_points: 1"), []),
    "a point is there": (critical(f"match: numeric_series_present, {S}"), []),
    # must_avoid_in_section
    "avoided in a section": (
        diagnosis("{id: a, match: keyword_none, keywords: [x], section: Cause}"),
        ["must_avoid_in_section"],
    ),
    "avoided in a section or anywhere": (
        diagnosis("{id: a, match: keyword_none, keywords: [x], section: Cause, section_or_all: true}"),
        [],
    ),
    "wanted in a section": (diagnosis("{id: a, match: keyword_any, keywords: [x], section: Cause}"), []),
    "fact with a section that must be false": (
        diagnosis("{id: a, fact: cpu_in_section, equals: false}"),
        ["must_avoid_in_section"],
    ),
    "fact with a section": (diagnosis("{id: a, fact: cpu_in_section}"), []),
    "fact of a fact with a section that must be false": (
        {
            "judge": judge(
                "diagnosis:\n  hard_checks: [{id: a, fact: outer, equals: false}, {id: b, fact: disk}]\n",
                "facts: [{name: output.outer, all_of: [{fact: output.cpu_in_section}]}]\n",
            )
        },
        ["must_avoid_in_section"],
    ),
    "fact with a section or anywhere that must be false": (
        {
            "judge": judge(
                "diagnosis:\n  hard_checks: [{id: a, fact: outer, equals: false}, {id: b, fact: disk}]\n",
                "facts: [{name: output.outer, match: keyword_any, keywords: [x], section: C, section_or_all: true}]\n",
            )
        },
        [],
    ),
    "fact without a section that must be false": (diagnosis("{id: a, fact: cpu, equals: false}"), []),
    # negative_comparison_on_many
    "one of many differs": (
        critical("match: json_value, artifact: a.json, path: '$.x[*].y', not_equals: up"),
        ["negative_comparison_on_many"],
    ),
    "one of any depth differs": (
        critical("match: json_value, artifact: a.json, path: $..y, not_in: [up]"),
        ["negative_comparison_on_many"],
    ),
    "the one differs": (critical("match: json_value, artifact: a.json, path: '$.x[0].y', not_equals: up"), []),
    "one of many is": (critical("match: json_value, artifact: a.json, path: '$.x[*].y', equals: up"), []),
    "one of many of a record differs": (
        critical("match: json_record_any, artifact: a.json, path: '$[*]', where: [{path: '$.x[*]', not_equals: up}]"),
        ["negative_comparison_on_many"],
    ),
    "the one of a record differs": (
        critical("match: json_record_any, artifact: a.json, path: '$[*]', where: [{path: $.x, not_equals: up}]"),
        [],
    ),
    # duplicate_check
    "the same twice": (diagnosis("{id: a, fact: disk}", "{id: b, all_of: [{fact: output.disk}]}"), ["duplicate_check"]),
    "the same with its default written out": (
        diagnosis("{id: a, fact: disk}", "{id: b, fact: disk, equals: true}"),
        ["duplicate_check"],
    ),
    "the same in another order": (
        diagnosis("{id: a, all_of: [{fact: disk}, {fact: inner}]}", "{id: b, all_of: [{fact: inner}, {fact: disk}]}"),
        ["duplicate_check"],
    ),
    "all and any": (
        diagnosis("{id: a, all_of: [{fact: disk}, {fact: inner}]}", "{id: b, any_of: [{fact: inner}, {fact: disk}]}"),
        [],
    ),
    "the same in another bucket": (
        {
            "judge": judge(
                "execution_contract:\n  checks: [{id: a, fact: evidence.busy}]\n"
                "evidence_collection:\n  checks: [{id: b, fact: evidence.busy}]\n" + DIAGNOSIS
            )
        },
        [],
    ),
    "well-known check written out": (
        with_bucket("contract", "{id: time_window_match}", "{id: a, fact: window.matched_allowed_window}"),
        ["duplicate_check"],
    ),
    "one channel, all and at least one": (
        with_bucket(
            "execution_contract",
            MINIMUM,
            "{id: preferred_channels_all_observed}",
            parameters="  preferred_channels: [logs]\n",
        ),
        [],
    ),
    # whole cases
    "no bucket": ({"judge": "schema_version: 1\ncase_id: slow-writes\njudge: {}\n"}, ["case_cannot_fail"]),
    "no bucket of its own": (
        {
            "judge": "schema_version: 1\ncase_id: slow-writes\njudge: {}\n",
            "registry.yaml": "packs: [pack.yaml]\njudge_defaults:\n  diagnosis:\n    hard_checks: [{id: a, fact: disk}]\n",
        },
        [],
    ),
    "no diagnosis": ({"judge": judge(BUCKETS)}, ["no_diagnosis_bucket"]),
    "neither diagnosis nor reference": (
        {"judge": judge(BUCKETS), "cases/slow-writes/reference.md": None},
        ["no_diagnosis_bucket"],
    ),
    "no reference": ({"cases/slow-writes/reference.md": None}, ["reference_missing"]),
    "another reference": ({"cases/slow-writes/reference.md": None, "cases/slow-writes/reference-zh.md": "x"}, []),
    "reference run": (
        {"cases/slow-writes/reference.md": None, "judge": judge(facts="reference_run: r/slow-writes/1\n")},
        [],
    ),
    "no suite": ({"suites/daily.yaml": None}, ["case_in_no_suite"]),
    "inactive suite": (
        {
            "suites/daily.yaml": "schema_version: 1\nid: daily\nversion: 1\ntitle: D\nstatus: inactive\ncases: [slow-writes]\n"
        },
        ["case_in_no_suite"],
    ),
    "suite that cannot be read": (
        {"suites/daily.yaml": "schema_version: 1\nid: daily\nversion: one\ntitle: D\ncases: [slow-writes]\n"},
        ["wrong_type"],
    ),
    "inactive case": ({"suites/daily.yaml": None, "case": case(more="status: inactive\n")}, []),
}


@pytest.mark.parametrize(("changes", "codes"), CHECKS.values(), ids=CHECKS)
def test_checks_and_cases(tmp_path: Path, changes: Changes, codes: list[str]) -> None:
    assert codes_in(tmp_path, changes) == codes


def test_facts_of_a_registrys_own_pack_are_looked_at(tmp_path: Path) -> None:
    pack = "id: p\nversion: 1\nfacts:\n  - {name: evidence.z, match: numeric_series_any_gt, artifact: m.json, threshold: 1}\n"
    findings = findings_in(tmp_path, {"more.yaml": pack, "registry.yaml": "packs: [pack.yaml, more.yaml]\n"})
    assert [(Path(one.file).name, one.line, one.code) for one in findings] == [
        ("more.yaml", 4, "series_unrestricted"),
        ("more.yaml", 4, "single_point"),
    ]


def baseline(version: int, digest: str) -> str:
    return (
        "schema_version: 1\nsuite_id: daily\nsuite_version: 1\neval_run_id: r\njudgment_id: j\n"
        "promoted_at: 2025-03-05T06:00:00Z\ncases:\n  slow-writes:\n"
        f'    {{case_version: {version}, case_digest: "{digest}", verdict: pass}}\n'
    )


def test_version_not_raised(tmp_path: Path) -> None:
    findings_in(tmp_path, {})
    digest = load_registry(tmp_path).compile().cases[0].digest
    other = "sha256:" + "0" * 64
    found = {
        (version, same): codes_in(tmp_path, {"baselines/daily.yaml": baseline(version, digest if same else other)})
        for version in (1, 2)
        for same in (True, False)
    }
    assert found == {(1, True): [], (1, False): [], (2, True): [], (2, False): ["version_not_raised"]}


def test_a_baseline_says_nothing_of_a_case_by_the_entry_of_another_one(tmp_path: Path) -> None:
    findings_in(tmp_path, {})
    digest = load_registry(tmp_path).compile().cases[0].digest
    other = "  slow-reads:\n" + f'    {{case_version: 2, case_digest: "sha256:{"0" * 64}", verdict: pass}}\n'
    assert codes_in(tmp_path, {"baselines/daily.yaml": baseline(2, digest) + other}) == []


def test_ignored_codes_do_not_change_the_digest(tmp_path: Path) -> None:
    findings_in(tmp_path, {})
    before = load_registry(tmp_path).compile().cases[0].digest
    findings_in(tmp_path, {"case": case(more="lint_ignore: {reference_missing: later}\n")})
    assert load_registry(tmp_path).compile().cases[0].digest == before


IGNORES = {
    "ignored": (case(LEAKING, more="lint_ignore: {answer_in_prompt: meant}\n"), []),
    "another ignored": (
        case(LEAKING, more="lint_ignore: {answer_in_name: meant}\n"),
        ["answer_in_prompt", "unused_ignore"],
    ),
    "unknown": (case(more="lint_ignore: {answer_in_prompts: meant}\n"), ["unknown_lint_code"]),
    "nothing to ignore": (case(more="lint_ignore: {single_point: meant}\n"), ["unused_ignore"]),
    "no reason": (case(LEAKING, more="lint_ignore: {answer_in_prompt: ' '}\n"), ["blank_text"]),
}


@pytest.mark.parametrize(("text", "codes"), IGNORES.values(), ids=IGNORES)
def test_ignores(tmp_path: Path, text: str, codes: list[str]) -> None:
    found = codes_in(tmp_path, {"case": text})
    assert [code for code in found if code != "answer_in_prompt" or codes != ["blank_text"]] == codes


def test_an_unknown_ignore_names_the_nearest_code_and_stands_at_the_key(tmp_path: Path) -> None:
    (finding,) = findings_in(tmp_path, {"case": case(more="lint_ignore: {answer_in_prompts: meant}\n")})
    assert finding.severity == "error"
    assert "did you mean `answer_in_prompt`?" in finding.message
    assert (finding.line, finding.column) == (13, 15)


def test_lint_and_errors_are_found_together(tmp_path: Path) -> None:
    changes: Changes = {
        "case": case(PROMPT + " See ABC-1234."),
        "judge": bucket("diagnosis", "{id: a, fact: dusk}", "{id: b, match: keyword_none, keywords: ['']}"),
        "suites/daily.yaml": "schema_version: 1\nid: daily\nversion: 1\ntitle: D\ncases: [slow-writes, slow-reads]\n",
    }
    assert codes_in(tmp_path, changes) == ["ticket_id_in_prompt", "unknown_fact", "empty_keyword", "unknown_case"]


def test_a_broken_policy_gives_no_findings_about_checks(tmp_path: Path) -> None:
    assert codes_in(tmp_path, {"judge": judge("contract:\n  checks: [{id: nothing}]\n")}) == ["unknown_check"]


def test_a_broken_policy_leaves_open_whether_an_ignore_is_used(tmp_path: Path) -> None:
    ignoring = case(more="lint_ignore: {single_point: meant}\n")
    broken = judge("contract:\n  checks: [{id: nothing}]\n")
    assert codes_in(tmp_path, {"case": ignoring, "judge": broken}) == ["unknown_check"]


def test_the_demo_registry_is_clean() -> None:
    root = Path(__file__).parents[2] / "evaluation" / "regression"
    assert {finding.code for finding in examine(root).findings} <= {"version_not_raised"}


def test_every_code_has_a_meaning_and_a_case_here() -> None:
    assert len(set(LINT_CODES)) == len(LINTS) == 21
    assert all(lint.meaning and lint.find.__doc__ for lint in LINTS)
    from tests.registry.test_lint_prompt import SEEN

    tried = {code for _, codes in (*ANSWERS.values(), *CHECKS.values(), *SEEN.values()) for code in codes}
    assert set(LINT_CODES) - tried == {"version_not_raised"}
