"""Sentences and sections are read of texts up to a length; other rules read longer ones, too (docs/limits.md)."""

from __future__ import annotations

import pytest

from judge_polars.rulebook import DocumentRule, Selector
from judge_polars.rules import document_rules
from judge_polars.rules.document_rules import evaluate_documents
from judge_polars.vocabulary import REASONS
from tests.rules.shard_builder import EVIDENCE, Text, build

WORDS = "# Cause\n\nThe disk hung.\n"
LOGS = Selector(artifact="logs_dir")
RULES = (
    DocumentRule("keyword_any", LOGS, keywords=("disk hung",)),
    DocumentRule("keyword_any", LOGS, keywords=("disk hung",), section="cause"),
    DocumentRule("keyword_none", LOGS, keywords=("fire",), section="cause"),
    DocumentRule("asserted_any", LOGS, patterns=("disk hung",)),
    DocumentRule("asserted_none", LOGS, patterns=("fire",)),
    DocumentRule("asserted_none", LOGS, patterns=("fire",), ignore_unread=True),
)


def codes(*texts: str) -> list[str]:
    """What the rules give for a case run with these logs: `true`, or the reason why not."""
    documents = {f"logs/{number}.log": Text(text) for number, text in enumerate(texts)}
    asked, _, shard, _ = build(RULES, [documents])
    results = evaluate_documents(asked, RULES, shard, shard.documents, EVIDENCE).sort("rule")
    assert results.select("run", "rule").equals(asked)
    return ["true" if code == 0 else REASONS[code - 1] for code in results["code"]]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param([WORDS], ["true"] * 6, id="at the limit"),
        pytest.param([WORDS + " "], ["true", *["no_text"] * 5], id="beyond"),
        pytest.param(
            [WORDS, "x" * 100],
            ["true", "true", "unread_document", "true", "unread_document", "true"],
            id="one of two",
        ),
    ],
)
def test_sentences_and_sections_of_long_texts(
    monkeypatch: pytest.MonkeyPatch, texts: list[str], expected: list[str]
) -> None:
    monkeypatch.setattr(document_rules, "LONGEST_PROSE", len(WORDS))
    assert codes(*texts) == expected
