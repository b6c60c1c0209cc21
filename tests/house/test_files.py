"""What every file of the project keeps to: nothing private in it, and modules of a size that can be read."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES_AT_MOST = 500

# Put together from parts, so that this file does not hold what it looks for.
PRIVATE = {
    "path of a machine": r"(?<![\w.$}~-])/(?:" + "wor" + "k|roo" + "t|User" + "s|far" + "m|tmp/" + "v)/",
    "folder of a machine": r"(?<!\w)\." + r"library\b",
    "host of a package registry": "pypi"
    + r"\.org|python"
    + r"hosted\.org|npm"
    + r"js\.(?:org|com)|deb\."
    + r"debian\.org",
    "setting of a package registry": "index" + "-url|pip" + "-index",
    "word about the organisation": "sub-?" + r"agents?\b|help" + r"er session|\bC" + r"EO\b|agent" + r" session\b",
}


def tracked_files() -> list[Path]:
    """Files that git tracks or would add; skips where there is no checkout."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git checkout")
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def private_words(text: str) -> list[str]:
    """What a text holds that does not belong into a public repository, as `line: what: words`."""
    return [
        f"{number}: {what}: {found.group()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in PRIVATE.items()
        for found in re.finditer(pattern, line, re.IGNORECASE)
    ]


def test_no_tracked_file_holds_private_words() -> None:
    found = []
    for path in tracked_files():
        content = path.read_bytes()
        if b"\0" not in content:
            words = private_words(content.decode(errors="replace"))
            found += [f"{path.relative_to(ROOT)}:{word}" for word in words]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "cd /" + "work/main",
        "see `/" + "root/.cache`",
        "[trace](/" + "Users/somebody/trace.py)",
        "PATH=/tmp/" + "v/bin:$PATH",
        "--extra-index" + "-url file:///wheels",
        "https://" + "pypi" + ".org/simple",
        "registry." + "npm" + "js.org",
        "http://deb" + ".debian" + ".org/debian",
        "written by a sub" + "-agent",
    ],
)
def test_private_words_are_found(text: str) -> None:
    assert len(private_words(f"first line\n{text}\n")) == 1
    assert private_words(f"first line\n{text}\n")[0].startswith("2: ")


@pytest.mark.parametrize(
    "text",
    [
        "tests/" + "work/case.yaml",
        "$ROOT/" + "work/x",
        "https://example.org/" + "work/",
        "the agent's session/" + "update",
        "pip install judge-polars",
    ],
)
def test_words_of_the_domain_are_not_private(text: str) -> None:
    assert private_words(text) == []


def test_no_module_is_too_long() -> None:
    lines = {
        path.relative_to(ROOT): len(path.read_text().splitlines()) for path in (ROOT / "judge_polars").rglob("*.py")
    }
    assert lines
    declarations = {Path("judge_polars/tables.py")}  # every table once: one list, no logic
    assert not {str(path): count for path, count in lines.items() if count > LINES_AT_MOST and path not in declarations}
