-- what: judged case runs, each as of the latest judgment that judged it
-- grain: case run
-- reads: judged_case_runs, judgments
-- rule: the latest by judged_at, ties by judgment_id (specification 60, view verdicts); what the last judgment of all judged needs no
--       second look
create or replace view latest_judged_case_runs as
with judgments_in_time as (
    select
        judgment_id,
        row_number() over (order by judged_at, judgment_id) as place,
        row_number() over (order by judged_at desc, judgment_id desc) = 1 as is_last
    from judgments
),

judged_before as (
    select distinct
        judged_case_runs.eval_run_id,
        judged_case_runs.case_run_id
    from judged_case_runs
    inner join judgments_in_time using (judgment_id)
    where not judgments_in_time.is_last
),

latest_places as (
    select
        judged_before.eval_run_id,
        judged_before.case_run_id,
        max(judgments_in_time.place) as place
    from judged_before
    inner join judged_case_runs using (eval_run_id, case_run_id)
    inner join judgments_in_time using (judgment_id)
    group by judged_before.eval_run_id, judged_before.case_run_id
),

latest as (
    select this.*
    from judged_case_runs as this
    inner join judgments_in_time using (judgment_id)
    where judgments_in_time.is_last
    union all
    select this.*
    from judged_case_runs as this
    inner join judgments_in_time using (judgment_id)
    inner join latest_places using (eval_run_id, case_run_id, place)
    where not judgments_in_time.is_last
)

select
    judged_key,
    judgment_id,
    case_run_id,
    eval_run_id,
    case_id,
    trial,
    case_digest,
    case_version,
    suite_digest,
    bundle_digest,
    bundle_status,
    has_output,
    cause,
    progressed
from latest;

comment on view latest_judged_case_runs is 'judged case runs by the latest judgments; the columns of judged_case_runs';
comment on column latest_judged_case_runs.judged_key is 'as in judged_case_runs';
comment on column latest_judged_case_runs.judgment_id is 'the latest judgment that judged the case run';
comment on column latest_judged_case_runs.case_run_id is 'the case run';
comment on column latest_judged_case_runs.eval_run_id is 'as in judged_case_runs';
comment on column latest_judged_case_runs.case_id is 'as in judged_case_runs';
comment on column latest_judged_case_runs.trial is 'as in judged_case_runs';
comment on column latest_judged_case_runs.case_digest is 'as in judged_case_runs';
comment on column latest_judged_case_runs.case_version is 'as in judged_case_runs';
comment on column latest_judged_case_runs.suite_digest is 'as in judged_case_runs';
comment on column latest_judged_case_runs.bundle_digest is 'as in judged_case_runs';
comment on column latest_judged_case_runs.bundle_status is 'as in judged_case_runs';
comment on column latest_judged_case_runs.has_output is 'as in judged_case_runs';
comment on column latest_judged_case_runs.cause is 'as in judged_case_runs';
comment on column latest_judged_case_runs.progressed is 'as in judged_case_runs';
