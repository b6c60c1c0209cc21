r"""Literals without which a regex is found nowhere.

Most patterns are about words that most texts do not hold, and literals are found a hundred times faster than a regex.
Every match of `\["?kill(?:ing)? (?:query|session)\b` holds `kill`, and ` query` or ` session`: a text without `kill`, or
without both others, need not be searched.  What is read here of a pattern of Rust's engine is less than the engine
understands; where it is not enough, nothing is known to be needed.

A needle is in lower case, to be looked for in lower case: in a text in NFKC form nothing but the two cases of an ASCII
letter counts as that letter when case is ignored.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

Clause = tuple[str, ...]
"""Needles of which every match holds one."""

LEAST: Final = 3
"""Characters that a needle has at least."""
MOST: Final = 24
"""Needles that a clause has at most."""
CLAUSES: Final = 3
"""Clauses that are kept of a pattern."""

_OPENING: Final = re.compile(r"\((?!\?)|\(\?(?:P?<[^>]+>|[imsuU-]*:)")
_SET_FLAGS: Final = re.compile(r"\(\?[imsuU-]+\)")
_COUNT: Final = re.compile(r"\{(\d+)(?:,\d*)?\}")
_ESCAPE: Final = re.compile(r"\\(?:[pP](?:\{[^}]*\}|.)|[xuU](?:\{[^}]*\}|[0-9A-Fa-f]+)|b\{[a-z-]+\}|.)", re.DOTALL)


class _UnreadError(ValueError):
    """A pattern holds what is not understood here."""


class _Piece(NamedTuple):
    """A part of a pattern: `text` when it is exactly that text, and what it needs."""

    text: str | None
    needed: tuple[Clause, ...]


_UNKNOWN: Final = _Piece(None, ())


@lru_cache(maxsize=4096)
def needles(pattern: str) -> tuple[Clause, ...]:
    """Clauses of literals: every text in which the pattern is found holds one of each, in lower case.

    No needle holds a line break: one that is found nowhere in a text is found in no selection of its lines.
    """
    try:
        reader = _Reader(pattern)
        found = reader.alternatives()
        return found if reader.at == len(pattern) else ()
    except (_UnreadError, IndexError):
        return ()


class _Reader:
    """Goes through a pattern; `at` is the next character's place."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0

    def alternatives(self) -> tuple[Clause, ...]:
        """What alternatives need, up to the end or a closing parenthesis: of several, one of the needles of each."""
        branches = [self._sequence()]
        while self.at < len(self._pattern) and self._pattern[self.at] == "|":
            self.at += 1
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        if not all(branches):
            return ()
        every = tuple(dict.fromkeys(needle for needed in branches for needle in needed[0]))
        return (every,) if len(every) <= MOST else ()

    def _sequence(self) -> tuple[Clause, ...]:
        """What pieces need that stand one behind the other, the rarest first."""
        needed: list[Clause] = []
        run = ""
        while self.at < len(self._pattern) and self._pattern[self.at] not in "|)":
            piece = self._piece()
            least = self._quantifier()
            if piece.text is not None and least != 0:
                run += piece.text
            if piece.text is None or least is not None:
                needed.append((run,))
                run = piece.text if piece.text is not None and least else ""
            if least != 0:
                needed += piece.needed
        needed.append((run,))
        distinct = dict.fromkeys(clause for clause in needed if min(map(len, clause)) >= LEAST)
        return tuple(sorted(distinct, key=_commonness)[:CLAUSES])

    def _piece(self) -> _Piece:
        """The character, class or group that stands here."""
        char = self._pattern[self.at]
        if char == "(":
            return self._group()
        if char == "[":
            self._skip_class()
            return _UNKNOWN
        if char == "\\":
            return self._escape()
        self.at += 1
        return _UNKNOWN if char in ".^$" else _character(char)

    def _group(self) -> _Piece:
        flags = _SET_FLAGS.match(self._pattern, self.at)
        if flags is not None:
            self.at = flags.end()
            return _UNKNOWN
        opening = _OPENING.match(self._pattern, self.at)
        if opening is None:
            raise _UnreadError
        self.at = opening.end()
        inside = self.alternatives()
        if self._pattern[self.at] != ")":
            raise _UnreadError
        self.at += 1
        return _Piece(None, inside)

    def _skip_class(self) -> None:
        """Goes behind a class in brackets, classes within it included."""
        depth = 0
        while True:
            char = self._pattern[self.at]
            if char == "\\":
                self._escape()
                continue
            self.at += 1
            if char == "[":
                depth += 1
                if self._pattern[self.at] == "^":
                    self.at += 1
                if self._pattern[self.at] == "]":
                    self.at += 1
            elif char == "]":
                depth -= 1
                if depth == 0:
                    return

    def _escape(self) -> _Piece:
        found = _ESCAPE.match(self._pattern, self.at)
        if found is None:
            raise _UnreadError
        self.at = found.end()
        char = found[0][1]
        return _UNKNOWN if char.isalnum() or char in "<>" else _character(char)

    def _quantifier(self) -> int | None:
        """How often at least the piece before is repeated; None without a quantifier."""
        char = self._pattern[self.at : self.at + 1]
        if char in ("*", "?", "+"):
            self.at += 1
            least = int(char == "+")
        elif char == "{":
            count = _COUNT.match(self._pattern, self.at)
            if count is None:
                raise _UnreadError
            self.at = count.end()
            least = int(count[1])
        else:
            return None
        if self._pattern.startswith("?", self.at):
            self.at += 1
        if self._pattern[self.at : self.at + 1] in ("*", "?", "+", "{"):
            raise _UnreadError
        return least


def _character(char: str) -> _Piece:
    """A literal character; of letters beyond ASCII only such without cases are needed as they are written."""
    if char.isascii():
        return _UNKNOWN if char in "\r\n" else _Piece(char.lower(), ())
    return _Piece(char, ()) if char == char.lower() == char.upper() == char.casefold() else _UNKNOWN


def _commonness(clause: Clause) -> float:
    """How many texts may hold a needle of a clause, as an order: the longer they are, the fewer."""
    return len(clause) / 4 - min(map(len, clause))
