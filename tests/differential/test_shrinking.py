"""A world that shows something becomes one that shows it and nothing else, and a difference is noticed at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.differential import __main__ as command
from tests.differential.comparing import differences, kind_of
from tests.differential.shrinking import Files, Link, Zeros, read_world, shrink, write_files
from tests.generate import write_world
from tests.plain import trials


def world_of(files: Files, root: Path) -> Path:
    write_files(files, root)
    return root


def test_what_shows_it_is_left(tmp_path: Path) -> None:
    files: Files = {
        "registry/cases/a/judge.yaml": b'{"facts": [1, {"x": 2, "bad": [3, 4]}], "judge": {"y": 5}}',
        "registry/cases/b/judge.yaml": b"{}",
        "registry/suites/s.yaml": b'{"cases": ["a", "b"]}',
        "runs/r1/cases/a/trial-1/output.md": b"one\ntwo\nthree\n",
        "runs/r1/cases/a/trial-2/output.md": b"four\n",
        "runs/r2/cases/b/trial-1/output.md": b"two\n",
    }

    def shows(root: Path) -> bool:
        policy, output = root / "registry/cases/a/judge.yaml", root / "runs/r1/cases/a/trial-1/output.md"
        return policy.is_file() and '"bad"' in policy.read_text() and output.is_file() and "two" in output.read_text()

    small = shrink(world_of(files, tmp_path / "world"), shows)
    assert [*small] == ["registry/cases/a/judge.yaml", "runs/r1/cases/a/trial-1/output.md"]
    assert json.loads(str(small["registry/cases/a/judge.yaml"], "utf-8")) == {"facts": [{"bad": []}]}  # type: ignore[arg-type]
    assert small["runs/r1/cases/a/trial-1/output.md"] == b"two\n"


def test_no_more_trials_than_are_allowed(tmp_path: Path) -> None:
    looked: list[Path] = []

    def shows(root: Path) -> bool:
        looked.append(root)
        return False

    files: Files = {f"runs/{n}": b"x\n" for n in range(50)}
    assert shrink(world_of(files, tmp_path / "world"), shows, trials=7) == files
    assert len(looked) == 7


def test_a_world_is_written_as_it_was_read(tmp_path: Path) -> None:
    files: Files = {"a/b": b"\0\xff", "a/link": Link("b"), "huge": Zeros(1 << 23)}
    assert read_world(world_of(files, tmp_path / "world")) == files


@pytest.mark.parametrize(
    ("plain", "fast", "found"),
    [
        ({"a": [1, 2]}, {"a": [1, 3]}, ["x.a[1]: plain 2, vectorised 3"]),
        ({"a": 1}, {"a": True}, ["x.a: plain 1, vectorised True"]),
        ({"a": 1.0}, {"a": 1}, ["x.a: plain 1.0, vectorised 1"]),
        ({"a": 1.0}, {"a": 1.0 + 1e-9}, ["x.a: plain 1.0, vectorised 1.000000001"]),
        ({"a": 1.0}, {"a": 1.0 + 1e-13}, []),
        ({"a": None}, {}, ["x.a: plain None, vectorised 'absent'"]),
        ([1], [1, 2], ["x: plain [1], vectorised [1, 2]"]),
    ],
)
def test_differences(plain: object, fast: object, found: list[str]) -> None:
    assert differences(plain, fast, "x") == found


def test_the_kind_of_a_difference_does_not_tell_where_it_is() -> None:
    texts = [f"case_runs {at}.passed: plain 1, vectorised 2" for at in ("r/a/1.checks[7]", "s/b/2.checks[0]")]
    kinds = {kind_of(text) for text in texts}
    assert kinds == {"case_runs.checks.passed"}


def test_a_judge_that_is_wrong_is_found_and_its_world_made_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_world(1, tmp_path / "world", runs=2)
    monkeypatch.setattr(trials, "Z", 1.0)
    assert command.judged(1, tmp_path / "world", tmp_path / "out", trials=8) == 1
    printed = capsys.readouterr().out
    assert "seed 1: case_verdicts r1/case-a.pass_rate_high: plain " in printed
    small = tmp_path / "out" / "1"
    assert f"see {small}" in printed
    assert len([*small.glob("runs/*/cases/*/trial-*")]) == 1
    written = (small / "difference.txt").read_text().splitlines()
    assert written[0] == f"python -m tests.differential --replay {small}"
    assert written[2].startswith("case_verdicts r1/case-a.pass_rate_high: plain ")
