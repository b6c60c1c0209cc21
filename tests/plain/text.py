"""Text: normalisation, keywords, regexes (40-rules, "Text")."""

import re
import unicodedata

INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
COLOUR_CODE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]", re.ASCII)
RUST_CODE_POINT = re.compile(r"(?<!\\)((?:\\\\)*)\\x\{([0-9A-Fa-f]+)\}")  # which Python spells otherwise
WHITE_SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
FULL_WIDTH_COMMA = "，"


def without_invisible(text: str) -> str:
    """A text without zero-width characters, soft hyphens and colour codes (40-rules, Text)."""
    return COLOUR_CODE.sub("", INVISIBLE.sub("", text))


def with_plain_line_breaks(text: str) -> str:
    r"""A text whose line breaks are all `\n` (40-rules, Text)."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def for_regexes(text: str) -> str:
    """The form of a text in which regexes are searched (40-rules, Text)."""
    return with_plain_line_breaks(without_invisible(unicodedata.normalize("NFKC", text)))


def for_keywords(text: str) -> str:
    """The form in which keywords and texts are compared (40-rules, Text)."""
    return WHITE_SPACE.sub(" ", without_invisible(unicodedata.normalize("NFKC", text)).lower())


def has_text(text: str) -> bool:
    """Whether anything but white space is there (20-bundles, Documents)."""
    return WHITE_SPACE.sub("", text) != ""


def keyword_occurs(keyword: str, text: str, *, whole_word: bool = False, in_json: bool = False) -> bool:
    """Whether a keyword occurs in a text, both in the form for keywords (40-rules, Text)."""
    wanted, searched = for_keywords(keyword), for_keywords(text)
    if in_json:
        wanted = as_in_compact_json(wanted)
    if not whole_word:
        return wanted in searched
    place = searched.find(wanted)
    while place >= 0:
        before, behind = searched[place - 1 : place], searched[place + len(wanted) : place + len(wanted) + 1]
        if not (is_word_letter(before, wanted) or is_word_letter(behind, wanted)):
            return True
        place = searched.find(wanted, place + 1)
    return False


def as_in_compact_json(keyword: str) -> str:
    """A normalised keyword without the spaces that compact JSON does not have (40-rules, Text)."""
    return keyword.replace('": ', '":').replace('", ', '",')


def is_word_letter(letter: str, keyword: str) -> bool:
    """Whether a neighbour makes an occurrence part of a longer word (40-rules, Text)."""
    if letter == "" or (keyword.isascii() and not letter.isascii()):
        return False
    return letter.isalnum() or letter == "_"


def pattern_in_nfkc(pattern: str, *, keep_comma: bool = False) -> str:
    """A pattern whose characters are in NFKC, escaped where they changed (40-rules, Text).

    `keep_comma`: in terminators and pseudo-negators the full-width comma stays, as in the text that they meet.
    """
    out = []
    for letter in pattern:
        plain = unicodedata.normalize("NFKC", letter)
        if plain == letter or (keep_comma and letter == FULL_WIDTH_COMMA):
            out.append(letter)
        else:
            out.append(re.escape(plain))
    return RUST_CODE_POINT.sub(lambda found: found[1] + re.escape(chr(int(found[2], 16))), "".join(out))


def regex(pattern: str, *, case_sensitive: bool = False) -> re.Pattern[str]:
    """A pattern as it is searched: multi-line, without case unless asked for (40-rules, Text)."""
    flags = re.MULTILINE if case_sensitive else re.MULTILINE | re.IGNORECASE
    return re.compile(pattern_in_nfkc(pattern), flags)


def regex_found(pattern: str, text: str, *, case_sensitive: bool = False) -> bool:
    """Whether a regex is found in the normalised text."""
    return regex(pattern, case_sensitive=case_sensitive).search(for_regexes(text)) is not None


def alternation(patterns: list[str], *, keep_comma: bool = False) -> re.Pattern[str] | None:
    """A word list as one pattern, earlier entries first; None for an empty list (40-rules, Assertions)."""
    if not patterns:
        return None
    parts = [f"(?:{pattern_in_nfkc(pattern, keep_comma=keep_comma)})" for pattern in patterns]
    return re.compile("|".join(parts), re.MULTILINE | re.IGNORECASE)


def glob(pattern: str, *, crosses_slash: bool = False) -> re.Pattern[str]:
    """A glob as a regex: only `**` crosses a `/`, and `**/` may stand for nothing where a part begins (20-bundles, Documents)."""
    one = "." if crosses_slash else "[^/]"
    out, place = "", 0
    while place < len(pattern):
        begins = not crosses_slash and (place == 0 or pattern[place - 1] == "/")
        if begins and pattern.startswith("**/", place):
            out, place = out + "(?:.*/)?", place + 3
        elif pattern.startswith("**", place):
            out, place = out + ".*", place + 2
        elif pattern[place] == "*":
            out, place = out + one + "*", place + 1
        elif pattern[place] == "?":
            out, place = out + one, place + 1
        else:
            out, place = out + re.escape(pattern[place]), place + 1
    return re.compile(out, re.DOTALL)


def is_glob(selector: str) -> bool:
    """Whether a file name holds a wild card."""
    return "*" in selector or "?" in selector
