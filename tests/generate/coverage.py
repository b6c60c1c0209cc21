"""`python -m tests.generate.coverage [WORLDS]`: how often the random worlds make each rule true and false, and why.

The plain judge looks at every rule of every check, definition and channel.  Exit code 1 where a method, a comparison, a
reason, an issue, a status, a failure code or a form of a check never came up.

What cannot come up here, as worlds hold no such thing or the plain judge does not tell it: the cause `case`, which no table
gives; the issues `document_unreadable`, `limit_reached`, `not_a_regular_file`, `trial_name_invalid`, `duplicate_case_run` and
`unknown_case`; semantic checks; workspaces that are looked up by their id.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.generate.world import write_world
from tests.plain.buckets import FAMILIES, LAYERS, OF_PARAMETERS, fact_of_well_known
from tests.plain.comparisons import COMPARISONS, comparison_of
from tests.plain.judge import READABLE, judge_case_run, look_at
from tests.plain.loading import load_registry
from tests.plain.regressions import baseline_regressions
from tests.plain.rules import METHODS, why_false
from tests.plain.runs import case_runs_below
from tests.plain.scene import Rule, Scene
from tests.plain.trials import case_verdicts, evidence_diagnosis
from tests.plain.verdicts import PRECEDENCE

TRUE = "true"
NUMERIC = ("artifact_missing", "no_json_value", "path_selects_nothing", "no_series", "not_matched")
ON_NODES = ("artifact_missing", "no_json_value", "path_selects_nothing", "not_matched")
ON_TEXT = ("artifact_missing", "no_text", "not_matched")
REASONS: dict[str, tuple[str, ...]] = {
    "artifact_present": ("artifact_missing",),
    "json_valid": ("artifact_missing", "no_json_value"),
    "json_exists": ON_NODES[:3],
    "json_count": ("artifact_missing", "no_json_value", "not_matched"),
    **dict.fromkeys(("json_list_nonempty", "json_record_any", "json_text_contains_any", "json_value"), ON_NODES),
    **{method: NUMERIC for method in METHODS if method.startswith("numeric_")},
    **{
        method: ON_TEXT
        for method in METHODS
        if method.endswith(("_any", "_all")) and method not in ("json_record_any", "json_text_contains_any")
    },
    **{method: (*ON_TEXT, "unread_document") for method in METHODS if method.endswith("_none")},
    "fact": ("fact_unknown", "fact_not_satisfied"),
    "required_workflow_present": ("workflow_check_failed",),
    "required_artifacts_present": ("artifact_missing",),
    "preferred_channels_minimum_observed": ("channel_not_observed",),
    "preferred_channels_all_observed": ("channel_not_observed",),
}
CHANNELS = ("metric", "query", "log", "event")
ISSUES = (
    *("record_invalid", "record_path_mismatch", "path_outside_case_run", "case_version_differs"),
    *("manifest_invalid", "report_missing", "report_invalid", "evidence_missing"),
    *("json_nonstandard", "json_invalid", "jsonl_bad_line", "text_undecodable", "document_name_clash"),
    *("archive_refused", "binary_skipped", "document_too_large"),
    *("cluster_id_inexact", "timestamp_invalid", "timestamp_without_offset"),
)
CODES = ("environment_failed", "bundle_unresolved", "bundle_ambiguous", *(row[3] for row in PRECEDENCE))
CAUSES = ("agent", "environment", "provider", "harness", "None")
STATUSES = {
    **dict.fromkeys(("contract", "diagnosis"), ("pass", "fail")),
    **dict.fromkeys(("workflow", "execution_contract", "evidence_collection"), ("pass", "partial", "fail")),
    **dict.fromkeys(("critical_evidence", "evidence_routing"), ("pass", "partial", "fail")),
}

OPTIONS = (
    *("within: window", "within: before_window", "margin", "section", "section_or_all", "ignore_unread"),
    *("whole_word", "case_sensitive", "unless", "negated_finding", "concepts", "where", "path", "series", "labels"),
    *("min_points", "consecutive", "by: max_over_median", "by: max_minus_min", "artifact: output"),
    *(f"of: {name}" for name in ("value", "increase", "changes", "ratio")),
)
ROUTING = (
    *(f"routing.analysis_{channel}_refs_{what}" for channel in CHANNELS for what in ("required", "resolvable")),
    *(f"routing.analysis_{channel}_refs_verified" for channel in ("log", "event")),
    *("routing.analysis_key_evidence_present", "routing.analysis_supporting_evidence_present"),
    *("routing.analysis_patch_present", "routing.analysis_patch_json_valid", "routing.analysis_items_shape_valid"),
)
CHANGES = (
    *("new_case", "missing", "incomparable", "regressed", "improved"),
    *("score_dropped", "score_raised", "unchanged"),
)
OF_CASES = {
    **{f"aggregate {aggregate}": ("pass", "fail", "invalid") for aggregate in ("majority", "all", "any")},
    "change": CHANGES,
    "evidence": ("single_trial", "underpowered", "significant", "within_noise", "None"),
    "stability": ("always_pass", "always_fail", "mixed", "not_comparable", "None"),
    "evidence against diagnosis": ("grounded", "missed_signal", "unsupported_claim", "neither"),
}

Counts = Counter[tuple[str, str]]


def expected() -> list[tuple[str, str]]:
    """Everything that has to come up."""
    wanted = [(method, outcome) for method, reasons in REASONS.items() for outcome in (TRUE, *reasons)]
    wanted += [(f"fact {name}", outcome) for name in fact_comparisons() for outcome in (TRUE, "false")]
    wanted += [(f"json_value {name}", outcome) for name in node_comparisons() for outcome in (TRUE, "false")]
    wanted += [
        (f"check {form}", outcome) for form in ("all_of", "any_of", "at_least", "single") for outcome in (TRUE, "false")
    ]
    wanted += [(f"bucket {bucket}", status) for bucket, statuses in STATUSES.items() for status in statuses]
    wanted += [(f"option {option}", outcome) for option in OPTIONS for outcome in (TRUE, "false")]
    wanted += [(fact, outcome) for fact in ROUTING for outcome in (TRUE, "false")]
    wanted += [(thing, outcome) for thing, outcomes in OF_CASES.items() for outcome in outcomes]
    wanted += [("issue", code) for code in ISSUES]
    wanted += [("code", code) for code in CODES]
    wanted += [("primary code", code) for code in CODES]
    wanted += [("cause", cause) for cause in CAUSES]
    return wanted + [("verdict", verdict) for verdict in ("pass", "fail", "invalid")]


def fact_comparisons() -> list[str]:
    """The comparisons that a fact rule takes."""
    return [name for name in COMPARISONS if name not in ("contains_any", "time_within")]


def node_comparisons() -> list[str]:
    """The comparisons that `json_value` takes."""
    return [name for name in COMPARISONS if name != "exists"]


def count_worlds(worlds: int) -> Counts:
    """Write worlds one after the other, look at them, and count."""
    counts: Counts = Counter()
    with TemporaryDirectory() as place:
        for seed in range(worlds):
            root = Path(place) / str(seed)
            write_world(seed, root)
            count_world(root, counts)
    return counts


def count_world(root: Path, counts: Counts) -> None:
    """All rules and lines of one world."""
    registry = load_registry(root / "registry")
    lines: list[dict[str, Any]] = []
    for case_run in case_runs_below(root / "runs"):
        if case_run.case_id not in registry.cases:
            continue
        issues = [*case_run.issues]
        lines.append(judge_case_run(case_run, registry))
        count_line(lines[-1], counts)
        case_run.issues = issues
        scene, code, _ = look_at(case_run, registry)
        if not code:
            count_rules(scene, counts)
            count_checks(scene, counts)
    count_cases(root, lines, counts)


def count_cases(root: Path, lines: list[dict[str, Any]], counts: Counts) -> None:
    """Verdicts of cases, and what a baseline makes of them."""
    cases = case_verdicts(lines, root / "runs", root / "registry")
    counts.update((f"aggregate {case['aggregate']}", case["verdict"]) for case in cases)
    counts.update(("evidence against diagnosis", row["class"]) for row in evidence_diagnosis(lines))
    for row in baseline_regressions(cases, root / "runs", root / "registry"):
        counts.update((name, str(row[name])) for name in ("change", "evidence", "stability"))


def count_line(line: dict[str, Any], counts: Counts) -> None:
    """What the line of a case run tells."""
    counts[("verdict", line["verdict"])] += 1
    if line["verdict"] != "pass":
        counts[("cause", str(line["cause"]))] += 1
    counts[("primary code", str(line["primary_failure_code"]))] += 1
    counts.update(("code", code) for code in line["failure_codes"])
    counts.update(("issue", issue["code"]) for issue in line["issues"])
    counts.update(
        (f"bucket {name}", bucket["status"]) for name, bucket in line["buckets"].items() if bucket["configured"]
    )
    counts.update(
        (name, TRUE if value else "false")
        for name, value in line["facts"].items()
        if name in ROUTING and value is not None
    )
    for check in line["checks"]:
        if check["id"] in OF_PARAMETERS:
            counts[(check["id"], check["reason"] or TRUE)] += 1


def count_rules(scene: Scene, counts: Counts) -> None:
    """Every rule by itself."""
    for rule, families in rules_of(scene):
        reason = why_false(rule, scene, families)
        method = "fact" if "fact" in rule else rule["match"]
        counts[(method, reason or TRUE)] += 1
        outcome = "false" if reason else TRUE
        counts.update((f"option {option}", outcome) for option in options_of(rule))
        if method == "fact" or (method == "json_value" and reason in (None, "not_matched")):
            name, _ = comparison_of(rule, ("equals", True))
            counts[(f"{method} {name}", outcome)] += 1


def options_of(rule: Rule) -> Iterator[str]:
    """The parameters of a rule that it could do without, with their values where these are few."""
    for name, value in rule.items():
        yield from (option for option in (name, f"{name}: {value}") if option in OPTIONS)


def rules_of(scene: Scene) -> Iterator[tuple[Rule, tuple[str, ...]]]:
    """Every rule of checks, definitions and channels, with the families whose name may be left out."""
    for bucket, check in checks_of(scene):
        for rule in rules_in(check) or well_known_rule(check, bucket):
            yield rule, FAMILIES[bucket]
    for name, definition in scene.case.facts.items():
        for rule in rules_in(definition):
            yield rule, ("output",) if name.startswith("output.") else READABLE
    for lists in scene.case.channels.values():
        for rules in lists.values():
            for rule in rules:
                yield rule, ()


def checks_of(scene: Scene) -> Iterator[tuple[str, Rule]]:
    """Every check with its bucket."""
    for bucket, settings in scene.case.buckets.items():
        for key in [layer for layer, _ in LAYERS] if bucket == "diagnosis" else ["checks"]:
            for check in settings.get(key) or []:
                yield bucket, check


def rules_in(check: Rule) -> list[Rule]:
    """The rules of a check or a definition; none for a well-known check without any."""
    if "match" in check or "fact" in check:
        return [check]
    rules: list[Rule] = check.get("all_of") or check.get("any_of") or check.get("at_least", {}).get("of") or []
    return rules


def well_known_rule(check: Rule, bucket: str) -> list[Rule]:
    """The rule that a well-known check stands for, where it is one on a fact."""
    return [] if check["id"] in OF_PARAMETERS else [{"fact": fact_of_well_known(check["id"], bucket)}]


def count_checks(scene: Scene, counts: Counts) -> None:
    """The forms of checks."""
    for bucket, check in checks_of(scene):
        rules = rules_in(check)
        if not rules:
            continue
        form = next((name for name in ("all_of", "any_of", "at_least") if name in check), "single")
        least = {"all_of": len(rules), "at_least": check.get("at_least", {}).get("n", 1)}.get(form, 1)
        true = sum(why_false(rule, scene, FAMILIES[bucket]) is None for rule in rules)
        counts[(f"check {form}", TRUE if true >= least else "false")] += 1


def main() -> int:
    """Print one line per thing with its outcomes; exit code 1 where one never came up."""
    parser = argparse.ArgumentParser(prog="python -m tests.generate.coverage", description=__doc__)
    parser.add_argument("worlds", type=int, nargs="?", default=200)
    counts = count_worlds(parser.parse_args().worlds)
    for thing in dict.fromkeys(name for name, _ in [*expected(), *sorted(counts)]):
        outcomes = {
            outcome: counts[(name, outcome)] for name, outcome in [*expected(), *sorted(counts)] if name == thing
        }
        sys.stdout.write(f"{thing}: " + ", ".join(f"{outcome} {count}" for outcome, count in outcomes.items()) + "\n")
    missing = [f"{thing}: {outcome}" for thing, outcome in expected() if not counts[(thing, outcome)]]
    sys.stdout.write(f"never: {', '.join(missing) or 'nothing'}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
