-- what: what counting needs of each check: its weight as a whole number, spread over one column per part of a bucket, place and name
-- grain: check
-- reads: checks
-- rule: a weight counts in units of a power of two, so that sums are exact whatever their order and equal data gives equal scores to the
--       last digit; a unit is such that all weights of a case's bucket and layer sum to at most 2^53; a check has at least one unit
create or replace view check_units as
with scaled as (
    select
        check_key,
        case_digest,
        bucket,
        layer,
        required,
        position,
        case when not required then 'optional ' when layer = 'supporting' then 'supporting ' else '' end
        || bucket || '.' || check_id as label,
        greatest(1, round(weight / pow(2, ceil(log2(
            max(weight) over same_layer * count(*) over same_layer
        ))) * pow(2, 52))) as units
    from checks
    window same_layer as (partition by case_digest, bucket, layer)
)

select
    check_key,
    case_digest,
    position,
    label,
    coalesce(layer, '') <> 'supporting' and (required or bucket not in ('contract', 'workflow')) as counts_for_verdict,
    case when bucket = 'contract' and required then units else 0 end as contract_required,
    case when bucket = 'workflow' and required then units else 0 end as workflow_required,
    case when bucket = 'execution_contract' and required then units else 0 end as execution_contract_required,
    case when bucket = 'execution_contract' and not required then units else 0 end as execution_contract_optional,
    case when bucket = 'evidence_collection' and required then units else 0 end as evidence_collection_required,
    case when bucket = 'evidence_collection' and not required then units else 0 end as evidence_collection_optional,
    case when bucket = 'critical_evidence' then units else 0 end as critical_evidence_all,
    case when bucket = 'evidence_routing' and required then units else 0 end as evidence_routing_required,
    case when bucket = 'evidence_routing' and not required then units else 0 end as evidence_routing_optional,
    case when bucket = 'diagnosis' and layer = 'hard' then units else 0 end as diagnosis_hard,
    case when bucket = 'diagnosis' and layer = 'supporting' then units else 0 end as diagnosis_supporting
from scaled;

comment on view check_units is 'weight of each check as an exact whole number, one column per part of a bucket, 0 in the others';
comment on column check_units.check_key is 'the check';
comment on column check_units.case_digest is 'the case';
comment on column check_units.position is 'order of the check within its case, from 0';
comment on column check_units.label is 'the check for people: optional or supporting where it is, bucket and check_id';
comment on column check_units.counts_for_verdict is 'whether its failure changes the status of its bucket: no supporting one, no optional one of contract and workflow';
comment on column check_units.contract_required is 'units, if the check is a required one of contract';
comment on column check_units.workflow_required is 'units, if the check is a required one of workflow';
comment on column check_units.execution_contract_required is 'units, if the check is a required one of execution_contract';
comment on column check_units.execution_contract_optional is 'units, if the check is an optional one of execution_contract';
comment on column check_units.evidence_collection_required is 'units, if the check is a required one of evidence_collection';
comment on column check_units.evidence_collection_optional is 'units, if the check is an optional one of evidence_collection';
comment on column check_units.critical_evidence_all is 'units, if the check is one of critical_evidence';
comment on column check_units.evidence_routing_required is 'units, if the check is a required one of evidence_routing';
comment on column check_units.evidence_routing_optional is 'units, if the check is an optional one of evidence_routing';
comment on column check_units.diagnosis_hard is 'units, if the check is a hard one of diagnosis';
comment on column check_units.diagnosis_supporting is 'units, if the check is a supporting one of diagnosis';
