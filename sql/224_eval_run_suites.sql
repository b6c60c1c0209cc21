-- what: suite of an eval run, as it is known
-- grain: eval run whose suite is known
-- reads: eval_runs, suites
-- rule: of the version that the eval run recorded, else the newest that is known; ties by digest (specification 50, "Trials")
create or replace view eval_run_suites as
with known as (
    select
        eval_runs.eval_run_id,
        eval_runs.suite_id,
        eval_runs.suite_version,
        suites.suite_digest,
        suites.aggregate,
        suites.trials,
        struct_pack(
            same_version := coalesce(suites.suite_version = eval_runs.suite_version, false),
            version := suites.suite_version,
            digest := suites.suite_digest
        ) as preference
    from eval_runs
    inner join suites using (suite_id)
)

select
    eval_run_id,
    suite_id,
    suite_version,
    arg_max(suite_digest, preference) as suite_digest,
    arg_max(aggregate, preference) as aggregate,
    arg_max(trials, preference) as trials
from known
group by eval_run_id, suite_id, suite_version;

comment on view eval_run_suites is 'suite of each eval run whose suite is known';
comment on column eval_run_suites.eval_run_id is 'the eval run';
comment on column eval_run_suites.suite_id is 'its suite';
comment on column eval_run_suites.suite_version is 'version that the eval run recorded, or null';
comment on column eval_run_suites.suite_digest is 'the suite as it is known: that version, else the newest';
comment on column eval_run_suites.aggregate is 'how trials make the verdict of a case: majority, all or any';
comment on column eval_run_suites.trials is 'planned trials of each case';
