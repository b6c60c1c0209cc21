"""The commands that the Markdown documents show do run, and print what is shown.

Every fenced block marked `console` is run: its lines that begin with `$ ` are commands (a trailing backslash continues
one on the next line), the lines below a command are its output, of which a line `…` leaves something out.  The lines
must occur in the command's output in their order, unless `<!-- output differs -->` stands right above the block.  The
blocks of a document run in order in one copy of the checkout, as a reader would type them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"^(?P<marker><!-- output differs -->\s*\n)?(?P<indent> *)```console\n(?P<body>.*?)^(?P=indent)```",
    re.MULTILINE | re.DOTALL,
)
OMISSION = "…"
SECONDS_AT_MOST = 300


@dataclass(frozen=True)
class Command:
    """One command of a block: where it stands, what is typed, and the lines that its output must hold, in order."""

    line: int
    typed: str
    output: tuple[str, ...]


def commands(markdown: str) -> Iterator[Command]:
    """The commands of all `console` blocks; without output where the block says that it differs."""
    for block in BLOCK.finditer(markdown):
        line = markdown.count("\n", 0, block.start("body")) + 1
        lines = [text.removeprefix(block["indent"]).rstrip() for text in block["body"].splitlines()]
        starts = [number for number, text in enumerate(lines) if text.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            first = start
            while lines[first].endswith("\\"):
                first += 1
            typed = "\n".join(lines[start : first + 1]).removeprefix("$ ")
            shown = [text for text in lines[first + 1 : end] if text and text != OMISSION]
            yield Command(line + start, typed, () if block["marker"] else tuple(shown))


def first_absent(wanted: Sequence[str], output: str) -> str | None:
    """The first wanted line that does not stand in the output behind the lines before it, or None."""
    printed = iter([line.rstrip() for line in output.splitlines()])
    return next((line for line in wanted if line not in printed), None)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the checkout's files, without what git ignores, to run commands in."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git checkout")
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(typed: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """What a command prints, standard error included, in a shell without a terminal that finds this Python first."""
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        "PYTHONPATH": str(directory),
        "HOME": str(directory),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    return subprocess.run(
        typed,
        shell=True,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS_AT_MOST,
        check=False,
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_shown_commands_run_and_print_what_is_shown(document: Path, checkout: Path) -> None:
    for command in commands(document.read_text()):
        place = f"{document.relative_to(ROOT)}:{command.line}: $ {command.typed}"
        result = run(command.typed, checkout)
        assert result.returncode == 0, f"{place}\n{result.stdout}"
        absent = first_absent(command.output, result.stdout)
        assert absent is None, f"{place}\nnot printed, or not in this order: {absent}\n\n{result.stdout}"


def test_readme_shows_a_command() -> None:
    assert list(commands((ROOT / "README.md").read_text()))


EXAMPLE = """\
Text.

```console
$ printf 'a\\nb\\nc\\n'
a
…
c
$ echo one \\
  two
one two
```

<!-- output differs -->
```console
$ date
never printed
```

```sh
$ false
```
"""


def test_commands_of_a_document() -> None:
    assert list(commands(EXAMPLE)) == [
        Command(4, "printf 'a\\nb\\nc\\n'", ("a", "c")),
        Command(8, "echo one \\\n  two", ("one two",)),
        Command(15, "date", ()),
    ]


@pytest.mark.parametrize(
    ("wanted", "absent"),
    [
        pytest.param(["a", "c"], None, id="in-order"),
        pytest.param(["c", "a"], "a", id="other-order"),
        pytest.param(["a", "a"], "a", id="shown-twice-printed-once"),
        pytest.param(["x"], "x", id="never-printed"),
        pytest.param([], None, id="nothing-shown"),
    ],
)
def test_first_absent_line(wanted: list[str], absent: str | None) -> None:
    assert first_absent(wanted, "a\nb\nc\n") == absent
