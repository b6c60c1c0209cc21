"""Documents: reading one file of a bundle (20-bundles, "Documents")."""

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from tests.plain.markdown import code_blocks
from tests.plain.text import has_text
from tests.plain.values import BYTE_ORDER_MARK, Json, Parsed, compact, parse_json

SIZE_LIMIT = 64 * 1024 * 1024
RATIO_FROM = 16 * 1024 * 1024
RATIO_LIMIT = 200
NUL_WITHIN = 8 * 1024
TEXT_EXTENSION = re.compile(r"\.(log|txt|md|out|json|jsonl|ndjson)([._-]?\d[\d._:TZ-]*)?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, order=True)
class Issue:
    """Something odd that was met; the fields are in the order of sorting, no document first (70-interface)."""

    document: str
    code: str
    detail: str

    def as_json(self) -> dict[str, str | None]:
        """The issue as `judge --issues` prints it."""
        return {"code": self.code, "document": self.document or None, "detail": self.detail}


@dataclass
class Document:
    """One document: its text (None when unread), its JSON value in a list of one (empty when it has none).

    `as_json`: the text is that of JSON values, in their compact form.  `line_count`: lines of the file as it is.
    """

    name: str
    text: str | None = None
    values: list[Json] = field(default_factory=list)
    as_json: bool = False
    line_count: int = 0
    unread: str = ""
    issues: list[Issue] = field(default_factory=list)

    @property
    def has_text(self) -> bool:
        """Whether there is more than white space (20-bundles, Documents)."""
        return self.text is not None and has_text(self.text)

    def add_issue(self, code: str, detail: str) -> None:
        """Note something odd about this document."""
        self.issues.append(Issue(self.name, code, detail))

    def refuse(self, code: str, detail: str) -> "Document":
        """The document is there but unread."""
        self.unread = code
        self.add_issue(code, detail)
        return self


def is_packed(name: str) -> bool:
    """Whether a name ends in `.gz`, in any case (20-bundles, Documents)."""
    return name.lower().endswith(".gz")


def document_name(name: str) -> str:
    """The name of the document in a file: without `.gz` (20-bundles, Documents)."""
    return name[:-3] if is_packed(name) else name


def extension(name: str) -> str:
    """What stands behind the last full stop of the file name, in lower case."""
    file_name = name.rsplit("/", 1)[-1]
    return file_name.rsplit(".", 1)[-1].lower() if "." in file_name else ""


def has_text_extension(name: str) -> bool:
    """Whether a name ends as text files do, rotated ones included (40-rules, Document rules)."""
    file_name = name.rsplit("/", 1)[-1]
    return any(TEXT_EXTENSION.fullmatch(file_name, place) for place in range(len(file_name)))


def read_document(path: Path, name: str, *, always_text: bool = False) -> Document:
    """Read a file as the document of that name; `always_text`: whatever its extension says."""
    document = Document(name)
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= SIZE_LIMIT else b""
    except OSError as error:
        return document.refuse("document_unreadable", type(error).__name__)
    if size > SIZE_LIMIT:
        return document.refuse("document_too_large", f"{size} bytes")
    if is_packed(path.name):
        unpacked = unpack(content)
        if unpacked is None:
            return document.refuse("archive_refused", "corrupt or too large when unpacked")
        content = unpacked
    if b"\0" in content[:NUL_WITHIN]:
        return document.refuse("binary_skipped", f"a NUL byte within the first {NUL_WITHIN} bytes")
    read_content(document, content, "" if always_text else extension(name))
    return document


def unpack(packed: bytes) -> bytes | None:
    """The unpacked bytes; None for a broken archive, an empty one, and one that grows too much (20-bundles, Documents)."""
    if not packed:
        return None
    try:
        with gzip.open(BytesIO(packed)) as stream:
            content = stream.read(SIZE_LIMIT + 1)
    except (OSError, EOFError, zlib.error):
        return None
    if len(content) > SIZE_LIMIT:
        return None
    if len(content) > RATIO_FROM and len(content) > RATIO_LIMIT * len(packed):
        return None
    return content


def read_content(document: Document, content: bytes, kind: str) -> None:
    """Fill text and value from the bytes of a file of that extension."""
    plain = content.removeprefix(BYTE_ORDER_MARK)
    document.text = plain.decode("utf-8", "replace")
    document.line_count = plain.count(b"\n") + (not plain.endswith(b"\n") and plain != b"")
    if not is_utf8(plain):
        document.add_issue("text_undecodable", "bytes that are no UTF-8 were replaced")
    if kind == "json":
        read_json(document, plain)
    elif kind in ("jsonl", "ndjson"):
        read_json_lines(document, plain)


def is_utf8(content: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def parse_bytes(content: bytes) -> Parsed | None:
    """The JSON value of bytes, which have to be UTF-8 (20-bundles, Documents)."""
    return parse_json(content.decode("utf-8")) if is_utf8(content) else None


def read_json(document: Document, content: bytes) -> None:
    """Give a `.json` document its value; its text is then the compact form (20-bundles, Documents)."""
    parsed = parse_bytes(content)
    if parsed is None:
        document.add_issue("json_invalid", "the file does not parse as JSON")
        return
    if parsed.nonstandard:
        document.add_issue("json_nonstandard", "bare NaN or Infinity")
    document.values = [parsed.value]
    document.text = compact(parsed.value)
    document.as_json = True


def read_json_lines(document: Document, content: bytes) -> None:
    """Give a document of JSON lines the list of its good lines, and a text line by line (20-bundles, Documents)."""
    good: list[Json] = []
    texts: list[str] = []
    bad: list[int] = []
    nonstandard = False
    for number, line in non_blank_lines(content):
        parsed = parse_bytes(line)
        if parsed is None:
            bad.append(number)
            texts.append(line.decode("utf-8", "replace"))
        else:
            nonstandard = nonstandard or parsed.nonstandard
            good.append(parsed.value)
            texts.append(compact(parsed.value))
    if nonstandard:
        document.add_issue("json_nonstandard", "bare NaN or Infinity")
    if bad:
        document.add_issue("jsonl_bad_line", f"{len(bad)} bad lines, the first is line {bad[0]}")
    document.text = "\n".join(texts)
    document.as_json = bool(good)
    document.values = [good] if good else []


def non_blank_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line that is not blank (20-bundles, Documents)."""
    for number, line in enumerate(content.split(b"\n"), start=1):
        line = line.removesuffix(b"\r").removeprefix(BYTE_ORDER_MARK)
        if has_text(line.decode("utf-8", "replace")):
            yield number, line


def read_output(path: Path) -> Document:
    """The document `output`: always text, and perhaps with a JSON value (20-bundles, Documents)."""
    document = read_document(path, "output", always_text=True)
    if document.text is None:
        return document
    parsed = parse_json(document.text) or last_json_block(document.text)
    if parsed is not None:
        document.values = [parsed.value]
        if parsed.nonstandard:
            document.add_issue("json_nonstandard", "bare NaN or Infinity")
    return document


def last_json_block(text: str) -> Parsed | None:
    """The last fenced block that holds a JSON object or list (20-bundles, Documents)."""
    for mark, content in reversed(code_blocks(text)):
        if (mark.split() or ["json"])[0].lower() == "json":
            parsed = parse_json(content)
            if parsed is not None and isinstance(parsed.value, list | dict):
                return parsed
    return None
