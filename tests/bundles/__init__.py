"""Tests of `judge_polars.bundles`: small trees written for each, what was read of them looked at as columns."""
