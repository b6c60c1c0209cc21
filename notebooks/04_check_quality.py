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
# # What the checks are worth
#
# **Which checks never tell anything, which repeat others, which decide, and what does the semantic shadow say?**

# %%
import judge_polars as jp
from judge_polars import charts

# %%
HISTORY = "../.judge_polars_demo"  # a history: what `judge-polars judge RUNS` or `judge-polars demo` fills
REGISTRY = "../evaluation/regression"  # the registry

# %%
charts.prepare()
history = jp.open_history(HISTORY)
quality = history.sql("from check_quality")

# %% [markdown]
# ## Dead, redundant, deciding
#
# A check that never failed may guard against something that has not happened yet, or test nothing. One that never passed may
# be wrong itself.

# %%
charts.dead_checks(quality)

# %%
charts.words.check_quality(quality)

# %% [markdown]
# ## Which checks decide

# %%
charts.deciding_checks(quality)

# %%
rows = history.sql(
    """
    select case_id, bucket, check_id, case_runs, failed, decides_alone, phi
    from check_quality
    where failed > 0
    order by decides_alone desc, failed desc, case_id, check_id
    limit 15
    """
)
charts.table(rows)

# %% [markdown]
# ## What the cases are worth
#
# `impossible`: nobody ever passed. `saturated`: everybody always passes. Neither tells two agents apart.

# %%
rows = history.sql(
    """
    select case_id, state, agents, comparable, pass_rate, eval_runs_since_told_apart
    from case_quality
    where case_runs > 0
    order by case_id
    """
)
charts.table(rows)

# %% [markdown]
# ## The semantic shadow beside the checks
#
# It answers the questions of `semantic_checks` and never changes a verdict. Where it often disagrees, one of the two is wrong.

# %%
agreement = history.sql("from semantic_agreement")
charts.shadow_agreement(agreement)

# %%
charts.words.shadow_agreement(agreement)

# %% [markdown]
# ## What to do next
#
# - Never failed: `judge-polars probe CASE` spoils a passing run to see whether the check can fail at all.
# - Never passed: `judge-polars explain` on a run that should have passed.
# - Never alone: keep it for its explanation, or drop it; try it in `03_rubric_what_if` first.
# - Often alone: look at its pattern or threshold with more care than at any other.

# %%
history.close()
