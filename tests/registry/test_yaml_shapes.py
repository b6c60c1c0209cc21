"""Which shapes of YAML are data, and which are findings: the corners in which versions and parsers differ (specification 10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_polars.registry.source import DEPTH, DIGITS, NODES, SIZE, parse_source, read_source

DATA: list[tuple[str, object]] = [
    # block and flow
    ("- a\n- b\n", ["a", "b"]),
    ("a:\n- b\n- c\n", {"a": ["b", "c"]}),
    ("a: [b, c,]\n", {"a": ["b", "c"]}),
    ("a: {b: 1, c: ,}\n", {"a": {"b": 1, "c": None}}),
    ('{"a":1,"b":[2]}', {"a": 1, "b": [2]}),
    ("a: [b: 1, c]\n", {"a": [{"b": 1}, "c"]}),
    ("? a\n: b\n", {"a": "b"}),
    ("? |\n  a\n: b\n", {"a\n": "b"}),
    ("a:\n", {"a": None}),
    ("- - - a\n", [[["a"]]]),
    ("a: b #c\n", {"a": "b"}),
    ("a: b#c\n", {"a": "b#c"}),
    ("a: http://x:1/?y=z\n", {"a": "http://x:1/?y=z"}),
    ("a:b: c\n", {"a:b": "c"}),
    # scalars over several lines
    ("a: b\n  c\n\n  d\n", {"a": "b c\nd"}),
    ("a: |\n  b\n   c\n", {"a": "b\n c\n"}),
    ("a: |-\n  b\n\n", {"a": "b"}),
    ("a: |+\n  b\n\n", {"a": "b\n\n"}),
    ("a: |2\n    b\n", {"a": "  b\n"}),
    ("a: >\n  b\n  c\n\n  d\n", {"a": "b c\nd\n"}),
    ("a: >-\n  b\n    c\n  d", {"a": "b\n  c\nd"}),
    ("a: |\n  #b\n", {"a": "#b\n"}),
    ("a: 'b\n\n  c'\n", {"a": "b\nc"}),
    ('a: "b\\\n  c"\n', {"a": "bc"}),
    # quotes and escapes
    ("a: 'it''s'\n", {"a": "it's"}),
    ("a: '\\n'\n", {"a": "\\n"}),
    ('a: "\\x41\\u4e2d\\U0001F600\\e\\0\\_\\N"\n', {"a": "A\u4e2d\U0001f600\x1b\0\xa0\x85"}),
    ('a: ""\n', {"a": ""}),
    # what version 1.1 takes for something else
    ("a: [yes, no, on, off, y, n, Yes, NO]\n", {"a": ["yes", "no", "on", "off", "y", "n", "Yes", "NO"]}),
    ("a: [0o17, 017, 0b11, 1_000, 0x_1, 190:20:30, 12:30]\n", {"a": [15, 17, "0b11", "1_000", "0x_1", "190:20:30", "12:30"]}),
    ("a: [2001-12-14, 2001-12-14 21:59:43]\n", {"a": ["2001-12-14", "2001-12-14 21:59:43"]}),
    ("a: 2001-12-14t21:59:43.10-05:00\n", {"a": "2001-12-14t21:59:43.10-05:00"}),
    ("a: [1e3, 1e+3, 1.e3, +1, -.5, 685_230.15, .5e1]\n", {"a": [1000.0, 1000.0, 1000.0, 1, -0.5, "685_230.15", 5.0]}),
    ("a: [=, <, '<<', ~, NULL, nULL, '~']\n", {"a": ["=", "<", "<<", None, None, "nULL", "~"]}),
    ("a: [., .., +, -, .e1, e1]\n", {"a": [".", "..", "+", "-", ".e1", "e1"]}),
    ("a: [+.inf, .Inf, .iNF, inf]\n", {"a": [float("inf"), float("inf"), ".iNF", "inf"]}),
    # anchors
    ("a: &x {b: 1}\nc: *x\n", {"a": {"b": 1}, "c": {"b": 1}}),
    ("a: &x 1\nb: &x 2\nc: *x\n", {"a": 1, "b": 2, "c": 2}),
    ("&k a: 1\nb: *k\n", {"a": 1, "b": "a"}),
    ("a: &x b\n*x : c\n", {"a": "b", "b": "c"}),
    # documents, marks, line ends
    ("--- a\n", "a"),
    ("---\n", None),
    ("%YAML 1.2\n---\na: 1\n", {"a": 1}),
    ("a: 1\n...\n# end\n", {"a": 1}),
    ("\n\n# before\n\na: 1\n\n", {"a": 1}),
    ("a: 1\r\nb: |\r\n  c\r\n  d\r\n", {"a": 1, "b": "c\nd\n"}),
    ("a: 1\rb: 2\r", {"a": 1, "b": 2}),
    ("a: 1", {"a": 1}),
    ("中文: 值\n", {"中文": "值"}),
    ("a: 😀\n", {"a": "😀"}),
    ("a: b\tc\n", {"a": "b\tc"}),
    ("a:\tb\n", {"a": "b"}),
]  # fmt: skip
FOUND: list[tuple[str, str]] = [
    # one code for each shape that is refused
    ("a: 1\na: 2\n", "duplicate_key"),
    ("{a: 1, a: 2}", "duplicate_key"),
    ("a: 1\n? a\n: 2\n", "duplicate_key"),
    ("&k a: 1\n*k : 2\n", "duplicate_key"),
    ("a: &x {b: 1}\nc:\n  <<: *x\n", "merge_key"),
    ("<<: [{a: 1}]\n", "merge_key"),
    ("a: !!int '1'\n", "tag_refused"),
    ("a: !!timestamp 2001-12-14\n", "tag_refused"),
    ("a: !!set {x, y}\n", "tag_refused"),
    ("a: !!binary aGk=\n", "tag_refused"),
    ("a: !own x\n", "tag_refused"),
    ("a: !<tag:yaml.org,2002:str> x\n", "tag_refused"),
    ("a: !!python/object/new:os.system [ls]\n", "tag_refused"),
    ("%TAG ! tag:x,2000:\n---\na: !b c\n", "tag_refused"),
    ("1: a\n", "key_not_text"),
    ("1.5: a\n", "key_not_text"),
    ("null: a\n", "key_not_text"),
    (": a\n", "yaml_syntax"),
    ("{[a, b]: c}\n", "key_not_text"),
    ("? {a: b}\n: c\n", "key_not_text"),
    ("a: 1\n---\nb: 2\n", "several_documents"),
    ("a: 1\n...\nb: 2\n", "yaml_syntax"),
    ("---\n---\n", "several_documents"),
    ("", "empty_file"),
    ("...\n", "yaml_syntax"),
    ("\n \n", "empty_file"),
    ("a: *x\n", "unknown_alias"),
    ("a: &x {b: *x}\n", "unknown_alias"),
    ("a: *x\nb: &x 1\n", "unknown_alias"),
    ("a: &x &y 1\n", "yaml_syntax"),
    ("a: &中 1\n", "yaml_syntax"),
    ("a: *x b\n", "unknown_alias"),
    ("a:\n\tb: 1\n", "yaml_syntax"),
    ("\ta: 1\n", "yaml_syntax"),
    ("a: 1\n b: 2\n", "yaml_syntax"),
    ("a:\n  b: 1\n c: 2\n", "yaml_syntax"),
    ("- a\nb: 1\n", "yaml_syntax"),
    ("a: b: c\n", "yaml_syntax"),
    ("a: 'b\n", "yaml_syntax"),
    ('a: "\\q"\n', "yaml_syntax"),
    ('a: "\\x4"\n', "yaml_syntax"),
    ('a: "\\ud800"\n', "yaml_syntax"),
    ('a: "\\U00110000"\n', "yaml_syntax"),
    ("a: [1, 2\nb: 3\n", "yaml_syntax"),
    ("a: ]\n", "yaml_syntax"),
    ("a: `b`\n", "yaml_syntax"),
    ("a: @b\n", "yaml_syntax"),
    ("a: %b\n", "yaml_syntax"),
    ("a: |x\n  b\n", "yaml_syntax"),
    ("a: |0\n  b\n", "yaml_syntax"),
    ("%YAML 3.0\n---\na: 1\n", "yaml_syntax"),
    ("%YAML 1.1\n%YAML 1.1\n---\na: 1\n", "yaml_syntax"),
    ("a: 1\x00\n", "control_character"),
    ("a: \x1b[31m\n", "control_character"),
    ("a: \x7f\n", "control_character"),
    ("a: 1\x85b: 2\n", "control_character"),
    ("a: 1\u2028b: 2\n", "control_character"),
    ("a: 1\n\ufeffb: 2\n", "yaml_syntax"),
    ("a: \ufffe\n", "control_character"),
]


@pytest.mark.parametrize(("text", "data"), DATA, ids=[repr(text)[:40] for text, _ in DATA])
def test_what_is_data(text: str, data: object) -> None:
    source = parse_source(text, "f.yaml")
    assert source.findings == []
    assert repr(source.data) == repr(data)


@pytest.mark.parametrize(("text", "code"), FOUND, ids=[repr(text)[:40] for text, _ in FOUND])
def test_what_is_found(text: str, code: str) -> None:
    assert [found.code for found in parse_source(text, "f.yaml").findings][:1] == [code]


def codes(text: str) -> list[str]:
    return [found.code for found in parse_source(text, "f.yaml").findings]


def test_nesting_at_the_limit_and_beyond() -> None:
    assert codes("[" * DEPTH + "]" * DEPTH) == []
    assert codes("[" * (DEPTH + 1) + "]" * (DEPTH + 1)) == ["too_deep"]


def test_digits_at_the_limit_and_beyond() -> None:
    assert codes(f"a: {'9' * DIGITS}\n") == []
    assert codes(f"a: {'9' * (DIGITS + 1)}\n") == ["number_too_long"]


def test_nodes_of_aliases_at_the_limit_and_beyond() -> None:
    """The anchored list counts once as it is written and once for each alias."""
    anchored = NODES // 100 - 1
    written = "a: &x [" + ",".join("1" * (anchored - 1)) + "]\n"
    aliases = 98
    text = written + "b: [" + ",".join(["*x"] * aliases) + "]\n"
    rest = NODES - (1 + 1 + anchored + 1 + 1 + aliases * anchored)
    assert rest > 2
    assert codes(text + "c: [" + ",".join("1" * (rest - 2)) + "]\n") == []
    assert codes(text + "c: [" + ",".join("1" * (rest - 1)) + "]\n") == ["too_many_nodes"]


def test_bytes_of_a_file_at_the_limit_and_beyond(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a: 1\n#" + b"x" * (SIZE - 6))
    assert read_source(path, "f.yaml").findings == []
    path.write_bytes(b"a: 1\n#" + b"x" * (SIZE - 5))
    assert [found.code for found in read_source(path, "f.yaml").findings] == ["file_too_large"]
