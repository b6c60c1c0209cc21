"""Why a case run got its verdict: it is read again, and every rule traced to the place that decided it."""

from judge_polars.explain.build import deciding_words, explain, explain_each, unknown_case_run
from judge_polars.explain.model import Explanation

__all__ = ["Explanation", "deciding_words", "explain", "explain_each", "unknown_case_run"]
