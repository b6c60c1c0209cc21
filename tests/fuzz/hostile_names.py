"""Strategies for JSONPath, globs and names of files."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

PATHS: Final = st.one_of(
    st.lists(
        st.sampled_from(
            [
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
