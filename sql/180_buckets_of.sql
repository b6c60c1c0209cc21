-- what: the buckets of chosen rows of judged_case_runs, all in one row
-- grain: judged case run
-- reads: judged_case_runs or a view of some of its rows, check_outcomes, check_units, case_units, the macros bucket_…
-- rule: only failed outcomes are read, for they are few: what passed is what the case has less what failed; a null counts as failed.
--       A run without a bundle, or broken by the environment or the provider before it gave an answer, has a situation that decides
--       its verdict, and no buckets (specification 50, "Verdict", rows of precedence 0).  eval_run_id is in the keys of the join so
--       that a query for one eval run reads the outcomes of that run alone
create or replace macro buckets_of(chosen_case_runs) as table (
    with chosen as materialized (
        select
            judged_key,
            judgment_id,
            case_run_id,
            split_part(case_run_id, '/', 1) as eval_run_id,
            case_digest,
            case_version,
            bundle_digest,
            cause,
            progressed,
            case
                when cause in ('environment', 'provider') and has_output is not true then 'environment_failed'
                else 'bundle_' || bundle_status
            end as situation
        from query_table(chosen_case_runs)
    ),

    failed as (
        select
            chosen.judged_key,
            chosen.eval_run_id,
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
        from chosen
        inner join check_outcomes using (judged_key)
        inner join check_units using (check_key)
        where check_outcomes.passed is not true
        group by chosen.judged_key, chosen.eval_run_id
    )

    select
        run.judged_key,
        run.judgment_id,
        run.case_run_id,
        run.eval_run_id,
        run.case_digest,
        run.case_version,
        run.bundle_digest,
        run.cause,
        run.situation,
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

comment on macro table buckets_of is 'situation and buckets of the rows of judged_case_runs that the named view chooses, each bucket as {configured, status, score, max_score}';
