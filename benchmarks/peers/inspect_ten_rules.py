"""The ten rules for Inspect AI: `python inspect_ten_rules.py prepare WORK.json LOG` makes a log of the stored outputs without
scores, which `inspect score LOG --scorer inspect_ten_rules.py@ten_rules` scores; `… answers LOG` prints a scored log's answers.

Runs in the environment of the peers, not in that of the project.  WORK.json is given as the environment variable `WORK`
while it scores.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver


@solver
def stored(outputs: list[str]) -> Solver:
    """Gives the stored output that has the number of the sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", outputs[int(state.input_text)])
        return state

    return solve


@scorer(metrics={"*": [mean()]})
def ten_rules() -> Scorer:
    """One score with ten values: cheaper than ten scorers."""
    work = json.loads(Path(os.environ["WORK"]).read_text("utf-8"))
    words = [[word.lower() for word in rule] for rule in work["keywords"]]
    patterns = [[re.compile(one) for one in rule] for rule in work["patterns"]]

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        lower = text.lower()
        found = [any(word in lower for word in rule) for rule in words]
        found += [any(one.search(text) for one in rule) for rule in patterns]
        return Score(value={f"rule_{number}": int(one) for number, one in enumerate(found)})

    return score


def prepare(work: Path, log: Path) -> None:
    """Write the log; its solver needs no model."""
    outputs = json.loads(work.read_text("utf-8"))["outputs"]
    samples = [Sample(input=str(number), id=number + 1) for number in range(len(outputs))]
    with tempfile.TemporaryDirectory() as place:
        task = Task(dataset=samples, solver=stored(outputs))
        (made,) = eval(task, model="mockllm/model", display="none", log_dir=place, score=False)
        shutil.move(made.location.removeprefix("file://"), log)


def answers(log: Path) -> list[list[bool]]:
    """The values of each sample's score, in the order of the samples."""
    samples = sorted(read_eval_log(str(log)).samples or [], key=lambda sample: int(sample.id))
    return [
        [bool(one) for score in (sample.scores or {}).values() for one in score.value.values()] for sample in samples
    ]


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        prepare(Path(sys.argv[2]), Path(sys.argv[3]))
    elif sys.argv[1] == "answers":
        print(json.dumps(answers(Path(sys.argv[2]))))
