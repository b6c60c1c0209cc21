-- what: weight of all checks of a case and the scores of its buckets
-- grain: case digest
-- reads: check_units, case_buckets
-- rule: a bucket is configured when the case has a row of case_buckets for it (specification 10, judge.yaml); the hard and the
--       supporting part of diagnosis are there only with checks (specification 50, "Bucket status")
create or replace view case_units as
with units as (
    select
        case_digest,
        sum(contract_required) as contract_required,
        sum(workflow_required) as workflow_required,
        sum(execution_contract_required) as execution_contract_required,
        sum(execution_contract_optional) as execution_contract_optional,
        sum(evidence_collection_required) as evidence_collection_required,
        sum(evidence_collection_optional) as evidence_collection_optional,
        sum(critical_evidence_all) as critical_evidence_all,
        sum(evidence_routing_required) as evidence_routing_required,
        sum(evidence_routing_optional) as evidence_routing_optional,
        sum(diagnosis_hard) as diagnosis_hard,
        sum(diagnosis_supporting) as diagnosis_supporting
    from check_units
    group by case_digest
),

configured as (
    select
        case_digest,
        bool_or(bucket = 'contract') as contract_configured,
        bool_or(bucket = 'workflow') as workflow_configured,
        bool_or(bucket = 'execution_contract') as execution_contract_configured,
        bool_or(bucket = 'evidence_collection') as evidence_collection_configured,
        bool_or(bucket = 'critical_evidence') as critical_evidence_configured,
        bool_or(bucket = 'evidence_routing') as evidence_routing_configured,
        bool_or(bucket = 'diagnosis') as diagnosis_configured,
        max(max_score) filter (where bucket = 'workflow') as workflow_max_score,
        max(max_score) filter (where bucket = 'evidence_collection') as evidence_collection_max_score,
        max(max_score) filter (where bucket = 'critical_evidence') as critical_evidence_max_score,
        max(max_score) filter (where bucket = 'evidence_routing') as evidence_routing_max_score,
        max(hard_max_score) filter (where bucket = 'diagnosis') as hard_max_score,
        max(supporting_weight) filter (where bucket = 'diagnosis') as supporting_max_score
    from case_buckets
    group by case_digest
)

select
    configured.case_digest,
    coalesce(units.contract_required, 0) as contract_required,
    coalesce(units.workflow_required, 0) as workflow_required,
    coalesce(units.execution_contract_required, 0) as execution_contract_required,
    coalesce(units.execution_contract_optional, 0) as execution_contract_optional,
    coalesce(units.evidence_collection_required, 0) as evidence_collection_required,
    coalesce(units.evidence_collection_optional, 0) as evidence_collection_optional,
    coalesce(units.critical_evidence_all, 0) as critical_evidence_all,
    coalesce(units.evidence_routing_required, 0) as evidence_routing_required,
    coalesce(units.evidence_routing_optional, 0) as evidence_routing_optional,
    coalesce(units.diagnosis_hard, 0) as diagnosis_hard,
    coalesce(units.diagnosis_supporting, 0) as diagnosis_supporting,
    configured.contract_configured,
    configured.workflow_configured,
    configured.execution_contract_configured,
    configured.evidence_collection_configured,
    configured.critical_evidence_configured,
    configured.evidence_routing_configured,
    configured.diagnosis_configured,
    configured.workflow_max_score,
    configured.evidence_collection_max_score,
    configured.critical_evidence_max_score,
    configured.evidence_routing_max_score,
    case when units.diagnosis_hard > 0 then configured.hard_max_score end as hard_max_score,
    case when units.diagnosis_supporting > 0 then configured.supporting_max_score end as supporting_max_score
from configured
left join units using (case_digest);

comment on view case_units is 'units (check_units) of all checks of a case, and which buckets it configures';
comment on column case_units.case_digest is 'the case';
comment on column case_units.contract_required is 'units of all required checks of contract';
comment on column case_units.workflow_required is 'units of all required checks of workflow';
comment on column case_units.execution_contract_required is 'units of all required checks of execution_contract';
comment on column case_units.execution_contract_optional is 'units of all optional checks of execution_contract';
comment on column case_units.evidence_collection_required is 'units of all required checks of evidence_collection';
comment on column case_units.evidence_collection_optional is 'units of all optional checks of evidence_collection';
comment on column case_units.critical_evidence_all is 'units of all checks of critical_evidence';
comment on column case_units.evidence_routing_required is 'units of all required checks of evidence_routing';
comment on column case_units.evidence_routing_optional is 'units of all optional checks of evidence_routing';
comment on column case_units.diagnosis_hard is 'units of all hard checks of diagnosis';
comment on column case_units.diagnosis_supporting is 'units of all supporting checks of diagnosis';
comment on column case_units.contract_configured is 'whether the case configures contract';
comment on column case_units.workflow_configured is 'whether the case configures workflow';
comment on column case_units.execution_contract_configured is 'whether the case configures execution_contract';
comment on column case_units.evidence_collection_configured is 'whether the case configures evidence_collection';
comment on column case_units.critical_evidence_configured is 'whether the case configures critical_evidence';
comment on column case_units.evidence_routing_configured is 'whether the case configures evidence_routing';
comment on column case_units.diagnosis_configured is 'whether the case configures diagnosis';
comment on column case_units.workflow_max_score is 'max_score of workflow; null where it is not configured';
comment on column case_units.evidence_collection_max_score is 'max_score of evidence_collection; null where it is not configured';
comment on column case_units.critical_evidence_max_score is 'max_score of critical_evidence; null where it is not configured';
comment on column case_units.evidence_routing_max_score is 'max_score of evidence_routing; null where it is not configured';
comment on column case_units.hard_max_score is 'hard_max_score of diagnosis; null where it has no hard check';
comment on column case_units.supporting_max_score is 'supporting_weight of diagnosis; null where it has no supporting check';
