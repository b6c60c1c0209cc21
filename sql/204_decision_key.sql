-- what: a situation and the statuses of the seven buckets as one number
-- grain: scalar macro over (situation, status of each bucket)
-- reads: nothing
-- rule: digits of base 3, fail 0, partial 1, pass 2, in the order of the buckets; a situation without buckets has a number below 0, an
--       unknown one none
create or replace macro decision_key(
    situation,
    contract,
    workflow,
    execution_contract,
    evidence_collection,
    critical_evidence,
    evidence_routing,
    diagnosis
) as
    case situation
        when 'bundle_resolved'
            then
                case contract when 'pass' then 1458 when 'partial' then 729 when 'fail' then 0 end
                + case workflow when 'pass' then 486 when 'partial' then 243 when 'fail' then 0 end
                + case execution_contract when 'pass' then 162 when 'partial' then 81 when 'fail' then 0 end
                + case evidence_collection when 'pass' then 54 when 'partial' then 27 when 'fail' then 0 end
                + case critical_evidence when 'pass' then 18 when 'partial' then 9 when 'fail' then 0 end
                + case evidence_routing when 'pass' then 6 when 'partial' then 3 when 'fail' then 0 end
                + case diagnosis when 'pass' then 2 when 'partial' then 1 when 'fail' then 0 end
        when 'environment_failed' then -1
        when 'bundle_unresolved' then -2
        when 'bundle_ambiguous' then -3
    end;

comment on macro decision_key is 'situation and statuses of the seven buckets as one number, the key of verdict_decisions';
