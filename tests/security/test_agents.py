"""An agent gets what is named, asks for nothing outside its workspace, and leaves nothing behind (see `tests/runner`, too)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("acp", reason="the extra acp is not installed")

from acp.exceptions import RequestError

from tests.runner.test_client import asked, ran
from tests.runner.world import Live, write_registry

SECRET = "precious"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A directory with a file, beside the workspace."""
    place = tmp_path / "outside"
    place.mkdir()
    (place / "file.txt").write_text(SECRET)
    return place


@pytest.fixture
def workspace(tmp_path: Path, outside: Path) -> Path:
    """A workspace with links of every kind that lead out."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "file-link").symlink_to(outside / "file.txt")
    (folder / "folder-link").symlink_to(outside)
    (folder / "dangling").symlink_to(outside / "new.txt")
    (folder / "relative").symlink_to("../outside/file.txt")
    (folder / "two-steps").symlink_to("folder-link")
    return folder


WAYS_OUT: dict[str, Callable[[Path, Path], str]] = {
    "absolute": lambda _, outside: str(outside / "file.txt"),
    "dots": lambda workspace, _: f"{workspace}/../outside/file.txt",
    "dots after a folder": lambda workspace, _: f"{workspace}/none/../../outside/file.txt",
    "dots behind a link": lambda workspace, _: f"{workspace}/folder-link/../outside/file.txt",
    "a link to a file": lambda workspace, _: f"{workspace}/file-link",
    "a link to a folder": lambda workspace, _: f"{workspace}/folder-link/file.txt",
    "a link to nothing yet": lambda workspace, _: f"{workspace}/dangling",
    "a relative link": lambda workspace, _: f"{workspace}/relative",
    "two links": lambda workspace, _: f"{workspace}/two-steps/new/file.txt",
    "relative": lambda *_: "../outside/file.txt",
    "a name that begins alike": lambda workspace, _: f"{workspace}-2/file.txt",
}


def nothing_happened(outside: Path) -> bool:
    """Whether what lies outside is as it was."""
    files = {path.name: path.read_text() for path in outside.iterdir()}
    return files == {"file.txt": SECRET} and {path.name for path in outside.parent.iterdir()} == {
        "outside",
        "workspace",
    }


@pytest.mark.parametrize("way", WAYS_OUT)
def test_no_file_outside_the_workspace_is_read_or_written(workspace: Path, outside: Path, way: str) -> None:
    path = WAYS_OUT[way](workspace, outside)
    with pytest.raises(RequestError, match="refused: outside the workspace"):
        asked(workspace, lambda client: client.read_text_file(path, "s"))
    with pytest.raises(RequestError, match="refused: outside the workspace"):
        asked(workspace, lambda client: client.write_text_file("overwritten", path, "s"))
    assert nothing_happened(outside)


@pytest.mark.parametrize("directory", ["..", "../outside", "folder-link", "two-steps", "folder-link/..", "/"])
def test_no_command_begins_outside_the_workspace(workspace: Path, outside: Path, directory: str) -> None:
    with pytest.raises(RequestError, match="refused: outside the workspace"):
        asked(workspace, lambda client: client.create_terminal("touch", "s", args=["made"], cwd=directory))
    assert nothing_happened(outside)


def test_a_command_of_the_client_gets_only_named_variables(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    output, *_ = asked(workspace, lambda client: ran(client, 'printf "%s" "${SOME_API_KEY-none}"'))
    assert output == "none"


@pytest.mark.parametrize("way", ["die-in-prompt", "exit-nonzero", "agent-error", "babble-garbage"])
def test_nothing_is_left_of_an_agent_that_crashes(tmp_path: Path, way: str) -> None:
    write_registry(tmp_path / "registry")
    live = Live(tmp_path)
    live.run(way, "leave-child")
    assert live.record()["finished_at"]
    assert live.left() == []
