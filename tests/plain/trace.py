"""Window, cluster and artifact facts (30-facts, "Trace facts")."""

from tests.plain.bundles import ARTIFACTS, Bundle, Candidate, value_at
from tests.plain.comparisons import Value
from tests.plain.documents import Document, Issue
from tests.plain.loading import AllowedWindow, Case, Window
from tests.plain.paths import select
from tests.plain.times import Instant, instant_of, lacks_offset
from tests.plain.values import Json

WINDOW_PLACES = ("$.metadata.time_window", "$.time_window", "$.metadata", "$")
CLUSTER_PLACES = ("$.metadata.cluster_id", "$.cluster_id")
SHORT_AND_LONG = (("start", "end"), ("start_time", "end_time"))


def node_at(document: Document, path: str) -> Json:
    """The node at a path that selects one at most, null where there is none."""
    nodes = select(path, value_at(document))
    return nodes[0].value if nodes else None


def ends_in(document: Document) -> tuple[Json, Json] | None:
    """Both ends of the window from the first place that has both (30-facts, Trace facts)."""
    for path in WINDOW_PLACES:
        held = node_at(document, path)
        if not isinstance(held, dict):
            continue
        for start, end in SHORT_AND_LONG if path.endswith("time_window") else SHORT_AND_LONG[1:]:
            if held.get(start) is not None and held.get(end) is not None:
                return held[start], held[end]
    return None


def window_in(document: Document, issues: list[Issue]) -> Window | None:
    """The document's window; none where an end is no time (30-facts, Trace facts)."""
    ends = ends_in(document)
    if ends is None:
        return None
    instants: list[Instant] = []
    for name, end in zip(("start", "end"), ends, strict=True):
        instant = instant_of(end)
        if instant is None:
            issues.append(Issue(document.name, "timestamp_invalid", f"the window's {name}"))
        else:
            instants.append(instant)
            if isinstance(end, str) and lacks_offset(end):
                issues.append(Issue(document.name, "timestamp_without_offset", f"the window's {name}"))
    return Window(*instants) if len(instants) == 2 else None


def window_facts(manifest: Document, report: Document, case: Case, issues: list[Issue]) -> dict[str, Value]:
    """The facts of the window: the report's, else the manifest's (30-facts, Trace facts)."""
    window, source = window_in(report, issues), "report"
    if window is None:
        window, source = window_in(manifest, issues), "manifest"
    return {
        "window.start": window.start if window else None,
        "window.end": window.end if window else None,
        "window.source": source if window else None,
        "window.present": window is not None,
        "window.matched_allowed_window": window is not None and any(is_allowed(window, one) for one in case.allowed),
    }


def is_allowed(window: Window, allowed: AllowedWindow) -> bool:
    """Whether a window matches an allowed one (10-registry, case.yaml)."""
    start, end = window.start.microseconds, window.end.microseconds
    first, last = allowed.window.start.microseconds, allowed.window.end.microseconds
    tolerance = allowed.tolerance
    if start > end:
        return False
    if allowed.match == "exact":
        return abs(start - first) <= tolerance and abs(end - last) <= tolerance
    if allowed.match == "overlap":
        return start <= last + tolerance and end >= first - tolerance
    return start >= first - tolerance and end <= last + tolerance


def cluster_facts(manifest: Document, report: Document, case: Case, issues: list[Issue]) -> dict[str, Value]:
    """The facts of the cluster id, from the first place that has one (30-facts, Trace facts)."""
    for document, source in ((report, "report"), (manifest, "manifest")):
        for path in CLUSTER_PLACES:
            held = node_at(document, path)
            if isinstance(held, float):
                issues.append(Issue(document.name, "cluster_id_inexact", path))
                return {"cluster.id": None, "cluster.source": None, "cluster.matched": False}
            cluster = text_of_id(held)
            if cluster:
                return {"cluster.id": cluster, "cluster.source": source, "cluster.matched": cluster == case.cluster_id}
    return {"cluster.id": None, "cluster.source": None, "cluster.matched": False}


def text_of_id(held: Json) -> str:
    """A cluster id as text; empty for what is passed over (30-facts, Trace facts)."""
    if isinstance(held, bool):
        return "true" if held else "false"
    if isinstance(held, int):
        return str(held)
    return held.strip() if isinstance(held, str) else ""


def matches_case(found: Candidate, case: Case) -> bool:
    """Whether cluster and window of a candidate are the case's (20-bundles, Finding the bundle, step 4)."""
    if found.report is None:
        return False
    window = window_facts(found.manifest, found.report, case, [])
    cluster = cluster_facts(found.manifest, found.report, case, [])
    return window["window.matched_allowed_window"] is True and cluster["cluster.matched"] is True


def artifact_facts(bundle: Bundle) -> dict[str, Value]:
    """One fact for each logical artifact (30-facts, Trace facts)."""
    return {f"artifacts.{artifact}_present": artifact in bundle.artifacts for artifact in ARTIFACTS}
