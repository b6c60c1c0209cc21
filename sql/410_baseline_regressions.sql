-- what: cases of an eval run against the active baseline of its suite
-- grain: eval run, case of the eval run or the baseline, by the latest judgments
-- reads: latest_case_verdicts, judgments, eval_runs, found_case_runs, baselines, active_baseline_cases, verdict_precedence, fisher_less,
--        verdict_change, trial_evidence, trial_stability
-- rule: the first change that fits; a regression within noise is still listed, and says so; p-values at most 0.05 with a slack of 1e-12
--       are significant (specification 50, "Regressions"); score_tolerance() says which moves of a score count
create or replace view baseline_regressions as
with compared_runs as (
    select
        eval_runs.eval_run_id,
        baselines.suite_id,
        baselines.eval_run_id as baseline_eval_run_id,
        eval_runs.suite_version <> baselines.suite_version as suite_version_changed
    from eval_runs
    inner join baselines using (suite_id)
    where baselines.active
),

found_cases as (
    select distinct
        found_case_runs.eval_run_id,
        found_case_runs.case_id
    from found_case_runs
    inner join compared_runs using (eval_run_id)
),

cases_of_one_side as (
    select
        latest_case_verdicts.eval_run_id,
        latest_case_verdicts.case_id,
        struct_pack(
            judgment := (judgments.judged_at, latest_case_verdicts.judgment_id),
            case_digest := latest_case_verdicts.case_digest,
            oldest_case_version := latest_case_verdicts.oldest_case_version,
            newest_case_version := latest_case_verdicts.newest_case_version,
            verdict := latest_case_verdicts.verdict,
            primary_failure_code := latest_case_verdicts.primary_failure_code,
            score := latest_case_verdicts.mean_score,
            score_pct := latest_case_verdicts.score_pct,
            trials := latest_case_verdicts.trials,
            passed := latest_case_verdicts.passed,
            comparable := latest_case_verdicts.comparable,
            statuses := map {
                'contract': latest_case_verdicts.contract,
                'workflow': latest_case_verdicts.workflow,
                'execution_contract': latest_case_verdicts.execution_contract,
                'evidence_collection': latest_case_verdicts.evidence_collection,
                'critical_evidence': latest_case_verdicts.critical_evidence,
                'evidence_routing': latest_case_verdicts.evidence_routing,
                'diagnosis': latest_case_verdicts.diagnosis
            }
        ) as now,
        null as before,
        true as found
    from latest_case_verdicts
    inner join compared_runs using (eval_run_id)
    inner join judgments using (judgment_id)
    union all
    select
        compared_runs.eval_run_id,
        active_baseline_cases.case_id,
        null as now,
        struct_pack(
            case_digest := active_baseline_cases.case_digest,
            case_version := active_baseline_cases.case_version,
            verdict := active_baseline_cases.verdict,
            primary_failure_code := active_baseline_cases.primary_failure_code,
            score := active_baseline_cases.score,
            score_pct := active_baseline_cases.score_pct,
            trials := active_baseline_cases.trials,
            passed := active_baseline_cases.passed,
            stability := active_baseline_cases.stability,
            buckets := active_baseline_cases.buckets
        ) as before,
        found_cases.case_id is not null as found
    from compared_runs
    inner join active_baseline_cases using (suite_id)
    left join found_cases
        on compared_runs.eval_run_id = found_cases.eval_run_id and active_baseline_cases.case_id = found_cases.case_id
),

cases_of_both_sides as (
    select
        eval_run_id,
        case_id,
        any_value(now) as now,
        any_value(before) as before,
        bool_or(found) as found
    from cases_of_one_side
    group by eval_run_id, case_id
),

places as (
    select map(list(bucket || '.' || status), list(position)) as place_of
    from (
        select
            bucket,
            position,
            unnest(statuses) as status
        from verdict_precedence
    ) as statuses_of_rows
    where bucket is not null
),

measured as (
    select
        compared_runs.*,
        sides.case_id,
        sides.now,
        sides.before,
        coalesce(sides.now.judgment, max(sides.now.judgment) over (partition by compared_runs.eval_run_id))[2] as judgment_id,
        list_min(list_transform(
            list_filter(
                map_keys(sides.now.statuses),
                lambda b: list_position(['fail', 'partial', 'pass'], sides.now.statuses[b])
                < list_position(['fail', 'partial', 'pass'], json_extract_string(sides.before.buckets, '$.' || b))
            ),
            lambda b: (places.place_of[b || '.' || sides.now.statuses[b]], b)
        ))[2] as first_worse_bucket,
        case
            when sides.now.trials >= 2 and sides.before.trials >= 2
                then fisher_less(
                    sides.now.passed,
                    sides.now.trials - sides.now.passed,
                    sides.before.passed,
                    sides.before.trials - sides.before.passed
                )
        end as p_value
    from cases_of_both_sides as sides
    inner join compared_runs using (eval_run_id)
    cross join places
    where sides.now is not null or not sides.found
),

ranked as (
    select
        *,
        count(p_value) over (partition by eval_run_id) as tests,
        count(p_value) over (
            partition by eval_run_id order by p_value range between unbounded preceding and current row
        ) as not_greater
    from measured
)

select
    ranked.judgment_id,
    ranked.eval_run_id,
    ranked.case_id,
    ranked.suite_id,
    ranked.baseline_eval_run_id,
    case
        when ranked.before is null then 'new_case'
        when ranked.now is null then 'missing'
        when
            ranked.before.case_version <> ranked.now.oldest_case_version
            or ranked.before.case_version <> ranked.now.newest_case_version
            then 'incomparable'
        else verdict_change(ranked.now.verdict, ranked.before.verdict, ranked.now.score_pct, ranked.before.score_pct)
    end as change,
    ranked.now.verdict as verdict,
    ranked.before.verdict as baseline_verdict,
    ranked.now.primary_failure_code as primary_failure_code,
    ranked.before.primary_failure_code as baseline_primary_failure_code,
    ranked.now.score as score,
    ranked.before.score as baseline_score,
    ranked.now.score_pct as score_pct,
    ranked.before.score_pct as baseline_score_pct,
    ranked.now.score_pct - ranked.before.score_pct as score_change,
    ranked.first_worse_bucket,
    ranked.suite_version_changed,
    ranked.now.case_digest <> ranked.before.case_digest as rubric_changed,
    ranked.now.trials as trials,
    ranked.now.passed as passed,
    ranked.before.trials as baseline_trials,
    ranked.before.passed as baseline_passed,
    ranked.p_value,
    case
        when ranked.now is not null and ranked.before is not null
            then trial_evidence(ranked.now.trials, ranked.before.trials, ranked.p_value)
    end as evidence,
    min(ranked.p_value * ranked.tests / ranked.not_greater) over (
        partition by ranked.eval_run_id order by ranked.p_value nulls last range between current row and unbounded following
    ) as q_value,
    trial_stability(ranked.now.passed, ranked.now.comparable) as stability,
    ranked.before.stability as baseline_stability
from ranked;

comment on view baseline_regressions is 'cases of an eval run against the active baseline of its suite';
comment on column baseline_regressions.judgment_id is 'latest judgment of the case; of the eval run where the case is missing';
comment on column baseline_regressions.eval_run_id is 'the eval run';
comment on column baseline_regressions.case_id is 'the case';
comment on column baseline_regressions.suite_id is 'the suite whose active baseline it is compared with';
comment on column baseline_regressions.baseline_eval_run_id is 'the promoted eval run';
comment on column baseline_regressions.change is 'new_case, missing, incomparable, regressed, improved, score_dropped, score_raised or unchanged';
comment on column baseline_regressions.verdict is 'of the case now; null where it is missing';
comment on column baseline_regressions.baseline_verdict is 'of the case in the baseline; null for a new case';
comment on column baseline_regressions.primary_failure_code is 'now';
comment on column baseline_regressions.baseline_primary_failure_code is 'in the baseline';
comment on column baseline_regressions.score is 'mean score now';
comment on column baseline_regressions.baseline_score is 'mean score in the baseline';
comment on column baseline_regressions.score_pct is 'in per cent of the points that could be had, now';
comment on column baseline_regressions.baseline_score_pct is 'likewise, in the baseline';
comment on column baseline_regressions.score_change is 'score_pct less baseline_score_pct';
comment on column baseline_regressions.first_worse_bucket is 'of the buckets whose status went down, the one with the first row of verdict_precedence that fits now; null where none did';
comment on column baseline_regressions.suite_version_changed is 'whether the eval run recorded another suite version than the baseline''s; null where it recorded none';
comment on column baseline_regressions.rubric_changed is 'whether the case digest differs; null where one is unknown';
comment on column baseline_regressions.trials is 'trials now';
comment on column baseline_regressions.passed is 'trials that passed now';
comment on column baseline_regressions.baseline_trials is 'trials in the baseline';
comment on column baseline_regressions.baseline_passed is 'trials that passed in the baseline';
comment on column baseline_regressions.p_value is 'one-sided Fisher exact test that fewer trials pass than in the baseline; null where a side has fewer than 2 trials';
comment on column baseline_regressions.evidence is 'single_trial, underpowered, significant or within_noise; null where a side is missing';
comment on column baseline_regressions.q_value is 'p_value adjusted over the cases of the eval run (Benjamini-Hochberg)';
comment on column baseline_regressions.stability is 'of the comparable trials now: always_pass, always_fail, mixed, not_comparable';
comment on column baseline_regressions.baseline_stability is 'likewise, of the trials in the baseline';
