-- what: judged case runs of the named case runs that a later judgment judged again
-- grain: judged case run
-- reads: a view of eval_run_id and case_run_id, judged_case_runs, judgments
-- rule: the latest judgment by judged_at supersedes the others, ties by judgment_id (specification 60, view verdicts).  Whoever adds
--       judged case runs adds what they supersede to the table superseded_case_runs, so that views need not look for it
create or replace macro superseded_among(case_runs_in_view) as table (
    with named as (
        select distinct
            eval_run_id,
            case_run_id
        from query_table(case_runs_in_view)
    ),

    judged_again as (
        select
            judged_case_runs.eval_run_id,
            judged_case_runs.case_run_id
        from judged_case_runs
        inner join named using (eval_run_id, case_run_id)
        group by judged_case_runs.eval_run_id, judged_case_runs.case_run_id
        having count(*) > 1
    )

    select judged_case_runs.judged_key
    from judged_case_runs
    inner join judged_again using (eval_run_id, case_run_id)
    left join judgments using (judgment_id)
    qualify row_number() over (
        partition by judged_case_runs.eval_run_id, judged_case_runs.case_run_id
        order by judgments.judged_at desc nulls last, judged_case_runs.judgment_id desc, judged_case_runs.judged_key desc
    ) > 1
);

comment on macro table superseded_among is 'judged case runs of the named case runs that a later judgment judged again';
