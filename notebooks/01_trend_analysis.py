# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Trends
#
# **Is the agent getting better, and where may two eval runs be compared at all?**

# %%
import judge_polars as jp
from judge_polars import charts

# %%
HISTORY = "../.judge_polars_demo"  # a history: what `judge-polars judge RUNS` or `judge-polars demo` fills
REGISTRY = "../evaluation/regression"  # the registry

# %%
charts.prepare()
history = jp.open_history(HISTORY)
trends = history.sql("from suite_trends order by suite_id, place")

# %% [markdown]
# ## How the eval runs ended
#
# The invalid share belongs into every trend: a run that lost its hard cases would look better without it.

# %%
charts.verdict_shares(trends)

# %%
charts.words.verdict_shares(trends)

# %% [markdown]
# ## The pass rate, and how sure it is
#
# Passed of the comparable case runs, with its 95 % interval. Few trials make a wide band. No line crosses a change of the rubric:
# before and after it, a verdict means something else.

# %%
charts.pass_rate(trends)

# %%
charts.words.pass_rate(trends)

# %% [markdown]
# The same pairs of case and rubric on both sides (`matched_pass_rate`), and the bounds that the invalid case runs leave:

# %%
charts.table(
    trends.select(
        "eval_run_id",
        "agent_version",
        "segment",
        "passed",
        "comparable",
        "invalid",
        "pass_rate",
        "matched_pass_rate",
        "previous_matched_pass_rate",
        "pass_rate_if_invalid_failed",
        "pass_rate_if_invalid_passed",
    )
)

# %% [markdown]
# ## Case by case

# %%
cases = charts.rows.case_map(history)
charts.heat_map(cases)

# %%
charts.words.case_map(cases)

# %% [markdown]
# ## Why case runs did not pass
#
# Codes stand in the order of precedence: a code near the top hides what would have come below it.

# %%
codes = history.sql("from failure_code_trends")
charts.failure_codes(codes)

# %%
charts.words.failure_codes(codes)

# %% [markdown]
# ## Cases that one agent now passes and now fails
#
# A flaky case needs more trials before a single eval run tells anything about it.

# %%
rows = history.sql(
    """
    select case_id, agent_name, agent_version, comparable, flip_rate
    from flaky_cases
    order by flip_rate desc, case_id
    limit 20
    """
)
charts.table(rows)

# %% [markdown]
# ## What to do next
#
# - A drop: open `02_regression_triage` with that eval run.
# - Wide bands: more trials (`trials` of the case or the suite).
# - Many invalid ones by provider or environment: mend the surroundings first, then run again.
# - Mixed rubrics: `judge-polars rejudge` judges the whole history by one.

# %%
history.close()
