"""Built-in evidence facts and the evidence that references are resolved against (30-facts, "Evidence facts")."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.plain.bundles import Bundle, selected, value_at
from tests.plain.comparisons import Value
from tests.plain.paths import select
from tests.plain.rules import why_false
from tests.plain.scene import Rule, Scene
from tests.plain.series import Level, Series, labels_of, own_name, series_in
from tests.plain.values import Json, is_integer

CORE = ("collection_errors.json", "gate_checks.json", "log_stats.json", "queries.json")
QUERY_IDS = ("digest", "sql_digest", "query_digest", "plan_digest", "id", "query_id")
EVENT_IDS = ("id", "event_id", "uid")
METRICS_IN_REPORT = ("evidence", "metrics")


def channel_facts(scene: Scene) -> dict[str, Value]:
    """The four facts of each channel (30-facts, Evidence facts)."""
    facts: dict[str, Value] = {}
    for channel, lists in scene.case.channels.items():
        observed, attempted, present = (
            any_of(lists.get(name) or [], scene) for name in ("observed_any_of", "attempted_any_of", "present_any_of")
        )
        facts[f"evidence.{channel}_channel_observed"] = observed
        facts[f"evidence.{channel}_collection_attempted"] = attempted
        facts[f"evidence.{channel}_output_file_present"] = present
        facts[f"evidence.{channel}_attempted_implies_artifact_present"] = not attempted or present
    return facts


def any_of(rules: list[Rule], scene: Scene) -> bool:
    """Whether one of the rules is true."""
    return any(why_false(rule, scene, ()) is None for rule in rules)


def core_facts(bundle: Bundle, channels: dict[str, Value]) -> dict[str, Value]:
    """The built-in evidence facts that are no channel's (30-facts, Evidence facts)."""
    core = [bundle.documents.get(f"{bundle.evidence_dir}/{name}") for name in CORE]
    errors = list_in(bundle, "collection_errors.json", ("$", "$.errors", "$.items"))
    observed = [channels.get(f"evidence.{channel}_channel_observed", False) for channel in ("queries", "metrics")]
    return {
        "evidence.core_evidence_bundle_present": all(document is not None and document.values for document in core),
        "evidence.query_or_metric_channel_observed": any(observed),
        "evidence.collection_error_count": None if errors is None else len(errors),
    }


def list_in(bundle: Bundle, name: str, paths: Iterable[str]) -> list[Json] | None:
    """The first list at one of the paths of a document (30-facts, Evidence facts)."""
    for document in selected(name, bundle, None):
        if document.values:
            for path in paths:
                for node in select(path, document.values[0]):
                    if isinstance(node.value, list):
                        return node.value
    return None


def ids_in(entries: list[Json] | None, keys: tuple[str, ...]) -> Iterator[str]:
    """The texts and integers under the given members of each entry (30-facts, Evidence facts)."""
    for entry in entries or []:
        for held in [entry.get(key) for key in keys] if isinstance(entry, dict) else []:
            if isinstance(held, str):
                yield held
            elif is_integer(held):
                yield str(held)


def list_in_report(bundle: Bundle, member: str) -> list[Json] | None:
    """The list at `$.evidence.<member>` of the report."""
    nodes = select(f"$.evidence.{member}", value_at(bundle.report))
    return next((node.value for node in nodes if isinstance(node.value, list)), None)


@dataclass(frozen=True)
class Evidence:
    """What references are resolved against: the metric series, the query ids and the event ids."""

    metrics: list[Series]
    queries: set[str]
    events: set[str]


def evidence_of(bundle: Bundle) -> Evidence:
    """The evidence tables of 30-facts."""
    queries = list_in(bundle, "queries.json", ("$", "$.queries", "$.items"))
    events = list_in(bundle, "events.json", ("$", "$.events", "$.items"))
    return Evidence(
        metrics=[*metrics_in_evidence(bundle), *metrics_in_report(bundle)],
        queries={*ids_in(queries, QUERY_IDS), *ids_in(list_in_report(bundle, "queries"), QUERY_IDS)},
        events={*ids_in(events, EVENT_IDS), *ids_in(list_in_report(bundle, "events"), EVENT_IDS)},
    )


def metrics_in_evidence(bundle: Bundle) -> list[Series]:
    """The series of the evidence documents that are named after metrics (30-facts, Evidence facts)."""
    return [
        series
        for document in selected("evidence", bundle, None)
        if "metric" in document.name.rsplit("/", 1)[-1] and document.values
        for series in series_in(document.values[0], document.name)
    ]


def metrics_in_report(bundle: Bundle) -> list[Series]:
    """The series and the mere names of metrics in the report (30-facts, Evidence facts)."""
    found = series_in(value_at(bundle.report), bundle.report.name)
    found = [series for series in found if series.location[:2] == METRICS_IN_REPORT]
    with_series = {series.location[2] for series in found if len(series.location) > 2}
    for n, entry in enumerate(list_in_report(bundle, "metrics") or []):
        name = entry if isinstance(entry, str) else own_name(entry) if isinstance(entry, dict) else None
        if name is not None and n not in with_series:
            labels = labels_of([Level(entry, None)])
            found.append(Series(name, labels, (*METRICS_IN_REPORT, n), []))
    return found
