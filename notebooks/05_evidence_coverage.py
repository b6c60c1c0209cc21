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
# # Evidence coverage
#
# **Was the evidence gathered and kept, does what is cited exist, and is the collector or the reasoning what is lacking?**

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
# ## Channels attempted, observed, persisted
#
# *attempted*: the agent asked for it. *persisted*: it kept an artifact, perhaps an empty one. *observed*: something of use is
# in it.

# %%
channels = charts.rows.channels(history)
charts.channels(channels)

# %%
charts.words.channels(channels)

# %% [markdown]
# ## References that dangle
#
# The analysis patch cites evidence; a reference dangles where nothing of that name was collected.

# %%
references = charts.rows.references(history)
charts.dangling_references(references)

# %%
charts.words.references(references)

# %%
rows = history.sql(
    """
    select case_run_id, item_id, role, channel, ref, reason
    from routing_refs
    where not resolved
    order by case_run_id, item
    limit 20
    """
)
charts.table(rows)

# %% [markdown]
# ## Evidence against diagnosis
#
# It parts what the collector lacked from what the reasoning missed.

# %%
grounds = charts.rows.grounding(history)
charts.grounding(grounds)

# %%
charts.words.grounding(grounds)

# %% [markdown]
# ## Oddities met while reading

# %%
rows = history.sql(
    "select code, count(*) as times, min(case_run_id) as for_one from issues group by code order by times desc, code"
)
charts.table(rows)

# %% [markdown]
# ## What to do next
#
# - Attempted and not observed: look at the collector's errors (`evidence/collection_errors.json`).
# - Never attempted: the agent's workflow or its tools.
# - Dangling references: `judge-polars explain CASE_RUN_ID` names each with its reason.
# - `missed_signal`: the prompt or the model; `unsupported_claim`: a lucky guess, or evidence that was not kept.

# %%
history.close()
