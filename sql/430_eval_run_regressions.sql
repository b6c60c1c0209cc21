-- what: cases of an eval run against another eval run
-- grain: case of either eval run
-- reads: latest_case_verdicts, found_case_runs, verdict_precedence, fisher_less, verdict_change, trial_evidence,
--        trial_stability
-- rule: the first change that fits, as in baseline_regressions, with the other eval run in the place of the baseline: both sides by
--       the latest judgments of their trials (specification 50, "Regressions"; 70, `diff --against`)
create or replace macro eval_run_regressions(this_eval_run, that_eval_run) as table (
    with sides as (
        select
            case_id,
            eval_run_id = this_eval_run as is_this,
            struct_pack(
                judgment_id := judgment_id,
                case_digest := case_digest,
                oldest_case_version := oldest_case_version,
                newest_case_version := newest_case_version,
                verdict := verdict,
                primary_failure_code := primary_failure_code,
                score := mean_score,
                score_pct := score_pct,
                trials := trials,
                passed := passed,
                stability := trial_stability(passed, comparable),
                statuses := map {
                    'contract': contract,
                    'workflow': workflow,
                    'execution_contract': execution_contract,
                    'evidence_collection': evidence_collection,
                    'critical_evidence': critical_evidence,
                    'evidence_routing': evidence_routing,
                    'diagnosis': diagnosis
                }
            ) as side
        from latest_case_verdicts
        where eval_run_id in (this_eval_run, that_eval_run)
    ),

    found_cases as (
        select distinct case_id
        from found_case_runs
        where eval_run_id = this_eval_run
    ),

    pairs as (
        select
            case_id,
            any_value(side) filter (where is_this) as now,
            any_value(side) filter (where not is_this) as other
        from sides
        group by case_id
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
            pairs.*,
            list_min(list_transform(
                list_filter(
                    map_keys(pairs.now.statuses),
                    lambda b: list_position(['fail', 'partial', 'pass'], pairs.now.statuses[b])
                    < list_position(['fail', 'partial', 'pass'], pairs.other.statuses[b])
                ),
                lambda b: (places.place_of[b || '.' || pairs.now.statuses[b]], b)
            ))[2] as first_worse_bucket,
            case
                when pairs.now.trials >= 2 and pairs.other.trials >= 2
                    then fisher_less(
                        pairs.now.passed,
                        pairs.now.trials - pairs.now.passed,
                        pairs.other.passed,
                        pairs.other.trials - pairs.other.passed
                    )
            end as p_value
        from pairs
        left join found_cases using (case_id)
        cross join places
        where pairs.now is not null or found_cases.case_id is null
    ),

    ranked as (
        select
            *,
            count(p_value) over () as tests,
            count(p_value) over (order by p_value range between unbounded preceding and current row) as not_greater
        from measured
    )

    select
        ranked.case_id,
        case
            when ranked.other is null then 'new_case'
            when ranked.now is null then 'missing'
            when
                ranked.now.oldest_case_version <> ranked.other.newest_case_version
                or ranked.now.newest_case_version <> ranked.other.oldest_case_version
                then 'incomparable'
            else verdict_change(ranked.now.verdict, ranked.other.verdict, ranked.now.score_pct, ranked.other.score_pct)
        end as change,
        ranked.now.verdict as verdict,
        ranked.other.verdict as other_verdict,
        ranked.now.primary_failure_code as primary_failure_code,
        ranked.other.primary_failure_code as other_primary_failure_code,
        ranked.now.score as score,
        ranked.other.score as other_score,
        ranked.now.score_pct as score_pct,
        ranked.other.score_pct as other_score_pct,
        ranked.now.score_pct - ranked.other.score_pct as score_change,
        ranked.first_worse_bucket,
        ranked.now.case_digest <> ranked.other.case_digest as rubric_changed,
        ranked.now.trials as trials,
        ranked.now.passed as passed,
        ranked.other.trials as other_trials,
        ranked.other.passed as other_passed,
        ranked.p_value,
        case
            when ranked.now is not null and ranked.other is not null
                then trial_evidence(ranked.now.trials, ranked.other.trials, ranked.p_value)
        end as evidence,
        min(ranked.p_value * ranked.tests / ranked.not_greater) over (
            order by ranked.p_value nulls last range between current row and unbounded following
        ) as q_value,
        ranked.now.stability as stability,
        ranked.other.stability as other_stability
    from ranked
);

comment on macro table eval_run_regressions is 'cases of an eval run against another eval run: eval_run_regressions(this, that)';
