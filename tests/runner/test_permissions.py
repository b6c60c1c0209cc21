"""Which paths and tools a policy allows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from judge_polars.runner.agents import PERMISSIONS, Permissions
from judge_polars.runner.permissions import Policy, RefusedError, chosen_option


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a file, a link inside, a link out, and a link in a circle."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    (folder / "in").symlink_to("a.txt")
    (folder / "out").symlink_to(tmp_path)
    (folder / "circle").symlink_to("circle")
    return folder


INSIDE = ["a.txt", "in", "new/b.txt", "./a.txt", "new/../a.txt", ""]
OUTSIDE = ["..", "../x", "out", "out/x", "/etc/passwd", "new/../../x", "../workspace-2/x"]


@pytest.mark.parametrize("named", INSIDE)
def test_inside(workspace: Path, named: str) -> None:
    assert Policy("allow-in-workspace", workspace).place(named).is_relative_to(workspace.resolve())
    assert Policy("allow-in-workspace", workspace).place(str(workspace / named)).is_relative_to(workspace.resolve())


@pytest.mark.parametrize("named", OUTSIDE)
def test_outside(workspace: Path, named: str) -> None:
    with pytest.raises(RefusedError, match="outside the workspace"):
        Policy("allow-in-workspace", workspace).place(named)
    assert not Policy("allow", workspace).place(named).is_relative_to(workspace.resolve())


def test_a_path_that_is_none(workspace: Path) -> None:
    with pytest.raises(RefusedError, match="no path that can be followed"):
        Policy("allow-in-workspace", workspace).place("a\0b")


@pytest.mark.parametrize("named", [*INSIDE, *OUTSIDE])
def test_deny(workspace: Path, named: str) -> None:
    with pytest.raises(RefusedError, match="permissions are deny"):
        Policy("deny", workspace).place(named)


@pytest.mark.parametrize("permissions", PERMISSIONS)
def test_offers(workspace: Path, permissions: Permissions) -> None:
    assert Policy(permissions, workspace).offers is (permissions != "deny")


@pytest.mark.parametrize(
    ("locations", "raw_input", "allowed"),
    [
        pytest.param([], None, True, id="nothing-named"),
        pytest.param(["a.txt"], None, True, id="location-inside"),
        pytest.param(["a.txt", "/etc/passwd"], None, False, id="one-location-outside"),
        pytest.param([], {"filePath": "/etc/passwd"}, False, id="input-outside"),
        pytest.param([], {"edits": [{"file_path": "../x"}]}, False, id="nested-input-outside"),
        pytest.param([], {"paths": ["a.txt", "../x"]}, False, id="list-of-paths"),
        pytest.param([], {"query": "/etc/passwd"}, True, id="a-text-that-is-no-path"),
        pytest.param([], {"command": "ls", "cwd": "new"}, True, id="command-inside"),
        pytest.param([], {"command": "ls", "cwd": "/"}, False, id="command-outside"),
    ],
)
def test_tool_calls(workspace: Path, locations: list[str], raw_input: object, allowed: bool) -> None:
    policy = Policy("allow-in-workspace", workspace)
    if allowed:
        policy.tool_call(locations, raw_input)
    else:
        with pytest.raises(RefusedError):
            policy.tool_call(locations, raw_input)
    Policy("allow", workspace).tool_call(locations, raw_input)
    with pytest.raises(RefusedError):
        Policy("deny", workspace).tool_call(locations, raw_input)


@pytest.mark.parametrize(
    ("kinds", "allowed", "chosen"),
    [
        (["allow_always", "allow_once", "reject_once"], True, "allow_once"),
        (["allow_always", "reject_once"], True, "allow_always"),
        (["allow_once", "reject_always", "reject_once"], False, "reject_once"),
        (["allow_once"], False, None),
        ([], True, None),
    ],
)
def test_chosen_option(kinds: list[str], allowed: bool, chosen: str | None) -> None:
    options = [SimpleNamespace(kind=kind, option_id=kind) for kind in kinds]
    assert chosen_option(options, allowed=allowed) == chosen
