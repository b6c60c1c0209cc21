"""Mutants of buckets, the table of precedence, verdicts and statistics (specification 50)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mutants.mutant import ROOT, Mutant, mutants_of
from mutants.selections import sql

PRECEDENCE: Final = "sql/200_verdict_precedence.sql"
_ROW: Final = re.compile(r"^    \((\d+), .*'(?:bundle|environment)_[a-z]+', .*\)(,?)$", re.MULTILINE)
_OTHER_VERDICT: Final = {"invalid": "fail", "fail": "invalid", "pass": "fail"}
_OF_PRECEDENCE: Final = sql("verdict_precedence", "verdict_decisions")


def rows_of_precedence() -> dict[int, str]:
    """Position -> line of the table of precedence, without what parts it from the next."""
    text = (ROOT / PRECEDENCE).read_text(encoding="utf-8")
    return {int(found[1]): found[0].rstrip(",") for found in _ROW.finditer(text)}


def of_precedence() -> Iterator[Mutant]:
    """Each row removed, swapped with the next one, and with another verdict."""
    rows = rows_of_precedence()
    for position, row in rows.items():
        name = f"verdict_precedence/row_{position}"
        never = row.replace("bundle_resolved", "never").replace("'environment_failed', null", "'never', null")
        never = re.sub(r"'bundle_(?:unresolved|ambiguous)', null", "'never', null", never)
        yield Mutant(f"{name}_removed", PRECEDENCE, row, never, _OF_PRECEDENCE)
        verdict = next(one for one in _OTHER_VERDICT if f", '{one}', " in row)
        other = row.replace(f", '{verdict}', ", f", '{_OTHER_VERDICT[verdict]}', ")
        yield Mutant(f"{name}_with_another_verdict", PRECEDENCE, row, other, _OF_PRECEDENCE)
        following = rows.get(position + 1)
        if following is not None:
            swapped = [
                line.replace(f"({old}, ", f"({new}, ", 1)
                for line, old, new in ((row, position, position + 1), (following, position + 1, position))
            ]
            both = f"{row},\n{following}"
            yield Mutant(f"{name}_behind_the_next", PRECEDENCE, both, ",\n".join(swapped), _OF_PRECEDENCE)


def _status(bucket: str, column: str, status: str, other: str) -> tuple[str, str]:
    line = f"when failed.{bucket}_{column} > 0 then '{status}'"
    return line, line.replace(f"then '{status}'", f"then '{other}'")


def _threshold(bucket: str, column: str) -> tuple[str, str]:
    return f"when failed.{bucket}_{column} > 0 then", f"when failed.{bucket}_{column} < 0 then"


BUCKETS: Final = {
    "110_bucket_contract": {
        "required_as_partial": _status("contract", "required", "fail", "partial"),
        "required_ignored": _threshold("contract", "required"),
        "always_configured": ("coalesce(whole.contract_configured, false)", "true"),
    },
    "120_bucket_workflow": {
        "progress_fails": (
            "when failed.workflow_required > 0 and run.progressed then 'partial'",
            "when failed.workflow_required > 0 and run.progressed then 'fail'",
        ),
        "progress_ignored": (
            "when failed.workflow_required > 0 and run.progressed then 'partial'",
            "when failed.workflow_required > 0 then 'partial'",
        ),
        "progress_turned_round": ("and run.progressed then", "and not run.progressed then"),
        "required_ignored": ("when failed.workflow_required > 0 then 'fail'", "when false then 'fail'"),
        "fail_as_partial": _status("workflow", "required", "fail", "partial"),
        "score_is_whole": (
            "whole.workflow_max_score, failed.workflow_required, whole",
            "whole.workflow_max_score, 0, whole",
        ),
    },
    "130_bucket_execution_contract": {
        "required_as_partial": _status("execution_contract", "required", "fail", "partial"),
        "required_ignored": _threshold("execution_contract", "required"),
        "optional_as_fail": _status("execution_contract", "optional", "partial", "fail"),
        "optional_ignored": _threshold("execution_contract", "optional"),
    },
    "140_bucket_evidence_collection": {
        "required_as_partial": _status("evidence_collection", "required", "fail", "partial"),
        "required_ignored": _threshold("evidence_collection", "required"),
        "optional_as_fail": _status("evidence_collection", "optional", "partial", "fail"),
        "optional_ignored": _threshold("evidence_collection", "optional"),
        "optional_cost_nothing": (
            "failed.evidence_collection_required + failed.evidence_collection_optional,",
            "failed.evidence_collection_required,",
        ),
        "optional_weigh_nothing": (
            "whole.evidence_collection_required + whole.evidence_collection_optional\n",
            "whole.evidence_collection_required\n",
        ),
    },
    "150_bucket_critical_evidence": {
        "all_missing_is_partial": ("critical_evidence_all > 0 then 'fail'", "critical_evidence_all > 0 then 'partial'"),
        "some_missing_is_fail": ("critical_evidence_all > 0 then 'partial'", "critical_evidence_all > 0 then 'fail'"),
        "some_missing_passes": (
            "critical_evidence_all > 0 then 'partial'",
            "critical_evidence_all < 0 then 'partial'",
        ),
        "score_is_whole": (
            "failed.critical_evidence_all, whole.critical_evidence_all\n",
            "0, whole.critical_evidence_all\n",
        ),
    },
    "160_bucket_evidence_routing": {
        "required_as_partial": _status("evidence_routing", "required", "fail", "partial"),
        "required_ignored": _threshold("evidence_routing", "required"),
        "optional_as_fail": _status("evidence_routing", "optional", "partial", "fail"),
        "optional_ignored": _threshold("evidence_routing", "optional"),
        "optional_weigh": (
            "whole.evidence_routing_required\n",
            "whole.evidence_routing_required + whole.evidence_routing_optional\n",
        ),
    },
    "170_bucket_diagnosis": {
        "hard_as_partial": _status("diagnosis", "hard", "fail", "partial"),
        "hard_ignored": _threshold("diagnosis", "hard"),
        "supporting_fails": (
            "when failed.diagnosis_hard > 0 then 'fail'",
            "when failed.diagnosis_hard > 0 or failed.diagnosis_supporting > 0 then 'fail'",
        ),
        "supporting_scores_nothing": (
            "                    + coalesce(\n                        part_score(whole.supporting_max_score,",
            "                    + 0 * coalesce(\n                        part_score(whole.supporting_max_score,",
        ),
        "hard_scores_nothing": (
            "coalesce(part_score(whole.hard_max_score",
            "0 * coalesce(part_score(whole.hard_max_score",
        ),
        "max_without_supporting": (" + coalesce(whole.supporting_max_score, 0)\n", "\n"),
    },
}
"""File of a bucket -> each part of its status and score broken."""

UNITS: Final = {
    "095_check_units": {
        "weights_ignored": ("greatest(1, round(weight /", "greatest(1, round(1.0 /"),
        "supporting_decides": ("coalesce(layer, '') <> 'supporting' and (", "(true) and ("),
        "optional_contract_decides": ("(required or bucket not in ('contract', 'workflow')) as", "(true) as"),
        "contract_optional_counts": ("bucket = 'contract' and required then", "bucket = 'contract' then"),
        "workflow_optional_counts": ("bucket = 'workflow' and required then", "bucket = 'workflow' then"),
        "execution_optional_is_required": (
            "bucket = 'execution_contract' and required then",
            "bucket = 'execution_contract' then",
        ),
        "collection_optional_is_required": (
            "bucket = 'evidence_collection' and required then",
            "bucket = 'evidence_collection' then",
        ),
        "routing_optional_is_required": (
            "bucket = 'evidence_routing' and required then",
            "bucket = 'evidence_routing' then",
        ),
        "execution_required_is_optional": (
            "bucket = 'execution_contract' and not required then",
            "bucket = 'execution_contract' then",
        ),
        "collection_required_is_optional": (
            "bucket = 'evidence_collection' and not required then",
            "bucket = 'evidence_collection' then",
        ),
        "routing_required_is_optional": (
            "bucket = 'evidence_routing' and not required then",
            "bucket = 'evidence_routing' then",
        ),
        "supporting_is_hard": ("bucket = 'diagnosis' and layer = 'hard' then", "bucket = 'diagnosis' then"),
        "hard_is_supporting": ("bucket = 'diagnosis' and layer = 'supporting' then", "bucket = 'diagnosis' then"),
        "label_without_optional": ("when not required then 'optional '", "when not required then ''"),
    },
    "105_case_units": {
        "hard_points_without_hard_checks": ("case when units.diagnosis_hard > 0 then", "case when true then"),
        "supporting_points_without_checks": ("case when units.diagnosis_supporting > 0 then", "case when true then"),
        "hard_and_supporting_swapped": (
            "max(hard_max_score) filter (where bucket = 'diagnosis')",
            "max(supporting_weight) filter (where bucket = 'diagnosis')",
        ),
        "workflow_points_lost": (
            "max(max_score) filter (where bucket = 'workflow')",
            "max(max_score) filter (where false)",
        ),
    },
    "108_part_score": {
        "failed_counts_as_passed": ("whole - coalesce(failed, 0)", "coalesce(failed, 0)"),
        "nothing_is_no_points": ("end", "end * nullif(whole, 0) / nullif(whole, 0)"),
    },
    "176_situation_of": {
        "output_ignored": (" and has_output is not true then", " then"),
        "provider_is_no_excuse": ("cause in ('environment', 'provider')", "cause in ('environment')"),
        "environment_is_no_excuse": ("cause in ('environment', 'provider')", "cause in ('provider')"),
        "unknown_output_is_one": ("has_output is not true", "has_output is false"),
    },
    "178_failed_checks_of": {
        "unknown_results_pass": ("check_outcomes.passed is not true", "check_outcomes.passed is false"),
        "missing_outcomes_pass": ("where outcomes_of_incomplete.judged_key is null", "where false"),
        "runs_without_outcomes_are_whole": (
            "coalesce(outcomes_of_run.outcomes, 0) <> checks_of_case.checks",
            "outcomes_of_run.outcomes <> checks_of_case.checks",
        ),
        "runs_without_a_bundle_fail_checks": ("where chosen.has_buckets and coalesce", "where coalesce"),
    },
    "180_buckets_of": {
        "buckets_without_a_bundle": (
            "case when run.situation = 'bundle_resolved' then bucket_contract(failed, whole, run) end as contract",
            "bucket_contract(failed, whole, run) as contract",
        ),
        "reasons_not_told": (
            "else coalesce(reason_words.meanings[failed_checks.reason], failed_checks.reason)",
            "else failed_checks.reason",
        ),
        "failed_not_counted": ("coalesce(failed.checks, 0) as failed_checks", "0 as failed_checks"),
        "words_in_another_order": ("order by check_units.position", "order by -check_units.position"),
    },
}

VERDICTS: Final = {
    "205_verdict_decisions": {
        "last_row_wins": ("arg_min(verdict, position) as verdict", "arg_max(verdict, position) as verdict"),
        "last_code_wins": ("first(code order by position) as primary", "last(code order by position) as primary"),
        "codes_out_of_order": ("list(code order by position)", "list(code order by position desc)"),
        "statuses_ignored": ("where bucket is null or list_contains(statuses, found)", "where true"),
        "best_of_all_buckets": ("then least(", "then greatest("),
        "workflow_looks_at_contract": ("when 'workflow' then workflow\n", "when 'workflow' then contract\n"),
        "contract_looks_at_workflow": ("when 'contract' then contract\n", "when 'contract' then workflow\n"),
        "routing_looks_at_diagnosis": (
            "when 'evidence_routing' then evidence_routing\n",
            "when 'evidence_routing' then diagnosis\n",
        ),
        "diagnosis_looks_at_routing": ("when 'diagnosis' then diagnosis\n", "when 'diagnosis' then evidence_routing\n"),
        "critical_looks_at_collection": (
            "when 'critical_evidence' then critical_evidence\n",
            "when 'critical_evidence' then evidence_collection\n",
        ),
        "collection_looks_at_critical": (
            "when 'evidence_collection' then evidence_collection\n",
            "when 'evidence_collection' then critical_evidence\n",
        ),
        "execution_looks_at_contract": (
            "when 'execution_contract' then execution_contract\n",
            "when 'execution_contract' then contract\n",
        ),
    },
    "204_decision_key": {
        "workflow_weighs_as_contract": ("case workflow when 'pass' then 486", "case workflow when 'pass' then 1458"),
        "partial_is_fail": (
            "case diagnosis when 'pass' then 2 when 'partial' then 1",
            "case diagnosis when 'pass' then 2 when 'partial' then 0",
        ),
        "ambiguous_is_unresolved": ("when 'bundle_ambiguous' then -3", "when 'bundle_ambiguous' then -2"),
    },
    "206_decisions_of": {
        "cause_of_a_pass": ("case when verdict_decisions.verdict <> 'pass' then found.cause end", "found.cause"),
        "score_of_an_invalid": (
            "case\n            when verdict_decisions.verdict <> 'invalid'\n                then coalesce(found.workflow.score, 0)",
            "case\n            when true\n                then coalesce(found.workflow.score, 0)",
        ),
        "max_of_an_invalid": (
            "when verdict_decisions.verdict <> 'invalid'\n                then coalesce(found.workflow.max_score, 0)",
            "when true\n                then coalesce(found.workflow.max_score, 0)",
        ),
        "workflow_without_points": ("coalesce(found.workflow.score, 0)", "0"),
        "collection_without_points": ("+ coalesce(found.evidence_collection.score, 0)", "+ 0"),
        "critical_without_points": ("+ coalesce(found.critical_evidence.score, 0)", "+ 0"),
        "routing_without_points": ("+ coalesce(found.evidence_routing.score, 0)", "+ 0"),
        "diagnosis_without_points": ("+ coalesce(found.diagnosis.score, 0)", "+ 0"),
        "routing_without_max": ("+ coalesce(found.evidence_routing.max_score, 0)", "+ 0"),
    },
    "207_verdicts_of": {
        "percent_of_one": ("100 * decided.score", "1 * decided.score"),
        "runs_of_another_eval_run": (
            "decided.eval_run_id = case_runs.eval_run_id\n            and decided",
            "decided",
        ),
    },
    "190_bucket_statuses": {
        "buckets_swapped": (
            "contract, workflow, execution_contract, evidence_collection,",
            "workflow, contract, execution_contract, evidence_collection,",
        ),
    },
    "090_check_results": {
        "unknown_passes": ("coalesce(check_outcomes.passed, false)", "coalesce(check_outcomes.passed, true)")
    },
    "201_superseded_among": {
        "earliest_wins": ("order by judgments.judged_at desc", "order by judgments.judged_at"),
        "last_judgment_by_id": ("judgments.judged_at desc nulls last, ", ""),
        "ties_by_key": ("judged_case_runs.judgment_id desc, ", ""),
        "all_case_runs": ("from query_table(case_runs_in_view)", "from judged_case_runs"),
        "other_eval_runs_too": (
            "partition by judged_case_runs.eval_run_id, judged_case_runs.case_run_id",
            "partition by judged_case_runs.case_id",
        ),
    },
    "202_latest_judged_case_runs": {"superseded_too": ("where superseded.judged_key is null", "where true")},
    "203_rejudged_case_runs": {
        "once_is_enough": ("inner join superseded_case_runs using", "left join superseded_case_runs using")
    },
    "220_failures": {
        "passes_too": ("where decided.verdict <> 'pass'", "where true"),
        "fails_only": ("where decided.verdict <> 'pass'", "where decided.verdict = 'fail'"),
    },
    "250_evidence_diagnosis": {
        "grounded_without_evidence": (
            "when critical_evidence = 'pass' and diagnosis = 'pass'",
            "when diagnosis = 'pass'",
        ),
        "missed_and_unsupported_swapped": ("then 'missed_signal'", "then 'unsupported_claim'"),
        "invalid_too": ("where verdict <> 'invalid'", "where true"),
    },
}

CASE_VERDICTS: Final = {
    "226_case_verdicts_of": {
        "default_is_all": (
            "coalesce(eval_run_suites.aggregate, 'majority')",
            "coalesce(eval_run_suites.aggregate, 'all')",
        ),
        "invalid_is_fail": ("when passed + failed = 0 then 'invalid'", "when passed + failed = 0 then 'fail'"),
        "one_invalid_makes_invalid": ("when passed + failed = 0 then 'invalid'", "when invalid > 0 then 'invalid'"),
        "all_ignores_invalid": ("aggregate = 'all' and failed + invalid = 0", "aggregate = 'all' and failed = 0"),
        "all_ignores_failed": ("aggregate = 'all' and failed + invalid = 0", "aggregate = 'all' and invalid = 0"),
        "all_as_any": ("aggregate = 'all' and failed + invalid = 0", "aggregate = 'all' and passed > 0"),
        "any_as_all": ("aggregate = 'any' and passed > 0", "aggregate = 'any' and failed + invalid = 0"),
        "any_needs_two": ("aggregate = 'any' and passed > 0", "aggregate = 'any' and passed > 1"),
        "a_draw_passes": ("passed > failed then 'pass'", "passed >= failed then 'pass'"),
        "invalid_counts_against_majority": ("passed > failed then 'pass'", "passed > failed + invalid then 'pass'"),
        "rarest_code": (
            "arg_max(primary_failure_code, weight_of_code)",
            "arg_min(primary_failure_code, weight_of_code)",
        ),
        "ties_to_the_last": (
            "(decided.trials, -verdict_precedence.position)",
            "(decided.trials, verdict_precedence.position)",
        ),
        "all_trials_decide": ("decided.verdict = decided.case_verdict\n            or", "true\n            or"),
        "invalid_never_decides": (
            "or (decided.case_verdict = 'fail' and decided.failed = 0 and decided.verdict <> 'pass') as decides",
            "as decides",
        ),
        "best_status": (
            "min(contract) filter (where decides) as contract",
            "max(contract) filter (where decides) as contract",
        ),
        "rate_of_all_trials": (
            "passed / nullif(comparable, 0) as pass_rate",
            "passed / nullif(trials, 0) as pass_rate",
        ),
        "interval_of_all_trials": ("wilson_low(passed, comparable)", "wilson_low(passed, trials)"),
        "invalid_is_comparable": ("passed + failed as comparable", "passed + failed + invalid as comparable"),
        "sum_of_scores": ("list_avg(flatten(list(scores order", "list_sum(flatten(list(scores order"),
        "registrys_version_first": (
            "min(coalesce(recorded_case_version, case_version)) as oldest",
            "min(case_version) as oldest",
        ),
        "oldest_is_newest": (
            "min(oldest_case_version) as oldest_case_version",
            "max(oldest_case_version) as oldest_case_version",
        ),
    },
    "228_latest_trials": {
        "earliest_judgment": (
            "arg_max(latest_judged_case_runs.judgment_id,",
            "arg_min(latest_judged_case_runs.judgment_id,",
        ),
    },
    "240_case_pass_k": {
        "one_k_less": ("range(1, comparable + 1)", "range(1, comparable)"),
        "swapped": ("pass_at_k(comparable, passed, k) as pass_at_k", "pass_hat_k(comparable, passed, k) as pass_at_k"),
    },
}

STATISTICS: Final = {
    "010_log_choose": {"one_less": ("lgamma(n - k + 1)", "lgamma(n - k)")},
    "020_wilson_low": {
        "another_level": (
            "successes + pow(1.959963984540054::double, 2) / 2",
            "successes + pow(1.6448536269514722::double, 2) / 2",
        ),
        "no_successes_unknown": ("when trials > 0 and successes = 0 then 0.0::double", "when false then 0.0::double"),
        "no_trials_is_zero": ("    end;", "    else 0.0::double end;"),
        "wald": ("+ pow(1.959963984540054::double, 2) / 4)", ")"),
    },
    "021_wilson_high": {
        "of_the_successes": ("wilson_low(trials - successes, trials)", "wilson_low(successes, trials)")
    },
    "035_fisher_less": {
        "sides_swapped": (
            "        a_successes,\n        a_successes + a_failures,",
            "        b_successes,\n        b_successes + b_failures,",
        ),
        "fewer_only": (
            "        a_successes,\n        a_successes + a_failures,",
            "        a_successes - 1,\n        a_successes + a_failures,",
        ),
    },
    "034_hypergeometric_at_most": {
        "one_more": ("successes, total) + 1)::bigint", "successes, total) + 2)::bigint"),
        "not_of_one": (") / list_sum(weights)", ") / 1"),
    },
    "031_hypergeometric_first": {"least_possible_ignored": ("n - (total - successes),", "0,")},
    "032_hypergeometric_last": {"one_less": ("        successes,\n", "        successes - 1,\n")},
    "036_fisher_least": {"of_all": ("log_choose(a_trials + b_trials, a_trials)", "log_choose(a_trials + b_trials, 1)")},
    "040_mcnemar_exact": {
        "one_sided": ("2 * list_sum(", "1 * list_sum("),
        "over_one": ("least(\n        1.0::double,", "least(\n        2.0::double,"),
        "the_larger": ("least(went_down, went_up)::bigint + 1", "greatest(went_down, went_up)::bigint + 1"),
        "one_less": ("least(went_down, went_up)::bigint + 1", "least(went_down, went_up)::bigint"),
    },
    "050_pass_hat_k": {
        "with_replacement": ("(passed - i) / (trials - i)::double", "passed / trials::double"),
        "beyond_trials_is_zero": ("when k > trials then null", "when k > trials then 0.0::double"),
        "beyond_passed": ("when k > passed then 0.0::double", "when k >= passed then 0.0::double"),
    },
    "051_pass_at_k": {"of_the_passed": ("pass_hat_k(trials, trials - passed, k);", "pass_hat_k(trials, passed, k);")},
    "055_phi_coefficient": {
        "sign_lost": (
            "in_neither - only_a::double * only_b)\n    / nullif",
            "in_neither + only_a::double * only_b)\n    / nullif",
        ),
        "undefined_is_an_error": ("sqrt(only_a::double + in_neither), 0", "sqrt(only_a::double + in_neither), -1"),
    },
    "056_cohen_kappa": {
        "halved": ("    2 * (in_both", "    1 * (in_both"),
        "sign_lost": (
            "in_neither - only_a::double * only_b)\n    / nullif",
            "in_neither + only_a::double * only_b)\n    / nullif",
        ),
    },
}

EQUIVALENT: Final = {
    "207_verdicts_of": {
        "runs_of_another_eval_run": "an eval run's id is part of its case runs' ids; in the join it saves reading"
    },
}
"""File -> mutant -> why no test can notice it."""


def of_verdicts() -> Iterator[Mutant]:
    """Mutants of everything between check outcomes and case verdicts."""
    yield from of_precedence()
    yield from _of_files(BUCKETS, sql("bucket_statuses", "buckets", "all_verdicts"))
    yield from _of_files(
        UNITS,
        sql("check_units", "case_units", "failed_checks_of", "buckets", "failures", "bucket_statuses", "all_verdicts"),
    )
    yield from _of_files(
        VERDICTS,
        sql(
            "verdict_decisions",
            "all_verdicts",
            "bucket_statuses",
            "check_results",
            "latest_judged_case_runs",
            "audits",
            "rejudged_case_runs",
            "failures",
            "evidence_diagnosis",
            "verdicts",
        ),
    )
    yield from _of_files(CASE_VERDICTS, sql("case_verdicts", "latest_trials", "case_pass_k", "latest_case_verdicts"))
    yield from _of_files(STATISTICS, sql("statistics"))


def _of_files(files: dict[str, dict[str, tuple[str, str]]], tests: tuple[str, ...]) -> Iterator[Mutant]:
    """The mutants of SQL files; the test of the same name comes first."""
    for stem, changes in files.items():
        own = [test for test in tests if test.endswith(f"/test_{stem[4:]}.py")]
        rest = [test for test in tests if test not in own]
        yield from mutants_of(f"sql/{stem}.sql", (*own, *rest), changes, EQUIVALENT.get(stem))
