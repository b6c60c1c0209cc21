-- what: verdicts that a later judgment saw otherwise
-- grain: pair of consecutive judgments of a case run whose verdict or primary code differs
-- reads: decisions_of, rejudged_case_runs, judged_case_runs, judgments, situation_of, buckets, checks, check_outcomes, rules
-- rule: judgments in the order of judged_at, ties by judgment_id; the rubric changed with the case digest or the packs, the engine with its
--       semantics_version or version (specification 60, view verdict_flips); a check is listed where its result, or whether it is required,
--       differs, null where a side has none; only case runs that flipped are looked at check by check
create or replace view verdict_flips as
with judgments_in_time as (
    select
        judgment_id,
        row_number() over (order by judged_at, judgment_id) as place
    from judgments
),

consecutive as (
    select
        decided.eval_run_id,
        decided.case_run_id,
        lag(decided.judged_key) over same_case_run as before_key,
        lag(decided.verdict) over same_case_run as before_verdict,
        lag(decided.primary_failure_code) over same_case_run as before_code,
        decided.judged_key as after_key,
        decided.verdict as after_verdict,
        decided.primary_failure_code as after_code
    from decisions_of('rejudged_case_runs') as decided
    inner join judgments_in_time using (judgment_id)
    window same_case_run as (
        partition by decided.eval_run_id, decided.case_run_id order by judgments_in_time.place
    )
),

flips as (
    select
        eval_run_id,
        case_run_id,
        before_key,
        before_verdict,
        before_code,
        after_key,
        after_verdict,
        after_code
    from consecutive
    where
        before_key is not null
        and (before_verdict is distinct from after_verdict or before_code is distinct from after_code)
),

sides as (
    select
        eval_run_id,
        after_key as flip,
        before_key as judged_key,
        false as is_after
    from flips
    union all
    select
        eval_run_id,
        after_key as flip,
        after_key as judged_key,
        true as is_after
    from flips
),

known_sides as materialized (
    select
        sides.eval_run_id,
        sides.flip,
        sides.is_after,
        judged_case_runs.judged_key,
        judged_case_runs.judgment_id,
        judged_case_runs.case_id,
        judged_case_runs.trial,
        judged_case_runs.case_digest,
        judged_case_runs.bundle_digest,
        judgments.judged_at,
        judgments.pack_digests,
        judgments.semantics_version,
        judgments.engine_version,
        situation_of(
            judged_case_runs.cause, judged_case_runs.has_output, judged_case_runs.bundle_status
        ) = 'bundle_resolved' as has_buckets
    from sides
    inner join judged_case_runs using (eval_run_id, judged_key)
    inner join judgments using (judgment_id)
),

outcomes_of_sides as (
    select
        known_sides.eval_run_id,
        known_sides.flip,
        known_sides.is_after,
        check_outcomes.check_key,
        check_outcomes.passed,
        check_outcomes.deciding_rule,
        check_outcomes.reason
    from known_sides
    inner join check_outcomes using (judged_key)
),

results as (
    select
        known_sides.eval_run_id,
        known_sides.flip,
        known_sides.is_after,
        checks.bucket,
        checks.layer,
        checks.check_id,
        checks.position,
        checks.required,
        coalesce(outcomes_of_sides.passed, false) as passed,
        outcomes_of_sides.reason,
        rules.rule_text
    from known_sides
    inner join checks on known_sides.case_digest = checks.case_digest
    left join outcomes_of_sides
        on
            known_sides.eval_run_id = outcomes_of_sides.eval_run_id
            and known_sides.flip = outcomes_of_sides.flip
            and known_sides.is_after = outcomes_of_sides.is_after
            and checks.check_key = outcomes_of_sides.check_key
    left join rules
        on
            checks.case_digest = rules.case_digest
            and checks.bucket = rules.bucket
            and checks.layer is not distinct from rules.layer
            and checks.check_id = rules.check_id
            and outcomes_of_sides.deciding_rule = rules.rule
    where known_sides.has_buckets
),

both_results as (
    select
        eval_run_id,
        flip,
        bucket,
        layer,
        check_id,
        max(position) as position,
        bool_or(passed) filter (where not is_after) as passed_before,
        bool_or(passed) filter (where is_after) as passed_after,
        bool_or(required) filter (where not is_after) as required_before,
        bool_or(required) filter (where is_after) as required_after,
        max(reason) filter (where is_after) as reason_after,
        max(rule_text) filter (where not is_after) as deciding_rule_before,
        max(rule_text) filter (where is_after) as deciding_rule_after
    from results
    group by eval_run_id, flip, bucket, layer, check_id
),

changed as (
    select
        both_results.eval_run_id,
        both_results.flip,
        list(
            struct_pack(
                bucket := both_results.bucket,
                layer := both_results.layer,
                check_id := both_results.check_id,
                passed_before := both_results.passed_before,
                passed_after := both_results.passed_after,
                required_before := both_results.required_before,
                required_after := both_results.required_after,
                reason_after := both_results.reason_after,
                deciding_rule_before := both_results.deciding_rule_before,
                deciding_rule_after := both_results.deciding_rule_after
            )
            order by buckets.position, both_results.position, both_results.layer, both_results.check_id
        ) as changed_checks
    from both_results
    inner join buckets using (bucket)
    where
        both_results.passed_before is distinct from both_results.passed_after
        or both_results.required_before <> both_results.required_after
    group by both_results.eval_run_id, both_results.flip
)

select
    flips.case_run_id,
    flips.eval_run_id,
    after.case_id,
    after.trial,
    before.judgment_id as from_judgment_id,
    after.judgment_id as to_judgment_id,
    before.judged_at as from_judged_at,
    after.judged_at as to_judged_at,
    flips.before_verdict as from_verdict,
    flips.after_verdict as to_verdict,
    flips.before_code as from_primary_failure_code,
    flips.after_code as to_primary_failure_code,
    (before.case_digest, before.pack_digests) <> (after.case_digest, after.pack_digests) as rubric_changed,
    coalesce(before.bundle_digest, '') <> coalesce(after.bundle_digest, '') as bundle_changed,
    (before.semantics_version, before.engine_version)
    <> (after.semantics_version, after.engine_version) as engine_changed,
    coalesce(changed.changed_checks, []) as changed_checks
from flips
inner join known_sides as before
    on flips.eval_run_id = before.eval_run_id and flips.after_key = before.flip and not before.is_after
inner join known_sides as after
    on flips.eval_run_id = after.eval_run_id and flips.after_key = after.flip and after.is_after
left join changed on flips.eval_run_id = changed.eval_run_id and flips.after_key = changed.flip;

comment on view verdict_flips is 'verdicts that a later judgment saw otherwise, with the checks that changed';
comment on column verdict_flips.case_run_id is 'the case run';
comment on column verdict_flips.eval_run_id is 'the eval run';
comment on column verdict_flips.case_id is 'the case';
comment on column verdict_flips.trial is 'counted from 1';
comment on column verdict_flips.from_judgment_id is 'the earlier judgment';
comment on column verdict_flips.to_judgment_id is 'the next judgment that judged the case run';
comment on column verdict_flips.from_judged_at is 'when the earlier judgment was';
comment on column verdict_flips.to_judged_at is 'when the next judgment was';
comment on column verdict_flips.from_verdict is 'verdict of the earlier judgment';
comment on column verdict_flips.to_verdict is 'verdict of the next judgment';
comment on column verdict_flips.from_primary_failure_code is 'code of the earlier verdict; null for a pass';
comment on column verdict_flips.to_primary_failure_code is 'code of the next verdict; null for a pass';
comment on column verdict_flips.rubric_changed is 'whether the case digest or a pack is another one';
comment on column verdict_flips.bundle_changed is 'whether the bundle is another revision';
comment on column verdict_flips.engine_changed is 'whether the semantics_version or the version of the package is another one';
comment on column verdict_flips.changed_checks is 'checks whose result, or whether they are required, differs: bucket, layer, check_id, passed_before, passed_after, required_before, required_after (null where a side has no such check), reason_after, and the text of the rule that decided, before and after';
