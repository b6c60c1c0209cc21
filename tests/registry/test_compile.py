"""The rule book that files become, compared whole (rulebook.py; specification 10, 30, 40)."""

from __future__ import annotations

import pickle
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from judge_polars.registry import load_registry
from judge_polars.rulebook import (
    Baseline,
    BaselineCase,
    Bucket,
    Case,
    Check,
    Comparison,
    Condition,
    Definition,
    DocumentRule,
    FactRule,
    Formula,
    Limits,
    Rule,
    RuleBook,
    Selector,
    Suite,
    TimeWithin,
    Window,
    WordLists,
)
from judge_polars.vocabulary import BUCKETS, DEFAULT_CAUSES, DEFAULT_LAYOUT
from tests.registry.small import SHORT, changed, judge_with, write_registry

LOGS = Selector(artifact="logs_dir")
OUTPUT = Selector(artifact="output_text")
TELEMETRY = Selector(artifact="telemetry")
WORDS = WordLists(negators=(r"\bnot\b",), terminators=("，", r"\bbut\b"))
START = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)
END = datetime(2025, 3, 4, 9, 45, tzinfo=UTC)


def is_true(fact: str, reason: str | None = None) -> FactRule:
    return FactRule(fact, Comparison("equals", True), reason)


def compiled(root: Path, **changes: str) -> RuleBook:
    """The rule book of the small registry with some of its files changed."""
    write_registry(root, {SHORT.get(name, name): text for name, text in changes.items()})
    return load_registry(root).compile()


def case_of(root: Path, **changes: str) -> Case:
    case = compiled(root, **changes).case("case-a")
    assert case is not None
    return case


def check_of(root: Path, bucket: str, check: str, parameters: str = "", **changes: str) -> Check:
    """The only check of a bucket."""
    key = "hard_checks" if bucket == "diagnosis" else "checks"
    judge = judge_with(f"{bucket}:\n{parameters}  {key}:\n    - {check}")
    return case_of(root, judge=judge, **changes).checks[-1]


def rule_of(root: Path, bucket: str, rule: str) -> Rule:
    (rule_of_check,) = check_of(root, bucket, f"{{id: a, {rule}}}").formula.rules
    return rule_of_check


BUILT_IN_DEFINITIONS = (
    Definition("evidence.query_or_metric_channel_observed", Formula(1, ()), origin="built in"),
    Definition(
        "evidence.core_evidence_bundle_present",
        Formula(
            4,
            tuple(
                DocumentRule("json_valid", Selector(name=f"evidence/{name}.json"))
                for name in ("collection_errors", "gate_checks", "log_stats", "queries")
            ),
        ),
        origin="built in",
    ),
    Definition(
        "output.claimed_causes",
        Formula(1, (DocumentRule("claimed_any", OUTPUT, patterns=("slow disk", "慢盘"), words=WORDS),)),
        count=True,
        origin="built in",
    ),
)
CHANNEL_DEFINITIONS = (
    Definition(
        "evidence.logs_channel_observed",
        Formula(1, (is_true("artifacts.logs_dir_present", "artifact_missing"),)),
        origin="pack small",
    ),
    Definition("evidence.logs_collection_attempted", Formula(1, ()), origin="pack small"),
    Definition("evidence.logs_output_file_present", Formula(1, ()), origin="pack small"),
    Definition(
        "evidence.logs_attempted_implies_artifact_present",
        Formula(
            1,
            (
                FactRule("evidence.logs_collection_attempted", Comparison("equals", False)),
                is_true("evidence.logs_output_file_present"),
            ),
        ),
        origin="pack small",
    ),
    Definition(
        "evidence.events_channel_observed",
        Formula(1, (DocumentRule("json_list_nonempty", Selector(name="events.json")),)),
        origin="pack small",
    ),
    Definition("evidence.events_collection_attempted", Formula(1, ()), origin="pack small"),
    Definition("evidence.events_output_file_present", Formula(1, ()), origin="pack small"),
    Definition(
        "evidence.events_attempted_implies_artifact_present",
        Formula(
            1,
            (
                FactRule("evidence.events_collection_attempted", Comparison("equals", False)),
                is_true("evidence.events_output_file_present"),
            ),
        ),
        origin="pack small",
    ),
)
PACK_DEFINITIONS = (
    Definition(
        "workflow.started",
        Formula(1, (DocumentRule("keyword_any", TELEMETRY, keywords=("start",)),)),
        origin="pack small",
    ),
    Definition(
        "evidence.panic",
        Formula(1, (DocumentRule("keyword_any", LOGS, keywords=("panic",)),)),
        origin="pack small",
    ),
    Definition(
        "output.hot",
        Formula(1, (DocumentRule("claimed_any", OUTPUT, patterns=("slow disk", "慢盘"), words=WORDS),)),
        origin="pack small",
    ),
)
DEFINITIONS = (*CHANNEL_DEFINITIONS, *BUILT_IN_DEFINITIONS, *PACK_DEFINITIONS)


def test_a_whole_small_registry(tmp_path: Path) -> None:
    book = compiled(tmp_path)
    case = Case(
        id="case-a",
        version=2,
        title="A case",
        status="active",
        tags=("x",),
        cluster_id="1001",
        window=Window(START, END),
        allowed=(Window(START, END),),
        trials=1,
        timeout_us=30 * 60 * 1_000_000,
        definitions=DEFINITIONS,
        progressed_any_of=(),
        buckets=(
            Bucket("contract"),
            Bucket("workflow", max_score=10.0),
            Bucket("critical_evidence", max_score=10.0),
            Bucket("diagnosis", hard_max_score=18.0, supporting_weight=12.0),
        ),
        checks=(
            Check(
                "contract",
                None,
                "time_window_match",
                None,
                True,
                1.0,
                Formula(1, (is_true("window.matched_allowed_window"),)),
            ),
            Check(
                "workflow",
                None,
                "started",
                None,
                True,
                1.0,
                Formula(1, (is_true("workflow.started"),)),
                fact="check.workflow.started",
            ),
            Check(
                "critical_evidence",
                None,
                "seen",
                None,
                True,
                1.0,
                Formula(1, (DocumentRule("keyword_any", LOGS, keywords=("busy",)),)),
            ),
            Check("diagnosis", "hard", "named", None, True, 1.0, Formula(1, (is_true("output.hot"),))),
        ),
        digest=book.cases[0].digest,
    )
    suite = Suite("daily", 1, "Daily", "active", True, ("case-a",), 1, 1, "majority", book.suites[0].digest)
    baseline = Baseline(
        "daily",
        1,
        "2025-03-05-nightly",
        "j1",
        datetime(2025, 3, 5, 6, 0, tzinfo=UTC),
        "somebody",
        "first",
        (
            BaselineCase(
                "case-a",
                2,
                f"sha256:{'0' * 64}",
                "pass",
                None,
                10.0,
                10.5,
                3,
                2,
                (("contract", "pass"), ("diagnosis", "partial")),
            ),
        ),
    )
    assert book == RuleBook(
        root=str(tmp_path),
        cases=(case,),
        suites=(suite,),
        baselines=(baseline,),
        layout=DEFAULT_LAYOUT,
        causes=DEFAULT_CAUSES,
        packs=(("small", 3, book.packs[0][2]),),
        digest=book.digest,
        limits=Limits(),
    )
    digests = (book.digest, case.digest, suite.digest, book.packs[0][2])
    assert all(digest.startswith("sha256:") and len(digest) == 71 for digest in digests)


def test_a_rule_book_pickles_and_its_rules_hash(tmp_path: Path) -> None:
    book = compiled(tmp_path)
    assert pickle.loads(pickle.dumps(book)) == book
    assert len({book.cases[0].definitions, book.cases[0].checks}) == 2


def seen(text: str) -> Comparison:
    return Comparison("equals", text)


DOCUMENT_RULES: dict[str, tuple[str, Rule]] = {
    "artifact_present of a file": (
        "match: artifact_present, artifact: x.json",
        DocumentRule("artifact_present", Selector(name="x.json")),
    ),
    "artifact_present of a logical artifact": (
        "match: artifact_present, artifact: evidence",
        is_true("artifacts.evidence_dir_present", "artifact_missing"),
    ),
    "json_valid of a logical artifact": (
        "match: json_valid, artifact: report",
        DocumentRule("json_valid", Selector(artifact="report")),
    ),
    "json_exists": (
        "match: json_exists, artifact: 'a/*.json', path: '$.a[0]'",
        DocumentRule("json_exists", Selector(name="a/*.json"), path="$.a[0]"),
    ),
    "json_list_nonempty with its default": (
        "match: json_list_nonempty, artifact: a.json",
        DocumentRule("json_list_nonempty", Selector(name="a.json"), path="$"),
    ),
    "json_record_any": (
        "match: json_record_any, artifact: telemetry, path: '$[*]', "
        "where: [{path: $.tool, equals: read}, {path: $, contains_any: [x]}]",
        DocumentRule(
            "json_record_any",
            TELEMETRY,
            path="$[*]",
            where=(Condition("$.tool", seen("read")), Condition("$", Comparison("contains_any", ("x",)))),
        ),
    ),
    "json_count": (
        "match: json_count, artifact: a.json, path: $.a, where: [{path: $, gt: 0.5}], in: [1, 2]",
        DocumentRule(
            "json_count",
            Selector(name="a.json"),
            path="$.a",
            where=(Condition("$", Comparison("gt", 0.5)),),
            comparison=Comparison("in", (1, 2)),
        ),
    ),
    "json_text_contains_any": (
        "match: json_text_contains_any, artifact: a.json, keywords: [Ａ]",
        DocumentRule("json_text_contains_any", Selector(name="a.json"), keywords=("Ａ",)),
    ),
    "json_value near a time": (
        "match: json_value, artifact: a.json, path: $.t, "
        "time_within: {of: 2025-03-04T17:00:00+08:00, tolerance: 1m, offset: '-02:30'}",
        DocumentRule(
            "json_value",
            Selector(name="a.json"),
            path="$.t",
            comparison=Comparison("time_within", TimeWithin(START, 60_000_000, -150)),
        ),
    ),
    "json_value with a boolean": (
        "match: json_value, artifact: a.json, path: $.t, equals: false",
        DocumentRule("json_value", Selector(name="a.json"), path="$.t", comparison=Comparison("equals", False)),
    ),
    "json_value with a regex, as it is written": (
        "match: json_value, artifact: a.json, path: $.t, matches: '：$'",
        DocumentRule("json_value", Selector(name="a.json"), path="$.t", comparison=Comparison("matches", ":$")),
    ),
    "numeric_series_present": (
        "match: numeric_series_present, artifact: m.json, series: /^a/, labels: {b: '2', a: ''}, path: $.x",
        DocumentRule(
            "numeric_series_present",
            Selector(name="m.json"),
            series="/^a/",
            labels=(("a", ""), ("b", "2")),
            path="$.x",
        ),
    ),
    "numeric_series_any_gt": (
        "match: numeric_series_any_gt, artifact: m.json, threshold: 0.9, min_points: 3, consecutive: true, "
        "within: window, margin: 1h5s",
        DocumentRule(
            "numeric_series_any_gt",
            Selector(name="m.json"),
            threshold=0.9,
            min_points=3,
            consecutive=True,
            within="window",
            margin_us=3_605_000_000,
        ),
    ),
    "numeric_series_any_le of a ratio": (
        "match: numeric_series_any_le, artifact: m.json, threshold: 2, of: ratio",
        DocumentRule("numeric_series_any_le", Selector(name="m.json"), threshold=2, of="ratio"),
    ),
    "numeric_series_all_lt": (
        "match: numeric_series_all_lt, artifact: m.json, threshold: -1",
        DocumentRule("numeric_series_all_lt", Selector(name="m.json"), threshold=-1),
    ),
    "numeric_spread_gt": (
        "match: numeric_spread_gt, artifact: m.json, threshold: 3, by: max_over_median",
        DocumentRule("numeric_spread_gt", Selector(name="m.json"), threshold=3, by="max_over_median"),
    ),
    "keyword_all": (
        "match: keyword_all, artifact: logs, keywords: ['a ', b], whole_word: true",
        DocumentRule("keyword_all", LOGS, keywords=("a ", "b"), whole_word=True),
    ),
    "keyword_none": (
        "match: keyword_none, artifact: logs_dir, keywords: [a], ignore_unread: true, within: before_window",
        DocumentRule("keyword_none", LOGS, keywords=("a",), ignore_unread=True, within="before_window"),
    ),
    "regex_any in a section": (
        "match: regex_any, artifact: summary_text, patterns: ['a（'], concepts: [slow_disk], case_sensitive: true, "
        "section: '根因：', section_or_all: true",
        DocumentRule(
            "regex_any",
            Selector(artifact="summary_text"),
            patterns=(r"a\(", "slow disk", "慢盘"),
            case_sensitive=True,
            section="根因:",
            section_or_all=True,
        ),
    ),
    "asserted_none": (
        "match: asserted_none, artifact: summary_text, patterns: [a], unless: ['（'], negated_finding: true",
        DocumentRule(
            "asserted_none",
            Selector(artifact="summary_text"),
            patterns=("a",),
            unless=(r"\(",),
            negated_finding=True,
            words=WORDS,
        ),
    ),
    "denied_any": (
        "match: denied_any, artifact: summary_text, patterns: [a]",
        DocumentRule("denied_any", Selector(artifact="summary_text"), patterns=("a",), words=WORDS),
    ),
}


@pytest.mark.parametrize(("rule", "wanted"), DOCUMENT_RULES.values(), ids=DOCUMENT_RULES.keys())
def test_document_rules(tmp_path: Path, rule: str, wanted: Rule) -> None:
    assert rule_of(tmp_path, "critical_evidence", rule) == wanted


FACT_RULES: dict[str, tuple[str, str, Rule]] = {
    "short name": ("contract", "fact: matched", is_true("cluster.matched")),
    "full name": (
        "contract",
        "fact: cluster.matched, equals: false",
        FactRule("cluster.matched", Comparison("equals", False)),
    ),
    "text": ("contract", "fact: window.source, in: [report]", FactRule("window.source", Comparison("in", ("report",)))),
    "regex": ("contract", "fact: cluster.id, matches: ^10", FactRule("cluster.id", Comparison("matches", "^10"))),
    "known": ("contract", "fact: window.end, exists: false", FactRule("window.end", Comparison("exists", False))),
    "timestamp": (
        "contract",
        "fact: window.end, le: 2025-03-04T10:45:00+01:00",
        FactRule("window.end", Comparison("le", END)),
    ),
    "timestamps": (
        "contract",
        "fact: window.start, not_in: [2025-03-04T09:00:00Z]",
        FactRule("window.start", Comparison("not_in", (START,))),
    ),
    "number": (
        "evidence_collection",
        "fact: collection_error_count, lt: 2.5",
        FactRule("evidence.collection_error_count", Comparison("lt", 2.5)),
    ),
    "artifact by its other name": (
        "evidence_collection",
        "fact: artifacts.logs_present",
        is_true("artifacts.logs_dir_present"),
    ),
    "channel": ("evidence_collection", "fact: logs_channel_observed", is_true("evidence.logs_channel_observed")),
    "defined evidence": ("critical_evidence", "fact: panic", is_true("evidence.panic")),
    "routing": (
        "evidence_routing",
        "fact: refs_unresolved, equals: 0",
        FactRule("routing.refs_unresolved", Comparison("equals", 0)),
    ),
    "count of causes": (
        "diagnosis",
        "fact: claimed_causes, le: 1",
        FactRule("output.claimed_causes", Comparison("le", 1)),
    ),
    "output without an artifact": (
        "diagnosis",
        "match: json_value, path: $.a, equals: 1",
        DocumentRule("json_value", OUTPUT, path="$.a", comparison=Comparison("equals", 1)),
    ),
}


@pytest.mark.parametrize(("bucket", "rule", "wanted"), FACT_RULES.values(), ids=FACT_RULES.keys())
def test_fact_rules(tmp_path: Path, bucket: str, rule: str, wanted: Rule) -> None:
    assert rule_of(tmp_path, bucket, rule) == wanted


@pytest.mark.parametrize("operand", ["true", "1", "1.0", "'1'"])
def test_operands_keep_their_kind(tmp_path: Path, operand: str) -> None:
    rule: Any = rule_of(tmp_path, "critical_evidence", f"match: json_value, artifact: a, path: $, equals: {operand}")
    kinds = {"true": bool, "1": int, "1.0": float, "'1'": str}
    assert type(rule.comparison.operand) is kinds[operand]


TWO = "[{fact: panic}, {fact: panic, equals: false}]"


@pytest.mark.parametrize(
    ("formula", "need", "rules"),
    [
        (f"all_of: {TWO}", 2, 2),
        (f"any_of: {TWO}", 1, 2),
        (f"at_least: {{n: 2, of: {TWO}}}", 2, 2),
        (f"at_least: {{n: 1, of: {TWO}}}", 1, 2),
        ("fact: panic", 1, 1),
    ],
)
def test_formulas(tmp_path: Path, formula: str, need: int, rules: int) -> None:
    check = check_of(tmp_path, "critical_evidence", f"{{id: a, {formula}}}")
    assert (check.formula.need, len(check.formula.rules)) == (need, rules)


PARAMETERS = "  required_artifacts: [logs, telemetry, x.json, 'a/*']\n  preferred_channels: [events, logs]\n"
REQUIRED = (
    is_true("artifacts.logs_dir_present", "artifact_missing"),
    is_true("artifacts.telemetry_present", "artifact_missing"),
    DocumentRule("artifact_present", Selector(name="x.json")),
    DocumentRule("artifact_present", Selector(name="a/*")),
)
OBSERVED = tuple(is_true(f"evidence.{name}_channel_observed", "channel_not_observed") for name in ("events", "logs"))
WELL_KNOWN: dict[str, tuple[str, str, str, bool, Formula]] = {
    "window": ("contract", "time_window_match", "", True, Formula(1, (is_true("window.matched_allowed_window"),))),
    "cluster": ("contract", "cluster_scope_match", "", True, Formula(1, (is_true("cluster.matched"),))),
    "workflow fact": ("workflow", "started", "", True, Formula(1, (is_true("workflow.started"),))),
    "required artifacts": ("execution_contract", "required_artifacts_present", PARAMETERS, True, Formula(4, REQUIRED)),
    "required artifacts of another bucket": (
        "evidence_collection",
        "required_artifacts_present",
        PARAMETERS,
        True,
        Formula(4, REQUIRED),
    ),
    "no required artifacts": ("evidence_collection", "required_artifacts_present", "", True, Formula(0, ())),
    "some channels": (
        "execution_contract",
        "preferred_channels_minimum_observed",
        PARAMETERS,
        True,
        Formula(1, OBSERVED),
    ),
    "more channels than there are": (
        "evidence_collection",
        "preferred_channels_minimum_observed",
        f"{PARAMETERS}  minimum_channels: 5\n",
        True,
        Formula(2, OBSERVED),
    ),
    "no channels": ("evidence_collection", "preferred_channels_minimum_observed", "", True, Formula(0, ())),
    "all channels": ("execution_contract", "preferred_channels_all_observed", PARAMETERS, False, Formula(2, OBSERVED)),
    "all channels of another bucket": (
        "evidence_collection",
        "preferred_channels_all_observed",
        PARAMETERS,
        False,
        Formula(2, OBSERVED),
    ),
    "events": (
        "evidence_collection",
        "attempted_events_collection_persisted",
        "",
        False,
        Formula(1, (is_true("evidence.events_attempted_implies_artifact_present"),)),
    ),
    "routing": (
        "evidence_routing",
        "query_refs_resolvable",
        "",
        True,
        Formula(1, (is_true("routing.analysis_query_refs_resolvable"),)),
    ),
    "no workflow": ("execution_contract", "required_workflow_present", "", True, Formula(0, ())),
}


@pytest.mark.parametrize(
    ("bucket", "check_id", "parameters", "required", "formula"), WELL_KNOWN.values(), ids=WELL_KNOWN.keys()
)
def test_well_known_checks(
    tmp_path: Path, bucket: str, check_id: str, parameters: str, required: bool, formula: Formula
) -> None:
    check = check_of(tmp_path, bucket, f"{{id: {check_id}}}", parameters)
    fact = "check.workflow.started" if bucket == "workflow" else None
    assert check == Check(bucket, None, check_id, None, required, 1.0, formula, fact)


def test_the_default_of_required_follows_the_id(tmp_path: Path) -> None:
    check = check_of(tmp_path, "execution_contract", "{id: preferred_channels_all_observed, fact: panic, weight: 2}")
    assert (check.required, check.weight, check.formula) == (False, 2.0, Formula(1, (is_true("evidence.panic"),)))
    check = check_of(tmp_path, "execution_contract", "{id: preferred_channels_all_observed, required: true}")
    assert check.required


def test_required_workflow_reads_the_required_workflow_checks(tmp_path: Path) -> None:
    judge = judge_with(
        "workflow:\n  checks:\n    - {id: started}\n    - {id: other, fact: started, required: false}\n"
        "    - {id: third, fact: started, required: true}\n"
        "execution_contract:\n  checks: [{id: required_workflow_present}]"
    )
    checks = case_of(tmp_path, judge=judge).checks
    names = ("started", "other", "third")
    assert [check.fact for check in checks] == [*(f"check.workflow.{name}" for name in names), None]
    assert checks[-1].formula == Formula(
        2,
        (
            is_true("check.workflow.started", "workflow_check_failed"),
            is_true("check.workflow.third", "workflow_check_failed"),
        ),
    )


def test_checks_stand_in_bucket_order_hard_before_supporting(tmp_path: Path) -> None:
    judge = judge_with(
        "diagnosis:\n  supporting_checks: [{id: a, fact: hot}]\n  hard_checks: [{id: b, fact: hot}]\n"
        "contract:\n  checks: [{id: cluster_scope_match}, {id: time_window_match}]"
    )
    case = case_of(tmp_path, judge=judge)
    assert [(check.bucket, check.layer, check.id) for check in case.checks] == [
        ("contract", None, "cluster_scope_match"),
        ("contract", None, "time_window_match"),
        ("diagnosis", "hard", "b"),
        ("diagnosis", "supporting", "a"),
    ]
    names = [bucket.name for bucket in case.buckets]
    assert names == sorted(names, key=BUCKETS.index)


def test_progress_is_told_by_full_names_of_facts_that_there_are(tmp_path: Path) -> None:
    judge = judge_with(
        "workflow:\n  progressed_any_of: [started, workflow.started, nothing]\n  checks: [{id: started}]"
    )
    assert case_of(tmp_path, judge=judge).progressed_any_of == ("workflow.started", "workflow.started")


def test_a_case_redefines_a_fact_in_its_place_and_adds_others_behind(tmp_path: Path) -> None:
    facts = (
        "facts:\n  - {name: output.last, fact: hot, equals: false}\n"
        "  - {name: evidence.panic, match: regex_any, artifact: logs, patterns: [fatal]}\n"
    )
    case = case_of(tmp_path, judge=judge_with("contract:\n  checks: [{id: time_window_match}]", facts=facts))
    mine = Definition(
        "evidence.panic",
        Formula(1, (DocumentRule("regex_any", LOGS, patterns=("fatal",)),)),
        origin="case case-a",
    )
    last = Definition(
        "output.last",
        Formula(1, (FactRule("output.hot", Comparison("equals", False)),)),
        origin="case case-a",
    )
    started, _, hot = PACK_DEFINITIONS
    assert case.definitions == (*CHANNEL_DEFINITIONS, *BUILT_IN_DEFINITIONS, started, mine, hot, last)


def test_words_of_a_case_are_in_force_in_all_its_rules(tmp_path: Path) -> None:
    judge = judge_with(
        "diagnosis:\n  hard_checks: [{id: a, match: asserted_any, patterns: [x]}]",
        facts="words: {negators: ['无：'], pseudo_negators: ['，：']}\n",
    )
    lists = replace(WORDS, negators=("无:",), pseudo_negators=("，:",))
    case = case_of(tmp_path, judge=judge)
    formulas = [*(one.formula for one in case.definitions), *(one.formula for one in case.checks)]
    rules = [rule for formula in formulas for rule in formula.rules]
    words = [rule.words for rule in rules if isinstance(rule, DocumentRule) and rule.words]
    assert words == [lists] * 3


def test_a_later_pack_replaces_what_it_names_in_its_place(tmp_path: Path) -> None:
    other = (
        "id: other\nversion: 1\nwords: {negators: ['\\bnever\\b']}\nconcepts: {slow_disk: [disk hang]}\n"
        "causes: [slow_disk]\nfacts:\n  - {name: workflow.started, match: json_valid, artifact: report}\n"
        "channels:\n  logs: {present_any_of: [{match: json_valid, artifact: report}]}\n"
    )
    book = compiled(tmp_path, registry="packs: [pack.yaml, packs/other.yaml]\n", **{"packs/other.yaml": other})
    assert [(name, version) for name, version, _ in book.packs] == [("small", 3), ("other", 1)]
    definitions = {definition.name: definition for definition in book.cases[0].definitions}
    names = [definition.name for definition in DEFINITIONS]
    assert list(definitions) == names
    report = Formula(1, (DocumentRule("json_valid", Selector(artifact="report")),))
    assert definitions["workflow.started"] == Definition("workflow.started", report, origin="pack other")
    assert definitions["evidence.logs_output_file_present"].formula == report
    assert definitions["evidence.logs_channel_observed"].formula == Formula(1, ())
    words = replace(WORDS, negators=(r"\bnever\b",))
    claim = DocumentRule("claimed_any", OUTPUT, patterns=("disk hang",), words=words)
    assert definitions["output.claimed_causes"].formula == Formula(1, (claim,))
    assert definitions["output.hot"].formula == Formula(1, (claim,))


def test_queries_or_metrics(tmp_path: Path) -> None:
    pack = changed("pack", "channels:\n", "channels:\n  metrics: {}\n  queries: {}\n")
    definitions = {one.name: one.formula for one in case_of(tmp_path, pack=pack).definitions}
    observed = (is_true("evidence.queries_channel_observed"), is_true("evidence.metrics_channel_observed"))
    assert definitions["evidence.query_or_metric_channel_observed"] == Formula(1, observed)


def test_layout_causes_and_limits_complete_their_defaults(tmp_path: Path) -> None:
    registry = (
        "packs: [pack.yaml]\nlayout: {report: answer.json, logs: [log, out], evidence_dir: proof}\n"
        "causes: {flaky: environment, rate_limited: agent}\n"
        "limits: {document_bytes: 1000, case_run_bytes: 2000, output_bytes: 500}\n"
    )
    book = compiled(tmp_path, registry=registry)
    changes = {"report": ("answer.json",), "logs_dir": ("log", "out"), "evidence_dir": ("proof",)}
    assert book.layout == DEFAULT_LAYOUT | changes
    assert book.causes == DEFAULT_CAUSES | {"flaky": "environment", "rate_limited": "agent"}
    assert book.limits == Limits(document_bytes=1000, case_run_bytes=2000, output_bytes=500)
    core = next(one for one in book.cases[0].definitions if one.name == "evidence.core_evidence_bundle_present")
    assert core.formula.rules[0] == DocumentRule("json_valid", Selector(name="proof/collection_errors.json"))


DEFAULTS = (
    "packs: [pack.yaml]\njudge_defaults:\n  contract: {checks: [{id: cluster_scope_match}]}\n"
    "  evidence_routing: {max_score: 4, checks: [{id: patch_present}]}\n"
)


def test_buckets_of_all_cases(tmp_path: Path) -> None:
    judge = changed("judge", "judge:\n", "judge:\n  evidence_routing: null\n")
    other = changed("judge", "case_id: case-a", "case_id: case-b")
    book = compiled(
        tmp_path,
        registry=DEFAULTS,
        judge=judge,
        **{
            "cases/case-b/judge.yaml": other.replace("  contract:\n    checks:\n      - {id: time_window_match}\n", ""),
            "cases/case-b/case.yaml": changed("case", "id: case-a", "id: case-b"),
        },
    )
    own, taken = book.cases
    assert [check.id for check in own.checks] == ["time_window_match", "started", "seen", "named"]
    assert [check.id for check in taken.checks] == ["cluster_scope_match", "started", "seen", "patch_present", "named"]
    assert Bucket("evidence_routing", max_score=4.0) in taken.buckets


def test_windows_and_execution(tmp_path: Path) -> None:
    allowed = (
        "  allowed:\n"
        "    - {start: 2025-03-04T08:00:00Z, end: 2025-03-04T12:00:00+02:00, match: overlap, tolerance: 90s}\n"
        "    - {start: 2025-03-04T09:00:00Z, end: 2025-03-04T09:45:00Z, match: exact}\n"
    )
    case = changed(
        "case", "execution: {timeout: 30m, trials: 1}\n", f"{allowed}execution: {{timeout: 1h1s, trials: 3}}\n"
    )
    found = case_of(tmp_path, case=case)
    assert found.window == Window(START, END)
    assert found.allowed == (
        Window(datetime(2025, 3, 4, 8, tzinfo=UTC), datetime(2025, 3, 4, 10, tzinfo=UTC), "overlap", 90_000_000),
        Window(START, END, "exact", 0),
    )
    assert (found.trials, found.timeout_us) == (3, 3_601_000_000)


def test_semantic_checks_stay_as_they_are_written(tmp_path: Path) -> None:
    judge = judge_with(
        "diagnosis:\n  hard_checks: [{id: a, fact: hot}]\n  semantic_checks:\n"
        "    - {id: q, kind: rubric, question: Why?, expected: yes, shadows: a}"
    )
    case = case_of(tmp_path, judge=judge.replace("case_id: case-a\n", "case_id: case-a\nreference_run: r/case-a/1\n"))
    assert case.semantic_checks == (
        {"id": "q", "kind": "rubric", "question": "Why?", "expected": "yes", "shadows": "a"},
    )
    assert case.reference_run == "r/case-a/1"


UNCHANGED = {
    "order of keys": ("judge", "schema_version: 1\ncase_id: case-a\n", "case_id: case-a\nschema_version: 1\n"),
    "comment": ("judge", "case_id: case-a\n", "case_id: case-a   # the case\n"),
    "a default in full": ("judge", "{id: started}", "{id: started, weight: 1.0}"),
    "a default of a rule": ("judge", "keywords: [busy]}", "keywords: [busy], whole_word: false}"),
    "a single rule in a list": ("judge", "all_of: [{fact: hot}]", "fact: hot"),
    "a silenced lint finding": ("case", "tags: [x]", "tags: [x]\nlint_ignore: {single_point: it is a counter}"),
    "a pack": ("pack", "keywords: [panic]", "keywords: [fatal]"),
}
CHANGED = {
    "threshold of a rule": ("judge", "keywords: [busy]}", "keywords: [busier]}"),
    "weight": ("judge", "{id: started}", "{id: started, weight: 2}"),
    "prompt": ("case", "cluster 1001.", "cluster 1001!"),
    "window": ("case", "end: 2025-03-04T09:45:00Z", "end: 2025-03-04T09:46:00Z"),
    "a default of all cases": ("registry", "packs: [pack.yaml]", DEFAULTS.rstrip("\n")),
}


@pytest.mark.parametrize(
    ("change", "same"),
    [*((row, True) for row in UNCHANGED.values()), *((row, False) for row in CHANGED.values())],
    ids=[*UNCHANGED, *CHANGED],
)
def test_a_case_digest_covers_the_merged_meaning(tmp_path: Path, change: tuple[str, str, str], same: bool) -> None:
    before = case_of(tmp_path / "before").digest
    after = case_of(tmp_path / "after", **{change[0]: changed(*change)}).digest
    assert (before == after) is same


@pytest.mark.parametrize(
    ("change", "same"),
    [
        pytest.param(("pack", "keywords: [panic]", "keywords: [fatal]"), False, id="pack"),
        pytest.param(
            ("registry", "packs: [pack.yaml]", "packs: [pack.yaml]\nlayout: {report: r.json}"), False, id="layout"
        ),
        pytest.param(("registry", "packs: [pack.yaml]", "packs: [pack.yaml]\ncauses: {x: case}"), False, id="causes"),
        pytest.param(
            ("suite", "cases: [case-a]", "cases: [case-a]\nexecution_policy: {aggregate: any}"), False, id="suite"
        ),
        pytest.param(("baseline", "notes: first", "notes: second"), True, id="baseline"),
    ],
)
def test_a_registry_digest_covers_what_verdicts_depend_on(
    tmp_path: Path, change: tuple[str, str, str], same: bool
) -> None:
    before = compiled(tmp_path / "before").digest
    after = compiled(tmp_path / "after", **{change[0]: changed(*change)}).digest
    assert (before == after) is same
