"""Files that may not be read, disks that fail, clocks that go back, readers beside writers: never a wrong verdict."""

from __future__ import annotations

import datetime as times
import errno
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import judge_polars as jp
from judge_polars import chronicle
from judge_polars.errors import RegistryError
from judge_polars.history.record import Record
from judge_polars.history.store import open_history
from tests.cli.world import GOOD_ANSWER, GOOD_PATCH, LOCK_JUDGE, bundle, record, write_files, write_world
from tests.history.worlds import ingest, judge_all

SPOILT = "2025-03-04-nightly/disk-hang/1"
GOOD = "2025-03-04-nightly/lock-wait/1"
RUNS = {
    SPOILT: {**bundle(patch=GOOD_PATCH), "output.md": GOOD_ANSWER, "case_run.json": record()},
    GOOD: {**bundle("1002"), "output.md": "A lock wait it was.", "case_run.json": record()},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two case runs that pass."""
    return write_world(tmp_path, RUNS)


def inodes(place: Path) -> set[int]:
    """The files and directories at and below a place."""
    return {path.stat().st_ino for path in (place, *place.rglob("*"))}


def fail(monkeypatch: pytest.MonkeyPatch, name: str, bad: set[int]) -> None:
    """`os.open` of these is refused, or their first `os.read` fails."""
    plain_open, plain_read = os.open, os.read

    def failing_open(*arguments: object, **named: object) -> int:
        handle = plain_open(*arguments, **named)  # type: ignore[arg-type]
        if os.fstat(handle).st_ino in bad:
            os.close(handle)
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        return handle

    def failing_read(handle: int, size: int) -> bytes:
        if os.fstat(handle).st_ino in bad:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return plain_read(handle, size)

    monkeypatch.setattr(os, name, failing_open if name == "open" else failing_read)


@pytest.mark.parametrize(
    ("name", "place", "why"),
    [
        ("open", "audit/evidence/metrics.json", "permission denied"),
        ("open", "audit/logs", "permission denied"),
        ("open", "output.md", "permission denied"),
        ("read", "audit/evidence/metrics.json", "input/output error"),
        ("read", "output.md", "input/output error"),
    ],
)
def test_what_cannot_be_read_is_told_and_spoils_no_other_case_run(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: str, why: str
) -> None:
    fail(monkeypatch, name, inodes(root / "runs/2025-03-04-nightly/cases/disk-hang/trial-1" / place))
    judgment = jp.judge(root / "runs", root / "registry")
    verdicts = dict(judgment.verdicts.select("case_run_id", "verdict").iter_rows())
    assert verdicts[GOOD] == "pass"
    assert verdicts[SPOILT] != "pass" or place == "audit/logs"
    issues = judgment.issues.filter(judgment.issues["code"] == "document_unreadable")
    assert set(issues["case_run_id"]) == {SPOILT}
    assert why in str(issues["detail"].to_list()).lower()


@pytest.mark.parametrize("name", ["open", "read"])
def test_a_registry_that_cannot_be_read_judges_nothing(root: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    place = root / "registry/cases/lock-wait/judge.yaml"
    if name == "open":
        fail(monkeypatch, name, inodes(place))
    else:
        place.unlink()
        place.mkdir()
    with pytest.raises(RegistryError, match=r"judge\.yaml"):
        jp.load_registry(root / "registry")


AS_SOMEBODY = """
import contextlib, io, json, os, sys
from judge_polars.cli.app import run
place, told = sys.argv[1], {}
os.chdir(place)
for name, arguments in json.loads(sys.argv[2]).items():
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    told[name] = [code, out.getvalue(), err.getvalue()]
print("told" + json.dumps(told))
"""
COMMANDS = {
    "judge": ["judge", "runs", "--no-history", "--format", "json", "--issues"],
    "judge into a history that is not ours": ["judge", "runs", "-q", "--history-dir", "history"],
    "sql": ["sql", "select count(*) as n from verdicts", "--format", "csv", "--history-dir", "history"],
    "rejudge": ["rejudge", "--what-if", "--history-dir", "unreadable"],
    "rejudge without commit files": ["rejudge", "--what-if", "--history-dir", "uncommitted"],
    "sql on a record that may not be listed": ["sql", "from verdicts", "--history-dir", "unlisted"],
    "validate": ["validate", "--registry", "locked"],
    "output": ["judge", "runs", "--no-history", "-q", "-o", "history/verdicts.csv"],
}


def as_somebody() -> list[str]:
    """What a command begins with so that modes of files count for it, also where everything here is root's."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and there is no setpriv")
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


def test_what_may_not_be_read_or_written_is_told(root: Path) -> None:
    book = jp.load_registry(root / "registry").compile()
    ingest(root / "history", root / "runs", book)
    judge_all(root / "history", book)
    for name in ("unreadable", "uncommitted", "unlisted"):
        shutil.copytree(root / "history", root / name)
    shutil.copytree(root / "registry", root / "locked")
    modes = {
        **dict.fromkeys((root / "unreadable/record").glob("*/*.parquet"), 0),
        **dict.fromkeys((root / "uncommitted/record").glob("*.json"), 0),
        root / "unlisted/record": 0,
        root / "locked/cases/lock-wait/judge.yaml": 0,
        root / "runs/2025-03-04-nightly/cases/disk-hang/trial-1/audit": 0,
        root / "history/record": 0o555,
        root / "history": 0o555,
    }
    before = {path: path.stat().st_mode for path in modes}
    try:
        for path, mode in modes.items():
            path.chmod(mode)
        done = subprocess.run(
            [*as_somebody(), sys.executable, "-c", AS_SOMEBODY, str(root), json.dumps(COMMANDS)],
            capture_output=True,
            text=True,
            check=False,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(jp.__file__).parents[1]),
                "JUDGE_POLARS_REGISTRY": str(root / "registry"),
            },
        )
    finally:
        for path, mode in reversed(before.items()):
            path.chmod(mode)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.rpartition("told")[2])
    codes = {name: code for name, (code, _, _) in told.items()}
    print({name: answer[2] for name, answer in told.items()})
    assert codes["judge"] == 0
    judged = {one["case_run_id"]: one for one in json.loads(told["judge"][1])["case_runs"]}
    assert (judged[GOOD]["verdict"], judged[SPOILT]["verdict"]) == ("pass", "invalid")
    assert "permission denied" in str(judged[SPOILT]["issues"]).lower()
    assert codes["sql"] == 0 and told["sql"][1].split() == ["n", "2"]
    del told["judge"], told["sql"]
    for name, (code, out, err) in told.items():
        assert code == 2, name
        assert any(words in (out + err).lower() for words in ("permission denied", "may not be written")), name
        assert "damaged" not in err and "give the batch up" not in err, name


def test_of_several_judgments_the_last_one_counts_also_when_the_clock_goes_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = root / "history"
    ingest(history, root / "runs", jp.load_registry(root / "registry").compile())
    judge_all(history, jp.load_registry(root / "registry").compile())

    class Earlier(times.datetime):
        """A clock that is a day behind."""

        @classmethod
        def now(cls, tz: times.tzinfo | None = None) -> Earlier:
            return super().now(tz) - times.timedelta(days=1)

    yesterday = time.time_ns() - 86_400 * 10**9
    write_world(root, {"2025-03-06-nightly/lock-wait/1": RUNS[GOOD]})
    write_files(root / "registry", {"cases/lock-wait/judge.yaml": LOCK_JUDGE.replace("[lock_wait]", "[disk_hang]")})
    changed = jp.load_registry(root / "registry").compile()
    monkeypatch.setattr(chronicle, "datetime", Earlier)
    monkeypatch.setattr(time, "time_ns", lambda: yesterday)
    judge_all(history, changed)
    ingest(history, root / "runs", changed)
    judge_all(history, changed)
    with open_history(history) as opened:
        verdicts = dict(opened.sql("select case_run_id, verdict from verdicts").iter_rows())
        judgments = opened.sql("select judged_at from judgments")["judged_at"]
    assert verdicts == {SPOILT: "pass", GOOD: "fail", "2025-03-06-nightly/lock-wait/1": "fail"}
    assert judgments.n_unique() == len(judgments) == 3
    numbers = [batch.number for batch in Record.open(history).batches()]
    assert numbers == sorted(set(numbers))


WRITER = """
import sys
from pathlib import Path
import judge_polars as jp
from tests.history.worlds import ingest, judge_all
root = Path(sys.argv[1])
book = jp.load_registry(root / "registry").compile()
for runs in sorted(root.glob("runs-*")):
    ingest(root / "history", runs, book)
    judge_all(root / "history", book)
"""


def test_a_reader_sees_whole_judgments_while_others_are_written(root: Path) -> None:
    history = root / "history"
    book = jp.load_registry(root / "registry").compile()
    ingest(history, root / "runs", book)
    judge_all(history, book)
    for night in (6, 7, 8):
        write_world(root / "more", {f"2025-03-0{night}-nightly/lock-wait/{trial}": RUNS[GOOD] for trial in (1, 2)})
        (root / "more/runs").rename(root / f"runs-{night}")
    place = Path(jp.__file__).parents[1]
    seen: list[int] = []
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(root)], env={**os.environ, "PYTHONPATH": str(place)}
    ) as writer:
        while writer.poll() is None:
            with open_history(history) as opened:
                rows = opened.sql("select count(*), count(verdict) from verdicts").row(0)
                time.sleep(0.2)
                assert opened.sql("select count(*), count(verdict) from verdicts").row(0) == rows
            assert rows[0] == rows[1]
            seen.append(rows[0])
    assert writer.returncode == 0
    assert seen == sorted(seen) and set(seen) <= {2, 4, 6, 8}
    with open_history(history) as opened:
        assert opened.sql("from verdicts").height == 8
