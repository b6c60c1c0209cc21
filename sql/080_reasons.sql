-- what: why a rule or check is false, in words
-- grain: reason
-- reads: nothing
-- rule: the reasons of specification 40
create or replace table reasons as
select
    reason,
    meaning
from (
    values
    ('artifact_missing', 'no document fits the selector'),
    ('no_json_value', 'no selected document has a JSON value'),
    ('no_text', 'no selected document has text'),
    ('path_selects_nothing', 'the path selects nothing'),
    ('no_series', 'no numeric series fits'),
    ('unread_document', 'a selected document could not be read'),
    ('not_matched', 'nothing matched'),
    ('fact_unknown', 'the fact is unknown'),
    ('fact_not_satisfied', 'the fact is not as wanted'),
    ('workflow_check_failed', 'a required workflow check failed'),
    ('channel_not_observed', 'too few channels were observed')
) as rows_of_reasons (reason, meaning);

comment on table reasons is 'why a rule or check is false, in words';
comment on column reasons.reason is 'as in check_results.reason';
comment on column reasons.meaning is 'what it says, for people';
