"""Benchmarks: they make their own data and print ratios against yardsticks measured in the same process, in turns."""
