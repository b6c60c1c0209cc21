-- what:  how many case runs of an eval run were planned by its suite and how many were judged
-- grain: judgment, eval run
-- reads: judged_case_runs, eval_runs, suites, suite_cases
-- rule:  planned = cases of the suite x its trials; incomplete when fewer were judged or a case of the suite has none
--        (specification 70, `--fail-on incomplete`); an eval run whose suite is unknown is never incomplete
create or replace view eval_run_coverage as
with judged_cases as (
    select judgment_id, eval_run_id, case_id, count(*) as case_runs
    from judged_case_runs
    group by judgment_id, eval_run_id, case_id
),

judged as (
    select judgment_id, eval_run_id, cast(sum(case_runs) as bigint) as judged
    from judged_cases
    group by judgment_id, eval_run_id
),

newest_suites as (
    select suite_id, arg_max(suite_digest, suite_version) as suite_digest, arg_max(trials, suite_version) as trials
    from suites
    group by suite_id
),

planned as (
    select
        judged.judgment_id,
        judged.eval_run_id,
        eval_runs.suite_id,
        count(suite_cases.case_id) * any_value(newest_suites.trials) as planned,
        count(*) filter (where suite_cases.case_id is not null and judged_cases.case_id is null) as cases_without_run
    from judged
    left join eval_runs on eval_runs.eval_run_id = judged.eval_run_id
    left join newest_suites on newest_suites.suite_id = eval_runs.suite_id
    left join suite_cases on suite_cases.suite_digest = newest_suites.suite_digest
    left join judged_cases
        on
            judged_cases.judgment_id = judged.judgment_id
            and judged_cases.eval_run_id = judged.eval_run_id
            and judged_cases.case_id = suite_cases.case_id
    group by judged.judgment_id, judged.eval_run_id, eval_runs.suite_id
)

select
    judged.judgment_id,
    judged.eval_run_id,
    planned.suite_id,
    case when planned.planned > 0 then planned.planned end as planned,
    judged.judged,
    planned.cases_without_run,
    coalesce(planned.planned > judged.judged or planned.cases_without_run > 0, false) as incomplete
from judged
inner join planned on planned.judgment_id = judged.judgment_id and planned.eval_run_id = judged.eval_run_id;

comment on view eval_run_coverage is 'How many case runs of an eval run were planned and judged.';
comment on column eval_run_coverage.judgment_id is 'the judgment';
comment on column eval_run_coverage.eval_run_id is 'the eval run';
comment on column eval_run_coverage.suite_id is 'its suite, or null';
comment on column eval_run_coverage.planned is 'cases of the suite x its trials; null where the suite is unknown';
comment on column eval_run_coverage.judged is 'case runs judged';
comment on column eval_run_coverage.cases_without_run is 'cases of the suite without any case run';
comment on column eval_run_coverage.incomplete is 'fewer judged than planned, or a case without a case run';
