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
# # A tour of the history
#
# **Which eval runs are here, how did they end, and why did one of them fail?**
#
# A history holds every case run that was judged, and SQL views that answer questions about it. This notebook opens one, selects
# from its views, and looks. Name your own history and registry in the next cell.

# %%
import judge_polars as jp
from judge_polars import charts

# %%
HISTORY = "../.judge_polars_demo"  # a history: what `judge-polars judge RUNS` or `judge-polars demo` fills
REGISTRY = "../evaluation/regression"  # the registry

# %%
charts.prepare()
history = jp.open_history(HISTORY)

# %% [markdown]
# ## What can be asked
#
# Each view answers one question; `help` lists them, each with a query to start with.

# %%
rows = history.sql("select topic, view_name, answers from help where topic not like 'audits%' order by position")
charts.table(rows)

# %% [markdown]
# ## How the eval runs ended
#
# *pass*: the diagnosis and its evidence hold. *fail*: comparable, and not good enough. *invalid*: not comparable, so it moves
# no average.

# %%
trends = history.sql("from suite_trends")
charts.verdict_shares(trends)

# %%
charts.words.verdict_shares(trends)

# %% [markdown]
# ## Case by case

# %%
cases = charts.rows.case_map(history)
charts.heat_map(cases)

# %%
charts.words.case_map(cases)

# %% [markdown]
# ## What did not pass
#
# `failures` says in words which checks failed.

# %%
failed = history.sql(
    """
    select case_run_id, verdict, primary_failure_code as code, cause, failed_checks
    from failures
    order by verdict, case_run_id
    """
)
charts.table(failed.head(12))

# %%
charts.words.failures(failed)

# %% [markdown]
# ## The whole reasoning for one of them
#
# `explain` reads the case run again, from the history, and shows every check with the rule that decided it.

# %%
one = "select case_run_id from verdicts order by verdict <> 'fail', verdict = 'pass', case_run_id limit 1"
judgment = history.recall(REGISTRY, where=f"case_run_id in ({one})")
jp.explain(judgment, judgment.verdicts["case_run_id"][0])

# %% [markdown]
# ## What to do next
#
# - Is it getting better or worse? `01_trend_analysis`
# - Something regressed: `02_regression_triage`
# - A rubric seems wrong: `03_rubric_what_if`, and `04_check_quality` for what its checks are worth
# - Evidence is missing: `05_evidence_coverage`
# - In a shell: `judge-polars sql "from help"`

# %%
history.close()
