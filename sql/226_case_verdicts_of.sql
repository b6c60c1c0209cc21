-- what: trials of a case put together
-- grain: judgment, eval run, case
-- reads: all_verdicts or a view of its form, eval_run_suites, verdict_precedence, wilson_low, wilson_high
-- rule: invalid if no trial is comparable; else by the suite's aggregate, majority where it is unknown (specification 50, "Trials").
--       Code and bucket statuses come from the trials that decide: those that have the case's verdict; if none has it (all, and the
--       others are invalid), those that are no pass.  The worst status is the least: fail < partial < pass in the alphabet, too
create or replace macro case_verdicts_of(trial_verdicts) as table (
    with outcomes as (
        select
            judgment_id,
            eval_run_id,
            case_id,
            verdict,
            primary_failure_code,
            count(*) as trials,
            any_value(suite_id) as suite_id,
            any_value(suite_version) as suite_version,
            max((case_version, case_digest)) as newest_case,
            min(coalesce(recorded_case_version, case_version)) as oldest_case_version,
            max(coalesce(recorded_case_version, case_version)) as newest_case_version,
            list(score order by score) filter (where score is not null) as scores,
            list(max_score order by max_score) filter (where max_score is not null) as max_scores,
            min(contract) as contract,
            min(workflow) as workflow,
            min(execution_contract) as execution_contract,
            min(evidence_collection) as evidence_collection,
            min(critical_evidence) as critical_evidence,
            min(evidence_routing) as evidence_routing,
            min(diagnosis) as diagnosis
        from query_table(trial_verdicts)
        group by judgment_id, eval_run_id, case_id, verdict, primary_failure_code
    ),

    counted as (
        select
            outcomes.*,
            coalesce(eval_run_suites.aggregate, 'majority') as aggregate,
            coalesce(sum(outcomes.trials) filter (where outcomes.verdict = 'pass') over same_case, 0)::bigint as passed,
            coalesce(sum(outcomes.trials) filter (where outcomes.verdict = 'fail') over same_case, 0)::bigint as failed,
            coalesce(sum(outcomes.trials) filter (where outcomes.verdict = 'invalid') over same_case, 0)::bigint as invalid
        from outcomes
        left join eval_run_suites using (eval_run_id)
        window same_case as (partition by outcomes.judgment_id, outcomes.eval_run_id, outcomes.case_id)
    ),

    decided as (
        select
            *,
            case
                when passed + failed = 0 then 'invalid'
                when aggregate = 'all' and failed + invalid = 0 then 'pass'
                when aggregate = 'any' and passed > 0 then 'pass'
                when aggregate = 'majority' and passed > failed then 'pass'
                else 'fail'
            end as case_verdict
        from counted
    ),

    explained as (
        select
            decided.*,
            decided.verdict = decided.case_verdict
            or (decided.case_verdict = 'fail' and decided.failed = 0 and decided.verdict <> 'pass') as decides,
            (decided.trials, -verdict_precedence.position) as weight_of_code
        from decided
        left join verdict_precedence on decided.primary_failure_code = verdict_precedence.code
    ),

    cases as (
        select
            judgment_id,
            eval_run_id,
            case_id,
            any_value(suite_id) as suite_id,
            any_value(suite_version) as suite_version,
            max(newest_case) as newest_case,
            min(oldest_case_version) as oldest_case_version,
            max(newest_case_version) as newest_case_version,
            aggregate,
            sum(trials)::bigint as trials,
            passed,
            failed,
            invalid,
            passed + failed as comparable,
            list_avg(flatten(list(scores order by verdict, primary_failure_code))) as mean_score,
            list_avg(flatten(list(max_scores order by verdict, primary_failure_code))) as max_score,
            case_verdict as verdict,
            arg_max(primary_failure_code, weight_of_code) filter (where decides) as primary_failure_code,
            min(contract) filter (where decides) as contract,
            min(workflow) filter (where decides) as workflow,
            min(execution_contract) filter (where decides) as execution_contract,
            min(evidence_collection) filter (where decides) as evidence_collection,
            min(critical_evidence) filter (where decides) as critical_evidence,
            min(evidence_routing) filter (where decides) as evidence_routing,
            min(diagnosis) filter (where decides) as diagnosis
        from explained
        group by judgment_id, eval_run_id, case_id, aggregate, passed, failed, invalid, case_verdict
    )

    select
        judgment_id,
        eval_run_id,
        case_id,
        suite_id,
        suite_version,
        newest_case[1] as case_version,
        newest_case[2] as case_digest,
        oldest_case_version,
        newest_case_version,
        aggregate,
        trials,
        passed,
        failed,
        invalid,
        comparable,
        passed / nullif(comparable, 0) as pass_rate,
        wilson_low(passed, comparable) as pass_rate_low,
        wilson_high(passed, comparable) as pass_rate_high,
        mean_score,
        max_score,
        100 * mean_score / nullif(max_score, 0) as score_pct,
        verdict,
        primary_failure_code,
        contract,
        workflow,
        execution_contract,
        evidence_collection,
        critical_evidence,
        evidence_routing,
        diagnosis
    from cases
);

comment on macro table case_verdicts_of is 'verdicts of cases from the trials in the named view';
