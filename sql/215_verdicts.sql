-- what: verdict of every case run by the latest judgment that judged it
-- grain: case run
-- reads: verdicts_of, latest_judged_case_runs
-- rule: specification 60, view verdicts
create or replace view verdicts as
select
    judgment_id,
    judged_at,
    registry_digest,
    pack_digests,
    semantics_version,
    engine_version,
    case_run_id,
    eval_run_id,
    case_id,
    trial,
    suite_id,
    suite_version,
    suite_digest,
    execution_mode,
    case_version,
    case_digest,
    bundle_digest,
    verdict,
    cause,
    primary_failure_code,
    failure_codes,
    score,
    max_score,
    score_pct,
    contract,
    workflow,
    execution_contract,
    evidence_collection,
    critical_evidence,
    evidence_routing,
    diagnosis,
    recorded_case_version,
    workspace_id,
    status,
    stop_reason,
    started_at,
    finished_at,
    agent_name,
    agent_version,
    agent_model,
    input_tokens,
    output_tokens,
    cost_usd,
    tool_calls
from verdicts_of('latest_judged_case_runs');

comment on view verdicts is 'verdict of every case run by the latest judgment that judged it';
comment on column verdicts.judgment_id is 'the judgment';
comment on column verdicts.judged_at is 'when it judged';
comment on column verdicts.registry_digest is 'registry that it judged by';
comment on column verdicts.pack_digests is 'JSON object: pack id -> digest, of the packs that the registry used';
comment on column verdicts.semantics_version is 'of the engine that judged';
comment on column verdicts.engine_version is 'of the package';
comment on column verdicts.case_run_id is '<eval_run_id>/<case_id>/<trial>';
comment on column verdicts.eval_run_id is 'the eval run';
comment on column verdicts.case_id is 'the case';
comment on column verdicts.trial is 'counted from 1';
comment on column verdicts.suite_id is 'suite of the eval run, or null';
comment on column verdicts.suite_version is 'its version as the eval run recorded it, or null';
comment on column verdicts.suite_digest is 'of the suite as it stood in the registry that judged; null where unknown';
comment on column verdicts.execution_mode is 'of the eval run, or null';
comment on column verdicts.case_version is 'of the case in the registry that judged';
comment on column verdicts.case_digest is 'of the merged case and judge files that judged';
comment on column verdicts.bundle_digest is 'revision of the bundle that was judged';
comment on column verdicts.verdict is 'pass, fail or invalid';
comment on column verdicts.cause is 'whose doing a verdict that is no pass is: agent, environment, provider, harness, case; null for a pass and without a record';
comment on column verdicts.primary_failure_code is 'code of the first row of verdict_precedence that fits; null for a pass';
comment on column verdicts.failure_codes is 'codes of all rows that fit, in order; empty for a pass';
comment on column verdicts.score is 'points over all buckets; null for invalid';
comment on column verdicts.max_score is 'points that could be had; null for invalid';
comment on column verdicts.score_pct is '100 x score / max_score; null for invalid and where nothing is scored';
comment on column verdicts.contract is 'status of contract: pass, partial or fail; null without a bundle';
comment on column verdicts.workflow is 'status of workflow: pass, partial or fail; null without a bundle';
comment on column verdicts.execution_contract is 'status of execution_contract: pass, partial or fail; null without a bundle';
comment on column verdicts.evidence_collection is 'status of evidence_collection: pass, partial or fail; null without a bundle';
comment on column verdicts.critical_evidence is 'status of critical_evidence: pass, partial or fail; null without a bundle';
comment on column verdicts.evidence_routing is 'status of evidence_routing: pass, partial or fail; null without a bundle';
comment on column verdicts.diagnosis is 'status of diagnosis: pass, partial or fail; null without a bundle';
comment on column verdicts.recorded_case_version is 'case_version of case_run.json, or null';
comment on column verdicts.workspace_id is 'of case_run.json';
comment on column verdicts.status is 'of case_run.json: how the run ended';
comment on column verdicts.stop_reason is 'of case_run.json';
comment on column verdicts.started_at is 'of case_run.json';
comment on column verdicts.finished_at is 'of case_run.json';
comment on column verdicts.agent_name is 'of case_run.json, else of eval_run.json';
comment on column verdicts.agent_version is 'likewise';
comment on column verdicts.agent_model is 'likewise';
comment on column verdicts.input_tokens is 'usage, or null';
comment on column verdicts.output_tokens is 'usage, or null';
comment on column verdicts.cost_usd is 'usage, US dollars, or null';
comment on column verdicts.tool_calls is 'usage, or null';
