"""A slow and plain judge, one case run after the other, to check the vectorised one with.

It shares no code with `judge_polars`: standard library, PyYAML and `re` alone.  One function stands for one rule of the
specification and names its section (10-registry, 20-bundles, 30-facts, 40-rules, 50-verdicts, 70-interface).  Only
registries without errors can be loaded, and patterns have to mean the same in Python's `re` and Rust's `regex`.
"""

from tests.plain.judge import judge

__all__ = ["judge"]
