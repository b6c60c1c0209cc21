"""A registry out of a commit: what lies in the commit, from a repository that is not trusted (specification 60; 90, "Security")."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from judge_polars.errors import UsageError
from judge_polars.registry.at_revision import registry_at


def git(place: Path, *arguments: str, content: bytes | None = None) -> str:
    """Run git in a repository, and return what it prints."""
    who = ["-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "protocol.file.allow=always"]
    done = subprocess.run(["git", *who, *arguments], cwd=place, check=True, capture_output=True, input=content)
    return done.stdout.decode().strip()


def commit(place: Path, files: dict[str, bytes]) -> Path:
    """A repository with these files in its one commit."""
    place.mkdir()
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    git(place, "init", "--quiet", ".")
    git(place, "add", ".")
    git(place, "commit", "--quiet", "-m", "rubric")
    return place


def files_at(registry: Path, revision: str = "HEAD") -> dict[str, bytes]:
    """The files of a registry as they stood in a commit."""
    with registry_at(registry, revision) as place:
        return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("key", "attributes"),
    [
        ("filter.evil.smudge", "* filter=evil\n"),
        ("filter.evil.process", "* filter=evil\n"),
        ("diff.evil.textconv", "* diff=evil\n"),
        ("core.fsmonitor", ""),
        ("core.pager", ""),
        ("core.sshCommand", ""),
        ("tar.tar.command", ""),
        ("tar.umask", ""),
    ],
)
def test_nothing_that_a_repository_names_is_run(tmp_path: Path, key: str, attributes: str) -> None:
    repository = commit(tmp_path / "repository", {"rules/a.yaml": b"a: 1\n", ".gitattributes": attributes.encode()})
    (repository / ".git" / "info" / "attributes").write_text(attributes)
    git(repository, "config", key, f"touch '{tmp_path / 'run'}'; cat")
    assert files_at(repository / "rules") == {"a.yaml": b"a: 1\n"}
    assert not (tmp_path / "run").exists()


def test_what_a_partial_clone_lacks_is_not_fetched(tmp_path: Path) -> None:
    """Fetching it would run what the repository's configuration names."""
    commit(tmp_path / "whole", {"rules/a.yaml": b"a: 1\n"})
    git(tmp_path / "whole", "config", "uploadpack.allowFilter", "true")
    url = (tmp_path / "whole").as_uri()
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", url, "partial")
    git(tmp_path / "partial", "config", "remote.origin.uploadpack", f"touch '{tmp_path / 'run'}'; git-upload-pack")
    with pytest.raises(UsageError, match="not all of it is here"):
        files_at(tmp_path / "partial" / "rules")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("attributes", ["* export-ignore\n", "* export-subst\n", "* ident\n", "* text eol=crlf\n"])
def test_attributes_change_nothing(tmp_path: Path, attributes: str) -> None:
    rule = b"a: 1 # $Format:%H$ $Id$\n"
    repository = commit(tmp_path / "repository", {"rules/a.yaml": rule, "rules/.gitattributes": attributes.encode()})
    assert files_at(repository / "rules")["a.yaml"] == rule


@pytest.mark.parametrize("name", [":x", ":(icase)RULES", "[ab]", "*", "a b", "-x", "rules\n", "r\u00e4tsel", "..."])
def test_a_directory_may_have_any_name(tmp_path: Path, name: str) -> None:
    repository = commit(tmp_path / "repository", {f"{name}/a.yaml": b"a: 1\n", "rules/b.yaml": b"", "a/b.yaml": b""})
    assert files_at(repository / name) == {"a.yaml": b"a: 1\n"}


def test_names_that_are_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff")
    repository = commit(tmp_path / name, {f"{name}/{name}.yaml": b"a: 1\n"})
    assert files_at(repository / name) == {f"{name}.yaml": b"a: 1\n"}


def test_the_repository_itself_is_the_registry(tmp_path: Path) -> None:
    repository = commit(tmp_path / "repository", {"cases/a/case.yaml": b"a: 1\n"})
    assert files_at(repository) == {"cases/a/case.yaml": b"a: 1\n"}


def test_a_work_tree_elsewhere_is_told(tmp_path: Path) -> None:
    repository = commit(tmp_path / "repository", {"rules/a.yaml": b""})
    (tmp_path / "elsewhere").mkdir()
    git(repository, "config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(UsageError, match="no git repository"):
        files_at(repository / "rules")


def test_variables_of_another_repository_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook of git runs with them."""
    other = commit(tmp_path / "other", {"rules/a.yaml": b"other\n"})
    repository = commit(tmp_path / "repository", {"rules/a.yaml": b"a: 1\n"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert files_at(repository / "rules") == {"a.yaml": b"a: 1\n"}


@pytest.mark.parametrize(
    "revision",
    [
        "--upload-pack=touch run",
        "-x",
        "--all",
        "^HEAD",
        "HEAD..HEAD",
        "",
        "@{u}",
        "a\nb",
        "a\0b",
        "x" * 200_000,
        "\ud800",
    ],
    ids=range(11),
)
def test_what_is_no_commit_is_told(tmp_path: Path, revision: str) -> None:
    repository = commit(tmp_path / "repository", {"rules/a.yaml": b""})
    with pytest.raises(UsageError, match="git knows no such commit"):
        files_at(repository / "rules", revision)
    assert sorted(path.name for path in repository.iterdir()) == [".git", "rules"]


def tree(place: Path, *entries: tuple[str, str, str]) -> str:
    """A tree of (mode, name, object), whatever git thinks of the names."""
    content = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(known) for mode, name, known in entries)
    return git(place, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", content=content)


def test_a_tree_names_nothing_outside(tmp_path: Path) -> None:
    repository = commit(tmp_path / "repository", {"rules/a.yaml": b"a: 1\n"})
    blob = git(repository, "rev-parse", "HEAD:rules/a.yaml")
    up = tree(repository, ("100644", "evil.yaml", blob))
    link = tree(repository, ("120000", "link", blob), ("160000", "module", "1" * 40), ("100644", "a.yaml", blob))
    odd = tree(repository, ("40000", "..", up), ("100644", "/abs.yaml", blob), ("40000", "rules", link))
    both = tree(repository, ("100644", "a", blob), ("40000", "a", up))
    for name, rules in (("odd", odd), ("both", both)):
        root = tree(repository, ("40000", "rules", rules))
        git(repository, "tag", name, git(repository, "commit-tree", "-m", name, root))
    assert files_at(repository / "rules", "odd") == {"rules/a.yaml": b"a: 1\n"}
    with pytest.raises(UsageError, match="both: its files cannot be written"):
        files_at(repository / "rules", "both")


def test_a_registry_that_the_commit_has_not(tmp_path: Path) -> None:
    repository = commit(tmp_path / "repository", {"rules": b"a file\n"})
    for name in ("rules", "no-such"):
        with pytest.raises(UsageError, match=f"there is no {name} in that commit"):
            files_at(repository / name)
