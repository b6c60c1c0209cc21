"""Ten text rules on the same stored outputs, by judge_polars and by its peers.

    python -m benchmarks.peers PLACE [--outputs N] [--rounds N]

PLACE is where `make bench-peers` installs the peers.  What is not there, or does not run here, gets a row that says why.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.peers.commands import (
    SCRIPTS,
    Answers,
    Prepared,
    Spent,
    inspect_score,
    judge,
    promptfoo_eval,
    write_work,
)
from benchmarks.peers.ten_rules import engine_answers, plain_answers
from benchmarks.texts import output_texts, shard_of_texts
from judge_polars.version import __version__

Prepare = Callable[[Path, Sequence[str]], Prepared]
HEAD: Final = """\
| who | runs per second | runs per CPU second | CPU s for one run | in that time |
| --- | ---: | ---: | ---: | --- |"""

MISSING: Final = "not installed here: `make bench-peers` installs it"


@dataclass(frozen=True)
class Row:
    """A line of the table: a peer, what it took for all outputs and for a single one, or why that is not known."""

    who: str
    doing: str
    outputs: int = 0
    spent: Spent | None = None
    single: Spent | None = None

    def __str__(self) -> str:
        if self.spent is None:
            return f"| {self.who} | – | – | – | {self.doing} |"
        rates = f"{self.outputs / self.spent.wall:,.0f} | {self.outputs / self.spent.cpu:,.0f}"
        return f"| {self.who} | {rates} | {f'{self.single.cpu:.1f}' if self.single else '–'} | {self.doing} |"


def in_memory(work: Callable[[], object], rounds: int) -> Spent:
    """The best round of a piece of work in this process."""
    best = Spent(float("inf"), float("inf"))
    for _ in range(rounds):
        gc.collect()
        begun, used = time.perf_counter(), time.process_time()
        work()
        best = best.best(Spent(time.perf_counter() - begun, time.process_time() - used))
    return best


def differing(given: Answers, wanted: Answers) -> str:
    """How many outputs got other answers than they should; empty where none did."""
    if len(given) != len(wanted):
        return f"answered for {len(given)} of {len(wanted)} outputs"
    other = sum(one != two for one, two in zip(given, wanted, strict=True))
    return f"answered otherwise for {other} of {len(wanted)} outputs" if other else ""


@dataclass(frozen=True)
class Command:
    """A command that is measured: its row's words, a program without which it cannot be, and what prepares it."""

    who: str
    doing: str
    program: Path
    prepare: Prepare


def commands(place: Path) -> list[Command]:
    """The commands of judge_polars and of the peers that are, or would be, installed at a place."""
    python, binaries = place / "python" / "bin" / "python", place / "node" / "node_modules" / ".bin"
    return [
        Command(
            f"`judge-polars judge` {__version__}",
            "reads a bundle of three files for each run, judges, and writes verdicts, reasons, documents and facts to a new "
            "history; two processes from 1,000 runs on",
            Path(sys.executable),
            judge,
        ),
        Command(
            f"`inspect score`, Inspect AI {version_of(place, 'inspect_ai')}",
            "reads one log and writes it again with a score for each sample, and metrics; one process; keeps logs, no database",
            python,
            partial(inspect_score, python),
        ),
        Command(
            f"`promptfoo eval` {version_of(place, 'promptfoo')}",
            "reads one file, renders a prompt and calls the provider `echo` for each output, 4 at a time in one process; "
            "writes each result with prompt and reasons to its database",
            binaries / "promptfoo",
            partial(promptfoo_eval, binaries),
        ),
    ]


def of_command(command: Command, texts: Sequence[str], rounds: int) -> Row:
    """A command's row: the best round; the reason where it is not there, does not run or answers something else."""
    if not command.program.exists():
        return Row(command.who, MISSING)
    with tempfile.TemporaryDirectory() as place:
        one, all_of_them = Path(place) / "one", Path(place) / "all"
        one.mkdir()
        all_of_them.mkdir()
        try:
            single, ready = command.prepare(one, texts[:1]), command.prepare(all_of_them, texts)
            alone, spent = single.run(0), ready.run(0)
            wrong = differing(ready.answers(), plain_answers(texts))
            for number in range(1, rounds):
                alone, spent = alone.best(single.run(number)), spent.best(ready.run(number))
        except subprocess.CalledProcessError as error:
            return Row(command.who, f"does not run here: {_last_line(error.stderr or error.stdout)}")
    return Row(command.who, wrong) if wrong else Row(command.who, command.doing, len(texts), spent, alone)


def of_plain_python(texts: Sequence[str], rounds: int) -> Row:
    """The row of what the ten rules cost and nothing else."""
    doing = "`in` and `re`: a list of booleans, nothing else"
    return Row("plain Python, in memory", doing, len(texts), in_memory(lambda: plain_answers(texts), rounds))


def of_engine(texts: Sequence[str], rounds: int) -> Row:
    """The row of the engine's rules without files, SQL and history."""
    who, shard = f"judge_polars {__version__}, rules in memory", shard_of_texts(texts)
    if wrong := differing(engine_answers(shard), plain_answers(texts)):
        return Row(who, wrong)
    spent = in_memory(lambda: engine_answers(shard), rounds)
    return Row(who, "a code for each rule and output; no verdict", len(texts), spent)


def of_pydantic_evals(place: Path, texts: Sequence[str], rounds: int) -> Row:
    """Its row: the script counts the seconds of the evaluation alone."""
    who = f"pydantic-evals {version_of(place, 'pydantic_evals')}, in memory"
    python = place / "python" / "bin" / "python"
    if not python.exists():
        return Row(who, MISSING)
    with tempfile.TemporaryDirectory() as directory:
        work = write_work(Path(directory) / "work.json", texts)
        command = [str(python), str(SCRIPTS / "pydantic_evals_ten_rules.py"), str(work), str(rounds)]
        try:
            told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        except subprocess.CalledProcessError as error:
            return Row(who, f"does not run here: {_last_line(error.stderr)}")
    doing = "runs a task for each output, concurrently in one thread; a report with the time of each; reads and keeps nothing"
    wrong = differing(told["answers"], plain_answers(texts))
    return Row(who, wrong) if wrong else Row(who, doing, len(texts), Spent(told["wall"], told["cpu"]))


def rows(place: Path, texts: Sequence[str], rounds: int) -> Iterator[Row]:
    """All rows, those in memory first, of which the best of 5 rounds counts."""
    yield of_plain_python(texts, 5)
    yield of_engine(texts, 5)
    yield of_pydantic_evals(place, texts, 5)
    for command in commands(place):
        yield of_command(command, texts, rounds)


def version_of(place: Path, name: str) -> str:
    """The version of a peer that is installed; empty where it is not."""
    package = place / "node" / "node_modules" / name / "package.json"
    if package.exists():
        return str(json.loads(package.read_text("utf-8"))["version"])
    found = [path.name for path in place.glob(f"python/lib/python*/site-packages/{name}-*.dist-info")]
    return found[0].removeprefix(f"{name}-").removesuffix(".dist-info") if found else ""


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it says nothing"])[-1].replace("|", "&#124;")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("place", type=Path, help="where the peers are installed")
    parser.add_argument("--outputs", type=int, default=1_000, metavar="N", help="stored outputs")
    parser.add_argument(
        "--rounds", type=int, default=3, metavar="N", help="rounds of a command, of which the best counts"
    )
    options = parser.parse_args()
    print(HEAD, flush=True)
    for row in rows(options.place.resolve(), output_texts(options.outputs), options.rounds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
