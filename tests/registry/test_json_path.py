"""JSON paths: the forms that are taken, and where the others go wrong (specification 40, "JSON paths")."""

from __future__ import annotations

import pytest

from judge_polars.json_path import PathError, Step, parse_path


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("$", ()),
        ("$.a", (Step("member", "a"),)),
        ("$.a-b_1", (Step("member", "a-b_1"),)),
        ("$.1", (Step("member", "1"),)),
        ("$.错误", (Step("member", "错误"),)),
        ("$.naïve", (Step("member", "naïve"),)),
        ("$['a b']", (Step("member", "a b"),)),
        ('$["a b"]', (Step("member", "a b"),)),
        ("$['']", (Step("member", ""),)),
        (r"$['it\'s']", (Step("member", "it's"),)),
        ("$['say \"x\"']", (Step("member", 'say "x"'),)),
        (r"$['\b\f\n\r\t\/\\']", (Step("member", "\b\f\n\r\t/\\"),)),
        (r"$['\u4E2d']", (Step("member", "中"),)),
        (r"$['\ud83d\uDE00']", (Step("member", "😀"),)),
        ("$[0]", (Step("element", 0),)),
        ("$[10]", (Step("element", 10),)),
        ("$[9007199254740991]", (Step("element", 2**53 - 1),)),
        ("$[*]", (Step("every"),)),
        ("$.*", (Step("every"),)),
        ("$..a", (Step("descend_member", "a"),)),
        ("$..['a']", (Step("descend_member", "a"),)),
        ("$..[*]", (Step("descend_every"),)),
        (
            "$.a[1]..b[*]['c']",
            (Step("member", "a"), Step("element", 1), Step("descend_member", "b"), Step("every"), Step("member", "c")),
        ),
    ],
)
def test_forms_that_are_taken(text: str, steps: tuple[Step, ...]) -> None:
    assert parse_path(text) == steps


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("", 1, "begins with"),
        ("a.b", 1, "begins with"),
        (" $", 1, "begins with"),
        ("$ ", 2, "where `.` or `[` is wanted"),
        ("$a", 2, "where `.` or `[` is wanted"),
        ("$.", 3, "where a name is wanted"),
        ("$.a.", 5, "where a name is wanted"),
        ("$.a b", 4, "where `.` or `[` is wanted"),
        ("$. a", 3, "where a name is wanted"),
        ("$.'a'", 3, "where a name is wanted"),
        ("$..", 4, "where a name is wanted"),
        ("$...a", 4, "where a name is wanted"),
        ("$..*", 4, "`..[*]`"),
        ("$..[0]", 4, "an index cannot follow"),
        ("$[", 3, "ends within"),
        ("$[]", 3, "an index, `*` or a quoted name"),
        ("$[01]", 3, "leading zeros"),
        ("$[-1]", 3, "negative"),
        ("$[9007199254740992]", 3, "at most"),
        ("$[1:2]", 4, "slices"),
        ("$[:2]", 3, "slices"),
        ("$[0,1]", 4, "lists of selectors"),
        ("$[?@.a]", 3, "filters"),
        ("$[ 0]", 3, "white space"),
        ("$[0 ]", 4, "white space"),
        ("$[0", 4, "where `]` is wanted"),
        ("$[a]", 3, "an index, `*` or a quoted name"),
        ("$[١]", 3, "an index, `*` or a quoted name"),
        ("$['a]", 3, "no closing"),
        ("$['a", 3, "no closing"),
        ("$['a\nb']", 5, "written as an escape"),
        (r"$['\x']", 4, "no escape"),
        (r"$['\"']", 4, "no escape"),
        (r"$['\u12']", 4, "four hexadecimal digits"),
        (r"$['\ud83d']", 4, "a high surrogate"),
        (r"$['\ud83dx']", 4, "a high surrogate"),
        (r"$['\ude00']", 4, "a low surrogate"),
        ("$['\\", 4, "no escape"),
    ],
)
def test_forms_that_are_not_taken(text: str, position: int, reason: str) -> None:
    with pytest.raises(PathError) as raised:
        parse_path(text)
    assert raised.value.position == position
    assert reason in raised.value.reason
    assert str(raised.value) == f"{raised.value.reason} at character {position}"
