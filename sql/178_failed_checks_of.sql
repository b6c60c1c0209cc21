-- what: checks that did not pass, of chosen rows of judged_case_runs
-- grain: judged case run, failed check
-- reads: judged_case_runs or a view of some of its rows, check_outcomes, checks, situation_of
-- rule: absence proves nothing: an outcome that is null counts as failed, and so does a check without an outcome where the run has buckets.
--       Failed outcomes are few; outcomes are counted to find the runs that lack some, and only those are looked at check by check
create or replace macro failed_checks_of(chosen_case_runs) as table (
    with chosen as materialized (
        select
            judged_key,
            eval_run_id,
            case_digest,
            situation_of(cause, has_output, bundle_status) = 'bundle_resolved' as has_buckets
        from query_table(chosen_case_runs)
    ),

    checks_of_case as (
        select
            case_digest,
            count(*) as checks
        from checks
        group by case_digest
    ),

    outcomes_of_run as (
        select
            chosen.judged_key,
            chosen.eval_run_id,
            count(*) as outcomes
        from chosen
        inner join check_outcomes using (judged_key)
        group by chosen.judged_key, chosen.eval_run_id
    ),

    incomplete as (
        select
            chosen.judged_key,
            chosen.eval_run_id,
            chosen.case_digest
        from chosen
        inner join checks_of_case using (case_digest)
        left join outcomes_of_run using (judged_key, eval_run_id)
        where chosen.has_buckets and coalesce(outcomes_of_run.outcomes, 0) <> checks_of_case.checks
    ),

    outcomes_of_incomplete as (
        select
            incomplete.judged_key,
            incomplete.eval_run_id,
            check_outcomes.check_key
        from incomplete
        inner join check_outcomes using (judged_key)
    )

    select
        chosen.judged_key,
        chosen.eval_run_id,
        check_outcomes.check_key,
        true as has_outcome,
        check_outcomes.deciding_rule,
        check_outcomes.reason
    from chosen
    inner join check_outcomes using (judged_key)
    where check_outcomes.passed is not true
    union all
    select
        incomplete.judged_key,
        incomplete.eval_run_id,
        checks.check_key,
        false as has_outcome,
        null as deciding_rule,
        null as reason
    from incomplete
    inner join checks using (case_digest)
    left join outcomes_of_incomplete using (judged_key, eval_run_id, check_key)
    where outcomes_of_incomplete.judged_key is null
);

comment on macro table failed_checks_of is 'checks that did not pass or have no outcome, of the rows of judged_case_runs that the named view chooses';
