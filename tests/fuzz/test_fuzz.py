"""The short form of the fuzzing, and that it sees faults."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.fuzz.campaign import Campaign, example_of, keep, round_seed
from tests.fuzz.spoiling import EDITS, spoil
from tests.fuzz.target import BrokenPropertyError, Example, Target, TooSlowError, bounded
from tests.fuzz.targets import TARGETS

EXAMPLES = {"demo-runs": 1, "world-runs": 2, "plain": 2, "eval-runs": 2, "registries": 3, "texts": 8}
"""Examples of the short form; 60 of the targets without files."""


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_is_found_at_once(name: str) -> None:
    """The same few examples each time: the long form is `make fuzz`."""
    target = TARGETS[name]
    few = Target(target.name, target.meaning, target.examples, target.check, EXAMPLES.get(name, 60))
    finding = Campaign(few).round(round_seed(target, 1, 0), time.monotonic() + 60)
    assert finding is None, finding.what if finding else ""


def made_up(check: object, examples: st.SearchStrategy[Example] | None = None) -> Target:
    """A target with a fault in what it checks."""
    return Target("made-up", "", examples or st.lists(st.integers(0, 1000)), check, 200)  # type: ignore[arg-type]


def test_a_fault_is_found_and_made_small(tmp_path: Path) -> None:
    def check(example: Example, folder: Path) -> None:
        (folder / "a").write_text("x", "utf-8")
        if any(number > 500 for number in example):
            raise BrokenPropertyError("a number beyond 500")

    target = made_up(check)
    campaign = Campaign(target)
    finding = campaign.round(1, time.monotonic() + 60)
    assert finding is not None
    assert finding.example == [501]
    directory = keep(target, finding, tmp_path, "fuzz", 1)
    assert example_of(directory) == ("made-up", [501])
    assert (directory / "command.txt").read_text("utf-8") == f"fuzz --replay {directory}\n"
    assert "a number beyond 500" in (directory / "what.txt").read_text("utf-8")
    campaign.known.add(finding.signature)
    assert campaign.round(1, time.monotonic() + 60) is None


def test_the_same_seed_gives_the_same_examples() -> None:
    seen: list[list[Example]] = []
    for seed in (1, 1, 2):
        seen.append([])
        Campaign(made_up(lambda example, _: seen[-1].append(example))).round(seed, time.monotonic() + 60)
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


def test_an_example_that_takes_too_long_is_a_fault() -> None:
    def check() -> None:
        while True:
            pass

    with pytest.raises(TooSlowError), bounded(0.2):
        check()


def test_an_example_that_takes_too_much_memory_is_a_fault() -> None:
    held = []
    with pytest.raises(BrokenPropertyError, match="memory grew by"), bounded(growth=30 << 20):
        held.append(b"x" * (80 << 20))
        held.clear()


@pytest.mark.parametrize("kind", EDITS)
def test_edits_go_with_any_tree(kind: str, tmp_path: Path) -> None:
    for name in ("a.json", "b/c.log", "b/d/e.jsonl"):
        path = tmp_path / "run" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"a": [1, {"b": null}]}\n', "utf-8")
    for number in range(60):
        spoil(tmp_path / "run", [(kind, number, 7 * number, "[1]")])
