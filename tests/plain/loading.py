"""Loading a right registry (10-registry): nothing is validated here."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.plain.times import Instant, duration, instant_of_text

SHIPPED_PACKS = Path(__file__).parents[2] / "judge_polars" / "packs"
BUCKETS = (
    *("contract", "workflow", "execution_contract", "evidence_collection"),
    *("critical_evidence", "evidence_routing", "diagnosis"),
)
LAYOUT = {
    "manifest": ["manifest.json"],
    "report": ["diagnosis_report.json", "report.json"],
    "evidence_dir": ["evidence"],
    "analysis_patch": ["analysis_patch.json"],
    "summary_text": ["summary.md", "summary.txt"],
    "summary_json": ["summary.json"],
    "logs_dir": ["logs"],
    "telemetry": ["telemetry.jsonl", "telemetry.log", "telemetry.txt"],
    "output_text": ["output.md", "output.txt"],
}
CAUSES = {
    **dict.fromkeys(("rate_limited", "provider_error", "auth_required"), "provider"),
    **dict.fromkeys(("setup_failed", "spawn_failed", "session_failed"), "environment"),
    **dict.fromkeys(("protocol_mismatch", "initialize_timeout"), "harness"),
}

Rules = dict[str, Any]


class CoreLoader(yaml.SafeLoader):
    """A safe YAML loader with the scalars of YAML 1.2's core schema (10-registry)."""


CoreLoader.yaml_implicit_resolvers = {}
CoreLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
CoreLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^(null|Null|NULL|~|)$"), [*"nN~", ""])
CoreLoader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile("^[-+]?[0-9]+$"), list("-+0123456789"))
CoreLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$"),
    list("-+.0123456789"),
)
CoreLoader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value))


@dataclass
class Pack:
    """The packs of a registry, merged: a later definition replaces an earlier one of its name, in its place."""

    facts: dict[str, Rules] = field(default_factory=dict)
    channels: dict[str, dict[str, list[Rules]]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    concepts: dict[str, list[str]] = field(default_factory=dict)
    causes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Window:
    """A time window."""

    start: Instant
    end: Instant


@dataclass(frozen=True)
class AllowedWindow:
    """A window of a case, and how a run's window has to match it."""

    window: Window
    match: str
    tolerance: int


@dataclass
class Case:
    """One case with its policy: buckets in their order, definitions and word lists in force."""

    case_id: str
    version: int
    cluster_id: str
    window: Window
    allowed: list[AllowedWindow]
    buckets: dict[str, dict[str, Any]]
    facts: dict[str, Rules]
    channels: dict[str, dict[str, list[Rules]]]
    words: dict[str, list[str]]
    concepts: dict[str, list[str]]
    causes_of_answers: list[str]


@dataclass
class Registry:
    """All cases by id, the layout, and the table of causes."""

    cases: dict[str, Case]
    layout: dict[str, list[str]]
    causes: dict[str, str]


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file; {} where the file is missing or empty."""
    if not path.is_file():
        return {}
    loaded = yaml.load(path.read_text("utf-8"), CoreLoader)  # a subclass of the safe loader
    return dict(loaded or {})


def load_registry(root: Path) -> Registry:
    """The whole registry."""
    settings = read_yaml(root / "registry.yaml")
    pack = load_packs(settings.get("packs", ["tidb"]), root)
    defaults = settings.get("judge_defaults") or {}
    folders = sorted(path.parent for path in (root / "cases").glob("*/case.yaml"))
    cases = [load_case(folder, pack, defaults) for folder in folders]
    return Registry(
        cases={case.case_id: case for case in cases},
        layout=LAYOUT | {artifact: as_list(names) for artifact, names in (settings.get("layout") or {}).items()},
        causes=CAUSES | (settings.get("causes") or {}),
    )


def as_list(names: str | list[str]) -> list[str]:
    """The names that `layout` gives an artifact, one or several (20-bundles, Logical artifacts)."""
    return [name.rstrip("/") for name in ([names] if isinstance(names, str) else names)]


def load_packs(entries: list[str], root: Path) -> Pack:
    """All packs as one; a pack that is a file lies beside the registry (30-facts)."""
    merged = Pack()
    for entry in entries:
        is_file = "/" in entry or entry.endswith(".yaml")
        pack = read_yaml(root / entry if is_file else SHIPPED_PACKS / f"{entry}.yaml")
        merged.facts.update({fact["name"]: fact for fact in pack.get("facts") or []})
        merged.channels.update(pack.get("channels") or {})
        merged.words.update(pack.get("words") or {})
        merged.concepts.update(pack.get("concepts") or {})
        merged.causes += [concept for concept in pack.get("causes") or [] if concept not in merged.causes]
    return merged


def load_case(folder: Path, pack: Pack, defaults: dict[str, Any]) -> Case:
    """One case with what the packs and `judge_defaults` give it."""
    case, policy = read_yaml(folder / "case.yaml"), read_yaml(folder / "judge.yaml")
    window = window_of(case["time_window"])
    allowed = [
        AllowedWindow(window_of(entry), entry.get("match", "within"), duration(entry.get("tolerance", "0s")))
        for entry in case["time_window"].get("allowed") or []
    ]
    buckets = defaults | (policy.get("judge") or {})
    return Case(
        case_id=case["id"],
        version=case["version"],
        cluster_id=case["environment"]["cluster_id"],
        window=window,
        allowed=allowed or [AllowedWindow(window, "within", 0)],
        buckets={name: buckets[name] for name in BUCKETS if buckets.get(name) is not None},
        facts=pack.facts | {fact["name"]: fact for fact in policy.get("facts") or []},
        channels=pack.channels,
        words=pack.words | (policy.get("words") or {}),
        concepts=pack.concepts,
        causes_of_answers=pack.causes,
    )


def window_of(entry: dict[str, str]) -> Window:
    """A window with `start` and `end`, RFC 3339 with an offset."""
    start, end = instant_of_text(entry["start"]), instant_of_text(entry["end"])
    if start is None or end is None:
        raise ValueError(f"no window: {entry}")
    return Window(start, end)
