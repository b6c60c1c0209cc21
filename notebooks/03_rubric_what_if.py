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
# # What if the rubric were different?
#
# **Which verdicts of the whole history would another threshold change, why, and would a baseline flip?**
#
# The registry is edited in memory and the stored case runs are judged again; nothing is written.

# %%
import judge_polars as jp
from judge_polars import charts, sweep

# %%
HISTORY = "../.judge_polars_demo"  # a history: what `judge-polars judge RUNS` or `judge-polars demo` fills
REGISTRY = "../evaluation/regression"  # the registry
NUMBER = 0  # which threshold: a row of the table below
FACTOR = 1.25  # the new threshold, as a multiple of today's

# %%
charts.prepare()
history = jp.open_history(HISTORY)
registry = jp.load_registry(REGISTRY)

# %% [markdown]
# ## The thresholds of the rubric

# %%
charts.table(sweep.thresholds(registry))

# %% [markdown]
# ## One of them edited, the whole history judged again

# %%
edited = sweep.with_factor(registry, NUMBER, FACTOR)
supposed = history.what_if(edited)
charts.table(supposed.counts)

# %%
charts.flips_by_cause(supposed.flips)

# %%
charts.words.flips(supposed.flips, supposed.judged)

# %%
charts.table(supposed.flips.select("case_run_id", "from_verdict", "to_verdict", "to_primary_failure_code").head(12))

# %%
charts.words.baseline_flips(supposed.baselines)

# %% [markdown]
# ## How far the threshold may move
#
# The case's stored case runs at each of several thresholds. A verdict that turns over with a small step hangs on that number.

# %%
swept = sweep.threshold_sweep(history, registry, NUMBER)
charts.threshold_sweep(swept)

# %%
charts.words.threshold_sweep(swept)

# %% [markdown]
# ## Flips that happened already
#
# Verdicts that a later judgment of this history saw otherwise, and whether the rubric, the bundle or the engine did it.

# %%
happened = history.sql("from verdict_flips")
charts.flips_by_cause(happened)

# %% [markdown]
# ## What to do next
#
# - Edit `judge.yaml`, then `judge-polars rejudge --what-if` shows the same before anything is kept.
# - `judge-polars rejudge --what-if --fail-on baseline-flip` guards a change of the rubric in CI.
# - Any part of the registry can be edited here: `registry.cases["…"].policy.judge` holds its checks.
# - `04_check_quality` says which checks are worth an edit.

# %%
supposed.close()
history.close()
