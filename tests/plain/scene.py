"""What the rules of one case run can read, and which of it a rule selects (20-bundles, 40-rules)."""

from dataclasses import dataclass, field
from typing import Any

from tests.plain.assertions import Words
from tests.plain.bundles import Bundle, selected
from tests.plain.comparisons import Value
from tests.plain.documents import Document
from tests.plain.loading import Case
from tests.plain.markdown import section_text
from tests.plain.text import has_text, with_plain_line_breaks, without_invisible
from tests.plain.times import Instant, duration, leading_time

Rule = dict[str, Any]


@dataclass
class Scene:
    """The case, the bundle, the output and the facts that are known so far."""

    case: Case
    bundle: Bundle | None
    output: Document | None
    words: Words
    facts: dict[str, Value] = field(default_factory=dict)


class Unfit(Exception):
    """A rule lacks what it needs; the argument is the reason."""


def documents_for(rule: Rule, scene: Scene) -> list[Document]:
    """The documents that the rule selects, `output` where it names none (40-rules, Document rules)."""
    documents = selected(rule.get("artifact", "output"), scene.bundle, scene.output)
    if not documents:
        raise Unfit("artifact_missing")
    return documents


def documents_with_values(rule: Rule, scene: Scene) -> list[Document]:
    """The selected documents that have a JSON value."""
    documents = [document for document in documents_for(rule, scene) if document.values]
    if not documents:
        raise Unfit("no_json_value")
    return documents


@dataclass(frozen=True)
class Text:
    """The part of a document's text that a rule reads."""

    text: str
    as_json: bool


def texts_for(rule: Rule, scene: Scene) -> list[Text]:
    """The texts that a text rule reads; unread documents spoil a `_none` method (40-rules, Document rules)."""
    documents = documents_for(rule, scene)
    texts = [Text(part_of(document.text, rule, scene), document.as_json) for document in documents if document.text]
    texts = [text for text in texts if has_text(text.text)]
    if not texts:
        raise Unfit("no_text")
    unread = any(document.unread for document in documents)
    if unread and rule["match"].endswith("_none") and not rule.get("ignore_unread", False):
        raise Unfit("unread_document")
    return texts


def part_of(text: str, rule: Rule, scene: Scene) -> str:
    """The lines within the window, and of these the sections, where the rule asks for them."""
    if "within" in rule:
        text = lines_within(text, rule, scene.case)
    if "section" in rule:
        text = section_text(text, rule["section"], or_all=rule.get("section_or_all", False))
    return text


def lines_within(text: str, rule: Rule, case: Case) -> str:
    """The lines whose own time, or that of a line before them, lies in the window (40-rules, `within`)."""
    kept, inside = [], False
    for line in with_plain_line_breaks(text).split("\n"):
        time = leading_time(without_invisible(line))
        if time is not None:
            inside = is_within(time, rule, case)
        if inside:
            kept.append(line)
    return "\n".join(kept)


def is_within(time: Instant, rule: Rule, case: Case) -> bool:
    """Whether a time lies in the case's window, or before it (40-rules, `within`)."""
    margin = duration(rule.get("margin", "0s"))
    start, end = case.window.start.microseconds - margin, case.window.end.microseconds + margin
    if rule["within"] == "before_window":
        return time.microseconds < start
    return start <= time.microseconds <= end
