"""A registry for the bundles of `data`: any number of cases with 30 checks each.

Its rules are of the methods that the per-run judge has.  Beside the pack `tidb`, whose facts (assertions included) are worked out
as well, it has a pack of its own with channels and milestones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

CLUSTER: Final = "10151515151515151515"
_WORDS: Final = (
    *(
        "hotspot",
        "raftstore",
        "missing index",
        "split region",
        "disk io",
        "lock conflict",
        "oom-killer",
        "network partition",
    ),
    *(
        "compaction",
        "write stall",
        "schema lease",
        "scheduler",
        "region is hot",
        "server is busy",
        "connection closed",
        "磁盘",
    ),
)
_PATTERNS: Final = (
    *(r"cpu (?:hot ?spot|saturat\w+)", r"store \d+", r"\bindex on `\w+`", r"recovered at \d\d:\d\d", r"根因是 ?\w+"),
    *(r"add (?:an|the) index", r"ruled out", r"raftstore thread (?:stayed|was)", r"(?:disk|磁盘) ?io"),
)


def write_registry(root: Path, cases: int = 20) -> Path:
    """Write `root/registry` and return it; cases are `bench-000`, `bench-001` …"""
    registry = root / "registry"
    _write(registry / "registry.yaml", {"packs": ["tidb", "bench.yaml"]})
    _write(registry / "bench.yaml", _pack())
    for number in range(cases):
        case = registry / "cases" / f"bench-{number:03d}"
        _write(case / "case.yaml", _case(case.name))
        _write(case / "judge.yaml", _policy(case.name, number))
        (case / "expected.md").write_text("Made by the benchmark.\n", "utf-8")
    return registry


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), "utf-8")


def _pack() -> dict[str, Any]:
    def of_file(name: str, key: str) -> dict[str, Any]:
        nonempty = [{"match": "json_list_nonempty", "artifact": name}]
        nonempty += [{"match": "json_list_nonempty", "artifact": name, "path": f"$.{key}"}]
        return {
            "observed_any_of": nonempty,
            "present_any_of": [{"match": "artifact_present", "artifact": name}],
            "attempted_any_of": [{"match": "regex_any", "artifact": "telemetry", "patterns": [f"list_{key}"]}],
        }

    def read(name: str, document: str) -> dict[str, Any]:
        where = [{"path": "$.status", "equals": "ok"}, {"path": "$.args.path", "matches": document}]
        return {
            "name": f"workflow.{name}",
            "any_of": [{"match": "json_record_any", "artifact": "telemetry", "path": "$[*]", "where": where}],
        }

    return {
        "id": "bench",
        "version": 1,
        "facts": [
            read("architecture_context_loaded", r"docs/1\.md$"),
            read("misdiagnosis_guardrails_loaded", r"docs/7\.md$"),
            read("summary_read_completed", r"summary\.md$"),
        ],
        "channels": {
            "logs": {
                "observed_any_of": [{"match": "regex_any", "artifact": "logs", "patterns": [r"\S"]}],
                "present_any_of": [{"match": "artifact_present", "artifact": "logs_dir"}],
                "attempted_any_of": [{"match": "regex_any", "artifact": "telemetry", "patterns": ["search_logs"]}],
            },
            "metrics": {
                "observed_any_of": [{"match": "numeric_series_present", "artifact": "metrics.json"}],
                "present_any_of": [{"match": "artifact_present", "artifact": "metrics.json"}],
                "attempted_any_of": [{"match": "regex_any", "artifact": "telemetry", "patterns": ["query_range"]}],
            },
            "queries": of_file("queries.json", "queries"),
            "events": of_file("events.json", "events"),
        },
    }


def _case(name: str) -> dict[str, Any]:
    start, end = "2025-03-04T09:00:00Z", "2025-03-04T09:45:00Z"
    return {
        "schema_version": 1,
        "id": name,
        "version": 1,
        "title": f"Benchmark {name}",
        "status": "active",
        "prompt": {"text": f"Diagnose cluster {CLUSTER} between {start} and {end}."},
        "environment": {"cluster_id": CLUSTER},
        "time_window": {"start": start, "end": end, "allowed": [{"start": start, "end": end, "match": "within"}]},
        "execution": {"timeout": "30m", "trials": 1},
    }


def _pick(items: tuple[str, ...], number: int, count: int) -> list[str]:
    return [items[(number * 5 + 3 * step) % len(items)] for step in range(count)]


def _policy(name: str, number: int) -> dict[str, Any]:
    def rules(key: str, *made: dict[str, Any]) -> dict[str, Any]:
        return {key: list(made)}

    def words(step: int, artifact: str | None = None) -> dict[str, Any]:
        rule = {"match": "keyword_any", "keywords": _pick(_WORDS, number + step, 3)}
        return rule if artifact is None else {**rule, "artifact": artifact}

    def patterns(step: int) -> dict[str, Any]:
        return {"match": "regex_any", "patterns": _pick(_PATTERNS, number + step, 3)}

    metric = f"tikv_thread_cpu_{number % 6}"
    critical = [
        rules("any_of", words(1, "logs"), words(2, "summary_text")),
        rules(
            "any_of",
            {
                "match": "numeric_series_any_ge",
                "artifact": "metrics.json",
                "series": metric,
                "threshold": 0.9,
                "min_points": 3,
            },
        ),
        rules(
            "all_of",
            {"match": "json_value", "artifact": "log_stats.json", "path": "$.lines", "gt": 10},
            {"match": "json_value", "artifact": "gate_checks.json", "path": f"$.gate_{number % 20}", "equals": "ok"},
        ),
        rules(
            "any_of",
            {
                "match": "json_record_any",
                "artifact": "queries.json",
                "path": "$.queries[*]",
                "where": [{"path": "$.count", "gt": 700 + 9 * number}, {"path": "$.sql", "matches": "orders"}],
            },
        ),
    ]
    hard = [
        rules("any_of", words(3), patterns(1)),
        rules("any_of", words(4), patterns(2)),
        rules("all_of", {"match": "keyword_none", "keywords": [f"root cause is unknown {number}", "cannot tell"]}),
        rules("any_of", patterns(3), words(7), words(5)),
        rules("all_of", {"match": "regex_none", "patterns": [r"maybe.{0,30}maybe", rf"case {number}\b.{{0,9}}solved"]}),
    ]
    return {
        "schema_version": 1,
        "case_id": name,
        "judge": {
            "contract": {"checks": [{"id": "time_window_match"}, {"id": "cluster_scope_match"}]},
            "workflow": {
                "checks": [
                    {"id": "architecture_context_loaded", "weight": 2},
                    {"id": "misdiagnosis_guardrails_loaded"},
                    {"id": "summary_read_completed", "required": False},
                ]
            },
            "execution_contract": {
                "required_artifacts": ["report", "analysis_patch", "telemetry", "output_text"],
                "preferred_channels": ["logs", "metrics", "queries"],
                "minimum_channels": 2,
                "checks": [
                    {"id": "required_workflow_present"},
                    {"id": "required_artifacts_present"},
                    {"id": "preferred_channels_minimum_observed"},
                    {"id": "preferred_channels_all_observed"},
                ],
            },
            "evidence_collection": {
                "required_artifacts": ["metrics.json", "log_stats.json"],
                "preferred_channels": ["logs", "metrics", "events"],
                "minimum_channels": 2,
                "checks": [
                    {"id": "required_artifacts_present", "weight": 2},
                    {"id": "preferred_channels_minimum_observed"},
                    {"id": "attempted_events_collection_persisted"},
                ],
            },
            "critical_evidence": {
                "max_score": 20,
                "checks": [{"id": f"signal_{at}", "weight": at + 1, **check} for at, check in enumerate(critical)],
            },
            "evidence_routing": {
                "checks": [
                    {"id": "patch_present"},
                    {"id": "patch_json_valid"},
                    {"id": "items_shape_valid"},
                    {"id": "key_evidence_present"},
                    {"id": "metric_refs_resolvable", "weight": 2},
                    {"id": "query_refs_resolvable"},
                    {"id": "log_refs_resolvable"},
                ]
            },
            "diagnosis": {
                "hard_max_score": 18,
                "hard_checks": [{"id": f"says_{at}", **check} for at, check in enumerate(hard)],
                "supporting_weight": 12,
                "supporting_checks": [
                    {"id": "proposes", **rules("any_of", words(6))},
                    {"id": "excludes", **patterns(4)},
                ],
            },
        },
    }
