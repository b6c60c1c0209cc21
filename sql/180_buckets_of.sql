-- what: the buckets of chosen rows of judged_case_runs, all in one row
-- grain: judged case run
-- reads: judged_case_runs or a view of some of its rows, failed_checks_of, check_units, case_units, situation_of, reasons, the macros bucket_…
-- rule: only failed checks are read, for they are few: what passed is what the case has less what failed.  A run without a bundle, or
--       broken by the environment or the provider before it gave an answer, has a situation that decides its verdict, and no buckets
--       (specification 50, "Verdict", rows of precedence 0).  eval_run_id is in the keys of the join so that a query for one eval run
--       reads the outcomes of that run alone; `having count(*) > 0` holds for every run and tells the planner which side is the smaller
create or replace macro buckets_of(chosen_case_runs) as table (
    with reason_words as (
        select map(list(reason), list(meaning)) as meanings
        from reasons
    ),

    failed as (
        select
            failed_checks.judged_key,
            failed_checks.eval_run_id,
            count(*) as checks,
            string_agg(
                check_units.label || coalesce(
                    ' (' || case
                        when not failed_checks.has_outcome then 'no result'
                        else coalesce(reason_words.meanings[failed_checks.reason], failed_checks.reason)
                    end || ')',
                    ''
                ),
                '; ' order by check_units.position
            ) as words,
            sum(check_units.contract_required) as contract_required,
            sum(check_units.workflow_required) as workflow_required,
            sum(check_units.execution_contract_required) as execution_contract_required,
            sum(check_units.execution_contract_optional) as execution_contract_optional,
            sum(check_units.evidence_collection_required) as evidence_collection_required,
            sum(check_units.evidence_collection_optional) as evidence_collection_optional,
            sum(check_units.critical_evidence_all) as critical_evidence_all,
            sum(check_units.evidence_routing_required) as evidence_routing_required,
            sum(check_units.evidence_routing_optional) as evidence_routing_optional,
            sum(check_units.diagnosis_hard) as diagnosis_hard,
            sum(check_units.diagnosis_supporting) as diagnosis_supporting
        from failed_checks_of(chosen_case_runs) as failed_checks
        inner join check_units using (check_key)
        cross join reason_words
        group by failed_checks.judged_key, failed_checks.eval_run_id
        having count(*) > 0
    ),

    chosen as (
        select
            judged_key,
            judgment_id,
            case_run_id,
            eval_run_id,
            case_id,
            trial,
            case_digest,
            case_version,
            suite_digest,
            bundle_digest,
            cause,
            progressed,
            situation_of(cause, has_output, bundle_status) as situation
        from query_table(chosen_case_runs)
    )

    select
        run.judged_key,
        run.judgment_id,
        run.case_run_id,
        run.eval_run_id,
        run.case_id,
        run.trial,
        run.case_digest,
        run.case_version,
        run.suite_digest,
        run.bundle_digest,
        run.cause,
        run.situation,
        coalesce(failed.checks, 0) as failed_checks,
        failed.words as failed_words,
        case when run.situation = 'bundle_resolved' then bucket_contract(failed, whole, run) end as contract,
        case when run.situation = 'bundle_resolved' then bucket_workflow(failed, whole, run) end as workflow,
        case when run.situation = 'bundle_resolved' then bucket_execution_contract(failed, whole, run) end as execution_contract,
        case when run.situation = 'bundle_resolved' then bucket_evidence_collection(failed, whole, run) end as evidence_collection,
        case when run.situation = 'bundle_resolved' then bucket_critical_evidence(failed, whole, run) end as critical_evidence,
        case when run.situation = 'bundle_resolved' then bucket_evidence_routing(failed, whole, run) end as evidence_routing,
        case when run.situation = 'bundle_resolved' then bucket_diagnosis(failed, whole, run) end as diagnosis
    from chosen as run
    left join failed on run.judged_key = failed.judged_key and run.eval_run_id = failed.eval_run_id
    left join case_units as whole on run.case_digest = whole.case_digest
);

comment on macro table buckets_of is 'situation and buckets of the rows of judged_case_runs that the named view chooses, each bucket as {configured, status, score, max_score}; failed checks counted and in words';
