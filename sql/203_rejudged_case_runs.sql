-- what: judged case runs that more than one judgment judged
-- grain: judgment, case run
-- reads: judged_case_runs, superseded_case_runs
-- rule: those that were superseded, with what superseded them; only these can have flipped (specification 60, view verdict_flips)
create or replace view rejudged_case_runs as
with several as (
    select distinct
        judged_case_runs.eval_run_id,
        judged_case_runs.case_run_id
    from judged_case_runs
    inner join superseded_case_runs using (judged_key)
)

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
inner join several using (eval_run_id, case_run_id);

comment on view rejudged_case_runs is 'judged case runs that more than one judgment judged; the columns of judged_case_runs';
comment on column rejudged_case_runs.judged_key is 'as in judged_case_runs';
comment on column rejudged_case_runs.judgment_id is 'as in judged_case_runs';
comment on column rejudged_case_runs.case_run_id is 'as in judged_case_runs';
comment on column rejudged_case_runs.eval_run_id is 'as in judged_case_runs';
comment on column rejudged_case_runs.case_id is 'as in judged_case_runs';
comment on column rejudged_case_runs.trial is 'as in judged_case_runs';
comment on column rejudged_case_runs.case_digest is 'as in judged_case_runs';
comment on column rejudged_case_runs.case_version is 'as in judged_case_runs';
comment on column rejudged_case_runs.suite_digest is 'as in judged_case_runs';
comment on column rejudged_case_runs.bundle_digest is 'as in judged_case_runs';
comment on column rejudged_case_runs.bundle_status is 'as in judged_case_runs';
comment on column rejudged_case_runs.has_output is 'as in judged_case_runs';
comment on column rejudged_case_runs.cause is 'as in judged_case_runs';
comment on column rejudged_case_runs.progressed is 'as in judged_case_runs';
