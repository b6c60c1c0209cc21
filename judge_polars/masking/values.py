"""What is given as a secret, told from what only stands in its place (specification 90, "Security")."""

from __future__ import annotations

import re
from typing import Final

MASK: Final = "[masked:"
"""How every mask begins: `[masked:password]`."""

_PLACEHOLDER: Final = re.compile(
    r"""[*•·.?xX_\-]+ | <.*>? | \$\{.* | \$\(.* | \{\{.* | \{\w*\} | \$[A-Z_][A-Z0-9_]* | %\(?\w*\)?[sdqv] | :\w+
    | \[(?:masked|redacted|hidden|filtered|secret)\b.* | \((?:masked|redacted|hidden|empty|none|null)\)?""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
    a an and any are be been but by can changed checked does empty enabled disabled expired failed false file flag
    for from given has hidden if in incorrect invalid is it masked missing must needed never nil no none not null
    of off ok on option optional or policy prompt prompted provided redacted required reset rotated rotation set
    string text that the this to true undefined unknown unset using value was wrong were with yes you your 错误 无 空
    已过期 未设置 不正确 为空 不能为空
""",
    )
)
"""What is said about a value instead of giving it."""
_PATH: Final = re.compile(
    r"(?:~|\.{1,2})?/[\w.+-]*(?:/[\w.+-]+)*/?|[\w./-]+\.(?:pem|key|crt|cert|p12|jks|txt|json|ya?ml)"
)
_NAME: Final = re.compile(r"(?:[A-Za-z]+[0-9]{0,3}|[0-9]{1,4})(?:[-_./:](?:[A-Za-z]+[0-9]{0,3}|[0-9]{1,4}))*")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ].*")
MOST_WORDS: Final = 5
"""Words of a passphrase; more are prose."""


def is_given(value: str) -> bool:
    """Whether a value is given at all: no placeholder, no variable, no word that says something about it, no mask."""
    plain = value.strip().strip("\"'`")
    return bool(plain) and plain.lower().rstrip(".,;:!") not in _WORDS and not _PLACEHOLDER.fullmatch(plain)


def is_key(value: str) -> bool:
    """Whether a value is given that may be a key; the path of a file is none."""
    return is_given(value) and not _PATH.fullmatch(value.strip().strip("\"'`"))


def is_random(value: str) -> bool:
    """Whether a value looks like a token: at least 12 characters, letters and digits, and no name made of words and numbers."""
    plain = value.strip().strip("\"'`")
    return (
        len(plain) >= 12
        and any(char.isdigit() for char in plain)
        and any(char.isalpha() for char in plain)
        and not any(char.isspace() for char in plain)
        and not _NAME.fullmatch(plain)
        and not _TIME.fullmatch(plain)
        and is_key(plain)
    )


def is_told(value: str) -> bool:
    """Whether a value in a sentence ("the password is …") is one: quoted, or with letters and other characters."""
    quoted = len(value) > 2 and value[0] in "\"'`“「" and is_given(value)
    plain = value.strip("\"'`“”「」").rstrip(".,;:!?。，；")
    mixed = any(char.isalpha() for char in plain) and any(not char.isalpha() for char in plain)
    return (quoted or (len(plain) >= 6 and mixed)) and is_given(plain) and not _NAME_OF_WORDS.fullmatch(plain)


_NAME_OF_WORDS: Final = re.compile(r"[A-Za-z]+(?:[-_/.][A-Za-z]+)*")


def is_passphrase(value: str) -> bool:
    """Whether the rest of a line is one: at most `MOST_WORDS` words, and the first says nothing about it."""
    words = value.split()
    return 0 < len(words) <= MOST_WORDS and is_given(words[0]) and is_given(value)
