-- what: verdict of every situation and every combination of bucket statuses
-- grain: situation, status of each of the seven buckets
-- reads: verdict_precedence, decision_key
-- rule: the first row that fits gives verdict and code, the codes of all rows that fit are listed in order (specification 50, "Verdict");
--       some 2,000 combinations are decided once instead of every case run; the worst status is the least one: fail < partial < pass
--       in the alphabet, too
create or replace table verdict_decisions as
with statuses as (
    select unnest(['pass', 'partial', 'fail']) as status
),

combinations as (
    select
        'bundle_resolved' as situation,
        contract.status as contract,
        workflow.status as workflow,
        execution_contract.status as execution_contract,
        evidence_collection.status as evidence_collection,
        critical_evidence.status as critical_evidence,
        evidence_routing.status as evidence_routing,
        diagnosis.status as diagnosis
    from statuses as contract
    cross join statuses as workflow
    cross join statuses as execution_contract
    cross join statuses as evidence_collection
    cross join statuses as critical_evidence
    cross join statuses as evidence_routing
    cross join statuses as diagnosis
    union all
    select distinct
        situation,
        null as contract,
        null as workflow,
        null as execution_contract,
        null as evidence_collection,
        null as critical_evidence,
        null as evidence_routing,
        null as diagnosis
    from verdict_precedence
    where situation <> 'bundle_resolved'
),

looked_at as (
    select
        combinations.*,
        verdict_precedence.position,
        verdict_precedence.verdict,
        verdict_precedence.code,
        verdict_precedence.bucket,
        verdict_precedence.statuses,
        case verdict_precedence.bucket
            when 'contract' then contract
            when 'workflow' then workflow
            when 'execution_contract' then execution_contract
            when 'evidence_collection' then evidence_collection
            when 'critical_evidence' then critical_evidence
            when 'evidence_routing' then evidence_routing
            when 'diagnosis' then diagnosis
            when 'all_buckets'
                then least(
                    contract, workflow, execution_contract, evidence_collection, critical_evidence, evidence_routing, diagnosis
                )
        end as found
    from combinations
    inner join verdict_precedence using (situation)
)

select
    decision_key(
        situation,
        contract,
        workflow,
        execution_contract,
        evidence_collection,
        critical_evidence,
        evidence_routing,
        diagnosis
    ) as decision_key,
    situation,
    contract,
    workflow,
    execution_contract,
    evidence_collection,
    critical_evidence,
    evidence_routing,
    diagnosis,
    min(position) as position,
    arg_min(verdict, position) as verdict,
    first(code order by position) as primary_failure_code,
    coalesce(list(code order by position) filter (where code is not null), []) as failure_codes
from looked_at
where bucket is null or list_contains(statuses, found)
group by
    situation,
    contract,
    workflow,
    execution_contract,
    evidence_collection,
    critical_evidence,
    evidence_routing,
    diagnosis;

comment on table verdict_decisions is 'verdict of every situation and every combination of bucket statuses';
comment on column verdict_decisions.decision_key is 'situation and statuses as one number (macro decision_key)';
comment on column verdict_decisions.situation is 'as in buckets_of';
comment on column verdict_decisions.contract is 'status of contract; null without a bundle';
comment on column verdict_decisions.workflow is 'status of workflow; null without a bundle';
comment on column verdict_decisions.execution_contract is 'status of execution_contract; null without a bundle';
comment on column verdict_decisions.evidence_collection is 'status of evidence_collection; null without a bundle';
comment on column verdict_decisions.critical_evidence is 'status of critical_evidence; null without a bundle';
comment on column verdict_decisions.evidence_routing is 'status of evidence_routing; null without a bundle';
comment on column verdict_decisions.diagnosis is 'status of diagnosis; null without a bundle';
comment on column verdict_decisions.position is 'row of verdict_precedence that decides';
comment on column verdict_decisions.verdict is 'pass, fail or invalid';
comment on column verdict_decisions.primary_failure_code is 'code of the row that decides; null for a pass';
comment on column verdict_decisions.failure_codes is 'codes of all rows that fit, in order';
