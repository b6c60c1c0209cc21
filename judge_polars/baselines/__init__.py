"""Baselines: what a promoted eval run is remembered by, how old it is, and what differs from it (specification 10, 50).

Nothing here prints.  What is read of eval runs comes from a `Source`: a judgment in memory or a history.
"""

from judge_polars.baselines.age import BaselineUse, baseline_use, judged_again
from judge_polars.baselines.difference import Difference, difference_from_baseline, difference_from_eval_run
from judge_polars.baselines.export import Export, LeftOut
from judge_polars.baselines.gate import decide
from judge_polars.baselines.promotion import Plan, Promotion, plan_promotion, promote
from judge_polars.baselines.refusals import Refusal
from judge_polars.baselines.verify import Verified, verify

__all__ = [
    "BaselineUse",
    "Difference",
    "Export",
    "LeftOut",
    "Plan",
    "Promotion",
    "Refusal",
    "Verified",
    "baseline_use",
    "decide",
    "difference_from_baseline",
    "difference_from_eval_run",
    "judged_again",
    "plan_promotion",
    "promote",
    "verify",
]
