"""Why a case run got its verdict: it is read again, and every rule traced to the place that decided it."""

from judge_polars.explain.build import explain, explain_each, unknown_case_run
from judge_polars.explain.model import Explanation

__all__ = ["Explanation", "explain", "explain_each", "unknown_case_run"]
