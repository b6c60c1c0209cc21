"""Strategies for JSON that is nearly right, series among it, and for what any file may hold."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.fuzz.hostile_texts import ANY_TEXT, LOGS, PROSE_BYTES, TEXTS, damaged, encodings

NUMBERS: Final = (
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
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "170141183460469231731687303715884105728",
    "1" + "0" * 308,
    "1" + "0" * 309,
    "9" * 400,
    "0." + "1" * 400,
    "2.5",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "5e-324",
    "2e-324",
    "0x10",
    "1_000",
    "NaN",
    "Infinity",
    "-Infinity",
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
)

NAMES: Final = (
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
)

SPACES: Final = st.sampled_from(["", "", "", " ", "\n", "\t", "\r\n", "\x0b", "\xa0", "\ufeff", "/* */"])

SCRAPS: Final = st.sampled_from(
    [
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

JSON_BYTES: Final = damaged(JSON_TEXTS.flatmap(encodings))

JSON_LINES: Final = damaged(
    st.lists(
        st.tuples(JSON_TEXTS, st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", "\u2028", " \n", "\x0c"])).map(
            "".join
        ),
        max_size=6,
    )
    .map("".join)
    .flatmap(encodings)
)


ANY_BYTES: Final = st.one_of(JSON_BYTES, JSON_LINES, LOGS, PROSE_BYTES, st.binary(max_size=40))
