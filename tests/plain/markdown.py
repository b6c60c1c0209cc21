"""The lines of a Markdown text: headings, items, labels, fences, sections (40-rules, "Text")."""

import re
from dataclasses import dataclass

from tests.plain.text import for_regexes, has_text, regex, with_plain_line_breaks, without_invisible

FENCE = re.compile(r"[ \t]*(?:(`{3,})([^`]*)|(~{3,})(.*))")
HASH_HEADING = re.compile(r" {0,3}(#{1,6}) (.*)")
BOLD_LINE = re.compile(r"\*\*([^*]+)\*\*[ \t]*([:：]?)")
NUMBER = "[0-9]{1,3}"
MARKER = rf"[-*+](?:\s+|$)|{NUMBER}[.)](?:\s+|$|(?=[^\x00-\x7f]))|(?:[•·]|\({NUMBER}\)|{NUMBER}、|（{NUMBER}）)\s*"
ITEM = re.compile(rf"\s*(?:{MARKER})")
BOLD_LABEL = re.compile(r"\*\*([^*:：]+?)\s*(?:[:：]\s*\*\*|\*\*\s*[:：])\s*(\S.*)")
PLAIN_LABEL = re.compile(r"([^*:：>|#][^:：]*?)\s*(?::\s+|：\s*)(\S.*)")
CHINESE = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
MOST_WORDS, MOST_CHINESE = 6, 12


@dataclass(frozen=True)
class Line:
    """One line and what it is: blank, fence, code, quote, heading, item, table or plain.

    `level` of a heading: 1 to 6 for `#`, 0 for a bold one.  `title` is its text without marks.  `body` is the line
    without its marker and without marks around the whole of it.
    """

    raw: str
    kind: str
    level: int = 0
    title: str = ""
    body: str = ""

    @property
    def indent(self) -> int:
        """How far the line is set in, a tab counting as four."""
        white = self.raw[: len(self.raw) - len(self.raw.lstrip(" \t"))]
        return len(white.replace("\t", "    "))


def lines_of(text: str) -> list[Line]:
    """The lines of a text, without what is invisible in it, with what each of them is."""
    return lines_as_they_are(without_invisible(text))


def lines_as_they_are(text: str) -> list[Line]:
    """The lines of a text with what each of them is."""
    lines: list[Line] = []
    fence = ""
    for raw in with_plain_line_breaks(text).split("\n"):
        if fence:
            closes = raw.strip() and set(raw.strip()) == {fence[0]} and len(raw.strip()) >= len(fence)
            lines.append(Line(raw, "fence" if closes else "code"))
            fence = "" if closes else fence
            continue
        opened = FENCE.fullmatch(raw)
        if opened:
            fence = opened[1] or opened[3]
            lines.append(Line(raw, "fence", title=(opened[2] or opened[4] or "").strip()))
        else:
            lines.append(line_outside_code(raw))
    return lines


def line_outside_code(raw: str) -> Line:
    """What a line outside of fenced code is."""
    words = raw.strip()
    if not has_text(raw):
        return Line(raw, "blank")
    if words.startswith(">"):
        return Line(raw, "quote")
    heading = HASH_HEADING.fullmatch(raw)
    if heading:
        title = heading[2].strip().rstrip("#").strip()
        return Line(raw, "heading", len(heading[1]), without_bold(title), without_outer_bold(title))
    bold = BOLD_LINE.fullmatch(words)
    if bold:
        return Line(raw, "heading", 0, bold[1].strip().rstrip(":：").strip(), without_outer_bold(words))
    if words.startswith("|"):
        return Line(raw, "table", body=words)
    item = ITEM.match(raw)
    if item:
        return Line(raw, "item", body=without_outer_bold(raw[item.end() :].strip()))
    return Line(raw, "plain", body=words)


def without_outer_bold(text: str) -> str:
    """A text without bold marks around the whole of it (40-rules, Assertions, step 1)."""
    bold = BOLD_LINE.fullmatch(text)
    return bold[1].strip() + bold[2] if bold else text


def without_bold(title: str) -> str:
    """A title without its bold marks and without a colon at its end (40-rules, Text)."""
    return title.replace("**", "").strip().rstrip(":：").strip()


def label_of(line: Line) -> str | None:
    """The short label with a colon that a line or item begins with, if text follows (40-rules, Text).

    Behind a plain label the ASCII colon needs white space; a label holds no colon itself.
    """
    if line.kind == "item":
        marker = ITEM.match(line.raw)
        words = line.raw[marker.end() if marker else 0 :].strip()
    elif line.kind == "plain":
        words = line.raw.strip()
    else:
        return None
    found = BOLD_LABEL.fullmatch(words) or PLAIN_LABEL.fullmatch(words)
    if found is None:
        return None
    label = found[1].strip(" \t_*`")
    short = len(CHINESE.findall(label)) <= MOST_CHINESE and len(label.split()) <= MOST_WORDS
    one_sentence = re.search(r"[.!?;]\s|[。！？；]", label) is None
    return label if label and short and one_sentence else None


def end_of_section(lines: list[Line], start: int) -> int:
    """The line at which a heading's section ends (40-rules, Text)."""
    level = lines[start].level
    for place in range(start + 1, len(lines)):
        line = lines[place]
        if line.kind == "heading" and (level == 0 or 0 < line.level <= level):
            return place
    return len(lines)


def end_of_label(lines: list[Line], start: int) -> int:
    """The line at which what stands behind a label ends: its paragraph, or its item with the items below it.

    The next label of the paragraph ends it too.
    """
    place = start + 1
    while place < len(lines) and lines[place].kind == "plain" and label_of(lines[place]) is None:
        place += 1
    if lines[start].kind == "item" and (place == len(lines) or lines[place].kind != "plain"):
        while place < len(lines) and (
            lines[place].indent > lines[start].indent and lines[place].kind in ("item", "plain")
        ):
            place += 1
    return place


def end_of_paragraph(lines: list[Line], start: int) -> int:
    """The line at which the paragraph or item that begins at `start` ends (40-rules, Assertions, step 1)."""
    place = start + 1
    while place < len(lines) and lines[place].kind == "plain":
        place += 1
    return place


def section_text(text: str, section: str, *, or_all: bool) -> str:
    """The lines under the headings and labels that fit, each once (40-rules, Text).

    A label's section begins with its line.  `or_all`: where nothing fits, the whole text.
    """
    pattern = regex(section)
    lines = lines_of(text)
    chosen: set[int] = set()
    for place, line in enumerate(lines):
        label = label_of(line)
        if line.kind == "heading" and pattern.search(for_regexes(line.title)):
            chosen.update(range(place, end_of_section(lines, place)))
        elif label is not None and pattern.search(for_regexes(label)):
            chosen.update(range(place, end_of_label(lines, place)))
    if not chosen:
        return text if or_all else ""
    return "\n".join(lines[place].raw for place in sorted(chosen))


def code_blocks(text: str) -> list[tuple[str, str]]:
    """Every fenced block: its mark (`json`, or nothing) and its content."""
    blocks: list[tuple[str, list[str]]] = []
    inside = False
    for line in lines_as_they_are(text):
        if line.kind == "fence":
            inside = not inside
            if inside:
                blocks.append((line.title, []))
        elif line.kind == "code":
            blocks[-1][1].append(line.raw)
    return [(mark, "\n".join(content)) for mark, content in blocks]
