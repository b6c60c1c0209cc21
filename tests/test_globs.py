"""Globs as regexes: the same in Rust's engine and in Python's `re`."""

from __future__ import annotations

import re

import polars as pl
import pytest

from judge_polars.globs import glob_regex, is_plain, series_regex

GLOBS = [
    (
        "queries.json",
        ["queries.json"],
        ["xqueries.json", "queries.jsonx", "queriesxjson", "a/queries.json", "queries.json\n"],
    ),
    ("*.json", ["a.json", ".json", "a.b.json"], ["a/b.json", "a.jso", "a.json/"]),
    ("metrics_?.json", ["metrics_1.json", "metrics_中.json"], ["metrics_.json", "metrics_10.json", "metrics_/.json"]),
    ("logs/*", ["logs/a.log"], ["logs/a/b.log", "logs", "xlogs/a.log"]),
    ("logs/**", ["logs/a.log", "logs/a/b.log"], ["logs", "xlogs/a"]),
    ("**/*.log", ["a.log", "x/a.log", "x/y/a.log"], ["a.logs", "x/a.lo"]),
    (
        "evidence/**/m.json",
        ["evidence/m.json", "evidence/a/m.json", "evidence/a/b/m.json"],
        ["evidence/xm.json", "m.json"],
    ),
    ("a**/b", ["a/b", "ax/b", "ax/y/b"], ["ab", "a/xb"]),
    ("a**b", ["ab", "axb", "a/x/b"], ["a", "b"]),
    ("[x].{y}+(z)", ["[x].{y}+(z)"], ["x.yz", "x"]),
    ("a\\*", ["a\\b"], ["a*"]),
    ("Ünï#-&~^$|", ["Ünï#-&~^$|"], ["ünï#-&~^$|"]),
    ("a\nb*", ["a\nb\nc"], ["ab"]),
]


@pytest.mark.parametrize(("glob", "fit", "others"), GLOBS, ids=[glob for glob, _, _ in GLOBS])
def test_glob(glob: str, fit: list[str], others: list[str]) -> None:
    names = [*fit, *others]
    expected = [True] * len(fit) + [False] * len(others)
    assert pl.Series(names).str.contains(glob_regex(glob)).to_list() == expected
    assert [re.fullmatch(glob_regex(glob), name) is not None for name in names] == expected


def test_plain_names_hold_no_wildcards() -> None:
    assert [is_plain(name) for name in ("a.json", "[a]", "a*", "?.json")] == [True, True, False, False]


SERIES = [
    ("cpu", ["cpu"], ["cpus", "xcpu", "CPU"]),
    ("tikv_*", ["tikv_", "tikv_a/b", "tikv_a\nb"], ["tikv", "xtikv_"]),
    ("p?_leader", ["pd_leader", "p/_leader"], ["p_leader", "pdd_leader"]),
    ("a.b", ["a.b"], ["axb"]),
    ("/^(pd|tidb)_/", ["pd_x", "tidb_y", "PD_x"], ["xpd_"]),
    ("/cpu/", ["a_cpu_b", "a_CPU_b"], ["a_cp_b"]),
    ("/x", ["/x"], ["x"]),
    ("/", ["/"], ["", "x"]),
]


@pytest.mark.parametrize(("pattern", "fit", "others"), SERIES, ids=[pattern for pattern, _, _ in SERIES])
def test_series_name(pattern: str, fit: list[str], others: list[str]) -> None:
    found = pl.Series([*fit, *others]).str.contains(series_regex(pattern)).to_list()
    assert found == [True] * len(fit) + [False] * len(others)
