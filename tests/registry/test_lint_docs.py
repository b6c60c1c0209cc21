"""docs/lint.md lists what the code finds, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

from judge_polars.registry.finding_codes import FINDING_CODES
from judge_polars.registry.lint import LINTS

TEXT = (Path(__file__).parents[2] / "docs" / "lint.md").read_text("utf-8")
SECTIONS = re.split(r"^### ", TEXT.partition("## Errors")[0], flags=re.MULTILINE)[1:]


def test_the_lint_codes_with_severity_and_meaning() -> None:
    told = [re.match(r"`(\w+)`\n\n\*([a-z ]+)\*: (.+)\n", section) for section in SECTIONS]
    assert [match and (match[1], match[2].split(" or ")[0], match[3]) for match in told] == [
        (lint.code, lint.severity, lint.meaning) for lint in LINTS
    ]


def test_each_has_an_example_and_a_way_to_mend_it() -> None:
    assert all("```yaml\n" in section and "**To mend it:** " in section for section in SECTIONS)


def test_the_error_codes() -> None:
    told = re.findall(r"^\| `(\w+)` \| (.+) \|$", TEXT, flags=re.MULTILINE)
    assert told == list(FINDING_CODES.items())
