"""Assertion rules: what a text asserts, claims and denies, and how it says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, replace
from itertools import pairwise
from random import Random

import polars as pl
import pytest

from judge_polars.markdown import Reading, Sentence, read_text
from judge_polars.rulebook import DocumentRule, Selector, WordLists
from judge_polars.rules import on_assertions
from judge_polars.rules.alternation import all_found, first_begin, holds, last_end, replaced
from judge_polars.rules.clauses import find_matches
from judge_polars.rules.on_assertions import explain_text
from tests.plain.assertions import clauses_of, find, words_of
from tests.rules.shard_builder import Run, Text, reasons

OUTPUT = Selector(artifact="output_text")
LOGS = Selector(artifact="logs_dir")
WORDS = WordLists(
    negators=(r"\bnot\b", r"\bno\b", r"\bnever\b", "没有", "不是"),
    post_negators=(r"\bruled out\b", r"\bunlikely\b", "被排除", "无关"),
    pseudo_negators=(r"\bnot only\b", r"\bno doubt\b", "不仅"),
    terminators=(r"\bbut\b", "，", "但是?", ", ?so"),
    sentence_negators=(r"^if\b", "^如果", r"\ball been ruled out\b"),
    claims=(r"\broot cause\b", r"\bcaused\b", "根因", "导致"),
)
PLAIN_WORDS = words_of({name: list(entries) for name, entries in asdict(WORDS).items()})


def rule(method: str, *patterns: str, **parameters: object) -> DocumentRule:
    """A rule on the output with the short word lists."""
    return replace(DocumentRule(method, OUTPUT, patterns=patterns, words=WORDS), **parameters)  # type: ignore[arg-type]


def told(asked: DocumentRule, text: str) -> str:
    """What one rule says of an output text."""
    return reasons(on_assertions.evaluate, [asked], [{"output": Text(text)}])[0][0]


def holds_in(text: str, pattern: str, **parameters: object) -> str:
    """Which of `a`sserted, `c`laimed and `d`enied hold."""
    rules = [rule(f"{mode}_any", pattern, **parameters) for mode in ("asserted", "claimed", "denied")]
    told_so = reasons(on_assertions.evaluate, rules, [{"output": Text(text)}])[0]
    return "".join(letter for letter, reason in zip("acd", told_so, strict=True) if reason == "true")


@pytest.mark.parametrize(
    ("text", "pattern", "result"),
    [
        pytest.param("The alpha is hot.", "alpha", "a", id="mentioned"),
        pytest.param("The beta is hot.", "alpha", "", id="absent"),
        pytest.param("ALPHA", "alpha", "a", id="in any case"),
        pytest.param("Not the alpha.", "alpha", "d", id="behind a negator"),
        pytest.param("The alpha is not hot.", "alpha", "a", id="before a negator"),
        pytest.param("The alpha is not hot.", "alpha.*hot", "d", id="over a negator"),
        pytest.param("The alpha is hot, not cold.", "alpha is hot", "a", id="up to a negator"),
        pytest.param("The alpha was ruled out.", "alpha", "d", id="before a post-negator"),
        pytest.param("Ruled out: the alpha.", "alpha", "a", id="behind a post-negator"),
        pytest.param("Alpha ruled out, beta unlikely.", "alpha", "d", id="before the first of two"),
        pytest.param("Alpha ruled out, beta unlikely.", "beta", "d", id="between two"),
        pytest.param("Unlikely, the alpha.", "unlikely.*alpha", "d", id="over a post-negator"),
        pytest.param("Not a beta but an alpha.", "alpha", "a", id="a terminator ends it"),
        pytest.param("Not a beta but an alpha.", "but an alpha", "a", id="it belongs to what follows"),
        pytest.param("Alpha but beta was ruled out.", "alpha", "a", id="nor does it reach back"),
        pytest.param("Not beta, so alpha.", "alpha", "a", id="terminator with a comma"),
        pytest.param("Not beta, alpha.", "alpha", "d", id="a comma is none"),
        pytest.param("没有乙，甲明显。", "甲", "a", id="the full-width one is"),
        pytest.param("甲，乙", "^,乙$", "a", id="in a clause it is a comma"),
        pytest.param("Not only the alpha.", "alpha", "a", id="pseudo-negator"),
        pytest.param("Not only not the alpha.", "alpha", "d", id="and a real one"),
        pytest.param("Not only the alpha.", "^the alpha", "a", id="trimmed where it was"),
        pytest.param("It is no doubt but alpha.", "^alpha", "", id="no terminator is lost"),
        pytest.param("Is it alpha?", "alpha", "", id="question"),
        pytest.param("Is it not alpha?", "alpha", "", id="a question denies nothing"),
        pytest.param("If it were alpha, then.", "alpha", "d", id="sentence negator"),
        pytest.param("We know if it was alpha.", "alpha", "a", id="not at the start"),
        pytest.param("Alpha and beta have all been ruled out.", "alpha", "d", id="enumeration"),
        pytest.param("Not alpha. Alpha it is.", "alpha", "ad", id="both"),
        pytest.param("alpha alpha not alpha", "alpha", "ad", id="both in one clause"),
        pytest.param("not alpha alpha", "alpha", "d", id="all behind"),
        pytest.param("# Not\nalpha", "alpha", "d", id="denied section"),
        pytest.param("# Not\n## B\nalpha", "alpha", "d", id="deeper"),
        pytest.param("# Not\nbeta\n# B\nalpha", "alpha", "a", id="next section"),
        pytest.param("# Not alpha", "alpha", "d", id="the heading itself"),
        pytest.param("# No doubt\nalpha", "alpha", "a", id="heading with a pseudo-negator"),
        pytest.param("Ruled out:\n- alpha", "alpha", "d", id="denied list"),
        pytest.param("Ruled out:\n- beta\n\nalpha", "alpha", "a", id="behind it"),
        pytest.param("Ruled out:\n\n    - beta\n\n    ## C\n\n* alpha", "alpha", "a", id="ended by what is no deeper"),
        pytest.param("Ruled out:\n\n    - beta\n\n      ## C\n\n    - alpha", "alpha", "d", id="not by what is"),
        pytest.param("Ruled out:\n```\nx\n```\n- alpha", "alpha", "a", id="no list right below"),
        pytest.param("**Ruled out:** beta. Alpha", "alpha", "a", id="a label denies nothing"),
        pytest.param("Root cause:\u00a0alpha", "alpha", "ac", id="any white space behind a label"),
        pytest.param("# Not\nIs it alpha?", "alpha", "d", id="question in a denied section"),
        pytest.param("The root cause is alpha.", "alpha", "ac", id="claimed"),
        pytest.param("The root cause is not alpha.", "alpha", "d", id="denied is not claimed"),
        pytest.param("Alpha. It caused beta.", "alpha", "a", id="claim of the next sentence"),
        pytest.param("Alpha, but beta caused it.", "alpha", "ac", id="claim of the sentence"),
        pytest.param("# Root cause\nalpha", "alpha", "ac", id="claimed by the heading"),
        pytest.param("# Root cause\n## B\n**C**\nalpha", "alpha", "ac", id="any heading above"),
        pytest.param("**Root cause:** see below. Alpha", "alpha", "ac", id="claimed by the label"),
        pytest.param(
            "Root cause: beta.\nNotes: see below.\nAlpha.", "alpha", "a", id="a label holds up to the next one"
        ),
        pytest.param("Root cause:\n- alpha", "alpha", "ac", id="claimed by the lead-in"),
        pytest.param("> The root cause is alpha", "alpha", "", id="quoted"),
        pytest.param("```\nalpha\n```", "alpha", "", id="code"),
        pytest.param("al\u200bpha", "alpha", "a", id="invisible characters"),
        pytest.param("alpha \ufdd0 \ufdd1 alpha not alpha", "alpha", "ad", id="the cutter's own marks"),
        pytest.param("- alpha\n- beta", "alpha.*beta|^beta$", "a", id="patterns see clauses, not texts"),
        pytest.param("alpha", r"\Aalpha\z", "a", id="ends of a clause"),
        pytest.param("x\n\nalpha", r"\Aalpha", "a", id="not of the text"),
    ],
)
def test_what_a_text_says(text: str, pattern: str, result: str) -> None:
    plain = find(pattern.replace(r"\z", r"\Z"), clauses_of(text, PLAIN_WORDS), {}, PLAIN_WORDS)
    assert "".join(letter for letter, so in zip("acd", astuple(plain), strict=True) if so) == result
    assert holds_in(text, pattern) == result


@pytest.mark.parametrize(
    ("text", "pattern", "plain", "negated"),
    [
        ("The query did not exit.", "did not exit", "d", "a"),
        ("It is not true that it did not exit.", "did not exit", "d", "d"),
        ("not found: alpha", "not found", "d", "a"),
        ("An unlikely alpha.", "unlikely alpha", "d", "a"),
        ("alpha unlikely", "alpha unlikely", "d", "a"),
        ("alpha is unlikely, ruled out", "alpha is unlikely", "d", "d"),
        ("alpha", "alpha", "a", "a"),
    ],
)
def test_findings_that_are_negations(text: str, pattern: str, plain: str, negated: str) -> None:
    assert holds_in(text, pattern) == plain
    assert holds_in(text, pattern, negated_finding=True) == negated


@pytest.mark.parametrize(
    ("method", "text", "reason"),
    [
        ("asserted_any", "alpha", "true"),
        ("asserted_any", "not alpha", "not_matched"),
        ("asserted_none", "alpha", "not_matched"),
        ("asserted_none", "not alpha", "true"),
        ("asserted_none", "", "no_text"),
        ("claimed_any", "root cause: alpha", "true"),
        ("claimed_any", "alpha", "not_matched"),
        ("claimed_none", "alpha", "true"),
        ("claimed_none", "root cause: alpha", "not_matched"),
        ("denied_any", "not alpha", "true"),
        ("denied_any", "alpha", "not_matched"),
    ],
)
def test_methods(method: str, text: str, reason: str) -> None:
    assert told(rule(method, "alpha"), text) == reason


def test_every_method_of_the_file_is_tried() -> None:
    assert set(on_assertions.METHODS) == {f"{mode}_any" for mode in ("asserted", "claimed", "denied")} | {
        "asserted_none",
        "claimed_none",
    }


def test_one_of_several_patterns_is_enough() -> None:
    assert told(rule("asserted_any", "beta", "alpha"), "not beta but alpha") == "true"
    assert told(rule("asserted_none", "beta", "gamma"), "not beta but alpha") == "true"


@pytest.mark.parametrize(
    ("method", "text", "reason"),
    [
        ("claimed_any", "Root cause: a. Contributing: alpha.", "not_matched"),
        ("claimed_any", "Root cause: alpha.", "true"),
        ("asserted_any", "Contributing alpha but alpha.", "true"),
        ("asserted_any", "Alpha but contributing alpha.", "true"),
        ("asserted_none", "Contributing alpha.", "true"),
        ("denied_any", "Not a contributing alpha.", "true"),
    ],
)
def test_unless_excuses_its_clause(method: str, text: str, reason: str) -> None:
    assert told(rule(method, "alpha", unless=("contribut", "minor")), text) == reason


@pytest.mark.parametrize(
    ("method", "section", "or_all", "reason"),
    [
        ("asserted_any", "cause", False, "true"),
        ("asserted_any", "next", False, "not_matched"),
        ("asserted_any", "missing", False, "no_text"),
        ("asserted_any", "missing", True, "true"),
        ("asserted_any", "next", True, "not_matched"),
        ("asserted_none", "next", False, "true"),
        ("asserted_none", "missing", False, "no_text"),
        ("asserted_any", "label", False, "true"),
        ("claimed_any", "cause", False, "true"),
        ("claimed_any", "deep", False, "true"),
        ("asserted_any", "gone", False, "not_matched"),
        ("denied_any", "gone", False, "true"),
    ],
)
def test_sections(method: str, section: str, or_all: bool, reason: str) -> None:
    text = "\n".join(
        [
            "# Root cause",
            "Alpha.",
            "## Deep",
            "alpha",
            "# Next",
            "beta",
            "",
            "Label: alpha",
            "",
            "# Not",
            "## Gone",
            "alpha",
        ]
    )
    if section == "next":
        text = text.replace("Label: alpha", "Label: beta")
    assert told(rule(method, "alpha", section=section, section_or_all=or_all), text) == reason


@pytest.mark.parametrize(
    ("method", "run", "reason"),
    [
        pytest.param("asserted_any", {}, "artifact_missing", id="no document"),
        pytest.param("asserted_none", {"logs/a.log": Text(" ")}, "no_text", id="blank"),
        pytest.param("asserted_none", {"logs/a.log": Text(None, unread=True)}, "no_text", id="all unread"),
        pytest.param(
            "asserted_none",
            {"logs/a.log": Text("beta"), "logs/b.log": Text(None, unread=True)},
            "unread_document",
            id="none beside an unread one",
        ),
        pytest.param(
            "asserted_any",
            {"logs/a.log": Text("alpha"), "logs/b.log": Text(None, unread=True)},
            "true",
            id="any beside an unread one",
        ),
        pytest.param(
            "claimed_none",
            {"logs/a.log": Text("root cause: alpha"), "logs/b.log": Text(None, unread=True)},
            "unread_document",
            id="told before what was found",
        ),
        pytest.param("denied_any", {"logs/a.log": Text("beta"), "logs/b.log": Text("no alpha")}, "true", id="in one"),
    ],
)
def test_reasons(method: str, run: Run, reason: str) -> None:
    assert reasons(on_assertions.evaluate, [rule(method, "alpha", selector=LOGS)], [run]) == [[reason]]


def test_unread_documents_can_be_ignored() -> None:
    asked = rule("asserted_none", "alpha", selector=LOGS, ignore_unread=True)
    run = {"logs/a.log": Text("beta"), "logs/b.log": Text(None, unread=True)}
    assert reasons(on_assertions.evaluate, [asked], [run]) == [["true"]]


def test_rules_of_other_word_lists_do_not_mix() -> None:
    german = WordLists(negators=(r"\bkein\b",))
    rules = [rule("asserted_any", "alpha"), rule("asserted_any", "alpha", words=german), rule("asserted_any", "beta")]
    runs = [{"output": Text("not alpha, kein beta")}, {"output": Text("kein alpha")}, {"output": Text("not beta")}]
    assert reasons(on_assertions.evaluate, rules, runs) == [
        ["not_matched", "true", "not_matched"],
        ["true", "not_matched", "not_matched"],
        ["not_matched", "not_matched", "not_matched"],
    ]


def test_without_word_lists_everything_is_asserted() -> None:
    assert told(rule("asserted_any", "alpha", words=None), "no alpha") == "true"
    assert told(rule("claimed_any", "alpha", words=None), "root cause: alpha") == "not_matched"


def test_nothing_asked() -> None:
    empty = pl.DataFrame(schema={"run": pl.UInt32, "rule": pl.UInt32})
    selected = pl.DataFrame(schema={"run": pl.UInt32, "rule": pl.UInt32, "doc": pl.UInt32})
    assert on_assertions.evaluate(empty, selected, [], None).is_empty()  # type: ignore[arg-type]


# Matches and alternations ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("a b a", "a"),
        ("aaaa", "aa"),
        ("日本 cpu 日本 cpu", "cpu"),
        ("日本cpu", r"\bcpu|本"),
        ("abcabc", "^abc|c$"),
        ("ab ab", r"a\b|b\b"),
        ("ABab", "(?i)ab"),
        ("xyz", "a"),
        ("tata tat", r"\btat?"),
        ("aXbXc", "X.|c$"),
    ],
)
def test_matches_are_those_of_python(text: str, pattern: str) -> None:
    pairs = pl.DataFrame({"content": [text, "other"], "pattern": [pattern, pattern], "key": [7, 8]})
    found = find_matches(pairs).filter(pl.col("key") == 7).sort("begin")

    def offset(place: int) -> int:
        return len(text[:place].encode())

    wanted = [(offset(match.start()), offset(match.end())) for match in re.finditer(pattern, text)]
    assert found.select("begin", "end").rows() == wanted


SNIPPETS = (
    "not",
    "no",
    "node",
    "没有",
    "热点",
    " ",
    ",",
    "no longer",
    "，",
    "是",
    "—",
    "é",
    "NOT",
    "ruled out",
    "_",
    "7",
)
LISTS = (
    (r"\bnot\b", r"\bno\b", "没有"),
    (r"\bno\b", r"\bno longer\b", r"没有\b"),
    (r"\\b|é", "热点"),
    (r"\bruled out\b", r"[—,]\s*not\b"),
    (r"\Bo", "是(?:不)?"),
    ("没", "有"),
    (),
)


@pytest.mark.parametrize("entries", LISTS, ids=range(len(LISTS)))
def test_lists_are_searched_as_one_alternation(entries: tuple[str, ...]) -> None:
    random = Random(len(entries))
    texts = ["".join(random.choices(SNIPPETS, k=random.randint(0, 6))) for _ in range(400)]
    series = pl.Series(texts)
    whole = "(?im)" + "|".join(f"(?:{entry})" for entry in entries) if entries else r"[^\x00-\x{10FFFF}]"
    assert holds(series, entries).equals(series.str.contains(whole))
    assert first_begin(series, entries).equals(series.str.find(whole))
    assert all_found(series, entries).equals(series.str.extract_all(whole))
    assert replaced(series, entries, "#").equals(series.str.replace_all(whole, "#"))
    ends = [_last_end(text, entries) for text in texts]
    assert last_end(series, entries, "\ufdd1").to_list() == ends


def _last_end(text: str, entries: tuple[str, ...]) -> int | None:
    ends = [match.end() for match in _alternation(entries).finditer(text)]
    return len(text[: ends[-1]].encode()) if ends else None


def test_searching_nothing() -> None:
    empty = pl.Series([], dtype=pl.String)
    assert holds(empty, ("a",)).to_list() == []
    assert last_end(empty, ("a",), "\ufdd1").to_list() == []


# Against a plain reading ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """What a clause does with a pattern."""

    asserted: bool
    claimed: bool
    denied: bool


def _alternation(entries: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{entry})" for entry in entries) or "(?!)", re.IGNORECASE | re.MULTILINE)


def plain_clauses(sentence: str, words: WordLists) -> list[str]:
    """Step 4 of the specification, word for word."""
    blanked = _alternation(words.pseudo_negators).sub(" ", sentence)
    starts = [0, *(found.start() for found in _alternation(words.terminators).finditer(blanked)), len(blanked)]
    return [blanked[start:end].replace("，", ",").strip() for start, end in pairwise(starts)]


def denies(text: str, words: WordLists) -> bool:
    """Whether a heading or lead-in denies what stands under it."""
    blanked = _alternation(words.pseudo_negators).sub(" ", text).replace("，", ",")
    return any(_alternation(entries).search(blanked) for entries in (words.negators, words.post_negators))


def plain_said(reading: Reading, sentence: Sentence, pattern: str, words: WordLists, negated: bool) -> Iterator[Said]:
    """Steps 2 to 5 for each clause of a sentence in which the pattern is found."""
    contexts = [reading.contexts[index] for index in sentence.contexts]
    plain = sentence.text.replace("，", ",")
    denied_whole = any(denies(context.text, words) for context in contexts if context.kind != "label")
    denied_whole = denied_whole or bool(_alternation(words.sentence_negators).search(plain))
    above = [plain, *(context.text.replace("，", ",") for context in contexts)]
    states_claim = any(_alternation(words.claims).search(text) for text in above)
    for clause in plain_clauses(sentence.text, words):
        matches = list(re.finditer(pattern, clause, re.IGNORECASE | re.MULTILINE))
        begins = [found.start() for found in _alternation(words.negators).finditer(clause)]
        ends = [found.end() for found in _alternation(words.post_negators).finditer(clause)]
        free = denied = False
        for match in matches:
            first, last = (match.end(), match.start()) if negated else (match.start(), match.end())
            hit = any(begin < last for begin in begins) or any(end > first for end in ends)
            free, denied = free or not hit, denied or hit
        silent = denied_whole or sentence.question
        yield Said(
            free and not silent,
            free and not silent and states_claim,
            (denied and not sentence.question) or (bool(matches) and denied_whole),
        )


WORLD = [
    *("alpha", "beta", "热点", "not", "no", "Not only", "never", "ruled out", "unlikely", "but", ", so", "is", "the"),
    *("，", "但", "不是", "没有", "被排除", "无关", "不仅", "root cause", "caused", "根因", "导致", "if", "如果"),
    *(". ", "。", "? ", "？", "; ", "\n", "\n\n", "\n- ", "\n  - ", "\n# ", "\n**Not**\n", ":\n- ", ": ", "**根因**："),
    *("\n> ", "\n| ", "no doubt", "all been ruled out", "—", "alpha alpha"),
]
PATTERNS = ("alpha", "beta|热点", "alpha.*beta", "^(?:the )?alpha", "not alpha|alpha unlikely", r"\bis\b", "热点$")


@pytest.mark.parametrize("negated", [False, True], ids=["plain", "negated finding"])
def test_random_texts_are_read_as_the_specification_says(negated: bool) -> None:
    random = Random(4711)
    texts = [" ".join(random.choices(WORLD, k=random.randint(1, 25))).strip() or "alpha" for _ in range(300)]
    rules = [rule(method, pattern, negated_finding=negated) for pattern in PATTERNS for method in on_assertions.METHODS]
    told_so = reasons(on_assertions.evaluate, rules, [{"output": Text(text)} for text in texts])
    counts = dict.fromkeys((*on_assertions.METHODS,), 0)
    for text, row in zip(texts, told_so, strict=True):
        reading = read_text(text)
        for asked, reason in zip(rules, row, strict=True):
            pattern = asked.patterns[0]
            said = [
                found
                for sentence in reading.sentences
                for found in plain_said(reading, sentence, pattern, WORDS, negated)
            ]
            mode, _, quantity = asked.method.rpartition("_")
            found = any(getattr(one, mode) for one in said)
            assert (reason == "true") == (found == (quantity == "any")), (asked.method, pattern, text)
            counts[asked.method] += found
    assert all(50 < count < 1_500 for count in counts.values()), counts


# Explanations ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "decided_by", "words"),
    [
        ("The alpha.", None, None),
        ("The alpha is the root cause.", "claim", "root cause"),
        ("# Root cause\nAlpha.", "claim", "Root cause"),
        ("It is not the alpha.", "negator", "not"),
        ("The alpha was ruled out.", "post_negator", "ruled out"),
        ("Not the alpha, it was ruled out.", "negator", "Not"),
        ("Is it the alpha?", "question", "Is it the alpha?"),
        ("If it were the alpha.", "sentence_negator", "If"),
        ("# Not these\nThe alpha.", "heading", "Not these"),
        ("Unlikely:\n- the alpha", "lead_in", "Unlikely"),
        ("A minor alpha.", "unless", "minor"),
        ("The beta.", None, None),
    ],
)
def test_explanations(text: str, decided_by: str | None, words: str | None) -> None:
    read = explain_text(text, ["alpha"], WORDS, unless=["minor"])
    last = read.row(-1, named=True)
    assert (last["decided_by"], last["words"]) == (decided_by, words)
    assert last["pattern"] == ("alpha" if "lpha" in text else None)


def test_an_explanation_has_a_row_for_each_clause_and_pattern() -> None:
    read = explain_text("No alpha but beta.\n\nGamma.", ["beta", "alpha", "a$"], WORDS)
    assert read.select("line", "clause", "pattern", "asserts", "denied").rows() == [
        (1, "No alpha", "a$", False, True),
        (1, "No alpha", "alpha", False, True),
        (1, "but beta.", "beta", True, False),
        (3, "Gamma.", None, False, False),
    ]


@pytest.mark.parametrize("text", ["", "alpha"])
def test_explaining_without_text_or_pattern(text: str) -> None:
    read = explain_text(text, [], WORDS)
    assert read.height == len(text.split())


def test_explanations_agree_with_the_rules() -> None:
    random = Random(12)
    for _ in range(25):
        text = " ".join(random.choices(WORLD, k=random.randint(1, 20))).strip() or "alpha"
        read = explain_text(text, ["alpha"], WORDS).filter(pl.col("pattern").is_not_null())
        flags = ((read["asserts"], "a"), (read["claims"], "c"), (read["denied"], "d"))
        assert "".join(letter for flag, letter in flags if flag.any()) == holds_in(text, "alpha"), text
