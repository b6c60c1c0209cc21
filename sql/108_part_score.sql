-- what: score of a part of a bucket
-- grain: scalar macro over (maximum, units of failed checks, units of all checks)
-- reads: nothing
-- rule: maximum x weight of passed ÷ weight of all; full where there is no check; null without a maximum; specification 50, "Bucket status"
create or replace macro part_score(max_score, failed, whole) as
    case when whole > 0 then max_score * (whole - coalesce(failed, 0)) / whole else max_score end;

comment on macro part_score is 'max_score x share of the units that did not fail; full where there are none';
