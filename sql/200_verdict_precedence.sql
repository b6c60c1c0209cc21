-- what: what makes a verdict, as a table to be read from above: the first row that fits wins
-- grain: row of the table of precedence
-- reads: nothing
-- rule: the table of specification 50, "Verdict"; a row fits when its situation holds and its bucket (all_buckets: each of them)
--       has one of its statuses; a run that is not bundle_resolved has no buckets
create or replace table verdict_precedence as
select
    position,
    precedence,
    situation,
    bucket,
    statuses,
    verdict,
    code,
    meaning
from (
    values
    (1, 0, 'environment_failed', null, null, 'invalid', 'environment_failed', 'the environment or the provider broke the run, and there is no final output'),
    (2, 0, 'bundle_unresolved', null, null, 'invalid', 'bundle_unresolved', 'no run bundle was found'),
    (3, 0, 'bundle_ambiguous', null, null, 'invalid', 'bundle_ambiguous', 'several run bundles were found and none could be singled out'),
    (4, 1, 'bundle_resolved', 'contract', ['fail'], 'invalid', 'contract_failed', 'the run is about another cluster or time window'),
    (5, 2, 'bundle_resolved', 'execution_contract', ['fail'], 'invalid', 'execution_contract_failed', 'the run lacks what judging needs'),
    (6, 3, 'bundle_resolved', 'workflow', ['partial', 'fail'], 'invalid', 'workflow_incomplete', 'a required step of the workflow is missing'),
    (7, 4, 'bundle_resolved', 'evidence_collection', ['fail'], 'invalid', 'evidence_collection_incomplete', 'required evidence was not collected'),
    (8, 5, 'bundle_resolved', 'evidence_collection', ['partial'], 'fail', 'evidence_collection_partial', 'optional evidence was not collected'),
    (9, 6, 'bundle_resolved', 'critical_evidence', ['fail'], 'fail', 'critical_evidence_missing', 'none of the critical evidence was found'),
    (10, 7, 'bundle_resolved', 'critical_evidence', ['partial'], 'fail', 'critical_evidence_partial', 'some critical evidence was not found'),
    (11, 8, 'bundle_resolved', 'evidence_routing', ['fail'], 'fail', 'evidence_routing_failed', 'the evidence map does not hold'),
    (12, 9, 'bundle_resolved', 'evidence_routing', ['partial'], 'fail', 'evidence_routing_partial', 'the evidence map holds in part'),
    (13, 10, 'bundle_resolved', 'diagnosis', ['fail'], 'fail', 'diagnosis_critical_gate_failed', 'the diagnosis lacks what it must say or says what it must not'),
    (14, 11, 'bundle_resolved', 'execution_contract', ['partial'], 'fail', 'execution_contract_partial', 'the run lacks something that judging would like to have'),
    (15, 12, 'bundle_resolved', 'all_buckets', ['pass'], 'pass', null, 'all buckets pass')
) as rows_of_precedence (position, precedence, situation, bucket, statuses, verdict, code, meaning);

comment on table verdict_precedence is 'the rows that make a verdict: the first that fits wins';
comment on column verdict_precedence.position is 'place of the row, from 1; lower wins';
comment on column verdict_precedence.precedence is 'number of the row in the specification';
comment on column verdict_precedence.situation is 'situation (judged_buckets) in which the row can fit';
comment on column verdict_precedence.bucket is 'bucket whose status it looks at, all_buckets, or null for a situation that decides alone';
comment on column verdict_precedence.statuses is 'statuses with which it fits';
comment on column verdict_precedence.verdict is 'verdict that it gives';
comment on column verdict_precedence.code is 'failure code that it gives; null for a pass';
comment on column verdict_precedence.meaning is 'what it says, for people';
