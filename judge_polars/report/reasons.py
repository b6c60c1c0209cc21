"""Why case runs are no pass, in words: failed checks of the bucket that decided, or what kept it from being judged.

A check's id says what is wanted; its reason is told where it says more than that this was not so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judge_polars.judgment import Judgment

_DECIDING_CHECKS = """
    select
        all_verdicts.case_run_id,
        verdict_precedence.meaning,
        string_agg(
            check_results.check_id || coalesce(' (' || reasons.meaning || ')', ''), ', ' order by check_results.position
        ) as checks
    from all_verdicts
    inner join verdict_precedence on all_verdicts.primary_failure_code = verdict_precedence.code
    left join check_results
        on
            all_verdicts.case_run_id = check_results.case_run_id
            and verdict_precedence.bucket = check_results.bucket
            and check_results.layer is distinct from 'supporting'
            and not check_results.passed
    left join reasons
        on check_results.reason = reasons.reason and reasons.reason not in ('not_matched', 'fact_not_satisfied')
    group by all_verdicts.case_run_id, verdict_precedence.meaning
"""


def deciding_reasons(judgment: Judgment) -> dict[str, str]:
    """Case run id -> the failed checks of the deciding bucket with their reasons, else the meaning of the code."""
    return {key: checks or meaning for key, meaning, checks in judgment.sql(_DECIDING_CHECKS).iter_rows()}
