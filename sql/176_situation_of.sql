-- what: what decides a verdict before any bucket does
-- grain: scalar macro over (cause, has_output, bundle_status) of judged_case_runs
-- reads: nothing
-- rule: environment_failed where the environment or the provider broke the run and there is no final output, else bundle_resolved,
--       bundle_unresolved or bundle_ambiguous; only a bundle_resolved run has buckets and check outcomes (specification 50, "Verdict")
create or replace macro situation_of(cause, has_output, bundle_status) as
    case
        when cause in ('environment', 'provider') and has_output is not true then 'environment_failed'
        else 'bundle_' || bundle_status
    end;

comment on macro situation_of is 'environment_failed, bundle_resolved, bundle_unresolved or bundle_ambiguous';
