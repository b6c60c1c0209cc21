"""Strategies for what may stand in a file: JSON that is nearly right, lines, texts in two languages, series, paths, globs."""

from __future__ import annotations

import gzip
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

NUMBERS: Final = (
    *(
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "-1",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e5",
        "1E+5",
        "1e-400",
        "1e400",
        "-1e400",
        "0e999",
    ),
    *("9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616"),
    *("170141183460469231731687303715884105728", "1" + "0" * 308, "1" + "0" * 309, "9" * 400, "0." + "1" * 400, "2.5"),
    *(
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "5e-324",
        "2e-324",
        "0x10",
        "1_000",
        "NaN",
        "Infinity",
        "-Infinity",
    ),
    *(
        "nan",
        "-NaN",
        "Inf",
        "1741078500",
        "1741078500.25",
        "1741078500123",
        "253402300800",
        "1e11",
        "-62135596801",
        "１",
    ),
)
TEXTS: Final = (
    *(
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
    ),
    *(
        "2025-03-04T09:00:00Z",
        "2025-03-04 09:00:00",
        "2025-03-04T09:00:00+08:00",
        "9999-12-31T23:59:59-23:59",
        "0001-01-01T00:00:00+23:59",
    ),
    *(
        "2025-02-30T00:00:00Z",
        "2025-03-04T24:00:00Z",
        "2016-12-31T23:59:60Z",
        "2025-03-04T09:00:00.123456789Z",
        "2025-03-04",
    ),
    *(
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
    ),
    *(
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
    ),
)
NAMES: Final = (
    *(
        "name",
        "value",
        "values",
        "v",
        "ts",
        "time",
        "timestamp",
        "timestamps",
        "times",
        "metric",
        "metrics",
        "labels",
        "__name__",
    ),
    *(
        "data",
        "result",
        "resultType",
        "status",
        "points",
        "series",
        "items",
        "queries",
        "events",
        "errors",
        "id",
        "query_id",
        "digest",
    ),
    *(
        "uid",
        "title",
        "key_evidence",
        "supporting_evidence",
        "channel",
        "type",
        "ref",
        "quote",
        "evidence",
        "cluster_id",
        "metadata",
    ),
    *(
        "time_window",
        "start",
        "end",
        "start_time",
        "end_time",
        "tickets",
        "a",
        "b",
        "",
        "中文",
        "a.b",
        "a'b",
        'a"b',
        "a\\b",
        "\x00",
        "\t",
    ),
)
CHARACTERS: Final = st.characters(codec="utf-8")
ANY_TEXT: Final = st.one_of(st.sampled_from(TEXTS), st.text(CHARACTERS, max_size=12))

SPACES: Final = st.sampled_from(["", "", "", " ", "\n", "\t", "\r\n", "\x0b", "\xa0", "\ufeff", "/* */"])
SCRAPS: Final = st.sampled_from(
    [
        *(
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            '"',
            "\\",
            "[[",
            "{}",
            "[]",
            "null",
            "true",
            "nul",
            "True",
            "None",
            "undefined",
            "'a'",
            "#",
            "//",
        ),
        *(
            '"\\ud800"',
            '"\\udc00\\ud800"',
            '"\\ud83d\\ude00"',
            '"\\u0000"',
            '"\\x41"',
            '"\\u12"',
            '"a',
            '"\n"',
            '"\x00"',
            '{"a":1,}',
        ),
        *(
            "[1,]",
            "[,1]",
            '{"a" 1}',
            '{"a":}',
            "{1:2}",
            '{"a":1,"a":2}',
            "[1]2",
            "-",
            "-a",
            "1 2",
            "\x00",
            "\x1f",
            "\u2028",
            "é",
        ),
    ]
)


def quoted(text: str) -> str:
    """A JSON string with the escapes that JSON needs."""
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(special.get(char) or (char if char >= " " else f"\\u{ord(char):04x}") for char in text) + '"'


SCALARS: Final = st.one_of(
    st.sampled_from(["null", "true", "false"]),
    st.sampled_from(NUMBERS),
    st.sampled_from(TEXTS).map(quoted),
    ANY_TEXT.map(quoted),
)
GOOD_SCALARS: Final = st.one_of(
    st.sampled_from(["null", "true", "false"]),
    st.sampled_from(
        [number for number in NUMBERS if number[0] in "-0123456789" and number[:2] != "01" and number[-1].isdigit()]
    ).filter(lambda text: text.isascii() and not {"x", "_"} & set(text)),
    ANY_TEXT.map(quoted),
)


def _containers(inner: SearchStrategy[str]) -> SearchStrategy[str]:
    lists = st.lists(inner, max_size=5).map(lambda parts: "[" + ",".join(parts) + "]")
    member = st.tuples(st.sampled_from(NAMES).map(quoted), inner).map(lambda pair: f"{pair[0]}:{pair[1]}")
    objects = st.lists(member, max_size=5).map(lambda parts: "{" + ", ".join(parts) + "}")
    return st.one_of(lists, objects)


POINTS: Final = st.one_of(
    GOOD_SCALARS,
    st.tuples(GOOD_SCALARS, GOOD_SCALARS).map(lambda pair: f"[{pair[0]},{pair[1]}]"),
    st.tuples(
        st.sampled_from(["1741078500", "1741078500.5", '"2025-03-04T09:00:00Z"', "1741078500000"]),
        st.sampled_from(['"0.95"', "1", "null", '"NaN"', '"+Inf"']),
    ).map(lambda pair: f"[{pair[0]},{pair[1]}]"),
    st.tuples(
        st.sampled_from(["value", "v"]), GOOD_SCALARS, st.sampled_from(["ts", "time", "timestamp"]), GOOD_SCALARS
    ).map(lambda four: f'{{"{four[0]}":{four[1]},"{four[2]}":{four[3]}}}'),
)
SERIES: Final = st.lists(POINTS, max_size=6).map(lambda parts: "[" + ",".join(parts) + "]")
JSON_VALUES: Final = st.recursive(st.one_of(GOOD_SCALARS, SERIES), _containers, max_leaves=14)
"""Texts of JSON values, nearly always well formed."""

DEEP: Final = st.tuples(
    st.integers(1, 400), st.sampled_from([("[", "]"), ('{"a":', "}"), ('[{"value":', "}]")]), SCALARS, st.booleans()
).map(lambda four: four[1][0] * four[0] + four[2] + four[1][1] * (four[0] - four[3]))
WRECKS: Final = st.lists(st.one_of(SPACES, SCRAPS, SCALARS, st.just(","), st.just(":")), max_size=12).map("".join)
JSON_TEXTS: Final = st.one_of(JSON_VALUES, JSON_VALUES, DEEP, WRECKS, st.recursive(SCALARS, _containers, max_leaves=8))


def _cut(pair: tuple[bytes, tuple[int, int, bytes]]) -> bytes:
    """Bytes with a piece replaced."""
    data, (begin, length, piece) = pair
    begin %= len(data) + 1
    return data[:begin] + piece + data[begin + length :]


def damaged(whole: SearchStrategy[bytes]) -> SearchStrategy[bytes]:
    """Bytes as they are, or cut, spliced, or with a few other bytes in them."""
    edits = st.tuples(st.integers(0, 400), st.integers(0, 40), st.one_of(st.just(b""), st.binary(max_size=4)))
    return st.one_of(whole, whole, st.tuples(whole, edits).map(_cut))


def _encodings(text: str) -> SearchStrategy[bytes]:
    others = st.sampled_from(["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "gb18030"])
    return st.one_of(st.just("utf-8"), st.just("utf-8"), st.just("utf-8"), others).map(
        lambda codec: text.encode(codec, "replace")
    )


JSON_BYTES: Final = damaged(JSON_TEXTS.flatmap(_encodings))
JSON_LINES: Final = damaged(
    st.lists(
        st.tuples(JSON_TEXTS, st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", "\u2028", " \n", "\x0c"])).map(
            "".join
        ),
        max_size=6,
    )
    .map("".join)
    .flatmap(_encodings)
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
    .flatmap(_encodings)
)

PIECES: Final = (
    *(
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
    ),
    *(
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
    ),
    *(
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
    ),
    *(
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
    ),
    *(
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
    ),
    *(
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
    ),
)
PROSE: Final = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(PIECES), ANY_TEXT), max_size=30).map("".join)
PROSE_BYTES: Final = damaged(PROSE.flatmap(_encodings))

ARCHIVES: Final = damaged(st.one_of(JSON_BYTES, LOGS).map(lambda data: gzip.compress(data, mtime=0)))
ANY_BYTES: Final = st.one_of(JSON_BYTES, JSON_LINES, LOGS, PROSE_BYTES, st.binary(max_size=40))

PATHS: Final = st.one_of(
    st.lists(
        st.sampled_from(
            [
                *(
                    ".a",
                    ".b",
                    ".name",
                    ".中文",
                    "..a",
                    "..values",
                    "[*]",
                    ".*",
                    "..[*]",
                    "..*",
                    "[0]",
                    "[1]",
                    "[00]",
                    "[-1]",
                    "['a']",
                    '["b"]',
                    "['']",
                ),
                *(
                    "..['a']",
                    "['\\u4e2d']",
                    "['\\ud83d\\ude00']",
                    "['\\ud800']",
                    "['a\\'b']",
                    '["a\\"b"]',
                    "[ 0 ]",
                    "[?@.a]",
                    "[0:1]",
                    ".",
                    "..",
                    "['a','b']",
                ),
                *(
                    ".-",
                    "._",
                    ".1",
                    "['\\x']",
                    "['\\/']",
                    "['\\n']",
                    "[9007199254740991]",
                    "[9007199254740992]",
                    "$",
                    " ",
                    "\n",
                    "['a",
                    "]",
                    ".é",
                ),
            ]
        ),
        max_size=5,
    ).map(lambda parts: "$" + "".join(parts)),
    st.text(st.sampled_from("$.[]*'\"\\au0 -_中"), max_size=10),
)
GLOBS: Final = st.lists(
    st.sampled_from([*"*?/.[](){}+^$|\\-aA中 \n", "**", "**/", "/**", "a/b", ".json", "*.log", "!"]),
    min_size=1,
    max_size=6,
).map("".join)
FILE_NAMES: Final = st.lists(
    st.sampled_from([*"aA中 .-_[](){}+^$|\\*?\n", "/", "a/", ".json", "b.log", "//"]), max_size=6
).map("".join)
