"""Agents as `[agents.NAME]` declares them, and the environment that one gets (specification 80, "Runner")."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast

from judge_polars.errors import UsageError

Permissions = Literal["deny", "allow-in-workspace", "allow"]
PERMISSIONS: Final = ("deny", "allow-in-workspace", "allow")
DEFAULT_PERMISSIONS: Final = "allow-in-workspace"
KEYS: Final = ("command", "env", "permissions")
REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

DEMO_AGENT: Final = "demo"
"""Name of the scripted agent that ships; a settings file may declare another one of that name."""

LANGUAGE: Final = "C.UTF-8"


@dataclass(frozen=True, slots=True)
class Agent:
    """One declared agent.

    Attributes:
        command: the program and its arguments, as declared.
        variables: name of a variable of the agent -> name of the variable of ours whose value it takes.
        directory: what a command with a `/` is relative to.
        fixed: variables with values of their own; only the agent that ships has some.
    """

    name: str
    command: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    permissions: Permissions = DEFAULT_PERMISSIONS
    directory: Path = Path()
    fixed: Mapping[str, str] = field(default_factory=dict)

    def executable(self, path: str | None = None) -> str | None:
        """The file that the command names: by its path, or on `PATH`; None where there is none."""
        program = self.command[0]
        if "/" in program:
            return shutil.which(str((self.directory / program).absolute()))
        return shutil.which(program, path=path)

    def missing_variables(self, ours: Mapping[str, str]) -> list[str]:
        """Variables that are passed on, but not set here; sorted."""
        return sorted({name for name in self.variables.values() if name not in ours})


class Variable(NamedTuple):
    """One variable of the agent's environment.

    Attributes:
        source: `base`, `case` or `agent`.
        told: what may be shown: the value itself, or where it comes from.
        value: None where it is only known when the agent starts, or is not set.
    """

    name: str
    source: str
    told: str
    value: str | None


def declared_agents(keys: Mapping[str, object], source: Path | None) -> dict[str, Agent]:
    """The agents of a settings file's keys, and the one that ships; `source` is the file.

    Raises:
        UsageError: a table that declares no agent, with what is allowed.
    """
    tables = keys.get("agents", {})
    if not isinstance(tables, dict):
        raise UsageError(f"{source}: agents: a table for each agent is wanted, such as [agents.clinic]")
    agents = {DEMO_AGENT: demo_agent()}
    for name, table in tables.items():
        agents[name] = _agent(name, table, source or Path())
    return agents


def demo_agent(*arguments: str) -> Agent:
    """The scripted agent that ships, with arguments of its command line."""
    package = Path(__file__).resolve().parents[1]
    command = (sys.executable, "-P", "-m", f"{package.name}.demo_agent", *arguments)
    return Agent(DEMO_AGENT, command, fixed={"PYTHONPATH": str(package.parent)})


def _agent(name: str, table: object, source: Path) -> Agent:
    place = f"{source}: agents.{name}"
    if not isinstance(table, dict):
        raise UsageError(f'{place}: a table with `command` is wanted, such as command = ["clinic-agent", "acp"]')
    for key in table:
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(KEYS)}"
            raise UsageError(f"{place}.{key}: there is no such key{hint}")
    command = table.get("command")
    words = command if isinstance(command, list) else []
    if not words or not all(isinstance(word, str) and "\0" not in word for word in words) or not words[0].strip():
        raise UsageError(f'{place}.command: a list of texts is wanted, such as ["clinic-agent", "acp"]')
    permissions = table.get("permissions", DEFAULT_PERMISSIONS)
    if permissions not in PERMISSIONS:
        raise UsageError(f"{place}.permissions: {permissions!r} is none of {', '.join(PERMISSIONS)}")
    variables = _variables(f"{place}.env", table.get("env", {}))
    return Agent(name, tuple(words), variables, cast(Permissions, permissions), source.parent)


def _variables(place: str, table: object) -> dict[str, str]:
    """Variable of the agent -> variable of ours."""
    if not isinstance(table, dict):
        raise UsageError(
            f'{place}: a table of variables is wanted, such as {{CLINIC_ENDPOINT = "${{CLINIC_ENDPOINT}}"}}'
        )
    found: dict[str, str] = {}
    for name, value in table.items():
        reference = REFERENCE.fullmatch(value) if isinstance(value, str) else None
        if not VARIABLE.fullmatch(name):
            raise UsageError(f"{place}.{name}: this is no name of a variable")
        if reference is None:
            raise UsageError(
                f'{place}.{name}: write "${{{name}}}", the name of a variable that is set where judge-polars runs: '
                "values are not taken from files that are committed"
            )
        found[name] = reference[1]
    return found


def environment(agent: Agent, case: Mapping[str, str], ours: Mapping[str, str]) -> list[Variable]:
    """Every variable that the agent gets, by name: base, case, declared; the later one wins.

    The base is `PATH` as it is here, `LANG`, and `HOME` and `TMPDIR`, which are empty directories of this one case run.
    """
    variables = [
        Variable("PATH", "base", "${PATH}", ours.get("PATH", os.defpath)),
        Variable("LANG", "base", LANGUAGE, LANGUAGE),
        Variable("HOME", "base", "an empty directory of the case run", None),
        Variable("TMPDIR", "base", "an empty directory of the case run", None),
        *(Variable(name, "base", value, value) for name, value in agent.fixed.items()),
        *(Variable(name, "case", value, value) for name, value in case.items()),
        *(Variable(name, "agent", f"${{{of}}}", ours.get(of)) for name, of in agent.variables.items()),
    ]
    return sorted({variable.name: variable for variable in variables}.values())


def values(variables: list[Variable], *, home: Path, temporary: Path) -> dict[str, str]:
    """Name -> value for the process; the two directories are those of the case run."""
    own = {"HOME": str(home), "TMPDIR": str(temporary)}
    pairs = (
        (one.name, own.get(one.name) if one.source == "base" and one.value is None else one.value) for one in variables
    )
    return {name: value for name, value in pairs if value is not None}


def passed_on(variables: list[Variable]) -> dict[str, str]:
    """The values that came from our environment by declaration, to be masked in what is written: name -> value."""
    return {one.name: one.value for one in variables if one.source == "agent" and one.value}
