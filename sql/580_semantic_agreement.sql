-- what: how far the semantic shadow agrees with the check that it shadows
-- grain: case digest, semantic check that shadows a check
-- reads: semantic_results, judged_case_runs, judgments, cases, checks, check_outcomes, cohen_kappa
-- rule: of a case run its latest answer counts (by judged_at, ties by judgment_id), beside the result of the shadowed diagnosis check in the
--       same judgment; the shadow says yes where the answer is the expected one; matched is null exactly where there is no valid answer; a
--       check without outcome failed (specification 60, semantic_agreement); an id that both layers have means the hard check
create or replace view semantic_agreement as
with answers as (
    select
        semantic_results.judgment_id,
        semantic_results.case_run_id,
        semantic_results.case_digest,
        semantic_results.semantic_check_id,
        semantic_results.shadows,
        semantic_results.matched
    from semantic_results
    inner join judgments using (judgment_id)
    where semantic_results.shadows is not null
    qualify row_number() over (
        partition by semantic_results.case_run_id, semantic_results.case_digest, semantic_results.semantic_check_id
        order by judgments.judged_at desc, semantic_results.judgment_id desc
    ) = 1
),

shadowed_checks as (
    select
        case_digest,
        check_id,
        arg_min(check_key, layer) as check_key,
        min(layer) as layer
    from checks
    where bucket = 'diagnosis'
    group by case_digest, check_id
),

pairs as (
    select
        answers.case_digest,
        answers.semantic_check_id,
        shadowed_checks.layer,
        answers.shadows as check_id,
        answers.matched as shadow,
        coalesce(check_outcomes.passed, false) as passed
    from answers
    inner join judged_case_runs using (judgment_id, case_run_id)
    inner join shadowed_checks
        on answers.case_digest = shadowed_checks.case_digest and answers.shadows = shadowed_checks.check_id
    left join check_outcomes
        on judged_case_runs.judged_key = check_outcomes.judged_key and shadowed_checks.check_key = check_outcomes.check_key
),

counted as (
    select
        case_digest,
        semantic_check_id,
        layer,
        check_id,
        count(*) filter (where shadow is not null) as compared,
        count(*) filter (where shadow is null) as unanswered,
        count(*) filter (where shadow and passed) as both_passed,
        count(*) filter (where shadow and not passed) as only_shadow_passed,
        count(*) filter (where not shadow and passed) as only_check_passed,
        count(*) filter (where not shadow and not passed) as neither_passed
    from pairs
    group by case_digest, semantic_check_id, layer, check_id
)

select
    cases.case_id,
    counted.case_digest,
    counted.semantic_check_id,
    counted.layer,
    counted.check_id,
    counted.compared,
    counted.unanswered,
    counted.both_passed,
    counted.only_check_passed,
    counted.only_shadow_passed,
    counted.neither_passed,
    (counted.both_passed + counted.neither_passed) / nullif(counted.compared, 0) as agreement,
    cohen_kappa(
        counted.both_passed, counted.only_check_passed, counted.only_shadow_passed, counted.neither_passed
    ) as kappa
from counted
left join cases using (case_digest);

comment on view semantic_agreement is 'how far the semantic shadow agrees with the check that it shadows';
comment on column semantic_agreement.case_id is 'the case';
comment on column semantic_agreement.case_digest is 'the case as it stood in the registry that judged';
comment on column semantic_agreement.semantic_check_id is 'id of the question in judge.yaml';
comment on column semantic_agreement.layer is 'layer of the shadowed check: hard or supporting';
comment on column semantic_agreement.check_id is 'the shadowed diagnosis check';
comment on column semantic_agreement.compared is 'case runs with an answer';
comment on column semantic_agreement.unanswered is 'case runs whose question got no valid answer';
comment on column semantic_agreement.both_passed is 'the check passed and the answer is the expected one';
comment on column semantic_agreement.only_check_passed is 'the check passed, the answer is another one';
comment on column semantic_agreement.only_shadow_passed is 'the check failed, the answer is the expected one';
comment on column semantic_agreement.neither_passed is 'the check failed and the answer is another one';
comment on column semantic_agreement.agreement is '(both_passed + neither_passed) / compared; null without an answer';
comment on column semantic_agreement.kappa is 'Cohen kappa of these counts; null where both always say the same one thing';
