"""What a text asserts, claims and denies (40-rules, "Assertions")."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.plain.markdown import Line, end_of_paragraph, end_of_section, label_of, lines_of
from tests.plain.text import FULL_WIDTH_COMMA, alternation, regex

CLOSING = "\"'”’»›」』〉》】〕）］｝)]}*_`"
SENTENCE_END = re.compile(rf"[。！？；][{re.escape(CLOSING)}]*|[.!?;][{re.escape(CLOSING)}]*(?=\s)")


@dataclass(frozen=True)
class Words:
    """The lists of regexes in force, each as one alternation (None: an empty list)."""

    negators: re.Pattern[str] | None
    post_negators: re.Pattern[str] | None
    pseudo_negators: re.Pattern[str] | None
    terminators: re.Pattern[str] | None
    sentence_negators: re.Pattern[str] | None
    claims: re.Pattern[str] | None


def words_of(lists: dict[str, list[str]]) -> Words:
    """The alternations of the word lists; in two of them the full-width comma stays (40-rules, Assertions, step 4)."""
    return Words(
        negators=alternation(lists.get("negators", [])),
        post_negators=alternation(lists.get("post_negators", [])),
        pseudo_negators=alternation(lists.get("pseudo_negators", []), keep_comma=True),
        terminators=alternation(lists.get("terminators", []), keep_comma=True),
        sentence_negators=alternation(lists.get("sentence_negators", [])),
        claims=alternation(lists.get("claims", [])),
    )


@dataclass
class Block:
    """A paragraph, list item, heading or table row as one line, with what it stands under.

    `labels` are the labels inside of it with the place where their line begins in `text`; `contexts` are the headings
    and lead-ins above; `denied` says that it stands in a denied list or section.
    """

    text: str
    first: int
    behind: int
    kind: str
    indent: int
    labels: list[tuple[int, str]] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    denied: bool = False


@dataclass(frozen=True)
class Clause:
    """A clause with what its sentence and its place say about it."""

    text: str
    asserts: bool
    denied: bool
    claims: bool


@dataclass(frozen=True)
class Found:
    """What a text does with a pattern."""

    asserted: bool
    claimed: bool
    denied: bool


def nfkc_but_comma(text: str) -> str:
    """A text in NFKC whose full-width commas stay (40-rules, Assertions, step 4)."""
    return FULL_WIDTH_COMMA.join(unicodedata.normalize("NFKC", part) for part in text.split(FULL_WIDTH_COMMA))


def in_nfkc(text: str) -> str:
    """The text with its full-width commas as `,`."""
    return unicodedata.normalize("NFKC", text)


def holds(words: re.Pattern[str] | None, text: str) -> bool:
    """Whether a word of the list is found."""
    return words is not None and words.search(text) is not None


def blank_pseudo_negators(text: str, words: Words) -> str:
    """A text with a space for each pseudo-negator (40-rules, Assertions, step 4)."""
    return words.pseudo_negators.sub(" ", text) if words.pseudo_negators else text


# Step 1: lines


def blocks_of(lines: list[Line]) -> list[Block]:
    """Paragraphs, items, headings and table rows; code and quotes are dropped (40-rules, Assertions, step 1)."""
    blocks = []
    place = 0
    while place < len(lines):
        line = lines[place]
        behind = place + 1
        if line.kind in ("heading", "table"):
            blocks.append(Block(line.body, place, behind, line.kind, line.indent))
        elif line.kind in ("item", "plain"):
            behind = end_of_paragraph(lines, place)
            blocks.append(joined(lines, place, behind))
        place = behind
    return blocks


def joined(lines: list[Line], first: int, behind: int) -> Block:
    """The lines of one paragraph or item with a space for each line break (40-rules, Assertions, step 1)."""
    block = Block("", first, behind, lines[first].kind, lines[first].indent)
    for line in lines[first:behind]:
        if block.text:
            block.text += " "
        label = label_of(line)
        if label is not None:
            block.labels.append((len(block.text), label))
        block.text += line.body
    return block


# Step 2: denied lists and sections, and what a claim stands under


def mark_contexts(lines: list[Line], blocks: list[Block], words: Words) -> None:
    """Tell each block which headings and lead-ins it stands under (40-rules, Assertions, step 2).

    A heading or lead-in with a negation denies what stands under it; one with a claim makes claims of it.
    """
    for block in blocks:
        if block.kind == "heading":
            end = end_of_section(lines, block.first)
            text = block.text
        elif is_lead_in(block):
            end = end_of_list(lines, block)
            text = [sentence for _, sentence in sentences_of(block.text) if sentence.strip()][-1]
        else:
            continue
        for other in blocks:
            if block.behind <= other.first < end:
                other.contexts.append(in_nfkc(text))
                other.denied = other.denied or denies_what_follows(text, words)


def denies_what_follows(text: str, words: Words) -> bool:
    """Whether a heading or lead-in negates, pseudo-negators aside (40-rules, Assertions, step 2)."""
    blanked = in_nfkc(blank_pseudo_negators(nfkc_but_comma(text), words))
    return holds(words.negators, blanked) or holds(words.post_negators, blanked)


def is_lead_in(block: Block) -> bool:
    """Whether a block ends in a colon, marks of emphasis behind it aside (40-rules, Assertions, step 2)."""
    return block.text.rstrip().rstrip("*_").rstrip().endswith((":", "："))


def end_of_list(lines: list[Line], lead_in: Block) -> int:
    """The line behind the list that follows a lead-in; the lead-in's own end where no list follows it.

    Blank lines may stand before and inside the list.  The list of a lead-in that is an item itself is set in deeper
    than that item, or has other markers.
    """
    deeper_than = lead_in.indent if lead_in.kind == "item" else -1
    own = marker_of(lines[lead_in.first]) if lead_in.kind == "item" else None
    end, place, blank_before = lead_in.behind, lead_in.behind, False
    first_indent = 0
    while place < len(lines):
        line = lines[place]
        if line.kind == "blank":
            blank_before = True
            place += 1
            continue
        in_list = end > lead_in.behind
        loose = blank_before or lines[place - 1].kind in ("fence", "quote")
        continues = in_list and line.kind not in ("heading", "item") and belongs(line, first_indent, loose)
        beside = own is not None and line.indent == deeper_than and line.kind == "item" and marker_of(line) != own
        starts_item = line.kind == "item" and (line.indent > deeper_than or beside)
        if not (starts_item or continues):
            break
        if not in_list:
            first_indent = line.indent
        blank_before = False
        place += 1
        end = place
    return end


def marker_of(line: Line) -> str:
    """An item's marker without its number."""
    return line.raw.split()[0].strip("0123456789")[:2]


def belongs(line: Line, first_indent: int, loose: bool) -> bool:
    """Whether a line goes on with the item above it: set in deeper, code, a quote, or text right below (not `loose`)."""
    return line.indent > first_indent or line.kind in ("code", "fence", "quote") or (line.kind == "plain" and not loose)


# Step 3: sentences


def sentences_of(text: str) -> Iterator[tuple[int, str]]:
    """Where each sentence of a block begins, and its text as it stands (40-rules, Assertions, step 3)."""
    start = 0
    for end in SENTENCE_END.finditer(text):
        yield start, text[start : end.end()]
        start = end.end()
    yield start, text[start:]


def is_question(sentence: str) -> bool:
    """Whether the last sign but for closing marks is a question mark (40-rules, Assertions, step 3)."""
    return sentence.strip().rstrip(CLOSING + " \t").endswith(("?", "？"))


# Step 4: clauses


def clauses_of(text: str, words: Words) -> list[Clause]:
    """All clauses of a text, with what sentence, list, section and label make of them (40-rules, Assertions)."""
    lines = lines_of(text)
    blocks = blocks_of(lines)
    mark_contexts(lines, blocks, words)
    clauses = []
    for block in blocks:
        for start, raw in sentences_of(block.text):
            begin = start + len(raw) - len(raw.lstrip())
            before = [in_nfkc(label) for place, label in block.labels if place <= begin]
            clauses += clauses_of_sentence(raw, block, before[-1:], words)
    return clauses


def clauses_of_sentence(raw: str, block: Block, labels: list[str], words: Words) -> list[Clause]:
    """The clauses of one sentence (40-rules, Assertions, steps 3 and 4)."""
    sentence = nfkc_but_comma(raw).strip()
    whole = in_nfkc(sentence)
    hypothesis = holds(words.sentence_negators, whole)
    question = is_question(raw)
    claims = any(holds(words.claims, text) for text in [whole, *labels, *block.contexts])
    denied = block.denied or hypothesis
    return [
        Clause(text, asserts=not (denied or question), denied=denied, claims=claims)
        for text in cut_into_clauses(sentence, words)
    ]


def cut_into_clauses(sentence: str, words: Words) -> list[str]:
    """A sentence cut in front of its terminators, pseudo-negators blanked (40-rules, Assertions, step 4)."""
    blanked = blank_pseudo_negators(sentence, words)
    cuts = [found.start() for found in words.terminators.finditer(blanked)] if words.terminators else []
    starts = [0, *cuts]
    parts = [blanked[start:end] for start, end in zip(starts, [*cuts, len(blanked)], strict=True)]
    return [in_nfkc(part).strip() for part in parts if part.strip()]


# Step 5: matches


def is_denied(match: re.Match[str], clause: str, words: Words, *, negated_finding: bool) -> bool:
    """Whether a match stands behind a negator or before a post-negator (40-rules, Assertions, step 5).

    A word of negation that overlaps the match denies it, unless the finding is itself a negation.
    """
    before = match.start() if negated_finding else match.end()
    after = match.end() if negated_finding else match.start()
    negators = words.negators.finditer(clause) if words.negators else ()
    post_negators = words.post_negators.finditer(clause) if words.post_negators else ()
    return any(word.start() < before for word in negators) or any(word.end() > after for word in post_negators)


def find(pattern: str, clauses: list[Clause], rule: dict[str, Any], words: Words) -> Found:
    """What the clauses do with a pattern (40-rules, Assertions, step 5 and below)."""
    asserted = claimed = denied = False
    compiled = regex(pattern)
    unless = [regex(other) for other in rule.get("unless", [])]
    for clause in clauses:
        for match in compiled.finditer(clause.text):
            match_denied = is_denied(match, clause.text, words, negated_finding=rule.get("negated_finding", False))
            if clause.denied or (clause.asserts and match_denied):
                denied = True
            elif clause.asserts and not any(other.search(clause.text) for other in unless):
                asserted = True
                claimed = claimed or clause.claims
    return Found(asserted, claimed, denied)
