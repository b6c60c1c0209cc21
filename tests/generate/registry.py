"""Random registries without errors: packs, cases, a suite, defaults, layout, causes."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.generate.rules import document_rule, fact_rule, output_rule
from tests.generate.vocabulary import CHANNELS, CLUSTERS, CONCEPTS, OTHER_WORDS, WORDS, Rule, chance, some

ARTIFACTS = [
    *("manifest", "report", "evidence_dir", "analysis_patch", "summary_text"),
    *("summary_json", "logs_dir", "telemetry", "output_text"),
]
REQUIRED_ARTIFACTS = [
    *ARTIFACTS,
    "logs",
    "output",
    "metrics.json",
    "logs/*.log",
    "extra.txt",
    "nowhere.json",
    "q*.json",
]
BOOLEAN_FACTS = {
    "contract": ["window.present", "window.matched_allowed_window", "cluster.matched", "matched"],
    "evidence_collection": [
        *("artifacts.summary_text_present", "artifacts.telemetry_present", "analysis_patch_present"),
        *("evidence.core_evidence_bundle_present", "query_or_metric_channel_observed"),
        *(f"evidence.{channel}_channel_observed" for channel in CHANNELS),
        *(f"evidence.{channel}_collection_attempted" for channel in CHANNELS),
        *(f"evidence.{channel}_output_file_present" for channel in CHANNELS),
        *(f"evidence.{channel}_attempted_implies_artifact_present" for channel in CHANNELS),
    ],
    "evidence_routing": [
        *("routing.analysis_patch_present", "routing.analysis_patch_json_valid", "analysis_items_shape_valid"),
        *("routing.analysis_log_refs_verified", "routing.analysis_event_refs_verified"),
        *(f"routing.analysis_{channel}_refs_required" for channel in ("metric", "query", "log", "event")),
        *(f"routing.analysis_{channel}_refs_resolvable" for channel in ("metric", "query", "log", "event")),
    ],
}
OTHER_FACTS = {
    "contract": [
        *(("window.start", "timestamp"), ("window.end", "timestamp"), ("window.source", "string")),
        *(("cluster.id", "string"), ("cluster.source", "string")),
    ],
    "evidence_collection": [("evidence.collection_error_count", "number")],
    "evidence_routing": [("routing.refs_total", "number"), ("refs_unresolved", "number")],
}
ROUTING_CHECKS = [
    *("patch_present", "patch_json_valid", "items_shape_valid", "key_evidence_present", "supporting_evidence_present"),
    *("metric_refs_resolvable", "query_refs_resolvable", "log_refs_resolvable", "event_refs_resolvable"),
]
MILESTONES = ["architecture_context_loaded", "summary_read_completed", "evidence_collection_completed", "step_one"]
LAYOUTS: dict[str, Any] = {
    "report": ["answer.json", "diagnosis_report.json"],
    "telemetry": ["trace.jsonl", "telemetry.log"],
    "evidence_dir": "proof",
    "logs_dir": ["log", "logs"],
    "summary_text": "conclusion.md",
    "summary_json": ["conclusion.json", "summary.json"],
    "analysis_patch": "patch.json",
    "output_text": ["answer.md", "output.md"],
}
WINDOW = {"start": "2025-03-04T09:00:00Z", "end": "2025-03-04T09:45:00Z"}


@dataclass(frozen=True)
class Outline:
    """What the runs have to know of their registry: the cases with their cluster ids, and the names of artifacts."""

    clusters: dict[str, str]
    layout: dict[str, Any]


def write_registry(random: Random, root: Path) -> Outline:
    """Write `root` with one or two packs, one to five cases and a suite."""
    packs = [random_pack(random, "first", [])]
    if chance(random, 0.3):
        packs.append(random_pack(random, "second", names_of(packs[0])))
    known = [*dict.fromkeys(name for pack in packs for name in names_of(pack))]
    layout = {name: LAYOUTS[name] for name in some(random, [*LAYOUTS], 1, 3)} if chance(random, 0.25) else {}
    settings: Rule = {"packs": [f"./{pack['id']}.yaml" for pack in packs]}
    if chance(random, 0.1):
        settings["packs"].insert(0, "tidb")
    if layout:
        settings["layout"] = layout
    if chance(random, 0.25):
        settings["judge_defaults"] = random_buckets(random, known, ["contract", "workflow", "evidence_collection"], 0.5)
    if chance(random, 0.1):
        settings["causes"] = {"out_of_disk": "environment", "cancelled": "harness", "end_turn": "agent"}
    write(root / "registry.yaml", settings)
    for pack in packs:
        write(root / f"{pack['id']}.yaml", pack)
    clusters = {f"case-{letter}": random.choice(CLUSTERS) for letter in "abcde"[: random.randint(1, 5)]}
    for case_id, cluster in clusters.items():
        write_case(random, root / "cases" / case_id, case_id, cluster, known)
    write(root / "suites" / "suite-a.yaml", suite_of(random, [*clusters]))
    return Outline(clusters, layout)


def write(path: Path, content: Rule) -> None:
    """Write a mapping in the part of YAML that is JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, separators=(",\n ", ": ")) + "\n", "utf-8")


def suite_of(random: Random, cases: list[str]) -> Rule:
    """A suite of all cases."""
    policy: Rule = {"trials": random.choice([1, 2, 3]), "concurrency": 1}
    if chance(random, 0.8):
        policy["aggregate"] = random.choice(["majority", "all", "any"])
    head: Rule = {"schema_version": 1, "id": "suite-a", "version": random.choice([1, 2]), "title": "All cases"}
    return head | {"status": "active", "baseline_eligible": False, "cases": cases, "execution_policy": policy}


def names_of(pack: Rule) -> list[str]:
    """The facts that a pack defines."""
    return [fact["name"] for fact in pack["facts"]]


def random_pack(random: Random, pack_id: str, known: list[str]) -> Rule:
    """A pack with facts on documents, on other facts and on the output."""
    pack: Rule = {"id": pack_id, "version": 1}
    words = dict(WORDS)
    for name in some(random, [*words], 0, 2):
        words[name] = random.choice(OTHER_WORDS[name])
    pack["words"] = words if not known else {name: words[name] for name in some(random, [*words], 1, 2)}
    pack["concepts"] = CONCEPTS if not known else {"slow_disk": ["disk", "盘"]}
    if chance(random, 0.7):
        pack["causes"] = some(random, ["hot_cpu", "slow_disk", "locks"], 1, 3)
    pack["facts"] = random_facts(random, known, ["workflow", "evidence", "output"], f"{pack_id}_")
    channels = CHANNELS if not known else some(random, [*CHANNELS, "ticket_context"], 1, 2)
    pack["channels"] = {channel: random_channel(random) for channel in channels}
    return pack


def random_channel(random: Random) -> Rule:
    """The three lists of a channel, sometimes fewer."""
    names = ["observed_any_of", "attempted_any_of", "present_any_of"]
    return {name: rules_on_documents(random) for name in names if chance(random, 0.8)}


def rules_on_documents(random: Random) -> list[Rule]:
    """One or two rules on documents."""
    return [document_rule(random) for _ in range(random.randint(1, 2))]


def random_facts(random: Random, known: list[str], families: list[str], prefix: str) -> list[Rule]:
    """Definitions, each on documents or on facts before it; some replace one that is known."""
    facts: list[Rule] = []
    names = [f"workflow.{name}" for name in MILESTONES if prefix == "first_"]
    names += [f"{family}.{prefix}{n}" for family in families for n in range(random.randint(1, 3))]
    names += some(random, known, 0, 1)
    for name in names:
        before = known[: known.index(name)] if name in known else [*known, *(fact["name"] for fact in facts)]
        rules = [rule_of_fact(random, name, before) for _ in range(random.randint(1, 3))]
        facts.append({"name": name, random.choice(["all_of", "any_of", "any_of"]): rules})
    return facts


def rule_of_fact(random: Random, name: str, before: list[str]) -> Rule:
    """One rule of a definition."""
    of_output = name.startswith("output.")
    readable = [other for other in before if other.startswith("output.") == of_output]
    if of_output:
        if chance(random, 0.1):
            return fact_rule(random, "output.claimed_causes", "number")
        return (
            fact_rule(random, random.choice(readable), "boolean")
            if readable and chance(random, 0.2)
            else output_rule(random)
        )
    if chance(random, 0.1):
        return fact_rule(random, *random.choice([*OTHER_FACTS["contract"], *OTHER_FACTS["evidence_collection"]]))
    if chance(random, 0.2):
        return fact_rule(
            random, random.choice([*readable, "cluster.matched", "artifacts.telemetry_present"]), "boolean"
        )
    return document_rule(random)


def write_case(random: Random, folder: Path, case_id: str, cluster: str, known: list[str]) -> None:
    """The three files of a case."""
    window: Rule = dict(WINDOW)
    if chance(random, 0.5):
        window["allowed"] = [random_allowed(random) for _ in range(random.randint(1, 2))]
    start, end = WINDOW["start"], WINDOW["end"]
    text = f"Please diagnose cluster {cluster} between {start} and {end}. Users saw that requests took long."
    case: Rule = {
        "schema_version": 1,
        "id": case_id,
        "version": random.choice([1, 1, 1, 2]),
        "title": "A random case",
        "status": "active",
        "tags": ["random"],
        "prompt": {"text": text},
        "environment": {"cluster_id": cluster},
        "time_window": window,
        "execution": {"timeout": "30m", "trials": 1},
    }
    write(folder / "case.yaml", case)
    write(folder / "judge.yaml", random_policy(random, case_id, known))
    (folder / "expected.md").write_text("Nothing is expected of a random case.\n", "utf-8")


def random_allowed(random: Random) -> Rule:
    """An allowed window."""
    start, end = random.choice([("09:00", "09:45"), ("09:10", "09:30"), ("08:00", "10:00")])
    allowed: Rule = {"start": f"2025-03-04T{start}:00Z", "end": f"2025-03-04T{end}:00Z"}
    if chance(random, 0.8):
        allowed["match"] = random.choice(["within", "exact", "overlap"])
    if chance(random, 0.5):
        allowed["tolerance"] = random.choice(["5m", "1h", "0s"])
    return allowed


def random_policy(random: Random, case_id: str, known: list[str]) -> Rule:
    """A `judge.yaml`."""
    facts = random_facts(random, known, ["evidence", "output"], "own_") if chance(random, 0.4) else []
    names = [*dict.fromkeys([*known, *(fact["name"] for fact in facts)])]
    buckets = random_buckets(random, names, [*BUCKET_MAKERS], random.choice([0.1, 0.25, 0.5, 0.7]))
    if chance(random, 0.2):
        buckets["workflow"] = None
    if not any(buckets.values()):
        buckets["critical_evidence"] = BUCKET_MAKERS["critical_evidence"](random, names)
    policy: Rule = {"schema_version": 1, "case_id": case_id, "facts": facts, "judge": buckets}
    if chance(random, 0.25):
        policy["words"] = {name: random.choice(OTHER_WORDS[name]) for name in some(random, [*OTHER_WORDS], 1, 2)}
    return policy


def random_buckets(random: Random, names: list[str], buckets: list[str], part: float) -> Rule:
    """Some of the buckets."""
    chosen = [bucket for bucket in buckets if chance(random, part)]
    return {bucket: BUCKET_MAKERS[bucket](random, names) for bucket in chosen}


def random_check(random: Random, check_id: str, rules: list[Rule], *, optional: bool) -> Rule:
    """A check with its rules in one of the four forms."""
    check: Rule = {"id": check_id}
    form = random.choice(["all_of", "any_of", "at_least", "single"])
    if form == "single":
        check |= rules[0]
    elif form == "at_least":
        check["at_least"] = {"n": random.randint(1, len(rules)), "of": rules}
    else:
        check[form] = rules
    return check | random_weight(random, optional=optional)


def random_weight(random: Random, *, optional: bool) -> Rule:
    """Odd weights, and `required` where it has a meaning."""
    extra: Rule = {}
    if chance(random, 0.4):
        extra["weight"] = random.choice([0.5, 2, 3, 7, 0.1])
    if optional and chance(random, 0.4):
        extra["required"] = random.choice([True, False, False])
    return extra


def fact_rules(random: Random, bucket: str, names: list[str]) -> list[Rule]:
    """One to three rules on facts that a bucket may read."""
    rules = []
    for _ in range(random.randint(1, 3)):
        other = OTHER_FACTS.get(bucket, [])
        if other and chance(random, 0.35):
            rules.append(fact_rule(random, *random.choice(other)))
        else:
            rules.append(fact_rule(random, random.choice([*BOOLEAN_FACTS.get(bucket, []), *names]), "boolean"))
    return rules


def checks_on_facts(random: Random, bucket: str, names: list[str]) -> list[Rule]:
    """Up to two checks on facts."""
    return [
        random_check(random, f"facts_{n}", fact_rules(random, bucket, names), optional=True)
        for n in range(random.randint(0, 2))
    ]


def well_known(random: Random, ids: list[str]) -> list[Rule]:
    """One to three well-known checks."""
    return [{"id": check_id} | random_weight(random, optional=True) for check_id in some(random, ids, 1, 3)]


def of_family(names: list[str], *families: str) -> list[str]:
    """The names of some families."""
    return [name for name in names if name.split(".")[0] in families]


def contract(random: Random, names: list[str]) -> Rule:
    """A contract."""
    ids = ["time_window_match", "cluster_scope_match"]
    return {"checks": [*well_known(random, ids), *checks_on_facts(random, "contract", [])]}


def workflow(random: Random, names: list[str]) -> Rule:
    """A workflow, with its default of progress or another."""
    facts = of_family(names, "workflow")
    bucket: Rule = {"checks": [*well_known(random, MILESTONES), *checks_on_facts(random, "workflow", facts)]}
    if chance(random, 0.4):
        bucket["max_score"] = random.choice([5, 20, 7.5])
    if chance(random, 0.4):
        bucket["progressed_any_of"] = some(random, [*MILESTONES, "never_defined"], 1, 2)
    return bucket


def collection_parameters(random: Random) -> Rule:
    """The parameters that two buckets have."""
    parameters: Rule = {
        "required_artifacts": some(random, REQUIRED_ARTIFACTS, 0, 3),
        "preferred_channels": some(random, CHANNELS, 0, 3),
    }
    if chance(random, 0.4):
        parameters["minimum_channels"] = random.choice([1, 2, 5])
    return {name: value for name, value in parameters.items() if chance(random, 0.8)}


def execution_contract(random: Random, names: list[str]) -> Rule:
    """An execution contract."""
    ids = [
        *("required_workflow_present", "required_artifacts_present"),
        *("preferred_channels_minimum_observed", "preferred_channels_all_observed"),
    ]
    facts = of_family(names, "workflow", "evidence")
    more = checks_on_facts(random, "evidence_collection", facts)
    return collection_parameters(random) | {"checks": [*well_known(random, ids), *more]}


def evidence_collection(random: Random, names: list[str]) -> Rule:
    """An evidence collection."""
    ids = [
        *("required_artifacts_present", "preferred_channels_minimum_observed"),
        *("preferred_channels_all_observed", "attempted_events_collection_persisted"),
    ]
    facts = of_family(names, "evidence")
    more = checks_on_facts(random, "evidence_collection", facts)
    bucket = collection_parameters(random) | {"checks": [*well_known(random, ids), *more]}
    return bucket | {"max_score": 12} if chance(random, 0.3) else bucket


def critical_evidence(random: Random, names: list[str]) -> Rule:
    """Critical evidence: rules on documents, and now and then on defined facts."""
    facts = of_family(names, "evidence")
    checks = []
    for n in range(random.choice([1, 1, 2, 4, 6])):
        rules = [
            fact_rule(random, random.choice(facts), "boolean")
            if facts and chance(random, 0.1)
            else document_rule(random)
            for _ in range(random.randint(1, 3))
        ]
        checks.append(random_check(random, f"signal_{n}", rules, optional=False))
    return {"checks": checks}


def evidence_routing(random: Random, names: list[str]) -> Rule:
    """Evidence routing."""
    return {"checks": [*well_known(random, ROUTING_CHECKS), *checks_on_facts(random, "evidence_routing", [])]}


def diagnosis(random: Random, names: list[str]) -> Rule:
    """A diagnosis with hard checks, supporting ones, or both."""
    layers = random.choice([("hard",), ("supporting",), ("hard", "supporting"), ("hard", "supporting")])
    bucket: Rule = {f"{layer}_checks": output_checks(random, layer, names) for layer in layers}
    if chance(random, 0.3):
        bucket |= {"hard_max_score": random.choice([10, 0.5]), "supporting_weight": random.choice([3, 30])}
    return bucket


def output_checks(random: Random, layer: str, names: list[str]) -> list[Rule]:
    """One to four checks on the output or its facts."""
    facts = of_family(names, "output")
    checks = []
    for n in range(random.randint(1, 4)):
        rules = [
            fact_rule(random, random.choice(facts), "boolean") if facts and chance(random, 0.2) else output_rule(random)
            for _ in range(random.randint(1, 3))
        ]
        checks.append(random_check(random, f"{layer}_{n}", rules, optional=False))
    return checks


BUCKET_MAKERS = {
    "contract": contract,
    "workflow": workflow,
    "execution_contract": execution_contract,
    "evidence_collection": evidence_collection,
    "critical_evidence": critical_evidence,
    "evidence_routing": evidence_routing,
    "diagnosis": diagnosis,
}
