-- what: judged case runs, each as of the latest judgment that judged it
-- grain: case run
-- reads: judged_case_runs, judgments
-- rule: the latest by judged_at, ties by judgment_id (specification 60, view verdicts)
create or replace view latest_judged_case_runs as
with judgments_in_time as (
    select
        judgment_id,
        row_number() over (order by judged_at, judgment_id) as place
    from judgments
)

select
    this.judged_key,
    this.judgment_id,
    this.case_run_id,
    this.case_digest,
    this.case_version,
    this.bundle_digest,
    this.bundle_status,
    this.has_output,
    this.cause,
    this.progressed
from judged_case_runs as this
inner join judgments_in_time as this_judgment using (judgment_id)
where not exists (
    select 1
    from judged_case_runs as later
    inner join judgments_in_time as later_judgment using (judgment_id)
    where later.case_run_id = this.case_run_id and later_judgment.place > this_judgment.place
);

comment on view latest_judged_case_runs is 'judged case runs, each as of the latest judgment that judged it';
comment on column latest_judged_case_runs.judged_key is 'row of judged_case_runs';
comment on column latest_judged_case_runs.judgment_id is 'the latest judgment of the case run';
comment on column latest_judged_case_runs.case_run_id is 'the case run';
comment on column latest_judged_case_runs.case_digest is 'as in judged_case_runs';
comment on column latest_judged_case_runs.case_version is 'as in judged_case_runs';
comment on column latest_judged_case_runs.bundle_digest is 'as in judged_case_runs';
comment on column latest_judged_case_runs.bundle_status is 'as in judged_case_runs';
comment on column latest_judged_case_runs.has_output is 'as in judged_case_runs';
comment on column latest_judged_case_runs.cause is 'as in judged_case_runs';
comment on column latest_judged_case_runs.progressed is 'as in judged_case_runs';
