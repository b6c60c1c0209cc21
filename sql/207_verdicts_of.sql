-- what: verdicts of chosen rows of judged_case_runs, with all that is known of their runs
-- grain: judged case run
-- reads: decisions_of, judgments, case_runs, eval_runs
-- rule: specification 60, view all_verdicts
create or replace macro verdicts_of(chosen_case_runs) as table (
    select
        decided.judgment_id,
        judgments.judged_at,
        judgments.registry_digest,
        judgments.pack_digests,
        judgments.semantics_version,
        judgments.engine_version,
        decided.case_run_id,
        decided.eval_run_id,
        decided.case_id,
        decided.trial,
        eval_runs.suite_id,
        eval_runs.suite_version,
        decided.suite_digest,
        eval_runs.execution_mode,
        decided.case_version,
        decided.case_digest,
        decided.bundle_digest,
        decided.verdict,
        decided.cause,
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
    from decisions_of(chosen_case_runs) as decided
    left join judgments using (judgment_id)
    left join case_runs
        on
            decided.eval_run_id = case_runs.eval_run_id
            and decided.case_run_id = case_runs.case_run_id
    left join eval_runs on decided.eval_run_id = eval_runs.eval_run_id
);

comment on macro table verdicts_of is 'verdicts of the rows of judged_case_runs that the named view chooses';
