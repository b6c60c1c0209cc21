"""Values of declared variables, masked in what is written of an agent (specification 80, 90).

A value is found wherever a message, a pipe or a limit cuts it: what may go on as one is held back until more of it is known,
and where nothing more comes, its beginning is masked, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import AnyStr, Final, Generic

SHORTEST_MASKED: Final = 6
"""Characters from which a value, or its beginning at an end, is masked; shorter ones occur everywhere."""


class Forms(Generic[AnyStr]):
    """The forms of values in texts or bytes, and what stands there instead."""

    def __init__(self, instead: Mapping[AnyStr, AnyStr], separator: AnyStr) -> None:
        self._instead: dict[AnyStr, AnyStr] = dict(sorted(instead.items(), key=lambda pair: -len(pair[0])))
        self._longest = max(map(len, self._instead), default=0)
        self._firsts: set[AnyStr] = {form[:1] for form in self._instead}
        alternatives = separator.join(map(re.escape, self._instead))
        self._regex: re.Pattern[AnyStr] | None = re.compile(alternatives) if self._instead else None

    def parts(self, content: AnyStr) -> Iterator[tuple[int, int, AnyStr]]:
        """Start, end, and what stands there instead, of each value; the longest where several begin."""
        if self._regex is not None:
            for found in self._regex.finditer(content):
                start, end = found.span()
                yield start, end, self._instead[content[start:end]]

    def masked(self, content: AnyStr) -> AnyStr:
        """The content without values."""
        known: list[AnyStr] = []
        done = 0
        for start, end, instead in self.parts(content):
            known += [content[done:start], instead]
            done = end
        known.append(content[done:])
        return content[:0].join(known)

    def ended(self, content: AnyStr) -> AnyStr:
        """The content without values, and without the beginning of one at its end."""
        start = self.open_from(content)
        if len(content) - start < SHORTEST_MASKED:
            return self.masked(content)
        rest = content[start:]
        begun = (instead for form, instead in reversed(self._instead.items()) if form.startswith(rest))
        return self.masked(content[:start]) + (self._instead.get(rest) or next(begun))

    def open_from(self, content: AnyStr) -> int:
        """Where what may go on as a value begins; the length of the content where nothing may."""
        size = len(content)
        starts = range(max(0, size - self._longest + 1), size)
        open_ones = (
            start for start in starts if content[start : start + 1] in self._firsts and self._may(content[start:])
        )
        first = next(open_ones, size)
        if first == size:
            return size
        whole = [(start, end) for start, end, _ in self.parts(content) if end > first]
        while any(start < first < end for start, end in whole):
            first = next(open_ones, size)
        return first

    def _may(self, rest: AnyStr) -> bool:
        return any(len(form) > len(rest) and form.startswith(rest) for form in self._instead)


class Mask:
    """Puts `${NAME}` where the value of a declared variable stands, as it is or as JSON writes it.

    Attributes:
        texts, contents: the forms of the values in texts and in bytes.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        forms = {
            form: f"${{{name}}}"
            for name, value in values.items()
            for form in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
            if len(value) >= SHORTEST_MASKED
        }
        self.texts = Forms(forms, "|")
        self.contents = Forms(
            {form.encode(errors="surrogateescape"): instead.encode() for form, instead in forms.items()}, b"|"
        )

    def text(self, text: str, longest: int | None = None) -> str:
        """A text without the values, and without the beginning of one where it ends or is cut."""
        return self.texts.ended(text if longest is None else text[:longest])


class Piece:
    """A piece of a text that came in pieces.

    Attributes:
        text: what is known of it without values.
        left: what may still be part of a value.
    """

    def __init__(self, text: str) -> None:
        self.text = ""
        self.left = text


class Joined:
    """A text that comes in pieces, each of which is known once nothing in it may go on as a value.

    Of a value that lies in several pieces, `${NAME}` stands in the first one, and nothing in the others.
    """

    def __init__(self, mask: Mask) -> None:
        self._forms = mask.texts
        self._open: list[Piece] = []

    def add(self, text: str) -> Piece:
        """The next piece."""
        piece = Piece(text)
        self._open.append(piece)
        joined = "".join(one.left for one in self._open)
        self._decide(joined[: self._forms.open_from(joined)])
        self._open = [one for one in self._open if one.left]
        return piece

    def end(self) -> None:
        """Nothing comes any more: all pieces are known."""
        joined = "".join(one.left for one in self._open)
        start = self._forms.open_from(joined)
        self._decide(joined[:start])
        self._put(joined[start:], self._forms.ended(joined[start:]))
        self._open = []

    def _decide(self, known: str) -> None:
        done = 0
        for start, end, instead in self._forms.parts(known):
            self._put(known[done:start])
            self._put(known[start:end], instead)
            done = end
        self._put(known[done:])

    def _put(self, part: str, instead: str | None = None) -> None:
        """So much of what is left is known: it stays, or something else stands where it begins."""
        stays = instead is None or instead == part
        size = len(part)
        for one in self._open:
            taken, one.left = one.left[:size], one.left[size:]
            if stays:
                one.text += taken
            elif taken:
                one.text, instead = one.text + (instead or ""), ""
            size -= len(taken)
