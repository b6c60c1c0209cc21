-- what: verdicts of chosen rows of judged_case_runs
-- grain: judged case run
-- reads: buckets_of, verdict_decisions, decision_key
-- rule: verdict and codes by verdict_decisions; scores are sums over the buckets and null for invalid; a cause stands only where the
--       verdict is no pass (specification 50, "Verdict")
create or replace macro decisions_of(chosen_case_runs) as table (
    select
        found.judged_key,
        found.judgment_id,
        found.case_run_id,
        found.eval_run_id,
        found.case_id,
        found.trial,
        found.case_digest,
        found.case_version,
        found.suite_digest,
        found.bundle_digest,
        case when verdict_decisions.verdict <> 'pass' then found.cause end as cause,
        found.failed_checks,
        found.failed_words,
        verdict_decisions.verdict,
        verdict_decisions.primary_failure_code,
        verdict_decisions.failure_codes,
        verdict_decisions.contract,
        verdict_decisions.workflow,
        verdict_decisions.execution_contract,
        verdict_decisions.evidence_collection,
        verdict_decisions.critical_evidence,
        verdict_decisions.evidence_routing,
        verdict_decisions.diagnosis,
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
        on verdict_decisions.decision_key = decision_key(
            found.situation,
            found.contract.status,
            found.workflow.status,
            found.execution_contract.status,
            found.evidence_collection.status,
            found.critical_evidence.status,
            found.evidence_routing.status,
            found.diagnosis.status
        )
);

comment on macro table decisions_of is 'verdicts of the rows of judged_case_runs that the named view chooses, with their failed checks in words';
