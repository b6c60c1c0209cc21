"""The provider that is a program."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from judge_polars.semantic.asking import evaluate
from judge_polars.semantic.model import Packet
from judge_polars.semantic.providers import CommandProvider
from tests.semantic.scene import answers, context_of, unmasked

SECRET = "planted-value-0815"
ONE = ("explains_mechanism",)
GOOD = f"print(json.dumps({{'answers': {answers(ids=ONE)}, 'model': 'mine'}}))"
OF_ANOTHER = GOOD.replace("'model'", "'context_digest': 'x', 'model'")


def asked(code: str, *, seconds: float = 10.0, output: str = "The disk hung.") -> Packet:
    """The packet that a small program leads to; `shown` is what it was given."""
    program = f"import json, os, sys, time\nshown = json.load(sys.stdin)\n{code}"
    provider = CommandProvider((sys.executable, "-c", program), "kept-under", {"TOKEN": SECRET})
    return evaluate(context_of(output), provider, seconds, unmasked)


def test_the_context_goes_in_and_a_packet_comes_out() -> None:
    given = "shown['shown']['output']['text'][:9_000]"
    packet = asked(GOOD.replace('"It says so."', given), output="x" * 300_000)
    assert packet.status == "ok", packet.detail
    assert (packet.provider, packet.model, packet.tries) == ("command", "kept-under", 1)
    assert packet.answers["explains_mechanism"].reasoning == "x" * 2_000


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        pytest.param("print('yes')", "invalid_response", "also after a repair", id="prose"),
        pytest.param("print('{}')", "invalid_response", None, id="no-answers"),
        pytest.param("print('[1]')", "invalid_response", None, id="list"),
        pytest.param("print('{\"status\": \"fine\"}')", "invalid_response", "unknown status", id="unknown-status"),
        pytest.param("print(json.dumps({'status': 'timeout', 'detail': 'slow'}))", "timeout", "slow", id="says-so"),
        pytest.param(OF_ANOTHER, "invalid_response", "another context", id="of-another"),
        pytest.param("sys.exit('no quota')", "provider_error", "ended with 1: no quota", id="exit-code"),
        pytest.param(f"{GOOD}\nsys.exit(3)", "provider_error", "ended with 3", id="answer-and-exit-code"),
        pytest.param("os.kill(os.getpid(), 9)", "provider_error", "ended with -9", id="killed"),
        pytest.param("sys.stdout.write('x' * 3_000_000)", "invalid_response", "more than 1,048,576 bytes", id="huge"),
        pytest.param("sys.stderr.write('x' * 3_000_000)\n" + GOOD, "ok", None, id="noisy"),
        pytest.param("print('{\"answers\": ' + '[' * 100_000)", "invalid_response", None, id="deep"),
        pytest.param("sys.exit(os.environ['TOKEN'])", "provider_error", "[key]", id="tells-its-key"),
        pytest.param(GOOD.replace("It says so.", SECRET), "ok", None, id="answers-with-its-key"),
    ],
)  # fmt: skip
def test_statuses(code: str, status: str, words: str | None) -> None:
    packet = asked(code)
    assert packet.status == status, packet.detail
    assert SECRET not in packet.model_dump_json()
    assert words is None or (packet.detail is not None and words in packet.detail)


def test_a_program_that_is_not_there() -> None:
    packet = evaluate(context_of(), CommandProvider(("/nowhere/at-all",)), 5.0, unmasked)
    assert packet.status == "provider_error"
    assert packet.detail == "/nowhere/at-all could not be started: No such file or directory"


def test_a_program_that_reads_nothing() -> None:
    provider = CommandProvider((sys.executable, "-c", f"import json\n{GOOD}"))
    assert evaluate(context_of("x" * 3_000_000), provider, 10.0, unmasked).status == "ok"


def test_at_the_time_limit_the_whole_group_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    code = f"""
import subprocess
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
open({str(note)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')
time.sleep(60)
"""
    begin = time.monotonic()
    assert asked(code, seconds=2.0).status == "timeout"
    assert time.monotonic() - begin < 8.0
    assert all(is_gone(int(pid)) for pid in note.read_text().split())


def test_what_a_program_leaves_behind_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = f"""
import subprocess
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
open({str(note)!r}, 'w').write(str(child.pid))
{GOOD}
"""
    begin = time.monotonic()
    assert asked(code).status == "ok"
    assert time.monotonic() - begin < 8.0
    assert is_gone(int(note.read_text()))


def is_gone(pid: int) -> bool:
    """Whether a process has ended, within two seconds."""
    for _ in range(40):
        try:
            os.kill(pid, 0)
            if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_a_program_gets_only_the_variables_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMETHING_ELSE", "1")
    code = GOOD.replace('"It says so."', "' '.join(sorted(os.environ))")
    packet = asked(code)
    names = packet.answers["explains_mechanism"].reasoning.split()
    assert "TOKEN" in names
    assert "SOMETHING_ELSE" not in names


def test_values_of_variables_are_not_in_the_representation() -> None:
    assert SECRET not in repr(CommandProvider(("x",), None, {"TOKEN": SECRET}))
    assert json.loads(CommandProvider(("x", "y")).identity) == ["command", "x", "y"]
