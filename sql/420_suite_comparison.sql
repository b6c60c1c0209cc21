-- what: eval runs as a whole, in pairs
-- grain: eval run, what it is compared with (the active baseline, any other eval run)
-- reads: latest_case_verdicts, eval_runs, baselines, active_baseline_cases, eval_run_plans, mcnemar_exact, fisher_less, wilson_low,
--        wilson_high
-- rule: specification 50, "Regressions"; a baseline is compared by its snapshot, its case runs are counted by the record where the record
--       has the promoted eval run, else by the snapshot as far as that tells
create or replace view suite_comparison as
with judged_cases as materialized (
    select
        eval_run_id,
        suite_id,
        case_id,
        verdict,
        comparable,
        invalid
    from latest_case_verdicts
),

other_cases as (
    select
        'baseline' as compared_with,
        eval_run_id,
        suite_id,
        case_id,
        verdict
    from active_baseline_cases
    union all
    select
        'eval_run' as compared_with,
        eval_run_id,
        null as suite_id,
        case_id,
        verdict
    from judged_cases
),

shared_cases as (
    select
        this.eval_run_id,
        other.compared_with,
        other.eval_run_id as other_eval_run_id,
        1 as shared,
        (other.verdict = 'pass' and this.verdict = 'fail')::int as pass_to_fail,
        (other.verdict = 'fail' and this.verdict = 'pass')::int as fail_to_pass
    from judged_cases as this
    inner join other_cases as other
        on
            this.case_id = other.case_id
            and (
                (other.compared_with = 'baseline' and this.suite_id = other.suite_id)
                or (other.compared_with = 'eval_run' and this.eval_run_id <> other.eval_run_id)
            )
    union all
    select
        eval_runs.eval_run_id,
        'baseline' as compared_with,
        baselines.eval_run_id as other_eval_run_id,
        0 as shared,
        0 as pass_to_fail,
        0 as fail_to_pass
    from eval_runs
    inner join baselines using (suite_id)
    where baselines.active
),

pairs as (
    select
        eval_run_id,
        compared_with,
        other_eval_run_id,
        sum(shared)::bigint as shared_cases,
        sum(pass_to_fail)::bigint as pass_to_fail,
        sum(fail_to_pass)::bigint as fail_to_pass
    from shared_cases
    group by eval_run_id, compared_with, other_eval_run_id
),

judged as (
    select
        eval_run_id,
        sum(comparable)::bigint as comparable,
        sum(invalid)::bigint as invalid
    from judged_cases
    group by eval_run_id
),

counts as (
    select
        eval_run_id,
        eval_run_plans.planned,
        eval_run_plans.found,
        coalesce(judged.comparable, 0) as comparable,
        coalesce(judged.invalid, 0) as invalid
    from eval_run_plans
    left join judged using (eval_run_id)
),

known_counts as (
    select
        eval_run_id,
        1 as preference,
        planned,
        found,
        comparable,
        invalid
    from counts
    where comparable + invalid > 0
    union all
    select
        eval_run_id,
        2 as preference,
        null as planned,
        sum(trials)::bigint as found,
        case when count(*) = count(comparable) then sum(comparable)::bigint end as comparable,
        case when count(*) = count(comparable) then sum(trials - comparable)::bigint end as invalid
    from active_baseline_cases
    group by eval_run_id
),

others as (
    select
        eval_run_id,
        arg_min(
            struct_pack(planned := planned, found := found, comparable := comparable, invalid := invalid), preference
        ) as counts
    from known_counts
    group by eval_run_id
)

select
    pairs.eval_run_id,
    pairs.compared_with,
    pairs.other_eval_run_id,
    pairs.shared_cases,
    pairs.pass_to_fail,
    pairs.fail_to_pass,
    mcnemar_exact(pairs.pass_to_fail, pairs.fail_to_pass) as p_value,
    this.planned,
    this.found,
    this.comparable,
    this.invalid,
    this.invalid / nullif(this.comparable + this.invalid, 0) as invalid_rate,
    wilson_low(this.invalid, this.comparable + this.invalid) as invalid_rate_low,
    wilson_high(this.invalid, this.comparable + this.invalid) as invalid_rate_high,
    others.counts.planned as other_planned,
    others.counts.found as other_found,
    others.counts.comparable as other_comparable,
    others.counts.invalid as other_invalid,
    others.counts.invalid / nullif(others.counts.comparable + others.counts.invalid, 0) as other_invalid_rate,
    wilson_low(others.counts.invalid, others.counts.comparable + others.counts.invalid) as other_invalid_rate_low,
    wilson_high(others.counts.invalid, others.counts.comparable + others.counts.invalid) as other_invalid_rate_high,
    case
        when this.comparable + this.invalid > 0 and others.counts.comparable + others.counts.invalid > 0
            then fisher_less(this.comparable, this.invalid, others.counts.comparable, others.counts.invalid)
    end as invalid_p_value
from pairs
left join counts as this on pairs.eval_run_id = this.eval_run_id
left join others on pairs.other_eval_run_id = others.eval_run_id;

comment on view suite_comparison is 'eval runs as a whole against the active baseline of their suite and against each other';
comment on column suite_comparison.eval_run_id is 'the eval run';
comment on column suite_comparison.compared_with is 'baseline: the active baseline of its suite; eval_run: another eval run that shares a case';
comment on column suite_comparison.other_eval_run_id is 'the eval run of the other side';
comment on column suite_comparison.shared_cases is 'cases that both sides have a verdict of';
comment on column suite_comparison.pass_to_fail is 'shared cases that pass on the other side and fail here';
comment on column suite_comparison.fail_to_pass is 'shared cases that fail on the other side and pass here';
comment on column suite_comparison.p_value is 'two-sided exact McNemar test of these two counts';
comment on column suite_comparison.planned is 'cases of the suite x trials; null where the suite is unknown';
comment on column suite_comparison.found is 'case runs found';
comment on column suite_comparison.comparable is 'case runs that passed or failed';
comment on column suite_comparison.invalid is 'case runs that are invalid';
comment on column suite_comparison.invalid_rate is 'invalid / judged';
comment on column suite_comparison.invalid_rate_low is 'lower end of its 95 % Wilson interval';
comment on column suite_comparison.invalid_rate_high is 'upper end of its 95 % Wilson interval';
comment on column suite_comparison.other_planned is 'likewise, of the other side';
comment on column suite_comparison.other_found is 'likewise, of the other side';
comment on column suite_comparison.other_comparable is 'likewise, of the other side; null where a baseline cannot tell';
comment on column suite_comparison.other_invalid is 'likewise, of the other side; null where a baseline cannot tell';
comment on column suite_comparison.other_invalid_rate is 'likewise, of the other side; null where a baseline cannot tell';
comment on column suite_comparison.other_invalid_rate_low is 'likewise, of the other side; null where a baseline cannot tell';
comment on column suite_comparison.other_invalid_rate_high is 'likewise, of the other side; null where a baseline cannot tell';
comment on column suite_comparison.invalid_p_value is 'one-sided Fisher exact test that the share of invalid case runs is greater than on the other side; null where a side has none or cannot tell';
