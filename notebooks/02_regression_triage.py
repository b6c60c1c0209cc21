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
# # Triage of a regression
#
# **What got worse against the baseline, is it more than noise, and since when?**
#
# Without an active baseline the eval run before it takes its place.

# %%
import judge_polars as jp
from judge_polars import charts

# %%
HISTORY = "../.judge_polars_demo"  # a history: what `judge-polars judge RUNS` or `judge-polars demo` fills
REGISTRY = "../evaluation/regression"  # the registry
EVAL_RUN = None  # an eval run id; None: the latest one that regressed or lost a case, else the latest

# %%
charts.prepare()
history = jp.open_history(HISTORY)
run = EVAL_RUN or charts.rows.run_to_triage(history)
compared = charts.rows.comparison(history, run)

# %% [markdown]
# ## Which verdicts moved where

# %%
charts.verdict_flow(compared)

# %%
charts.words.comparison(compared)

# %%
charts.table(
    compared.select(
        "case_id",
        "change",
        "other_verdict",
        "verdict",
        "first_worse_bucket",
        "score_change",
        "evidence",
        "p_value",
        "q_value",
    )
)

# %% [markdown]
# ## The suite as a whole
#
# McNemar's exact test looks at the cases that changed sides. Case runs that were lost are a result, too.

# %%
suite = charts.rows.whole_suite(history, run, compared)
charts.table(
    suite.select(
        "eval_run_id",
        "other_eval_run_id",
        "shared_cases",
        "pass_to_fail",
        "fail_to_pass",
        "p_value",
        "invalid",
        "other_invalid",
    )
)

# %%
charts.words.whole_suite(suite)

# %% [markdown]
# ## Since when each bad check is bad
#
# The eval run with which a check turned bad says which change to look at: a new agent version, another model, another prompt.

# %%
checks = charts.rows.first_bad_runs(history, run)
charts.first_bad_runs(checks)

# %%
charts.words.first_bad_runs(checks)

# %% [markdown]
# ## What is different about the runs
#
# Facts are what the checks stand on; those that hold more or less often than before lead to the cause.

# %%
facts = charts.rows.fact_differences(history, run, charts.rows.other_run(compared))
charts.fact_differences(facts)

# %%
charts.words.fact_differences(facts)

# %% [markdown]
# ## What failed, in words

# %%
rows = history.sql(
    """
    select case_run_id, verdict, primary_failure_code as code, failed_checks
    from failures
    where eval_run_id = ?
    order by case_run_id
    """,
    [run],
)
charts.table(rows)

# %% [markdown]
# ## What to do next
#
# - `judge-polars explain CASE_RUN_ID` shows the deciding rule, document and line of one case run.
# - Within noise or underpowered: run more trials before anybody is blamed.
# - The rubric is to blame: `03_rubric_what_if`.
# - The change is meant: `judge-polars baseline promote` makes the eval run the new baseline.

# %%
history.close()
