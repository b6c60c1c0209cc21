"""Strategies for texts that nobody meant well: prose in two languages, log lines, bytes that are damaged."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

TEXTS: Final = (
    "",
    " ",
    "a",
    "NaN",
    "Inf",
    "+Inf",
    "-Inf",
    "0.95",
    "1e5",
    "1e999",
    "+.5",
    "5.",
    "٣",
    "1 ",
    "true",
    "null",
    "中文",
    "ﬁ",
    "2025-03-04T09:00:00Z",
    "2025-03-04 09:00:00",
    "2025-03-04T09:00:00+08:00",
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    "2025-02-30T00:00:00Z",
    "2025-03-04T24:00:00Z",
    "2016-12-31T23:59:60Z",
    "2025-03-04T09:00:00.123456789Z",
    "2025-03-04",
    "server is busy",
    "panic",
    "metric:tikv_cpu",
    "log:tikv.log:1",
    "q-1",
    "\u200bbusy",
    "\ufeff",
    "\u202eevil",
    "e\u0301",
    "İ",
    "ß",
    "\x7f",
    "a\x00b",
    "\x1b[31mred\x1b[0m",
    "😀",
    "\u2028",
    "\x85",
    "<script>",
    "=1+1",
    "::error::",
    "]]>",
    "`" * 3,
    "|",
    "$.a",
    "../x",
)

CHARACTERS: Final = st.characters(codec="utf-8")

ANY_TEXT: Final = st.one_of(st.sampled_from(TEXTS), st.text(CHARACTERS, max_size=12))


def _cut(pair: tuple[bytes, tuple[int, int, bytes]]) -> bytes:
    """Bytes with a piece replaced."""
    data, (begin, length, piece) = pair
    begin %= len(data) + 1
    return data[:begin] + piece + data[begin + length :]


def damaged(whole: SearchStrategy[bytes]) -> SearchStrategy[bytes]:
    """Bytes as they are, or cut, spliced, or with a few other bytes in them."""
    edits = st.tuples(st.integers(0, 400), st.integers(0, 40), st.one_of(st.just(b""), st.binary(max_size=4)))
    return st.one_of(whole, whole, st.tuples(whole, edits).map(_cut))


def encodings(text: str) -> SearchStrategy[bytes]:
    others = st.sampled_from(["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "gb18030"])
    return st.one_of(st.just("utf-8"), st.just("utf-8"), st.just("utf-8"), others).map(
        lambda codec: text.encode(codec, "replace")
    )


LOG_LINES: Final = st.sampled_from(
    [
        "[2025/03/04 09:00:00.123 +00:00] [WARN] server is busy",
        "2025-03-04T09:00:00Z panic: x",
        "[2025-03-04T09:00:00+08:00] ok",
        "[9999/12/31 23:59:59.999 -23:59] [INFO] end",
        "# Time: 2025-03-04T09:00:00Z",
        "\tat frame",
        "\x1b[31m[ERROR]\x1b[0m region \u200bis un\u00adavailable",
        "",
        " ",
        "\x00",
    ]
)

LOGS: Final = damaged(
    st.lists(st.one_of(LOG_LINES, ANY_TEXT), max_size=8)
    .flatmap(lambda lines: st.sampled_from(["\n", "\r\n", "\r", "\x85"]).map(lambda end: end.join(lines)))
    .flatmap(encodings)
)

PIECES: Final = (
    "CPU hotspot",
    "slow disk",
    "lock conflict",
    "the root cause",
    "is",
    "was",
    "not",
    "no",
    "ruled out",
    "caused by",
    "but",
    "unlikely",
    "根因",
    "是",
    "不是",
    "排除了",
    "CPU 热点",
    "磁盘卡住",
    "导致",
    "，",
    "。",
    "；",
    "、",
    "但是",
    "如果",
    "没有",
    "可能",
    "？",
    "！",
    ".",
    ". ",
    "!",
    "?",
    ";",
    ", ",
    ": ",
    "：",
    "**",
    "*",
    "_",
    "`",
    "```",
    "~~~",
    "> ",
    "# ",
    "## ",
    "###### ",
    "- ",
    "1. ",
    "1、",
    "（1）",
    "• ",
    "| ",
    " |",
    "|---|",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    "    ",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\u00ad",
    "\u202e",
    "\u2066",
    "\x1b[1m",
    "Ｃ",
    "ﬁ",
    "①",
    "…",
    "\u3000",
    "\xa0",
    "\u2028",
    "\x0b",
    "\x0c",
    "\x85",
    "\x1c",
    "Root cause:",
    "根因：",
    "**Ruled out:**",
    "## Root cause",
    "if ",
    "```json\n",
    '{"a": 1}',
    "[1]",
    "\\",
    "<!--",
    "&amp;",
    "'",
    "’",
    '"',
    "”",
    ")",
    "]",
    "0",
    "12:30 ",
    "host:port",
    "İ",
    "ß",
    "e\u0301",
    "don't ",
)

PROSE: Final = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(PIECES), ANY_TEXT), max_size=30).map("".join)

PROSE_BYTES: Final = damaged(PROSE.flatmap(encodings))
