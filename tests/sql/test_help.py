"""View `help`."""

from __future__ import annotations

import re

import pytest

from judge_polars.history.sql_files import sql_files
from tests.sql.history_builder import History

PARTS = {
    "check_units",
    "case_units",
    "verdict_decisions",
    "latest_judged_case_runs",
    "rejudged_case_runs",
    "latest_trials",
    "eval_run_suites",
    "eval_run_plans",
    "found_case_runs",
    "judged_meanings",
    "trend_cases",
}
"""Views and tables that only serve others."""
KINDS = [
    (path.stem[4:], re.findall(r"^create or replace (\w+)", path.read_text("utf-8"), re.M)[0]) for path in sql_files()
]
VIEWS = sorted(name for name, kind in KINDS if kind != "macro")
EXAMPLES = sorted(set(VIEWS) - PARTS)


def test_every_view_for_people_has_one_row(history: History) -> None:
    names = [name for (name,) in history.rows("select view_name from help")]
    assert sorted(names) == EXAMPLES


def test_rows_are_numbered_topic_by_topic(history: History) -> None:
    rows = history.rows("select position, topic from help")
    assert [position for position, _ in rows] == list(range(1, len(rows) + 1))
    topics = [topic for _, topic in rows]
    assert [topic for topic, before in zip(topics, ["", *topics], strict=False) if topic != before] == list(
        dict.fromkeys(topics)
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_asks_its_view_and_runs(history: History, name: str) -> None:
    [(answers, example)] = history.rows("select answers, example from help where view_name = ?", name)
    assert answers.endswith("?")
    assert f"from {name}" in example
    assert history.rows(example) is not None
