-- what: suites with several active baselines
-- grain: suite
-- reads: baselines
-- rule: a suite has at most one active baseline; no row on sound data (specification 60)
create or replace view audit_active_baselines as
select
    suite_id,
    count(*) as active
from baselines
where active
group by suite_id
having count(*) > 1;

comment on view audit_active_baselines is 'suites with several active baselines';
comment on column audit_active_baselines.suite_id is 'the suite';
comment on column audit_active_baselines.active is 'number of active baselines';
