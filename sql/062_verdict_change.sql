-- what: how a case changed, where both sides have it in one version
-- grain: scalar macro of two verdicts and two scores in per cent
-- reads: score_tolerance
-- rule: the order pass > fail > invalid, then the score beyond the tolerance; specification 50, "Regressions"
create or replace macro verdict_change(verdict_now, verdict_before, score_now, score_before) as
    case
        when list_position(['invalid', 'fail', 'pass'], verdict_now) < list_position(['invalid', 'fail', 'pass'], verdict_before)
            then 'regressed'
        when list_position(['invalid', 'fail', 'pass'], verdict_now) > list_position(['invalid', 'fail', 'pass'], verdict_before)
            then 'improved'
        when score_now - score_before < -(score_tolerance() + 1e-9) then 'score_dropped'
        when score_now - score_before > score_tolerance() + 1e-9 then 'score_raised'
        else 'unchanged'
    end;

comment on macro verdict_change is 'regressed, improved, score_dropped, score_raised or unchanged, of two verdicts and their scores in per cent';
