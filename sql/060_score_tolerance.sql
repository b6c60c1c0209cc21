-- what: percentage points by which a score may move without counting as dropped or raised
-- grain: scalar macro without parameters
-- reads: the session variable score_tolerance (`set variable score_tolerance = 2`)
-- rule: 5 points where nothing else is said; specification 50, "Regressions"
create or replace macro score_tolerance() as
    coalesce(getvariable('score_tolerance')::double, 5.0::double);

comment on macro score_tolerance is 'percentage points that a score may move; set variable score_tolerance = … changes it';
