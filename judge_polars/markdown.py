"""Texts as people read them: lines, sections, sentences and what each sentence stands under (specification 40).

`read_text` reads one text, `read_texts` those of a shard into three frames; neither knows a word list or a language.

- A *section* is what `section:` selects ("Text"): below a `#` heading, below a bold heading, or behind a label.
- A *sentence* is what steps 1 to 3 of "Assertions" leave: fenced code and quotes left out, marks dropped, wrapped lines
  joined, cut at sentence ends.  Its text is in NFKC form but for the full-width comma, and trimmed.
- A *context* is a heading, a list's lead-in or a label that a sentence stands under: what may deny or claim it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

import polars as pl

from judge_polars.tables import Column, Table
from judge_polars.text_forms import nfkc

HEADING, BOLD, LABEL, LEAD_IN = "heading", "bold", "label", "lead_in"
_TEXT = Column("text", pl.UInt32(), "index of the text")
_LINE = Column("line", pl.UInt32(), "line on which it begins, from 1")

SENTENCES: Final = Table(
    "sentences",
    "sentence of a text, in the order of the text",
    (
        _TEXT,
        Column("sentence", pl.UInt32(), "counted from 0 over all texts; row number"),
        _LINE,
        Column("last_line", pl.UInt32(), "line on which it ends"),
        Column("content", pl.String(), "NFKC but for the full-width comma, invisible characters removed, trimmed"),
        Column("question", pl.Boolean(), "it ends in a question mark"),
        Column("contexts", pl.List(pl.UInt32()), "the contexts that it stands under, outermost first"),
    ),
)
CONTEXTS: Final = Table(
    "contexts",
    "heading, lead-in or label that a sentence stands under",
    (
        _TEXT,
        Column("context", pl.UInt32(), "counted from 0 over all texts; row number"),
        Column("kind", pl.String(), "heading (a bold one too), lead_in or label"),
        _LINE,
        Column("content", pl.String(), "in the form of a sentence"),
    ),
)
SECTIONS: Final = Table(
    "sections",
    "section of a text, in the order of the text",
    (
        _TEXT,
        Column("title", pl.String(), "NFKC, without marks and closing colon"),
        Column("kind", pl.String(), "heading, bold or label"),
        Column("first_line", pl.UInt32(), "line of its heading or label, from 1"),
        Column("last_line", pl.UInt32(), "its last line"),
    ),
)


class Section(NamedTuple):
    """A part of a text that `section:` can select; its lines, counted from 1, from that of its heading or label on."""

    title: str
    kind: str
    first_line: int
    last_line: int


class Context(NamedTuple):
    """A heading, lead-in or label; `text` has the form of a sentence."""

    kind: str
    line: int
    text: str


class Sentence(NamedTuple):
    """One sentence; `contexts` are indexes into the reading's contexts."""

    line: int
    last_line: int
    text: str
    question: bool
    contexts: tuple[int, ...]


class Reading(NamedTuple):
    """What `read_text` finds; `lines` are those of the text without invisible characters and colour codes."""

    lines: list[str]
    sections: list[Section]
    sentences: list[Sentence]
    contexts: list[Context]


_REMOVED = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]|\x1b\\[[0-9;?]*[A-Za-z]")
_CLOSING = r"\)\]}”’»›）］｝〉》」』】〕"
_END = re.compile(rf"([.!?;。！？；])([{_CLOSING}]*)([{_CLOSING}\"'*_`]*)")
"""A sentence mark, closing marks behind it, and behind those perhaps marks that open as well as close."""
_INNER_END = re.compile(r"[.!?;]\s|[。！？；]")
_MARKER = r"(?:[-*+](?=\s|$)|[•·]|\d{1,3}(?:、|[.)）](?=\s|$|[^\x00-\x7f]))|\(\d{1,3}\)|（\d{1,3}）)\s*"
_ITEM = re.compile(_MARKER)
_MARKS = re.compile(rf"(?:{_MARKER}|#{{1,6}}(?:\s+|$))+")
_HASHES = re.compile(r" {0,3}(#{1,6})[ \t]")
_WHOLLY_BOLD = re.compile(r"(\*{2,3}|__)(?=[^\s*])((?:(?!\1).)+)(?<=\S)\1\s*([:：]?)$")
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_BOLD_LABEL = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1).)+?)(?:[:：]\s*\1|\1\s*[:：])\s*")
_PLAIN_LABEL = re.compile(r"(.+?)(?:：\s*|:(?:\s+|$))")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_SPECIAL: Final = frozenset("#>|`~*_-+•·(（0123456789")
_LABEL_WORDS, _LABEL_HAN = 6, 12
_BOLD_LEVEL, _LIST_LEVEL = 7, 8


def read_text(text: str) -> Reading:
    """Read one text (specification 40, "Text" and steps 1 to 3 of "Assertions")."""
    reader = _Reader(text)
    return Reading(reader.lines, reader.sections, reader.sentences, reader.contexts)


def sentence_form(text: str) -> str:
    """NFKC but for the full-width comma, trimmed."""
    if text.isascii():
        return text.strip()
    return "，".join([nfkc(part) for part in text.split("，")]).strip()


class _Above(NamedTuple):
    """Something that sentences stand under, with its section if it has one.

    `level` is 1 to 6 for `#` headings, 7 for bold ones, 8 for lists under a lead-in and items with a label.  To the
    latter belong items indented by `floor` or more, but for one with the marker `stop` at `floor`, and other blocks
    indented more than `indent`.
    """

    context: int
    level: int
    section: int | None = None
    floor: int = 0
    indent: int = -1
    stop: str | None = None

    def holds(self, indent: int, marker: str | None) -> bool:
        """Whether an item (`marker` is its marker) or another block (None) of this indentation stands under it."""
        if marker is None:
            return indent > self.indent
        return indent >= self.floor and not (self.stop == marker and indent == self.floor)


class _Lead(NamedTuple):
    """A line that ends in a colon, until the next block shows whether a list follows."""

    text: str
    line: int
    indent: int
    marker: str | None

    def above(self, context: int, indent: int, marker: str | None) -> _Above | None:
        """What it is for a list that an item of this indentation and marker opens; None where no list follows it."""
        if marker is None:
            return None
        if self.marker is None:
            return _Above(context, _LIST_LEVEL, floor=min(self.indent, indent), indent=indent)
        if indent > self.indent:
            return _Above(context, _LIST_LEVEL, floor=self.indent + 1, indent=indent)
        if indent == self.indent and marker != self.marker:
            return _Above(context, _LIST_LEVEL, floor=indent, indent=indent, stop=self.marker)
        return None


class _Reader:
    """Goes over the lines of one text once, from block to block: heading, item, paragraph, table row."""

    def __init__(self, text: str) -> None:
        if not text.isascii() or "\x1b" in text:
            text = _REMOVED.sub("", text)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = text.split("\n")
        self.sections: list[Section] = []
        self.sentences: list[Sentence] = []
        self.contexts: list[Context] = []
        self.above: list[_Above] = []  # outermost first; levels rise
        self.around: tuple[int, ...] = ()  # the contexts of `above`
        self.lead: _Lead | None = None
        # The lines of the open paragraph or item, their numbers, its indentation and marker.
        self.pieces: list[str] = []
        self.numbers: list[int] = []
        self.indent = 0
        self.marker: str | None = None
        self._read()

    def _read(self) -> None:
        fence = ""
        for number, line in enumerate(self.lines, 1):
            body = line.strip()
            if fence:
                if body.startswith(fence) and not body.strip(fence[0]):
                    fence = ""
            elif not body:
                self._close()
            elif body[0] in _SPECIAL:
                fence = self._special(number, line, body)
            else:
                self._continue(number, line, body)
        self._close()
        self._end(1, len(self.lines))

    def _special(self, number: int, line: str, body: str) -> str:
        """A line that begins with a mark; returns the fence that it opens, if it does."""
        first = body[0]
        fence = _FENCE.match(body) if first in "`~" else None
        if fence or first == ">":
            self._close()
            self.lead = None
            return fence[0] if fence else ""
        if first == "|":
            self._row(number, line, body)
            return ""
        hashes = _HASHES.match(line) if first == "#" else None
        if hashes or (first == "*" and body[1:2] == "*" and _WHOLLY_BOLD.match(body)):
            self._heading(number, body, len(hashes[1]) if hashes else _BOLD_LEVEL)
            return ""
        item = _ITEM.match(body)
        if item:
            return self._item(number, line, body[item.end() :], item[0].rstrip().strip("0123456789"))
        self._continue(number, line, _unmarked(body))
        return ""

    def _continue(self, number: int, line: str, body: str) -> None:
        """A line of text: goes on with the open paragraph or item, or opens a paragraph."""
        if not self.numbers:
            self.indent = _indent(line)
            self.marker = None
        self.pieces.append(body)
        self.numbers.append(number)

    def _item(self, number: int, line: str, rest: str, marker: str) -> str:
        """A list item; returns the fence that it opens, if it does."""
        self._close()
        self.indent = _indent(line)
        self.marker = marker
        fence = _FENCE.match(rest)
        self.pieces.append("" if fence else _unmarked(rest))
        self.numbers.append(number)
        if not fence:
            return ""
        self._close()
        return fence[0]

    def _row(self, number: int, line: str, body: str) -> None:
        """A table row is a line of its own."""
        self._close()
        self.lead = None
        self._leave(_indent(line), None)
        if body.strip("|-: \t"):
            self._sentences(body, [number], [0], [])

    def _heading(self, number: int, body: str, level: int) -> None:
        """A heading of this level."""
        self._close()
        self.lead = None
        self._end(level, number - 1)
        open_end = body.rstrip("#") if level < _BOLD_LEVEL else body
        text = _unmarked(open_end.rstrip() if open_end[-1:].isspace() else body)
        self._sentences(text, [number], [0], [])
        context = self._context(HEADING, number, sentence_form(text))
        section = self._section(text, BOLD if level == _BOLD_LEVEL else HEADING, number, number)
        self._enter(_Above(context, level, section))

    def _close(self) -> None:
        """The open paragraph or item is complete: its labels, its sentences, what it leads in."""
        numbers, pieces = self.numbers, self.pieces
        if not numbers:
            return
        self.numbers, self.pieces = [], []
        indent, marker = self.indent, self.marker
        self._leave(indent, marker)
        if self.lead:
            above = self.lead.above(len(self.contexts), indent, marker)
            if above:
                self._context(LEAD_IN, self.lead.line, self.lead.text)
                self._enter(above)
            self.lead = None
        text, starts = pieces[0], [0]
        if len(pieces) > 1:
            text = " ".join(pieces)
            starts = [0, *accumulate(len(piece) + 1 for piece in pieces[:-1])]
        colon = ":" in text or "：" in text
        labels = self._labels(pieces, numbers, starts) if colon else []
        self._sentences(text, numbers, starts, labels)
        if colon and text.rstrip("*_` ").endswith((":", "：")):
            self.lead = _Lead(self.sentences[-1].text, numbers[-1], indent, marker)
        if labels and marker is not None:
            self._enter(_Above(labels[-1][1], _LIST_LEVEL, labels[-1][2], indent + 1, indent))

    def _labels(self, pieces: list[str], numbers: list[int], starts: list[int]) -> list[tuple[int, int, int]]:
        """The labels with which lines of a block begin: offset in its text, context, section.

        The section of one runs to the next one, that of the last to the end of the paragraph or item.
        """
        labels: list[tuple[int, int, int]] = []
        for position, piece in enumerate(pieces):
            found = _label(piece, last=position == len(pieces) - 1)
            if not found:
                continue
            if labels:
                self._end_section(labels[-1][2], numbers[position] - 1)
            context = self._context(LABEL, numbers[position], sentence_form(found))
            section = self._section(found, LABEL, numbers[position], numbers[-1])
            labels.append((starts[position], context, section))
        return labels

    def _sentences(self, text: str, numbers: list[int], starts: list[int], labels: list[tuple[int, int, int]]) -> None:
        """Cut a block's text into sentences."""
        first, last = numbers[0], numbers[-1]
        simple = first == last and not labels
        ahead = labels[::-1]
        behind: tuple[int, ...] = ()
        for start, end, question in _cuts(text):
            raw = text[start:end]
            content = sentence_form(raw)
            if not content:
                continue
            contexts = self.around
            if not simple:
                begin = end - len(raw.lstrip())
                first = numbers[bisect_right(starts, begin) - 1]
                last = numbers[bisect_right(starts, end - 1) - 1]
                while ahead and ahead[-1][0] <= begin:
                    behind = (ahead.pop()[1],)
                contexts = (*contexts, *behind)
            self.sentences.append(Sentence(first, last, content, question, contexts))

    def _context(self, kind: str, line: int, text: str) -> int:
        self.contexts.append(Context(kind, line, text))
        return len(self.contexts) - 1

    def _section(self, title: str, kind: str, first_line: int, last_line: int) -> int:
        self.sections.append(Section(_title(title), kind, first_line, last_line))
        return len(self.sections) - 1

    def _enter(self, above: _Above) -> None:
        self.above.append(above)
        self.around = (*self.around, above.context)

    def _leave(self, indent: int, marker: str | None) -> None:
        """Leave the lists and labelled items to which a block of this indentation does not belong."""
        while self.above and not self.above[-1].holds(indent, marker):
            self._pop(self.sentences[-1].last_line)

    def _end(self, level: int, last_line: int) -> None:
        """End what a heading of this level ends: lists, bold sections, `#` sections of this level and deeper ones."""
        while self.above and self.above[-1].level >= level:
            self._pop(last_line if self.above[-1].level < _LIST_LEVEL else self.sentences[-1].last_line)

    def _pop(self, last_line: int) -> None:
        last = self.above.pop()
        self.around = self.around[:-1]
        if last.section is not None:
            self._end_section(last.section, last_line)

    def _end_section(self, section: int, last_line: int) -> None:
        self.sections[section] = self.sections[section]._replace(last_line=last_line)


def _indent(line: str) -> int:
    """Width of the white space before a line; a tab goes to the next multiple of four."""
    expanded = line.expandtabs(4) if "\t" in line else line
    return len(expanded) - len(expanded.lstrip())


def _unmarked(body: str) -> str:
    """A line without list markers and `#` before it and bold marks around it."""
    while body and body[0] in _SPECIAL:
        marks = _MARKS.match(body)
        bold = None if marks else _WHOLLY_BOLD.match(body)
        if marks:
            body = body[marks.end() :]
        elif bold:
            body = bold[2] + bold[3]
        else:
            break
    return body


def _title(text: str) -> str:
    """A heading or label as `section:` sees it: NFKC, without bold marks, backquotes and closing colon."""
    plain = text if text.isascii() else nfkc(text)
    return plain.replace("**", "").replace("__", "").replace("`", "").strip().rstrip(":").strip(" *_")


def _label(piece: str, *, last: bool) -> str | None:
    """The label with which a line begins, without bold marks; None without one, or where it holds nothing but marks.

    At most 6 words or 12 Chinese characters, a colon, and text behind it: on the line, or, on all but the `last` line
    of its block, on the next.
    """
    if ":" not in piece and "：" not in piece:
        return None
    bold = _BOLD_LABEL.match(piece)
    found = bold or _PLAIN_LABEL.match(piece)
    if not found or (last and found.end() >= len(piece)):
        return None
    label = found[2] if bold else found[1]
    if len(_HAN.findall(label)) > _LABEL_HAN or len(label.split()) > _LABEL_WORDS or _INNER_END.search(label):
        return None
    return label if _title(label) else None


def _cuts(text: str) -> list[tuple[int, int, bool]]:
    """Begin, end and whether it is a question of each sentence of a block's text."""
    cuts: list[tuple[int, int, bool]] = []
    start, length = 0, len(text)
    for found in _END.finditer(text):
        end, mark = found.end(), found[1]
        if end < length and not text[end].isspace():
            if mark in ".!?;":
                continue
            end = found.end(2)
        cuts.append((start, end, mark in "?？"))
        start = end
    if start < length:
        cuts.append((start, length, False))
    return cuts


def read_texts(texts: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """`SENTENCES`, `CONTEXTS`, `SECTIONS` of texts; a text's index is its position, null is an empty text."""
    readers = [_Reader(text) for text in texts.fill_null("").to_list()]
    return (
        _sentence_frame(readers),
        _frame(
            CONTEXTS, [(text, *found) for text, reader in enumerate(readers) for found in reader.contexts], "context"
        ),
        _frame(SECTIONS, [(text, *found) for text, reader in enumerate(readers) for found in reader.sections]),
    )


def _sentence_frame(readers: Sequence[_Reader]) -> pl.DataFrame:
    """`SENTENCES` of texts that were read."""
    rows: list[tuple[int, int, int, str, bool]] = []
    below: list[int] = []
    above: list[int] = []
    first = 0
    for index, reader in enumerate(readers):
        for line, last_line, content, question, contexts in reader.sentences:
            if contexts:
                below += [len(rows)] * len(contexts)
                above += [first + context for context in contexts]
            rows.append((index, line, last_line, content, question))
        first += len(reader.contexts)
    schema = {name: dtype for name, dtype in SENTENCES.schema.items() if name not in ("sentence", "contexts")}
    sentences = pl.DataFrame(rows, schema=schema, orient="row").with_row_index("sentence")
    pairs = pl.DataFrame({"sentence": below, "contexts": above}, schema={"sentence": pl.UInt32, "contexts": pl.UInt32})
    around = pairs.group_by("sentence", maintain_order=True).agg("contexts")
    frame = sentences.join(around, on="sentence", how="left", maintain_order="left")
    return SENTENCES.check(frame.with_columns(pl.col("contexts").fill_null([])))


def _frame(table: Table, rows: list[tuple[object, ...]], key: str | None = None) -> pl.DataFrame:
    """Rows without their key, which counts them, as a frame of the table."""
    columns = {name: dtype for name, dtype in table.schema.items() if name != key}
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    return table.check(frame.with_row_index(key) if key else frame)


def section_texts(texts: pl.Series, wanted: pl.DataFrame) -> pl.DataFrame:
    """What `section:` leaves of texts (specification 40, "Text"), with line breaks as `\\n`.

    `wanted`: `text` (position in the series), `section` (regex), `or_all` (the whole text where no section fits).  The
    answer has its rows, in its order, and `content`: the lines of the sections that fit, each once, in the order of the
    text, or null where there is no text.
    """
    read = {index: _Reader(texts[index]) for index in wanted["text"].unique().to_list() if texts[index] is not None}
    sections = _frame(SECTIONS, [(index, *section) for index, reader in read.items() for section in reader.sections])
    fitting = matching_sections(wanted.with_row_index("ask"), sections)
    chosen: dict[int, list[int]] = {}
    for ask, first, last in fitting.select("ask", "first_line", "last_line").sort("ask", "first_line").iter_rows():
        numbers = chosen.setdefault(ask, [])
        numbers.extend(range(max(first, numbers[-1] + 1 if numbers else 1), last + 1))
    contents: list[str | None] = []
    for ask, (index, or_all) in enumerate(wanted.select("text", "or_all").iter_rows()):
        lines = read[index].lines if index in read else []
        if ask in chosen or not or_all:
            lines = [lines[number - 1] for number in chosen.get(ask, [])]
        contents.append("\n".join(lines) if lines else None)
    return wanted.with_columns(content=pl.Series(contents, dtype=pl.String))


def matching_sections(wanted: pl.DataFrame, sections: pl.DataFrame) -> pl.DataFrame:
    """Rows of `wanted` (`text`, `section` a regex, …) beside each section of their text in whose title it is found."""
    pairs = wanted.join(sections, on="text", how="inner").sort("section", maintain_order=True)
    return pairs.filter(pl.col("title").str.contains(pl.concat_str(pl.lit("(?im)"), "section")))
