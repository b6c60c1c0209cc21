-- what: case runs on disk that can be judged
-- grain: case run found on disk whose case a registry knows
-- reads: case_runs, cases
-- rule: a case run of an unknown case is reported and not judged (specification 20); a history keeps its record, in case a registry
--       learns of the case, but no count of what was found has it
create or replace view found_case_runs as
with known_cases as (
    select distinct case_id
    from cases
)

select
    case_runs.case_run_id,
    case_runs.eval_run_id,
    case_runs.case_id,
    case_runs.started_at
from case_runs
inner join known_cases using (case_id);

comment on view found_case_runs is 'case runs on disk whose case a registry knows';
comment on column found_case_runs.case_run_id is '<eval_run_id>/<case_id>/<trial>';
comment on column found_case_runs.eval_run_id is 'its eval run';
comment on column found_case_runs.case_id is 'its case';
comment on column found_case_runs.started_at is 'when it began';
