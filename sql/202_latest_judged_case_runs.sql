-- what: judged case runs, each as of the latest judgment that judged it
-- grain: case run
-- reads: judged_case_runs, superseded_case_runs
-- rule: the latest by judged_at, ties by judgment_id (specification 60, view verdicts); see superseded_among
create or replace view latest_judged_case_runs as
select
    this.judged_key,
    this.judgment_id,
    this.case_run_id,
    this.eval_run_id,
    this.case_id,
    this.trial,
    this.case_digest,
    this.case_version,
    this.suite_digest,
    this.bundle_digest,
    this.bundle_status,
    this.has_output,
    this.cause,
    this.progressed
from judged_case_runs as this
left join superseded_case_runs as superseded using (judged_key)
where superseded.judged_key is null;

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
