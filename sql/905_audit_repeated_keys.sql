-- what: keys that stand for several rows
-- grain: table, key
-- reads: judged_case_runs, checks, case_runs, eval_runs, judgments, cases
-- rule: a key stands for one row; no row on sound data (specification 60)
create or replace view audit_repeated_keys as
with keys as (
    select 'judged_case_runs' as table_name, judged_key::varchar as row_key from judged_case_runs
    union all
    select 'checks' as table_name, check_key::varchar as row_key from checks
    union all
    select 'case_runs' as table_name, case_run_id as row_key from case_runs
    union all
    select 'eval_runs' as table_name, eval_run_id as row_key from eval_runs
    union all
    select 'judgments' as table_name, judgment_id as row_key from judgments
    union all
    select 'cases' as table_name, case_digest as row_key from cases
)

select
    table_name,
    row_key,
    count(*) as times
from keys
group by table_name, row_key
having count(*) > 1;

comment on view audit_repeated_keys is 'keys that stand for several rows';
comment on column audit_repeated_keys.table_name is 'the table';
comment on column audit_repeated_keys.row_key is 'the key';
comment on column audit_repeated_keys.times is 'number of its rows';
