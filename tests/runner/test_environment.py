"""The agent gets what was named, and nothing else of ours; no value of it is written anywhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from judge_polars.errors import UsageError
from judge_polars.runner.agents import Agent, declared_agents, environment, passed_on, values
from judge_polars.runner.masks import Mask
from tests.runner.world import MARK, Live, written

UNNAMED = "unnamed-value-9b1f7c"
TOKEN = 'to"ken\\value-5d2e8a'
SHORT = "eu"


@pytest.fixture
def planted(live: Live, monkeypatch: pytest.MonkeyPatch) -> Live:
    """Marked values in our environment, two of which the agent gets."""
    monkeypatch.setenv("SOME_API_KEY", UNNAMED)
    monkeypatch.setenv("LD_LIBRARY_PATH_OF_MINE", UNNAMED)
    monkeypatch.setenv("CLINIC_TOKEN", TOKEN)
    monkeypatch.setenv("CLINIC_ZONE", SHORT)
    live.variables = {"TOKEN": "CLINIC_TOKEN", "ZONE": "CLINIC_ZONE"}
    return live


def test_the_agents_own_environment(planted: Live) -> None:
    planted.run("dump-environment")
    found = json.loads((planted.directory() / "workspace/environment.json").read_text())
    assert set(found) - {"LC_CTYPE"} == {
        *("PATH", "LANG", "HOME", "TMPDIR"),
        *("PYTHONPATH", MARK),
        *("CASE_REGION", "TOKEN", "ZONE"),
    }
    assert (found["CASE_REGION"], found["TOKEN"], found["ZONE"]) == ("eu", TOKEN, SHORT)
    assert found["PATH"] == os.environ["PATH"]
    assert found["HOME"] != os.environ.get("HOME")


@pytest.mark.parametrize("way", ["speak-secrets", "die-in-prompt", "terminal"])
def test_no_value_is_written_anywhere(planted: Live, way: str) -> None:
    planted.run(way, "speak-secrets")
    files = written(planted.root / "runs")
    assert len(files) > 4
    for path, content in files.items():
        for value in (UNNAMED, TOKEN, json.dumps(TOKEN)[1:-1]):
            assert value.encode() not in content, path
    assert b"${TOKEN}" in (planted.directory() / "audit/agent.stderr.log").read_bytes()
    if way == "speak-secrets":
        assert "${TOKEN}" in (planted.directory() / "output.md").read_text()


def test_a_value_in_many_chunks_is_written_nowhere(planted: Live) -> None:
    planted.run("speak-secrets", "pieces")
    chunks = [
        line["message"]["params"]["update"]["content"]["text"]
        for line in planted.telemetry()
        if line.get("message", {}).get("method") == "session/update"
        and line["message"]["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
    ]
    assert "${TOKEN}" in "".join(chunks)
    assert "".join(chunks) == (planted.directory() / "output.md").read_text()
    assert TOKEN not in "".join(chunks)


def test_the_launcher_holds_nothing_of_ours(planted: Live) -> None:
    seen: list[bytes] = []

    def look(_progress: object) -> None:
        me = str(os.getpid()).encode()
        for process in Path("/proc").iterdir():
            if process.name.isdigit():
                try:
                    stat = (process / "stat").read_bytes().rpartition(b")")[2].split()
                    if stat[1] == me:
                        seen.append((process / "environ").read_bytes() + (process / "cmdline").read_bytes())
                except OSError:
                    continue

    planted.run("slow", show=look)
    assert any(b"launcher.py" in one for one in seen)
    assert not [one for one in seen if b"launcher.py" in one and (UNNAMED.encode() in one or b"ken" in one)]


def test_the_later_source_wins() -> None:
    agent = Agent("a", ("a",), {"REGION": "OURS", "LANG": "OUR_LANG"})
    found = environment(
        agent, {"REGION": "eu", "HOME": "/case"}, {"OURS": "us", "OUR_LANG": "de_DE.UTF-8", "PATH": "/bin"}
    )
    assert values(found, home=Path("/h"), temporary=Path("/t")) == {
        "HOME": "/case",
        "LANG": "de_DE.UTF-8",
        "PATH": "/bin",
        "REGION": "us",
        "TMPDIR": "/t",
    }
    assert passed_on(found) == {"LANG": "de_DE.UTF-8", "REGION": "us"}
    assert [one.told for one in found if one.source == "agent"] == ["${OUR_LANG}", "${OURS}"]


def test_a_variable_that_is_not_set_is_not_passed_on() -> None:
    found = environment(Agent("a", ("a",), {"TOKEN": "NO_SUCH"}), {}, {})
    assert "TOKEN" not in values(found, home=Path("/h"), temporary=Path("/t"))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("x secret-1 y", "x ${A} y"),
        ('{"t": "a\\"b-long"}', '{"t": "${B}"}'),
        ('a"b-long', "${B}"),
        ("eu", "eu"),
        ("secret-1-longer", "${C}"),
    ],
)
def test_mask(text: str, masked: str) -> None:
    mask = Mask({"A": "secret-1", "B": 'a"b-long', "SHORT": "eu", "C": "secret-1-longer"})
    assert mask.text(text) == masked
    assert mask.contents.masked(text.encode()) == masked.encode()


def test_declared_agents() -> None:
    keys = {
        "agents": {
            "clinic": {
                "command": ["clinic-agent", "acp"],
                "env": {"CLINIC_ENDPOINT": "${CLINIC_ENDPOINT}", "TOKEN": "${CLINIC_TOKEN}"},
                "permissions": "deny",
            }
        }
    }
    agents = declared_agents(keys, Path("/project/judge_polars.toml"))
    assert set(agents) == {"clinic", "demo"}
    variables = {"CLINIC_ENDPOINT": "CLINIC_ENDPOINT", "TOKEN": "CLINIC_TOKEN"}
    assert agents["clinic"] == Agent("clinic", ("clinic-agent", "acp"), variables, "deny", Path("/project"))
    assert agents["clinic"].missing_variables({"CLINIC_TOKEN": ""}) == ["CLINIC_ENDPOINT"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("x", "agents.a: a table with `command` is wanted"),
        ({}, "agents.a.command: a list of texts is wanted"),
        ({"command": "clinic-agent acp"}, "agents.a.command: a list of texts is wanted"),
        ({"command": [" "]}, "agents.a.command: a list of texts is wanted"),
        (
            {"command": ["x"], "permission": "allow"},
            "agents.a.permission: there is no such key; did you mean permissions?",
        ),
        (
            {"command": ["x"], "permissions": "all"},
            "agents.a.permissions: 'all' is none of deny, allow-in-workspace, allow",
        ),
        ({"command": ["x"], "env": ["A"]}, "agents.a.env: a table of variables is wanted"),
        ({"command": ["x"], "env": {"A": "secret"}}, 'agents.a.env.A: write "${A}"'),
        ({"command": ["x"], "env": {"A": "x${A}"}}, 'agents.a.env.A: write "${A}"'),
        ({"command": ["x"], "env": {"A B": "${A}"}}, "agents.a.env.A B: this is no name of a variable"),
    ],
)
def test_tables_that_declare_no_agent(table: object, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        declared_agents({"agents": {"a": table}}, Path("judge_polars.toml"))
    assert str(raised.value).startswith(f"judge_polars.toml: {message}")


def test_agents_that_are_no_table() -> None:
    with pytest.raises(UsageError, match="agents: a table for each agent is wanted"):
        declared_agents({"agents": ["a"]}, Path("judge_polars.toml"))


def test_a_command_with_a_slash_is_relative_to_the_settings_file(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "agent"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    agent = declared_agents({"agents": {"a": {"command": ["bin/agent"]}}}, tmp_path / "judge_polars.toml")["a"]
    assert agent.executable() is None
    program.chmod(0o755)
    assert agent.executable() == str(program)
