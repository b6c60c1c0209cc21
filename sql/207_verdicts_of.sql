-- what: verdicts of chosen rows of judged_case_runs, with all that is known of their runs
-- grain: judged case run
-- reads: buckets_of, verdict_decisions, judgments, case_runs, eval_runs
-- rule: verdict and codes by verdict_decisions; scores are sums over the buckets and null for invalid; a cause stands only where the
--       verdict is no pass (specification 50, "Verdict")
create or replace macro verdicts_of(chosen_case_runs) as table (
    with decided as (
        select
            found.judgment_id,
            found.case_run_id,
            found.eval_run_id,
            found.case_digest,
            found.case_version,
            found.bundle_digest,
            found.cause,
            verdict_decisions.verdict,
            verdict_decisions.primary_failure_code,
            verdict_decisions.failure_codes,
            found.contract.status as contract,
            found.workflow.status as workflow,
            found.execution_contract.status as execution_contract,
            found.evidence_collection.status as evidence_collection,
            found.critical_evidence.status as critical_evidence,
            found.evidence_routing.status as evidence_routing,
            found.diagnosis.status as diagnosis,
            case
                when verdict_decisions.verdict <> 'invalid'
                    then coalesce(found.workflow.score, 0)
                        + coalesce(found.evidence_collection.score, 0)
                        + coalesce(found.critical_evidence.score, 0)
                        + coalesce(found.evidence_routing.score, 0)
                        + coalesce(found.diagnosis.score, 0)
            end as score,
            case
                when verdict_decisions.verdict <> 'invalid'
                    then coalesce(found.workflow.max_score, 0)
                        + coalesce(found.evidence_collection.max_score, 0)
                        + coalesce(found.critical_evidence.max_score, 0)
                        + coalesce(found.evidence_routing.max_score, 0)
                        + coalesce(found.diagnosis.max_score, 0)
            end as max_score
        from buckets_of(chosen_case_runs) as found
        left join verdict_decisions
            on
                found.situation = verdict_decisions.situation
                and found.contract.status is not distinct from verdict_decisions.contract
                and found.workflow.status is not distinct from verdict_decisions.workflow
                and found.execution_contract.status is not distinct from verdict_decisions.execution_contract
                and found.evidence_collection.status is not distinct from verdict_decisions.evidence_collection
                and found.critical_evidence.status is not distinct from verdict_decisions.critical_evidence
                and found.evidence_routing.status is not distinct from verdict_decisions.evidence_routing
                and found.diagnosis.status is not distinct from verdict_decisions.diagnosis
    )

    select
        decided.judgment_id,
        judgments.judged_at,
        judgments.registry_digest,
        judgments.semantics_version,
        decided.case_run_id,
        decided.eval_run_id,
        split_part(decided.case_run_id, '/', 2) as case_id,
        split_part(decided.case_run_id, '/', 3)::bigint as trial,
        eval_runs.suite_id,
        eval_runs.suite_version,
        eval_runs.execution_mode,
        decided.case_version,
        decided.case_digest,
        decided.bundle_digest,
        decided.verdict,
        case when decided.verdict <> 'pass' then decided.cause end as cause,
        decided.primary_failure_code,
        decided.failure_codes,
        decided.score,
        decided.max_score,
        100 * decided.score / nullif(decided.max_score, 0) as score_pct,
        decided.contract,
        decided.workflow,
        decided.execution_contract,
        decided.evidence_collection,
        decided.critical_evidence,
        decided.evidence_routing,
        decided.diagnosis,
        case_runs.recorded_case_version,
        case_runs.workspace_id,
        case_runs.status,
        case_runs.stop_reason,
        case_runs.started_at,
        case_runs.finished_at,
        case_runs.agent_name,
        case_runs.agent_version,
        case_runs.agent_model,
        case_runs.input_tokens,
        case_runs.output_tokens,
        case_runs.cost_usd,
        case_runs.tool_calls
    from decided
    left join judgments using (judgment_id)
    left join case_runs
        on
            decided.eval_run_id = case_runs.eval_run_id
            and decided.case_run_id = case_runs.case_run_id
    left join eval_runs on decided.eval_run_id = eval_runs.eval_run_id
);

comment on macro table verdicts_of is 'verdicts of the rows of judged_case_runs that the named view chooses';
