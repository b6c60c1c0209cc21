-- what: verdict of every case run in every judgment that judged it
-- grain: judgment, case run
-- reads: verdicts_of, judged_case_runs
-- rule: specification 50, "Verdict"; 60, view all_verdicts
create or replace view all_verdicts as
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
from verdicts_of('judged_case_runs');

comment on view all_verdicts is 'verdict of every case run in every judgment, with codes, scores, bucket statuses, run and agent';
comment on column all_verdicts.judgment_id is 'the judgment';
comment on column all_verdicts.judged_at is 'when it judged';
comment on column all_verdicts.registry_digest is 'registry that it judged by';
comment on column all_verdicts.pack_digests is 'JSON object: pack id -> digest, of the packs that the registry used';
comment on column all_verdicts.semantics_version is 'of the engine that judged';
comment on column all_verdicts.engine_version is 'of the package';
comment on column all_verdicts.case_run_id is '<eval_run_id>/<case_id>/<trial>';
comment on column all_verdicts.eval_run_id is 'the eval run';
comment on column all_verdicts.case_id is 'the case';
comment on column all_verdicts.trial is 'counted from 1';
comment on column all_verdicts.suite_id is 'suite of the eval run, or null';
comment on column all_verdicts.suite_version is 'its version as the eval run recorded it, or null';
comment on column all_verdicts.suite_digest is 'of the suite as it stood in the registry that judged; null where unknown';
comment on column all_verdicts.execution_mode is 'of the eval run, or null';
comment on column all_verdicts.case_version is 'of the case in the registry that judged';
comment on column all_verdicts.case_digest is 'of the merged case and judge files that judged';
comment on column all_verdicts.bundle_digest is 'revision of the bundle that was judged';
comment on column all_verdicts.verdict is 'pass, fail or invalid';
comment on column all_verdicts.cause is 'whose doing a verdict that is no pass is: agent, environment, provider, harness, case; null for a pass and without a record';
comment on column all_verdicts.primary_failure_code is 'code of the first row of verdict_precedence that fits; null for a pass';
comment on column all_verdicts.failure_codes is 'codes of all rows that fit, in order; empty for a pass';
comment on column all_verdicts.score is 'points over all buckets; null for invalid';
comment on column all_verdicts.max_score is 'points that could be had; null for invalid';
comment on column all_verdicts.score_pct is '100 x score / max_score; null for invalid and where nothing is scored';
comment on column all_verdicts.contract is 'status of contract: pass, partial or fail; null without a bundle';
comment on column all_verdicts.workflow is 'status of workflow: pass, partial or fail; null without a bundle';
comment on column all_verdicts.execution_contract is 'status of execution_contract: pass, partial or fail; null without a bundle';
comment on column all_verdicts.evidence_collection is 'status of evidence_collection: pass, partial or fail; null without a bundle';
comment on column all_verdicts.critical_evidence is 'status of critical_evidence: pass, partial or fail; null without a bundle';
comment on column all_verdicts.evidence_routing is 'status of evidence_routing: pass, partial or fail; null without a bundle';
comment on column all_verdicts.diagnosis is 'status of diagnosis: pass, partial or fail; null without a bundle';
comment on column all_verdicts.recorded_case_version is 'case_version of case_run.json, or null';
comment on column all_verdicts.workspace_id is 'of case_run.json';
comment on column all_verdicts.status is 'of case_run.json: how the run ended';
comment on column all_verdicts.stop_reason is 'of case_run.json';
comment on column all_verdicts.started_at is 'of case_run.json';
comment on column all_verdicts.finished_at is 'of case_run.json';
comment on column all_verdicts.agent_name is 'of case_run.json, else of eval_run.json';
comment on column all_verdicts.agent_version is 'likewise';
comment on column all_verdicts.agent_model is 'likewise';
comment on column all_verdicts.input_tokens is 'usage, or null';
comment on column all_verdicts.output_tokens is 'usage, or null';
comment on column all_verdicts.cost_usd is 'usage, US dollars, or null';
comment on column all_verdicts.tool_calls is 'usage, or null';
