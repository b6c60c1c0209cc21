"""Shards worked on in this process, in processes beside it, or on a Ray cluster; results come in the order of the shards.

This room imports nothing of what is worked on: a worker begins with it, and is told what to do by an object that pickles.
"""

from __future__ import annotations

from judge_polars.workers.force import ALONE, ENGINES, LOCAL, POOL_FROM, RAY, Workers
from judge_polars.workers.work import SHARDS_PER_WORKER, Work, in_order

__all__ = ["ALONE", "ENGINES", "LOCAL", "POOL_FROM", "RAY", "SHARDS_PER_WORKER", "Work", "Workers", "in_order"]
