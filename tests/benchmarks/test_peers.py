"""What the peers are compared by: the ten rules give the same answers in every notation, and a row tells what went wrong."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import judge_polars as jp
from benchmarks.peers import __main__ as peers
from benchmarks.peers.commands import Prepared, Spent, judge
from benchmarks.peers.ten_rules import RULES, engine_answers, plain_answers, promptfoo_assertions, write_bundles
from benchmarks.texts import output_texts, shard_of_texts

TEXTS = output_texts(60)


def test_engine_gives_the_answers_of_plain_python() -> None:
    answers = plain_answers(TEXTS)
    assert engine_answers(shard_of_texts(TEXTS)) == answers
    for rule in zip(*answers, strict=True):
        assert set(rule) == {True, False}


def test_checks_of_bundles_give_the_answers_of_plain_python(tmp_path: Path) -> None:
    registry, runs = write_bundles(tmp_path, TEXTS[:12])
    checks = jp.judge(runs, jp.load_registry(registry)).sql("select case_run_id, position, passed from check_results")
    given = {(run, position): passed for run, position, passed in checks.rows()}
    wanted = plain_answers(TEXTS[:12])
    assert given == {
        (f"stored/ten-text-rules/{number}", rule): answer
        for number, answers in enumerate(wanted, 1)
        for rule, answer in enumerate(answers)
    }


def test_assertions_of_promptfoo_mean_what_the_rules_mean() -> None:
    def holds(assertion: dict[str, str], text: str) -> bool:
        if assertion["type"] == "icontains-any":
            return any(word.lower() in text.lower() for word in assertion["value"])
        return re.search(assertion["value"], text) is not None

    assert len(promptfoo_assertions()) == RULES
    assert [[holds(one, text) for one in promptfoo_assertions()] for text in TEXTS] == plain_answers(TEXTS)


def _command(directory: Path, code: str) -> peers.Command:
    """A peer that runs a line of Python, and answers as is right for the first two texts."""
    ready = Prepared(directory, lambda number: [sys.executable, "-c", code], lambda: plain_answers(TEXTS[:2]))
    return peers.Command("peer", "all", Path(sys.executable), lambda _, texts: ready)


def test_a_row_says_why_there_is_no_figure(tmp_path: Path) -> None:
    failing = peers.of_command(_command(tmp_path, "raise SystemExit('no such | thing')"), TEXTS[:2], 1)
    assert str(failing) == "| peer | – | – | – | does not run here: no such &#124; thing |"
    other = peers.of_command(_command(tmp_path, "pass"), TEXTS[2:4], 1)
    assert str(other) == "| peer | – | – | – | answered otherwise for 2 of 2 outputs |"
    fewer = peers.of_command(_command(tmp_path, "pass"), TEXTS[:3], 1)
    assert fewer.doing == "answered for 2 of 3 outputs"
    absent = [peers.of_command(command, TEXTS[:2], 1) for command in peers.commands(tmp_path)[1:]]
    assert [row.doing for row in [*absent, peers.of_pydantic_evals(tmp_path, TEXTS[:2], 1)]] == [peers.MISSING] * 3


def test_a_row_tells_rates_and_what_a_single_run_takes(tmp_path: Path) -> None:
    row = peers.Row("peer", "all", 1_000, Spent(2.0, 0.5), Spent(9.0, 0.25))
    assert str(row) == "| peer | 500 | 2,000 | 0.2 | all |"
    assert Spent(1.0, 4.0).best(Spent(2.0, 3.0)) == Spent(1.0, 3.0)
    measured = peers.of_command(_command(tmp_path, "pass"), TEXTS[:2], 2)
    assert (measured.doing, measured.outputs) == ("all", 2)
    for in_memory in (peers.of_plain_python(TEXTS, 1), peers.of_engine(TEXTS, 1)):
        assert in_memory.spent is not None and in_memory.spent.wall > 0


def test_the_command_of_judge_polars_gives_the_answers_of_plain_python(tmp_path: Path) -> None:
    ready = judge(tmp_path, TEXTS[:3])
    assert ready.run(0).cpu > 0
    assert ready.answers() == plain_answers(TEXTS[:3])
