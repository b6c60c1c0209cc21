"""The bundle of a passing run with one thing spoilt: what a rubric ought to notice (specification 10, "Probing a rubric")."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from judge_polars.facts.routing_items import ROLES, read_items, read_reference
from judge_polars.globs import glob_regex, is_plain
from judge_polars.probe.bundles import KEPT, Files
from judge_polars.probe.json_edits import edited, emptied, emptied_at, later, later_points, later_text
from judge_polars.probe.milestones import milestone_calls
from judge_polars.rulebook import Case, DocumentRule, FactRule, Rule, RuleBook
from judge_polars.vocabulary import ROUTING_CHANNELS

DAYS_BESIDE: Final = 30
_OBSERVED: Final = re.compile(r"evidence\.(.+)_channel_observed")
_PRESENT: Final = re.compile(r"artifacts\.(.+)_present")
_LINE_DATE: Final = re.compile(r"^(\[?)(\d{4}([-/])\d{2}\3\d{2})(?=[ Tt]\d)", re.ASCII)
_ANY_WINDOW: Final = (("start", "end"), ("start_time", "end_time"))
_OWN_WINDOW: Final = (("start_time", "end_time"),)
_OTHER_CLUSTER: Final = "probe-other-cluster"
_NOWHERE: Final = "probe-no-such-reference"


@dataclass(frozen=True, slots=True)
class Spoiling:
    """A bundle with one thing spoilt.

    Attributes:
        name: `<what>` or `<what>:<which>`.
        needs_false: a fact that is false once the thing is really spoilt, or None.
        only_to_compare: it is judged to know what another spoiling could do, and is not a probe itself.
    """

    name: str
    files: Files
    needs_false: str | None = None
    only_to_compare: bool = False


def spoilings(files: Files, case: Case, book: RuleBook, true_facts: Collection[str]) -> Iterator[Spoiling]:
    """Everything that can be spoilt in a bundle, one at a time.

    `true_facts` are those that are true of the run as it is: a channel that is not observed cannot be emptied.
    """
    yield from _artifacts_gone(files, book)
    yield from _channels_emptied(files, case, book, true_facts)
    yield from _only_changed(files, "another_cluster", _another_cluster(files, book))
    yield from _only_changed(files, "shifted_window", _shifted_window(files, case, book))
    yield from _only_changed(files, "log_lines_out_of_window", _later_lines(files, case, book))
    yield from _only_changed(files, "points_out_of_window", _later_series(files, case, book))
    yield from _failed_milestones(files, case, book, true_facts)
    yield from _dangling_references(files, book)


def _only_changed(files: Files, name: str, changed: Files) -> Iterator[Spoiling]:
    """A spoiling, unless there was nothing to spoil."""
    if changed != files:
        yield Spoiling(name, changed)


def files_of(artifact: str, files: Files, book: RuleBook) -> list[str]:
    """The files that are a logical artifact, or lie in it."""
    for name in book.layout[artifact]:
        if artifact in ("logs_dir", "evidence_dir"):
            inside = [file for file in files if file.startswith(f"{name}/") and not file.endswith(f"/{KEPT}")]
            if inside:
                return inside
        elif name in files:
            return [name]
    return []


def _artifacts_gone(files: Files, book: RuleBook) -> Iterator[Spoiling]:
    """Without a logical artifact, or one of the files that are none and no log."""
    named: set[str] = set()
    for artifact in book.layout:
        gone = files_of(artifact, files, book) if artifact != "output_text" else []
        if gone:
            named.update(gone if artifact != "evidence_dir" else ())
            also = {f"{book.layout['evidence_dir'][0]}/{KEPT}"} if artifact == "evidence_dir" else set()
            yield Spoiling(f"artifact_gone:{artifact}", _without(files, {*gone, *also}))
    for name in files:
        if name not in named and not name.endswith(KEPT):
            yield Spoiling(f"artifact_gone:{name}", _without(files, {name}))


def _without(files: Files, gone: Collection[str]) -> Files:
    return {name: content for name, content in files.items() if name not in gone}


# Channels ------------------------------------------------------------------------------------------------------------


def _channels_emptied(files: Files, case: Case, book: RuleBook, true_facts: Collection[str]) -> Iterator[Spoiling]:
    """Each channel that is observed, its files still there but without content."""
    for definition in case.definitions:
        found = _OBSERVED.fullmatch(definition.name)
        if found is None or definition.name not in true_facts:
            continue
        changed = dict(files)
        for rule in definition.formula.rules:
            _empty(changed, rule, book)
        if changed != files:
            yield Spoiling(f"channel_emptied:{found[1]}", changed, needs_false=definition.name)


def _empty(files: dict[str, bytes], rule: Rule, book: RuleBook) -> None:
    """Take what a rule finds out of the documents that it reads; of artifacts that hold more, the part at its path."""
    artifact = rule.selector.artifact if isinstance(rule, DocumentRule) else _artifact_of(rule.fact)
    names = _selected(files, rule, book) if isinstance(rule, DocumentRule) else _files_of_fact(artifact, files, book)
    for name in names:
        if artifact is None or artifact in ("logs_dir", "evidence_dir"):
            after = edited(files[name], emptied)
            files[name] = after if name.lower().endswith(".json") else b""
        elif isinstance(rule, DocumentRule) and re.fullmatch(r"\$(\.[\w-]+)+", rule.path):
            files[name] = edited(files[name], partial(emptied_at, names=rule.path.split(".")[1:]))


def _artifact_of(fact: str) -> str | None:
    """The artifact whose presence a fact tells."""
    found = _PRESENT.fullmatch(fact)
    return found[1] if found is not None else None


def _files_of_fact(artifact: str | None, files: Files, book: RuleBook) -> list[str]:
    return files_of(artifact, files, book) if artifact in book.layout and artifact is not None else []


def _selected(files: Files, rule: DocumentRule, book: RuleBook) -> list[str]:
    """Names of the files that a rule's selector fits (specification 20, last paragraph)."""
    selector = rule.selector
    if selector.artifact is not None:
        return files_of(selector.artifact, files, book) if selector.artifact in book.layout else []
    name = selector.name or ""
    evidence = book.layout["evidence_dir"][0]
    globs = [name] if "/" in name else [f"{evidence}/{name}"]
    if is_plain(name) and "/" not in name and globs[0] not in files:
        globs.append(name)
    regexes = [re.compile(glob_regex(glob)) for glob in globs]
    return [file for file in files if not file.endswith(KEPT) and any(regex.search(file) for regex in regexes)]


# Identity and times --------------------------------------------------------------------------------------------------


def _identity_files(files: Files, book: RuleBook) -> list[str]:
    return [name for artifact in ("report", "manifest") for name in files_of(artifact, files, book)]


def _another_cluster(files: Files, book: RuleBook) -> Files:
    def edit(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        after = {**value, **({"cluster_id": _OTHER_CLUSTER} if "cluster_id" in value else {})}
        metadata = after.get("metadata")
        if isinstance(metadata, dict) and "cluster_id" in metadata:
            after["metadata"] = {**metadata, "cluster_id": _OTHER_CLUSTER}
        return after

    return _edited(files, _identity_files(files, book), edit)


def _shifted_window(files: Files, case: Case, book: RuleBook) -> Files:
    days = days_beside(case)

    def shifted(holder: Any, pairs: tuple[tuple[str, str], ...]) -> Any:
        if not isinstance(holder, dict):
            return holder
        names = {name for pair in pairs for name in pair}
        return {key: later(member, days) if key in names else member for key, member in holder.items()}

    def moved(holder: Any) -> Any:
        """A holder whose own ends and whose `time_window` are later."""
        if not isinstance(holder, dict):
            return holder
        after = shifted(holder, _OWN_WINDOW)
        window = {"time_window": shifted(after["time_window"], _ANY_WINDOW)} if "time_window" in after else {}
        return {**after, **window}

    def edit(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: moved(member) if key == "metadata" else member for key, member in moved(value).items()}

    return _edited(files, _identity_files(files, book), edit)


def days_beside(case: Case) -> int:
    """Days by which a time is moved to lie outside every window of a case, whatever its tolerance."""
    windows = (case.window, *case.allowed)
    longest = max(window.end for window in windows) - min(window.start for window in windows)
    tolerance = max(window.tolerance_us for window in windows) // 86_400_000_000
    return DAYS_BESIDE + longest.days + 2 * tolerance


def _later_lines(files: Files, case: Case, book: RuleBook) -> Files:
    """Log lines whose leading time lies outside of the window."""
    days = days_beside(case)
    changed = dict(files)
    for name in files_of("logs_dir", files, book):
        text = files[name].decode("utf-8", "surrogateescape")
        lines = (_LINE_DATE.sub(lambda found: found[1] + later_text(found[2], days), line) for line in text.split("\n"))
        changed[name] = "\n".join(lines).encode("utf-8", "surrogateescape")
    return changed


def _later_series(files: Files, case: Case, book: RuleBook) -> Files:
    """Points of numeric series in evidence and report outside of the window."""
    days = days_beside(case)
    names = [name for artifact in ("evidence_dir", "report") for name in files_of(artifact, files, book)]
    return _edited(files, names, lambda value: later_points(value, days))


def _edited(files: Files, names: Collection[str], edit: Callable[[Any], Any]) -> Files:
    return {name: edited(content, edit) if name in names else content for name, content in files.items()}


# Milestones and references -------------------------------------------------------------------------------------------


def _failed_milestones(files: Files, case: Case, book: RuleBook, true_facts: Collection[str]) -> Iterator[Spoiling]:
    """For each milestone that a check reads: its calls failed; and, to compare, its calls never made."""
    read = dict.fromkeys(
        rule.fact
        for check in case.checks
        for rule in check.formula.rules
        if isinstance(rule, FactRule) and rule.fact.startswith("workflow.") and rule.fact in true_facts
    )
    for telemetry in files_of("telemetry", files, book):
        for fact in read:
            calls = milestone_calls(telemetry, files[telemetry], fact, case)
            if calls is not None:
                name = fact.removeprefix("workflow.")
                failed = {**files, telemetry: calls.failed}
                yield Spoiling(f"failed_milestone:{name}", failed, needs_false=fact)
                removed = {**files, telemetry: calls.removed}
                yield Spoiling(f"removed_milestone:{name}", removed, needs_false=fact, only_to_compare=True)


def _dangling_references(files: Files, book: RuleBook) -> Iterator[Spoiling]:
    """For each channel that the patch cites: its first reference leads nowhere."""
    for name in files_of("analysis_patch", files, book):
        for channel in ROUTING_CHANNELS:
            after = edited(files[name], partial(_with_dangling, channel=channel))
            if after != files[name]:
                yield Spoiling(f"dangling_reference:{channel}", {**files, name: after})


def _with_dangling(patch: Any, channel: str) -> Any:
    """A patch whose first well-formed reference of a channel names something that is not there."""
    items = read_items(patch) or []
    for at, item in enumerate(items):
        for role in ROLES:
            references = item.get(role) if isinstance(item, dict) else None
            place = _first_of(references, channel) if isinstance(references, list) else None
            if isinstance(references, list) and place is not None:
                spoilt = {**item, role: [*references[:place], _dangling(references[place]), *references[place + 1 :]]}
                after = [*items[:at], spoilt, *items[at + 1 :]]
                return {**patch, "items": after} if isinstance(patch, Mapping) else after
    return patch


def _first_of(references: list[Any], channel: str) -> int | None:
    """Where the first well-formed reference of a channel stands."""
    found = ((place, read_reference(entry)) for place, entry in enumerate(references))
    return next((place for place, reference in found if reference is not None and reference.channel == channel), None)


def _dangling(entry: Any) -> Any:
    return {**entry, "ref": _NOWHERE} if isinstance(entry, dict) else f"{entry.partition(':')[0]}:{_NOWHERE}"
