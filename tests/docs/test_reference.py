"""`docs/reference/` is what the declarations say, and says something of everything."""

from __future__ import annotations

import pytest

from judge_polars.tables import PUBLISHED_TABLES
from judge_polars.vocabulary import BUILT_IN_FACTS, ISSUE_CODES, METHODS
from scripts.reference import FOLDER, pages

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_current(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == PAGES[name], "run python -m scripts.reference"


def test_no_page_is_left_over() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(PAGES)


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("methods.md", METHODS),
        ("facts.md", tuple(BUILT_IN_FACTS)),
        ("codes.md", tuple(ISSUE_CODES)),
        ("tables.md", tuple(table.name for table in PUBLISHED_TABLES)),
    ],
)
def test_everything_is_told(page: str, names: tuple[str, ...]) -> None:
    assert [name for name in names if f"`{name}`" not in PAGES[page]] == []


def test_every_cell_has_a_meaning() -> None:
    for name in ("tables.md", "views.md"):
        assert [line for line in PAGES[name].splitlines() if line.startswith("| `") and line.endswith("|  |")] == []
