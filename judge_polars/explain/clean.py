"""What an explanation shows of documents and records, without secrets (specification 90, "Security").

Documents are masked before anything is cut out of them, so that no secret is cut in two and escapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from judge_polars.bundles import compact, parse_json
from judge_polars.explain.json_places import Node, select
from judge_polars.explain.model import CheckTold, Explanation, RuleTold, Sighting
from judge_polars.json_path import PathError, parse_path
from judge_polars.masking import mask, masked_kinds, told_masks

LINES_BESIDE: Final = 60
"""Lines on both sides of one that are looked at with it: a private key has no more."""
CHARACTERS_BESIDE: Final = 20_000
LARGEST: Final = 4_000_000
"""Characters of a JSON value that is masked as a whole; of a larger one each place that is shown alone (`clean_part`)."""


def clean_line(lines: list[str], number: int) -> str:
    """A line of a text, from 1, without secrets, also those that began in another line."""
    first = max(0, number - 1 - LINES_BESIDE)
    above = "\n".join(lines[first : number - 1])[-CHARACTERS_BESIDE:]
    below = "\n".join(lines[number : number + LINES_BESIDE])[:CHARACTERS_BESIDE]
    masked = mask(f"{above}\n{lines[number - 1]}\n{below}").text.split("\n")
    return masked[above.count("\n") + 1]


def clean_value(value: object) -> object:
    """A JSON value of the same shape without secrets; one that is larger than `LARGEST` as it is."""
    text = compact(value)
    if is_too_large(text):
        return value
    masked = mask(text, "json")
    return parse_json(masked.text.encode()) if masked.secrets else value


def is_too_large(text: str) -> bool:
    """Whether a JSON value with this compact text is not masked as a whole."""
    return len(text) > LARGEST


def clean_node(value: object, node: Node) -> Node:
    """The node of that place in `clean_value` of its document."""
    try:
        found = select(value, parse_path(node.path))
    except PathError:
        found = []
    shown = found[0].value if len(found) == 1 else node.value
    if shown is node.value:
        shown = mask(shown).text if isinstance(shown, str) else clean_value(shown)
    return Node(node.path, shown)


def clean_part(text: str, place: tuple[int, int]) -> str:
    """What stands at a place (start, end) of a text and beside it, without secrets."""
    start, end = place
    return mask(text[max(0, start - CHARACTERS_BESIDE) : end + CHARACTERS_BESIDE]).text


def without_secrets(told: Explanation) -> Explanation:
    """The explanation with everything masked that came from the run, and what was masked by kind and place."""
    run = {key: _clean(value) if isinstance(value, str) else value for key, value in told.run.items()}
    clean = replace(
        told,
        run=run,
        bundle=None if told.bundle is None else _clean(told.bundle),
        candidates=tuple(replace(one, root=_clean(one.root)) for one in told.candidates),
        checks=tuple(_check(check) for check in told.checks),
        references=tuple(
            replace(ref, ref=_clean(ref.ref), item_id=None if ref.item_id is None else _clean(ref.item_id))
            for ref in told.references
        ),
        issues=tuple(
            replace(
                issue,
                document=None if issue.document is None else _clean(issue.document),
                detail=None if issue.detail is None else _clean(issue.detail),
            )
            for issue in told.issues
        ),
    )
    return replace(clean, masked=tuple(_listed(_places(clean))))


def _clean(text: str) -> str:
    return mask(text).text


def _check(check: CheckTold) -> CheckTold:
    return replace(check, rules=tuple(_rule(rule) for rule in check.rules))


def _rule(rule: RuleTold) -> RuleTold:
    return replace(
        rule,
        sightings=tuple(_sighting(one) for one in rule.sightings),
        notes=tuple(_clean(note) for note in rule.notes),
        because=tuple(_rule(inner) for inner in rule.because),
    )


def _sighting(seen: Sighting) -> Sighting:
    return replace(
        seen,
        document=_clean(seen.document),
        excerpt=None if seen.excerpt is None else _clean(seen.excerpt),
    )


def _places(told: Explanation) -> Iterator[tuple[str, str]]:
    """Place and text of everything that can hold a mask."""
    yield from (("the record", value) for value in told.run.values() if isinstance(value, str))
    yield from (("names of candidates", one.root) for one in told.candidates)
    for check in told.checks:
        for rule in check.rules:
            yield from _of_rule(f"check {check.id}", rule)
    for ref in told.references:
        yield "references", f"{ref.ref} {ref.item_id or ''}"
    for issue in told.issues:
        yield "issues", f"{issue.document or ''} {issue.detail or ''}"


def _of_rule(place: str, rule: RuleTold) -> Iterator[tuple[str, str]]:
    for seen in rule.sightings:
        yield f"{place}, {seen.document} {seen.place or ''}".rstrip(), seen.excerpt or ""
    yield from ((place, note) for note in rule.notes)
    for inner in rule.because:
        yield from _of_rule(place, inner)


def _listed(places: Iterator[tuple[str, str]]) -> Iterator[str]:
    """`url password in check disk_busy, logs/tikv.log line 7 (2 times)`."""
    found: Counter[tuple[str, str]] = Counter()
    for place, text in places:
        found.update((place, kind) for kind in masked_kinds(text))
    return told_masks(found)
