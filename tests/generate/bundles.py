"""Random case runs: records, the output, and bundles in the audit directory and the workspace."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.generate.answers import random_answer
from tests.generate.content import (
    as_text,
    packed,
    random_events,
    random_health,
    random_instant,
    random_json,
    random_json_lines,
    random_log,
    random_metrics,
    random_queries,
    random_telemetry,
    spoil,
    written_time,
)
from tests.generate.patches import random_patch
from tests.generate.registry import Outline
from tests.generate.vocabulary import CLUSTERS, LOG_PHRASES, SERIES, chance

Files = dict[str, bytes]
Maker = Callable[[Random], str]
MaybeFile = tuple[float, str, Maker]  # in which part of the bundles, under which name, with what content

BAD_RECORDS = [b"{", b"[]", b'"record"', b"\xff{}", b"null"]
STATUSES = [*["completed"] * 6, "timeout", "error", "rate_limited", "setup_failed", "out_of_disk", "initialize_timeout"]
STOP_REASONS = [
    *["end_turn"] * 6,
    "max_steps",
    "provider_error",
    "session_failed",
    "protocol_mismatch",
    "cancelled",
    None,
]
BINARY = "\x7fELF\0\0\0 panic"
COLLECTION_ERRORS = ["[]", '["one", "two"]', '{"errors": [1]}', '{"items": []}', "{}", "3", "[1, 2, 3]"]


def names_in_use(random: Random, outline: Outline) -> dict[str, str]:
    """The name that this run gives each artifact: one of the layout's, seldom a usual one that the layout gave up."""
    usual = {
        "report": random.choice(["diagnosis_report.json"] * 4 + ["report.json"]),
        "evidence_dir": "evidence",
        "logs_dir": "logs",
        "telemetry": random.choice(["telemetry.jsonl"] * 3 + ["telemetry.log", "telemetry.txt"]),
        "summary_text": random.choice(["summary.md", "summary.md", "summary.txt"]),
        "output_text": random.choice(["output.md"] * 5 + ["output.txt"]),
        "summary_json": "summary.json",
        "analysis_patch": "analysis_patch.json",
    }
    given = {
        artifact: random.choice(names) if isinstance(names, list) else names
        for artifact, names in outline.layout.items()
        if chance(random, 0.85)
    }
    return usual | given


def write_case_run(random: Random, folder: Path, ids: dict[str, Any], outline: Outline) -> None:
    """Write one case run: `ids` are eval run, case and trial."""
    names = names_in_use(random, outline)
    record = random_record(random, ids, names["output_text"])
    files: Files = {}
    if record is not None:
        files["case_run.json"] = record
    if chance(random, 0.92):
        content = spoil(random, random_answer(random).encode("utf-8"))
        if chance(random, 0.05):
            files[names["output_text"] + ".gz"] = packed(random, content)
        else:
            files[names["output_text"]] = content
    cluster = outline.clusters.get(ids["case_id"], "1001")
    files |= place_bundles(random, cluster, names)
    if chance(random, 0.1):
        files["judgment.json"] = b'{"verdict": "pass"}'
    write_files(folder, files)
    add_links(random, folder, names)
    if chance(random, 0.01):
        with (folder / "audit" / "huge.log").open("wb") as stream:
            stream.truncate(64 * 1024 * 1024 + 1)


def add_links(random: Random, folder: Path, names: dict[str, str]) -> None:
    """Symbolic links: a file, a directory, and now and then a whole bundle outside of the case run."""
    logs = folder / "audit" / names["logs_dir"]
    if chance(random, 0.05) and logs.is_dir():
        (logs / "linked.log").symlink_to("../manifest.json")
        (folder / "audit" / "linked").symlink_to(names["logs_dir"], target_is_directory=True)
    if chance(random, 0.03) and not (folder / "workspace").exists():
        (folder / "workspace").symlink_to("../..", target_is_directory=True)


def write_files(folder: Path, files: Files) -> None:
    """Write all files; the audit directory is always there."""
    made = set()
    for name in ["audit/.keep", *files]:
        path = folder / name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        path.write_bytes(files.get(name, b""))


def random_record(random: Random, ids: dict[str, Any], output: str) -> bytes | None:
    """`case_run.json`: right, odd, broken or absent."""
    kind = random.random()
    if kind < 0.08:
        return None
    if kind < 0.12:
        return random.choice(BAD_RECORDS)
    record: dict[str, Any] = {"schema_version": 1} | ids | {"case_version": random.choice([1, 1, 1, 2])}
    record |= {"workspace_id": "ws-1", "workspace_dir": "workspace", "audit_dir": "audit", "output_file": output}
    record |= {"status": random.choice(STATUSES), "stop_reason": random.choice(STOP_REASONS)}
    if kind < 0.16:
        record |= random.choice([{"trial": 77}, {"case_id": "case-z"}, {"eval_run_id": "other"}])
    elif kind < 0.20:
        record |= random.choice(
            [{"audit_dir": "../audit"}, {"output_file": "/etc/hosts"}, {"workspace_dir": "../../x"}]
        )
    elif kind < 0.28:
        record |= random.choice([{"audit_dir": "."}, {"output_file": "none.md"}, {"workspace_dir": "audit"}])
    elif kind < 0.36:
        kept = ["eval_run_id", "case_id", "trial", "status"]
        record = {name: record[name] for name in kept if chance(random, 0.8)}
    text = json.dumps(record)
    return (text.replace('"ws-1"', "NaN") if kind > 0.97 else text).encode()


# Bundles and where they lie


def place_bundles(random: Random, cluster: str, names: dict[str, str]) -> Files:
    """The bundle or the bundles of a case run."""
    kind = random.random()
    bundle = random_bundle(random, cluster, names)
    if kind < 0.35:
        return below("audit", bundle) | beside(random, names)
    if kind < 0.62:
        return below("workspace/bundle", bundle) | beside(random, names)
    if kind < 0.74:
        return below("audit", bundle) | below("workspace/out/bundle", copy_of(random, bundle, names))
    if kind < 0.84:
        other = random_bundle(random, random.choice([cluster, *CLUSTERS]), names)
        return below("audit/one", bundle) | below("workspace/two", other)
    if kind < 0.88:
        return below("workspace", bundle) | below("workspace/logs/inner", random_bundle(random, cluster, names))
    if kind < 0.96:
        return below("audit", broken(random, bundle, names)) | (
            below("workspace/b", random_bundle(random, cluster, names)) if chance(random, 0.5) else {}
        )
    places = [
        "audit/.hidden",
        "workspace/node_modules/m",
        "audit/1/2/3/4/5/6/7/8",
        "audit/1/2/3/4/5/6/7/8/9",
        "elsewhere",
    ]
    return below(random.choice(places), bundle)


def below(place: str, files: Files) -> Files:
    """The files in a directory."""
    return {f"{place}/{name}": content for name, content in files.items()}


def copy_of(random: Random, bundle: Files, names: dict[str, str]) -> Files:
    """The same bundle with other logs and evidence."""
    copy = dict(bundle)
    for name in [*copy]:
        if name.startswith((names["evidence_dir"] + "/", names["logs_dir"] + "/")) and chance(random, 0.3):
            del copy[name]
    if chance(random, 0.4):
        copy[f"{names['logs_dir']}/more.log"] = random_log(random).encode()
    copy[f"{names['evidence_dir']}/keep.txt"] = b"kept\n"
    return copy


def broken(random: Random, bundle: Files, names: dict[str, str]) -> Files:
    """A bundle that is no valid candidate, for one reason or several."""
    files = dict(bundle)
    report = names["report"]
    ways = random.sample(["manifest", "no report", "report", "evidence"], random.randint(1, 2))
    if "manifest" in ways:
        files["manifest.json"] = random.choice([b"{", b"[]", b"", b"\0\0", b'{"a": 1} x'])
    if "no report" in ways:
        files.pop(report)
    elif "report" in ways:
        files[report] = random.choice([b"{", b"[1]", b"\xff\xfe", b"null"])
    if "evidence" in ways:
        files = {name: content for name, content in files.items() if not name.startswith(names["evidence_dir"] + "/")}
    return files


def beside(random: Random, names: dict[str, str]) -> Files:
    """Artifacts that lie in the audit directory, not in the bundle."""
    files: Files = {}
    if chance(random, 0.3):
        files[f"audit/{names['summary_text']}"] = summary(random).encode()
    if chance(random, 0.3):
        files[f"audit/{names['logs_dir']}/audit.log"] = random_log(random).encode()
    if chance(random, 0.3):
        files[f"audit/{names['telemetry']}"] = random_telemetry(random).encode()
    return files


def summary(random: Random) -> str:
    """A short text."""
    return f"# Summary\n\n{random.choice(LOG_PHRASES)}\n\n## Notes\n{random.choice(LOG_PHRASES)}\n"


def metrics_file(random: Random) -> str:
    """A document of metrics."""
    return random_json(random, random_metrics(random))


def health_file(random: Random) -> str:
    """A general document."""
    return random_json(random, random_health(random))


def some_log(random: Random) -> str:
    """A log, or bytes that are none."""
    return BINARY if chance(random, 0.5) else random_log(random)


def fixed(content: str) -> Maker:
    """A maker of always the same content."""
    return lambda random: content


EVIDENCE: list[MaybeFile] = [
    (0.9, "metrics.json", metrics_file),
    (0.9, "health.json", health_file),
    (0.6, "queries.json", lambda random: random_json(random, random_queries(random))),
    (0.5, "events.json", lambda random: random_json(random, random_events(random))),
    (0.8, "records.jsonl", random_json_lines),
    (0.7, "collection_errors.json", lambda random: random.choice(COLLECTION_ERRORS)),
    (0.7, "gate_checks.json", lambda random: random.choice(["{}", "[]", "{"])),
    (0.7, "log_stats.json", fixed('{"lines": 3}')),
    (0.8, "notes.txt", random_log),
    (0.3, "deep/er/metrics_2.json", lambda random: as_text(random_metrics(random))),
    (0.4, "broken.json", fixed('{"status": "down", "panic": ')),
    (0.3, "blank.txt", fixed("  \n\t\n")),
    (0.2, "blob.bin", fixed(BINARY)),
    (0.1, "LOUD.JSON", lambda random: as_text(random_health(random))),
]
LOGS: list[MaybeFile] = [
    (0.9, "tikv.log", random_log),
    (0.4, "pd/pd.log", random_log),
    (0.1, "core.dump", fixed(BINARY)),
    (0.06, "tikv.log.1", some_log),
    (0.06, "tikv.log.2025-03-04", some_log),
    (0.06, "tikv-2025-03-04T09-00-00.000.log", some_log),
    (0.04, "events.json.12", some_log),
    (0.04, "core.1", some_log),
    (0.04, "TIDB.LOG.20250304", some_log),
    (0.1, ".hidden.log", fixed("panic")),
]
IN_THE_ROOT: list[MaybeFile] = [
    (0.3, "extra.txt", random_log),
    (0.05, "node_modules/m.log", fixed("panic")),
]


def random_bundle(random: Random, cluster: str, names: dict[str, str]) -> Files:
    """The files of a bundle by their names relative to its root."""
    evidence, logs = names["evidence_dir"], names["logs_dir"]
    files: Files = {
        "manifest.json": random_manifest(random, cluster).encode(),
        names["report"]: random_report(random, cluster).encode(),
        f"{evidence}/keep.txt": b"kept\n",
    }
    named: list[MaybeFile] = [
        (0.6, names["summary_text"], summary),
        (0.6, names["telemetry"], random_telemetry),
        (0.5, names["summary_json"], health_file),
        (0.65, names["analysis_patch"], random_patch),
    ]
    for place, table in ((f"{evidence}/", EVIDENCE), (f"{logs}/", LOGS), ("", [*IN_THE_ROOT, *named])):
        for part, name, make in table:
            if chance(random, part):
                files |= written(random, place + name, spoil(random, make(random).encode()))
    return files


def written(random: Random, name: str, content: bytes) -> Files:
    """The file as it is, packed, or both."""
    kind = random.random()
    if kind < 0.92:
        return {name: content}
    archive = packed(random, content)
    return {name + ".gz": archive} if kind < 0.97 else {name: content, name + ".gz": archive}


# Manifest and report


def random_manifest(random: Random, cluster: str) -> str:
    """A manifest, which seldom says what the report has to say."""
    manifest: dict[str, Any] = {"run": random.randint(1, 3)}
    if chance(random, 0.4):
        manifest |= where_and_when(random, cluster)
    return json.dumps(manifest)


def random_report(random: Random, cluster: str) -> str:
    """A report with cluster and window in one of their places, and evidence of its own."""
    report: dict[str, Any] = {"status": random.choice(["up", "down"])}
    if chance(random, 0.9):
        report |= where_and_when(random, cluster)
    evidence: dict[str, Any] = {
        "metrics": [
            random.choice(["named_only", *SERIES]),
            {"name": random.choice(SERIES), "values": [1, 2]},
            {"metric": "disk"},
        ],
        "queries": random_queries(random),
        "events": random_events(random),
    }
    kept = {name: evidence[name] for name in evidence if chance(random, 0.4)}
    if kept:
        report["evidence"] = kept
    return as_text(report) if chance(random, 0.5) else json.dumps(report)


def where_and_when(random: Random, cluster: str) -> dict[str, Any]:
    """Cluster id and window, mostly right, in one of the places where they may stand."""
    held: dict[str, Any] = {}
    window = random_window(random)
    inner: dict[str, Any] = {"cluster_id": random_cluster(random, cluster)} if chance(random, 0.8) else {}
    kind = random.random()
    if kind < 0.4:
        inner["time_window"] = window
    elif kind < 0.55:
        inner |= {"start_time": window.get("start"), "end_time": window.get("end")}
    elif kind < 0.7:
        held |= {"start_time": window.get("start"), "end_time": window.get("end")}
    else:
        held["time_window"] = window
    if chance(random, 0.3):
        held["cluster_id"] = random_cluster(random, cluster)
    return held | {"metadata": inner}


def random_cluster(random: Random, cluster: str) -> Any:
    """The cluster id, as a text or a number; sometimes another one, or none at all."""
    kind = random.random()
    if kind < 0.85:
        return random.choice([cluster, cluster, int(cluster), f" {cluster}\n"])
    return random.choice([*CLUSTERS, *CLUSTERS, 1001.0, 1e3, None, "", "  ", [cluster]])


def random_window(random: Random) -> dict[str, Any]:
    """A window, mostly inside the case's."""
    start, end = "2025-03-04T09:00:00Z", "2025-03-04T09:45:00Z"
    kind = random.random()
    if kind < 0.75:
        forms: list[tuple[Any, Any]] = [
            (start, end),
            ("2025-03-04T17:00:00+08:00", "2025-03-04T09:30:00.5Z"),
            (1741078800, 1741081500),
            (1741078800000, 1741081500.25),
            ("2025-03-04 09:05:00", "2025-03-04T09:45:00"),
        ]
        first, last = random.choice(forms)
        return {"start": first, "end": last}
    odd: list[Any] = [
        None,
        "soon",
        "2025-02-30T09:00:00Z",
        [1],
        True,
        "2025-03-04T08:57:00Z",
        written_time(random, random_instant(random)),
    ]
    ends = {"start": random.choice([start, *odd]), "end": random.choice([end, *odd])}
    return ends if chance(random, 0.85) else {"start": ends["start"]}
