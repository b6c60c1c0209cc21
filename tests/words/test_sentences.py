"""The table of sentences on which the shipped word lists were tuned: what each asserts, claims and denies.

`part` is `tuned`, or `held_out` for sentences that were looked at only when the lists were finished.  `docs/assertions.md`
tells what the lists said of those the first time.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from judge_polars.rulebook import DocumentRule, Selector, WordLists
from judge_polars.rules import on_assertions
from judge_polars.rules.on_assertions import explain_text
from judge_polars.tables import ASKED
from judge_polars.vocabulary import TRUE_CODE, WORD_LISTS
from tests.rules.shard_builder import Text, build

ROOT = Path(__file__).resolve().parents[2]
PACKS = ROOT / "judge_polars" / "packs"
TABLE = Path(__file__).with_name("sentences.jsonl")
KEEP_THE_COMMA = ("pseudo_negators", "terminators")
MODES = ("asserted", "claimed", "denied")
OUTPUT = Selector(artifact="output_text")


def shipped_lists() -> dict[str, list[str]]:
    """The word lists of the pack `tidb`."""
    lists: dict[str, list[str]] = {}
    for path in sorted(PACKS.glob("tidb*.yaml")):
        lists |= yaml.safe_load(path.read_text(encoding="utf-8")).get("words") or {}
    return lists


def sentences() -> list[dict[str, Any]]:
    return [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


WORDS = WordLists(**{name: tuple(entries) for name, entries in shipped_lists().items()})


@pytest.fixture(scope="module")
def said() -> list[dict[str, bool]]:
    """What the rules say of each row of the table: one text and three rules for each."""
    rows = sentences()
    patterns = list(dict.fromkeys(row["pattern"] for row in rows))
    rules = [
        DocumentRule(f"{mode}_any", OUTPUT, patterns=(pattern,), words=WORDS) for pattern in patterns for mode in MODES
    ]
    places = [patterns.index(row["pattern"]) * len(MODES) for row in rows]
    wanted = pl.DataFrame(
        [(run, place + mode) for run, place in enumerate(places) for mode in range(len(MODES))],
        schema=ASKED.schema,
        orient="row",
    )
    _, selected, shard, _ = build(rules, [{"output": Text(row["text"])} for row in rows])
    selected = selected.join(wanted, on=["run", "rule"], how="semi")
    results = on_assertions.evaluate(wanted, selected, rules, shard)
    codes = {(run, rule): code for run, rule, code in results.iter_rows()}
    return [
        {mode: codes[run, place + number] == TRUE_CODE for number, mode in enumerate(MODES)}
        for run, place in enumerate(places)
    ]


def test_every_row_holds(said: list[dict[str, bool]]) -> None:
    wrong = [
        f"{row['pattern']!r} in {row['text']!r}: {found}"
        for row, found in zip(sentences(), said, strict=True)
        if any(row[mode] != found[mode] for mode in MODES)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_table_is_broad() -> None:
    rows = sentences()
    assert Counter(row["lang"] for row in rows).keys() == {"en", "zh"}
    assert min(Counter(row["lang"] for row in rows).values()) > 300
    assert min(Counter(row["part"] for row in rows).values()) * 5 > len(rows)
    for mode in MODES:
        assert min(Counter(row[mode] for row in rows).values()) > 200
    assert len({(row["text"], row["pattern"]) for row in rows}) == len(rows)
    assert all(not row["claimed"] or row["asserted"] for row in rows)


def test_all_lists_are_shipped() -> None:
    assert shipped_lists().keys() == set(WORD_LISTS)


@pytest.mark.parametrize("name", WORD_LISTS)
def test_entries(name: str) -> None:
    """Entries are written once, in the form in which they meet texts, and none matches the empty text."""
    entries = shipped_lists()[name]
    assert len(set(entries)) == len(entries)
    for entry in entries:
        plain = "".join(
            char if char == "，" and name in KEEP_THE_COMMA else unicodedata.normalize("NFKC", char) for char in entry
        )
        assert plain == entry
        assert not re.search(entry, "", re.IGNORECASE | re.MULTILINE), entry


@pytest.mark.parametrize("name", WORD_LISTS)
def test_english_entries_are_bounded(name: str) -> None:
    """An entry that is nothing but English words begins and ends at word boundaries."""
    words = [entry for entry in shipped_lists()[name] if re.fullmatch(r"(?:\\b)?[a-z ]+(?:\\b)?", entry)]
    assert all(entry.startswith(r"\b") and entry.endswith(r"\b") for entry in words)


def test_the_example_of_the_documentation() -> None:
    """`docs/assertions.md` shows what `explain_text` says of its example."""
    page = (ROOT / "docs" / "assertions.md").read_text(encoding="utf-8")
    text = page.split("```markdown\n")[1].split("```")[0]
    shown = page.split("| line | clause |")[1].split("\n\n")[0].splitlines()[2:]
    read = explain_text(text, ["cpu hotspot", "lock conflict", "slow disk|disk.*slow"], WORDS)
    rows = []
    for row in read.filter(read["pattern"].is_not_null()).iter_rows(named=True):
        does = ", ".join(name for name in ("asserts", "claims", "denied") if row[name])
        rows.append([str(row["line"]), row["clause"], does, row["decided_by"], row["words"]])
    cells = [[cell.strip().replace("\\", "") for cell in line.strip("|").split("|")] for line in shown]
    assert cells == rows
