"""Mutants of regressions, trends, quality and audits (specification 60)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mutants.mutant import Changes, Mutant, mutants_of
from mutants.selections import sql

REGRESSIONS: Final[dict[str, Changes]] = {
    "060_score_tolerance": {
        "four": ("5.0::double", "4.0::double"),
        "fixed": ("getvariable('score_tolerance')::double", "null"),
    },
    "062_verdict_change": {
        "regressed_as_improved": ("then 'regressed'", "then 'improved'"),
        "improved_as_regressed": ("then 'improved'", "then 'regressed'"),
        "drop_as_raise": ("then 'score_dropped'", "then 'score_raised'"),
        "raise_as_drop": ("then 'score_raised'", "then 'score_dropped'"),
        "drop_at_the_tolerance": ("< -(score_tolerance() + 1e-9)", "<= -(score_tolerance() - 1e-9)"),
        "raise_at_the_tolerance": ("> score_tolerance() + 1e-9", ">= score_tolerance() - 1e-9"),
        "tolerance_ignored": ("< -(score_tolerance() + 1e-9)", "< 0"),
    },
    "064_trial_evidence": {
        "one_trial_is_enough": ("trials_now = 1 or trials_before = 1", "false"),
        "one_trial_on_both_sides": ("trials_now = 1 or trials_before = 1", "trials_now = 1 and trials_before = 1"),
        "never_underpowered": ("then 'underpowered'", "then 'within_noise'"),
        "another_level": ("p_value <= 0.05 + 1e-12", "p_value <= 0.01 + 1e-12"),
        "noise_is_significant": ("else 'within_noise'", "else 'significant'"),
    },
    "066_trial_stability": {
        "none_comparable_is_mixed": ("when comparable = 0 then 'not_comparable'", "when comparable = 0 then 'mixed'"),
        "always_swapped": ("when passed = 0 then 'always_fail'", "when passed = 0 then 'always_pass'"),
        "mixed_always": ("when passed = comparable then 'always_pass'", "when false then 'always_pass'"),
    },
    "400_active_baseline_cases": {
        "inactive_too": ("where baselines.active", "where true"),
        "invalid_is_comparable": ("when baseline_cases.verdict = 'invalid' then 0", "when false then 0"),
        "percent_of_one": ("100 * baseline_cases.score", "1 * baseline_cases.score"),
        "always_pass_is_mixed": ("then 'always_pass'", "then 'mixed'"),
    },
    "410_baseline_regressions": {
        "inactive_too": ("where baselines.active", "where true"),
        "new_is_unchanged": (
            "when ranked.before is null then 'new_case'",
            "when ranked.before is null then 'unchanged'",
        ),
        "missing_is_unchanged": ("when ranked.now is null then 'missing'", "when ranked.now is null then 'unchanged'"),
        "versions_compare": ("then 'incomparable'", "then 'unchanged'"),
        "newest_version_alone": (
            "ranked.before.case_version <> ranked.now.oldest_case_version\n            or",
            "false\n            or",
        ),
        "oldest_version_alone": ("or ranked.before.case_version <> ranked.now.newest_case_version", "or false"),
        "sides_swapped": (
            "verdict_change(ranked.now.verdict, ranked.before.verdict,",
            "verdict_change(ranked.before.verdict, ranked.now.verdict,",
        ),
        "found_is_missing": ("where sides.now is not null or not sides.found", "where true"),
        "missing_is_left_out": ("where sides.now is not null or not sides.found", "where sides.now is not null"),
        "last_worse_bucket": ("list_min(list_transform(", "list_max(list_transform("),
        "better_bucket": (
            "sides.now.statuses[b])\n                < list_position",
            "sides.now.statuses[b])\n                > list_position",
        ),
        "p_of_one_trial": ("sides.now.trials >= 2 and", "sides.now.trials >= 1 and"),
        "p_of_one_baseline_trial": ("and sides.before.trials >= 2", "and sides.before.trials >= 1"),
        "p_of_the_comparable": ("sides.now.trials - sides.now.passed,", "sides.now.comparable - sides.now.passed,"),
        "q_without_rank": ("ranked.p_value * ranked.tests / ranked.not_greater", "ranked.p_value * ranked.tests"),
        "q_is_p": ("min(ranked.p_value * ranked.tests / ranked.not_greater)", "min(ranked.p_value)"),
        "q_of_all_eval_runs": (
            "count(p_value) over (partition by eval_run_id) as tests",
            "count(p_value) over () as tests",
        ),
        "rubric_never_changed": ("ranked.now.case_digest <> ranked.before.case_digest", "false"),
        "suite_version_never_changed": ("eval_runs.suite_version <> baselines.suite_version", "false"),
        "evidence_of_one_side": ("when ranked.now is not null and ranked.before is not null\n", "when true\n"),
    },
    "420_suite_comparison": {
        "down_and_up_swapped": (
            "(other.verdict = 'pass' and this.verdict = 'fail')::int as pass_to_fail",
            "(other.verdict = 'fail' and this.verdict = 'pass')::int as pass_to_fail",
        ),
        "invalid_went_down": (
            "(other.verdict = 'pass' and this.verdict = 'fail')",
            "(other.verdict = 'pass' and this.verdict <> 'pass')",
        ),
        "inactive_too": ("where baselines.active", "where true"),
        "with_itself": ("and this.eval_run_id <> other.eval_run_id", "and true"),
        "any_suite": ("and this.suite_id = other.suite_id", "and true"),
        "baseline_preferred": ("1 as preference", "3 as preference"),
        "rate_of_the_comparable": (
            "this.invalid / nullif(this.comparable + this.invalid, 0) as invalid_rate",
            "this.invalid / nullif(this.comparable, 0) as invalid_rate",
        ),
        "p_of_the_other_side": (
            "fisher_less(this.comparable, this.invalid, others.counts.comparable, others.counts.invalid)",
            "fisher_less(others.counts.comparable, others.counts.invalid, this.comparable, this.invalid)",
        ),
    },
    "430_eval_run_regressions": {
        "new_is_unchanged": ("then 'new_case'", "then 'unchanged'"),
        "missing_is_unchanged": ("then 'missing'", "then 'unchanged'"),
        "versions_compare": ("then 'incomparable'", "then 'unchanged'"),
        "sides_swapped": (
            "verdict_change(ranked.now.verdict, ranked.other.verdict,",
            "verdict_change(ranked.other.verdict, ranked.now.verdict,",
        ),
        "found_is_missing": ("where pairs.now is not null or found_cases.case_id is null", "where true"),
        "missing_is_left_out": ("or found_cases.case_id is null", "or false"),
        "last_worse_bucket": ("list_min(list_transform(", "list_max(list_transform("),
        "q_without_rank": ("ranked.p_value * ranked.tests / ranked.not_greater", "ranked.p_value * ranked.tests"),
        "p_of_one_trial": ("pairs.now.trials >= 2 and", "pairs.now.trials >= 1 and"),
        "p_sides_swapped": (
            "                        pairs.now.passed,\n",
            "                        pairs.other.passed,\n",
        ),
    },
    "330_verdict_flips": {
        "codes_do_not_flip": (" or before_code is distinct from after_code)", ")"),
        "everything_flips": ("and (before_verdict is distinct from after_verdict", "and (true"),
        "first_judgment_flips": ("before_key is not null\n", "true\n"),
        "rubric_never_changed": (
            "(before.case_digest, before.pack_digests) <> (after.case_digest, after.pack_digests)",
            "before.case_digest <> after.case_digest",
        ),
        "bundle_never_changed": ("coalesce(before.bundle_digest, '') <> coalesce(after.bundle_digest, '')", "false"),
        "semantics_never_changed": (
            "(before.semantics_version, before.engine_version)\n    <> (after.semantics_version, after.engine_version)",
            "before.engine_version <> after.engine_version",
        ),
        "required_is_no_change": ("or both_results.required_before <> both_results.required_after", "or false"),
        "unknown_passes": ("coalesce(outcomes_of_sides.passed, false)", "coalesce(outcomes_of_sides.passed, true)"),
        "checks_without_buckets": ("where known_sides.has_buckets", "where true"),
    },
}

COUNTS: Final[dict[str, Changes]] = {
    "224_eval_run_suites": {
        "newest_suite_always": (
            "coalesce(suites.suite_version = eval_runs.suite_version, false)",
            "false",
        ),
        "oldest_suite": ("arg_max(aggregate, preference)", "arg_min(aggregate, preference)"),
    },
    "290_found_case_runs": {"unknown_cases_too": ("inner join known_cases", "left join known_cases")},
    "295_eval_run_plans": {
        "trials_not_planned": ("count(*) * eval_run_suites.trials as planned", "count(*) as planned"),
        "last_start": ("min(started_at) as started_at", "max(started_at) as started_at"),
        "found_start_first": (
            "coalesce(eval_runs.started_at, found.started_at)",
            "coalesce(found.started_at, eval_runs.started_at)",
        ),
    },
    "300_eval_run_counts": {
        "invalid_is_comparable": ("(where verdict in ('pass', 'fail')) as comparable", "(where true) as comparable"),
        "failed_is_passed": ("(where verdict = 'pass') as passed", "(where verdict = 'fail') as passed"),
        "rate_of_all": (
            "judged.passed / nullif(judged.comparable, 0)",
            "judged.passed / nullif(judged.comparable + judged.invalid, 0)",
        ),
        "invalid_rate_of_the_comparable": (
            "judged.invalid / (judged.comparable + judged.invalid)",
            "judged.invalid / nullif(judged.comparable, 0)",
        ),
    },
    "310_eval_run_coverage": {
        "too_few_is_complete": ("planned.planned > judged.judged or", "false or"),
        "missing_case_is_complete": ("or planned.cases_without_run > 0", "or false"),
        "exactly_enough_is_incomplete": ("planned.planned > judged.judged", "planned.planned >= judged.judged"),
        "trials_not_planned": ("* any_value(newest_suites.trials)", "* 1"),
    },
}

_TREND: Final[Changes] = {
    "pairs_across_digests": ("            and this.case_digest = previous.case_digest", "            and true"),
    "pairs_without_comparable": ("where this.comparable > 0 and previous.comparable > 0", "where this.comparable > 0"),
    "previous_rate_is_this": (
        "sum(previous.passed) / sum(previous.comparable) as previous_pass_rate",
        "sum(this.passed) / sum(this.comparable) as previous_pass_rate",
    ),
    "rate_of_all": (
        "counted.passed / nullif(counted.comparable, 0) as pass_rate",
        "counted.passed / nullif(counted.comparable + counted.invalid, 0) as pass_rate",
    ),
    "invalid_failed_as_passed": (
        "    counted.passed / nullif(counted.comparable + counted.invalid, 0) as pass_rate_if_invalid_failed",
        "    (counted.passed + counted.invalid) / nullif(counted.comparable + counted.invalid, 0) as pass_rate_if_invalid_failed",
    ),
    "invalid_passed_as_failed": (
        "(counted.passed + counted.invalid) / nullif",
        "counted.passed / nullif",
    ),
    "invalid_rate_of_the_comparable": (
        "counted.invalid / nullif(counted.comparable + counted.invalid, 0) as invalid_rate",
        "counted.invalid / nullif(counted.comparable, 0) as invalid_rate",
    ),
    "mean_score_of_all": (
        "counted.score_sum / nullif(counted.comparable, 0)",
        "counted.score_sum / nullif(counted.comparable + counted.invalid, 0)",
    ),
    "interval_of_all": (
        "wilson_low(counted.passed, counted.comparable) as pass_rate_low",
        "wilson_low(counted.passed, counted.comparable + counted.invalid) as pass_rate_low",
    ),
}
"""What the trends of suites, cases and buckets share."""

_OTHER_MEANING: Final = "(compared.meaning.suite_version, compared.meaning.pack_digests)"

TRENDS: Final[dict[str, Changes]] = {
    "495_judged_meanings": {
        "never_mixed": ("min(placed.meaning) <> max(placed.meaning) as mixed", "false as mixed"),
        "first_judgment": ("max(placed.place) as place", "min(placed.place) as place"),
    },
    "500_trend_runs": {
        "suite_version_starts_no_segment": ("suite_version := eval_run_plans.suite_version,\n", ""),
        "engine_starts_no_segment": (
            "suite_version := eval_run_plans.suite_version,\n                    engine := judged.engine\n",
            "suite_version := eval_run_plans.suite_version\n",
        ),
        "case_starts_no_segment": ("with_changed_case.eval_run_id is not null\n        or", "false\n        or"),
        "unknown_meaning_starts_a_segment": (
            "ordered.meaning <> lag(ordered.meaning ignore nulls)",
            "ordered.meaning is distinct from lag(ordered.meaning)",
        ),
        "never_mixed": ("coalesce(judged.mixed, false) as mixed_semantics", "false as mixed_semantics"),
        "suites_mixed_up": (
            "partition by eval_run_plans.suite_id order by eval_run_plans.started_at",
            "order by eval_run_plans.started_at",
        ),
        "order_by_id": (
            "order by eval_run_plans.started_at nulls last, eval_run_plans.eval_run_id",
            "order by eval_run_plans.eval_run_id",
        ),
        "no_start_is_first": ("started_at nulls last", "started_at nulls first"),
        "segments_from_zero": ("1 + count(*) filter (where changed)", "count(*) filter (where changed)"),
    },
    "505_trend_cases": {
        "invalid_is_comparable": ("verdict in ('pass', 'fail')", "true"),
        "agent_as_environment": ("and cause = 'agent')", "and cause = 'environment')"),
        "provider_as_harness": ("and cause = 'provider')", "and cause = 'harness')"),
        "unknown_cause_lost": ("and cause is null)", "and cause = 'none')"),
        "case_as_agent": ("and cause = 'case')", "and cause = 'agent')"),
    },
    "510_suite_trends": {**_TREND, "never_mixed": ("    runs.mixed_semantics\n", "    false as mixed_semantics\n")},
    "520_case_trends": {
        **_TREND,
        "case_starts_no_segment": (
            "compared.meaning <> lag(compared.meaning ignore nulls)",
            f"{_OTHER_MEANING} <> lag({_OTHER_MEANING} ignore nulls)",
        ),
        "suite_version_starts_no_segment": ("suite_version := runs.suite_version,\n", ""),
        "packs_start_no_segment": ("pack_digests := judged_meanings.pack_digests,\n", ""),
        "never_mixed": ("coalesce(judged_meanings.mixed, false)", "false"),
        "unplanned_is_unknown": ("coalesce(cases.planned, 0)", "cases.planned"),
    },
    "530_bucket_trends": {
        **_TREND,
        "pairs_across_buckets": ("            and this.bucket = previous.bucket\n", ""),
        "unconfigured_too": ("    inner join case_buckets\n", "    left join case_buckets\n"),
        "partial_is_passed": (
            "passed := count(*) filter (where workflow.status = 'pass')",
            "passed := count(*) filter (where workflow.status <> 'fail')",
        ),
        "partial_is_not_comparable": (
            "one_row_per_bucket.status.passed + one_row_per_bucket.status.partial +",
            "one_row_per_bucket.status.passed +",
        ),
    },
    "540_failure_code_trends": {
        "fail_of_all": (
            "case when codes_of_suites.verdict = 'fail' then totals.comparable else",
            "case when false then totals.comparable else",
        ),
        "unknown_of_none": ("case when codes_of_suites.verdict = 'fail' then totals.invalid else 0 end", "0"),
        "pairs_across_digests": ("            and this.case_digest = previous.case_digest\n", ""),
        "pairs_without_comparable": (
            "where kinds.verdict = 'invalid' or (this.comparable > 0 and previous.comparable > 0)",
            "where true",
        ),
        "previous_is_this": (
            "filter (where sides.is_previous), 0) as previous",
            "filter (where not sides.is_previous), 0) as previous",
        ),
        "codes_of_other_suites": ("runs.suite_id is not distinct from codes_of_suites.suite_id", "true"),
        "mean_of_the_comparable": (
            "rated.score_sum / nullif(rated.case_runs, 0)",
            "rated.score_sum / nullif(rated.comparable, 0)",
        ),
    },
}

QUALITY: Final[dict[str, Changes]] = {
    "550_flaky_cases": {
        "stable_too": ("where passed > 0 and passed < comparable;", "where true;"),
        "invalid_too": ("where decided.verdict in ('pass', 'fail')", "where true"),
        "agents_together": (
            "                in_eval_runs.agent_version,\n                in_eval_runs.agent_model\n            order",
            "                in_eval_runs.agent_version\n            order",
        ),
        "flips_inside_alone": ("(sum(flips) + count(*) filter (where passed_before <> passes[1]))", "(sum(flips))"),
        "flips_between_alone": ("(sum(flips) + count(*)", "(count(*)"),
        "flips_of_all": ("flips / (comparable - 1) as flip_rate", "flips / comparable as flip_rate"),
        "mixed_are_all": ("filter (where passed > 0 and passed < comparable) as mixed", "filter (where true) as mixed"),
    },
    "560_check_quality": {
        "runs_without_buckets": ("where contract is not null", "where true"),
        "never_failed_without_runs": ("counted.case_runs > 0 and counted.failed = 0", "counted.failed = 0"),
        "never_passed_without_runs": (
            "counted.case_runs > 0 and counted.failed = counted.case_runs",
            "counted.failed = counted.case_runs",
        ),
        "several_decide_alone": ("having count(*) = 1", "having count(*) >= 1"),
        "what_does_not_count_decides": ("    where counts_for_verdict\n", ""),
        "phi_of_the_failed": (
            "        counted.passing - counted.failed_in_passing,\n        counted.case_runs",
            "        counted.failed_in_passing,\n        counted.case_runs",
        ),
    },
    "570_case_quality": {
        "impossible_after_four": ("counted.comparable >= 5", "counted.comparable >= 4"),
        "impossible_after_six": ("counted.comparable >= 5", "counted.comparable >= 6"),
        "saturated_after_nineteen": ("counted.comparable >= 20", "counted.comparable >= 19"),
        "saturated_after_twenty_one": ("counted.comparable >= 20", "counted.comparable >= 21"),
        "impossible_though_passed": ("counted.passed = 0 and", "true and"),
        "all_discriminate": ("when counted.passed > 0 and counted.passed < counted.comparable", "when true"),
        "half_passes": (
            "2 * in_eval_runs.passed > in_eval_runs.comparable",
            "2 * in_eval_runs.passed >= in_eval_runs.comparable",
        ),
        "never_comparable_lost": ("then 'never_comparable'", "then null"),
        "same_agent_tells_apart": ("where turns.passes <> other.passes", "where true"),
        "agents_by_name": ("count(distinct agent) as agents", "count(distinct agent.name) as agents"),
    },
    "580_semantic_agreement": {
        "first_answer": ("order by judgments.judged_at desc", "order by judgments.judged_at"),
        "unanswered_as_no": ("answers.matched as shadow", "coalesce(answers.matched, false) as shadow"),
        "only_swapped": (
            "(where shadow and not passed) as only_shadow_passed",
            "(where not shadow and passed) as only_shadow_passed",
        ),
        "agreement_of_the_passed": ("(counted.both_passed + counted.neither_passed) /", "(counted.both_passed) /"),
        "other_buckets": ("where bucket = 'diagnosis'", "where true"),
    },
    "590_repeated_bundles": {
        "once_is_enough": ("having count(distinct case_run_id) > 1", "having true"),
        "unresolved_too": ("    from bundles\n    where status = 'resolved'\n", "    from bundles\n"),
        "same_run_twice": ("having count(distinct case_run_id) > 1", "having count(*) > 1"),
        "last_is_first": ("min(case_run_id) as first", "max(case_run_id) as first"),
    },
}

AUDITS: Final[dict[str, Changes]] = {
    "900_audit_repeated_verdicts": {
        "blind": ("having count(*) > 1", "having count(*) > 9"),
        "sees_all": ("having count(*) > 1", "having count(*) > 0"),
    },
    "905_audit_repeated_keys": {
        "blind": ("having count(*) > 1", "having count(*) > 9"),
        "sees_all": ("having count(*) > 1", "having count(*) > 0"),
        "judged_runs_left_out": (
            "judged_key::varchar as row_key from judged_case_runs",
            "judged_key::varchar as row_key from judged_case_runs where false",
        ),
        "checks_left_out": (
            "check_key::varchar as row_key from checks",
            "check_key::varchar as row_key from checks where false",
        ),
        "case_runs_left_out": (
            "case_run_id as row_key from case_runs",
            "case_run_id as row_key from case_runs where false",
        ),
        "eval_runs_left_out": (
            "eval_run_id as row_key from eval_runs",
            "eval_run_id as row_key from eval_runs where false",
        ),
        "judgments_left_out": (
            "judgment_id as row_key from judgments",
            "judgment_id as row_key from judgments where false",
        ),
        "cases_left_out": ("case_digest as row_key from cases", "case_digest as row_key from cases where false"),
    },
    "910_audit_orphan_outcomes": {
        "blind": ("where judged_case_runs.case_digest is distinct from checks.case_digest or", "where false and"),
        "check_of_another_case": (
            "where judged_case_runs.case_digest is distinct from checks.case_digest or",
            "where judged_case_runs.judged_key is null or",
        ),
        "unknown_check_is_another": ("then 'unknown check_key'", "then 'check of another case'"),
        "both_unknown": (" or checks.check_key is null", ""),
    },
    "915_audit_repeated_outcomes": {
        "blind": ("having count(*) > 1", "having count(*) > 9"),
        "sees_all": ("having count(*) > 1", "having count(*) > 0"),
    },
    "920_audit_missing_outcomes": {
        "too_many_are_enough": (
            "wanted.checks <> coalesce(outcomes_of_run.outcomes, 0)",
            "wanted.checks > coalesce(outcomes_of_run.outcomes, 0)",
        ),
        "null_is_told": ("or wanted.checks <> coalesce(outcomes_of_run.told, 0)", "or false"),
        "runs_without_bundle_need_outcomes": (
            "when situation_of(this.cause, this.has_output, this.bundle_status) = 'bundle_resolved' then",
            "when true then",
        ),
    },
    "930_audit_orphan_judged_runs": {
        "case_run_not_looked_at": ("where case_runs.case_run_id is null or", "where"),
        "judgment_not_looked_at": ("or judgments.judgment_id is null or", "or"),
        "case_not_looked_at": (" or cases.case_digest is null;", ";"),
    },
    "940_audit_buckets_and_checks": {
        "checks_without_bucket": ("where case_buckets.bucket is null or", "where"),
        "buckets_without_checks": (" or counted.checks is null;", ";"),
    },
    "950_audit_undecided_verdicts": {
        "blind": ("where verdict is null", "where false"),
        "sees_all": ("where verdict is null", "where true"),
    },
    "960_audit_active_baselines": {
        "blind": ("having count(*) > 1", "having count(*) > 9"),
        "sees_one": ("having count(*) > 1", "having count(*) > 0"),
        "inactive_too": ("where active", "where true"),
    },
    "965_audit_case_run_parts": {
        "parts_not_looked_at": (
            "when coalesce(this.case_run_id <> concat_ws('/', this.eval_run_id, this.case_id, this.trial), true)",
            "when false",
        ),
        "suite_not_looked_at": ("when this.suite_digest is not null and known.suite_digest is null", "when false"),
        "no_suite_is_unknown": ("this.suite_digest is not null and", ""),
    },
    "967_audit_superseded_case_runs": {
        "counts_although_superseded": ("found.times is null or", ""),
        "does_not_count_although_latest": ("or expected.judged_key is null or", "or"),
        "several_marks": (" or found.times > 1;", ";"),
    },
    "970_audit_orphan_semantic_results": {
        "runs_not_looked_at": (
            "when judged_case_runs.judged_key is null then 'unknown judged case run'",
            "when false then 'unknown judged case run'",
        ),
        "digests_not_looked_at": ("then 'another case digest'", "then null"),
        "shadows_not_looked_at": ("then 'unknown shadowed check'", "then null"),
        "no_shadow_is_unknown": ("semantic_results.shadows is not null and", ""),
        "status_not_looked_at": ("then 'matched against status'", "then null"),
    },
    "975_audit_repeated_semantic_results": {
        "blind": ("having count(*) > 1", "having count(*) > 9"),
        "sees_all": ("having count(*) > 1", "having count(*) > 0"),
    },
}

EQUIVALENT: Final = {
    "330_verdict_flips": {
        "first_judgment_flips": "known_sides has no row of a judgment before the first; it saves a look at its checks"
    }
}
"""File -> mutant -> why no test can notice it."""


def of_histories() -> Iterator[Mutant]:
    """Mutants of what is read out of a history of judgments."""
    for files in (REGRESSIONS, COUNTS, TRENDS, QUALITY):
        for stem, changes in files.items():
            yield from mutants_of(f"sql/{stem}.sql", _tests(stem), changes, EQUIVALENT.get(stem))
    for stem, changes in AUDITS.items():
        yield from mutants_of(f"sql/{stem}.sql", sql("audits"), changes)


def _tests(stem: str) -> tuple[str, ...]:
    name = stem[4:]
    others = {
        "score_tolerance": ("baseline_regressions", "eval_run_regressions"),
        "verdict_change": ("baseline_regressions", "eval_run_regressions"),
        "trial_evidence": ("statistics", "baseline_regressions"),
        "trial_stability": ("statistics", "baseline_regressions", "eval_run_regressions"),
    }
    return sql(*others.get(name, (name,)))
