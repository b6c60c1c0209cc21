"""The rule language: why a rule is false, or None when it is true (40-rules)."""

from collections.abc import Callable, Iterable

from tests.plain.assertions import Found, clauses_of, find
from tests.plain.bundles import artifact_of
from tests.plain.comparisons import comparison_of, node_satisfies, satisfies
from tests.plain.numeric import numeric_series_all, numeric_series_any, numeric_series_present, numeric_spread_gt
from tests.plain.paths import Node, select
from tests.plain.scene import Rule, Scene, Text, Unfit, documents_for, documents_with_values, texts_for
from tests.plain.text import keyword_occurs, regex_found
from tests.plain.values import text_of_node


def why_false(rule: Rule, scene: Scene, families: Iterable[str]) -> str | None:
    """The reason why a rule is false, None when it is true; `families` are those whose name a fact may leave out."""
    if "fact" in rule:
        return why_fact_rule_is_false(rule, scene, families)
    try:
        return None if METHODS[rule["match"]](rule, scene) else "not_matched"
    except Unfit as unfit:
        return str(unfit)


# Fact rules


def full_name(name: str, scene: Scene, families: Iterable[str]) -> str:
    """A fact's name with its family, which may be left out where one family alone has it (30-facts)."""
    if "." in name:
        return name
    return next(f"{family}.{name}" for family in families if f"{family}.{name}" in scene.facts)


def why_fact_rule_is_false(rule: Rule, scene: Scene, families: Iterable[str]) -> str | None:
    """A fact rule; an unknown fact satisfies nothing but `exists: false` (40-rules, Fact rules)."""
    value = scene.facts[full_name(rule["fact"], scene, families)]
    name, operand = comparison_of(rule, ("equals", True))
    if name == "exists":
        if (value is not None) == operand:
            return None
        return "fact_unknown" if value is None else "fact_not_satisfied"
    if value is None:
        return "fact_unknown"
    return None if satisfies(value, name, operand) else "fact_not_satisfied"


# Documents and JSON


def artifact_present(rule: Rule, scene: Scene) -> bool:
    """A fitting document, or a logical artifact that is there."""
    artifact = artifact_of(rule.get("artifact", "output"))
    if artifact is not None and scene.bundle is not None and artifact in scene.bundle.artifacts:
        return True
    return bool(documents_for(rule, scene))


def json_valid(rule: Rule, scene: Scene) -> bool:
    """A document with a JSON value."""
    return bool(documents_with_values(rule, scene))


def nodes_of(rule: Rule, scene: Scene) -> list[Node]:
    """The nodes that the path selects in all selected documents."""
    documents = documents_with_values(rule, scene)
    return [node for document in documents for node in select(rule.get("path", "$"), document.values[0])]


def some_nodes_of(rule: Rule, scene: Scene) -> list[Node]:
    """The selected nodes, of which there has to be one."""
    nodes = nodes_of(rule, scene)
    if not nodes:
        raise Unfit("path_selects_nothing")
    return nodes


def json_exists(rule: Rule, scene: Scene) -> bool:
    """A node at the path."""
    return bool(some_nodes_of(rule, scene))


def json_list_nonempty(rule: Rule, scene: Scene) -> bool:
    """A list that is not empty at the path."""
    return any(isinstance(node.value, list) and node.value for node in some_nodes_of(rule, scene))


def satisfies_all(node: Node, where: list[Rule]) -> bool:
    """Whether a node satisfies every condition of `where`, each relative to the node."""
    return all(any(node_satisfies(inner.value, one) for inner in select(one["path"], node.value)) for one in where)


def json_record_any(rule: Rule, scene: Scene) -> bool:
    """One node for which all conditions hold."""
    return any(satisfies_all(node, rule["where"]) for node in some_nodes_of(rule, scene))


def json_count(rule: Rule, scene: Scene) -> bool:
    """The number of nodes, over all documents, none included."""
    count = sum(satisfies_all(node, rule.get("where", [])) for node in nodes_of(rule, scene))
    return satisfies(count, *comparison_of(rule))


def json_text_contains_any(rule: Rule, scene: Scene) -> bool:
    """A keyword in the text of a node."""
    nodes = some_nodes_of(rule, scene)
    texts = [Text(text_of_node(node.value), not isinstance(node.value, str)) for node in nodes]
    return any(occurs(text) for text in texts for occurs in keyword_tests(rule, scene))


def json_value(rule: Rule, scene: Scene) -> bool:
    """A scalar node that satisfies the comparison."""
    return any(node_satisfies(node.value, rule) for node in some_nodes_of(rule, scene))


# Text


def concept_patterns(rule: Rule, scene: Scene) -> list[str]:
    """The patterns of the concepts that a rule names."""
    return [pattern for concept in rule.get("concepts", []) for pattern in scene.case.concepts[concept]]


def keyword_tests(rule: Rule, scene: Scene) -> list[Callable[[Text], bool]]:
    """One test per keyword; a pattern of a concept counts as a keyword that occurs where it is found."""

    def of_keyword(keyword: str) -> Callable[[Text], bool]:
        whole_word = rule.get("whole_word", False)
        return lambda text: keyword_occurs(keyword, text.text, whole_word=whole_word, in_json=text.as_json)

    def of_pattern(pattern: str) -> Callable[[Text], bool]:
        return lambda text: regex_found(pattern, text.text)

    return [
        *(of_keyword(keyword) for keyword in rule.get("keywords", [])),
        *(of_pattern(pattern) for pattern in concept_patterns(rule, scene)),
    ]


def keyword_any(rule: Rule, scene: Scene) -> bool:
    """One keyword, in any of the documents."""
    texts = texts_for(rule, scene)
    return any(occurs(text) for occurs in keyword_tests(rule, scene) for text in texts)


def keyword_all(rule: Rule, scene: Scene) -> bool:
    """Every keyword, each in any of the documents."""
    texts = texts_for(rule, scene)
    return all(any(occurs(text) for text in texts) for occurs in keyword_tests(rule, scene))


def keyword_none(rule: Rule, scene: Scene) -> bool:
    """No keyword in any of the documents."""
    return not keyword_any(rule, scene)


def patterns_of(rule: Rule, scene: Scene) -> list[str]:
    """The patterns of a rule and of the concepts that it names."""
    return [*rule.get("patterns", []), *concept_patterns(rule, scene)]


def regex_any(rule: Rule, scene: Scene) -> bool:
    """One pattern, in any of the documents."""
    case_sensitive = rule.get("case_sensitive", False)
    texts = texts_for(rule, scene)
    return any(
        regex_found(pattern, text.text, case_sensitive=case_sensitive)
        for pattern in patterns_of(rule, scene)
        for text in texts
    )


def regex_none(rule: Rule, scene: Scene) -> bool:
    """No pattern in any of the documents."""
    return not regex_any(rule, scene)


# Assertions


def findings(rule: Rule, scene: Scene) -> list[Found]:
    """What each selected text does with each pattern."""
    of_texts = [clauses_of(text.text, scene.words) for text in texts_for(rule, scene)]
    return [find(pattern, clauses, rule, scene.words) for clauses in of_texts for pattern in patterns_of(rule, scene)]


def asserted_any(rule: Rule, scene: Scene) -> bool:
    """One pattern that a document asserts."""
    return any(found.asserted for found in findings(rule, scene))


def claimed_any(rule: Rule, scene: Scene) -> bool:
    """One pattern that a document claims."""
    return any(found.claimed for found in findings(rule, scene))


def denied_any(rule: Rule, scene: Scene) -> bool:
    """One pattern that a document denies."""
    return any(found.denied for found in findings(rule, scene))


def asserted_none(rule: Rule, scene: Scene) -> bool:
    """No pattern that a document asserts."""
    return not asserted_any(rule, scene)


def claimed_none(rule: Rule, scene: Scene) -> bool:
    """No pattern that a document claims."""
    return not claimed_any(rule, scene)


Method = Callable[[Rule, Scene], bool]
METHODS: dict[str, Method] = {
    "artifact_present": artifact_present,
    "json_valid": json_valid,
    "json_exists": json_exists,
    "json_list_nonempty": json_list_nonempty,
    "json_record_any": json_record_any,
    "json_count": json_count,
    "json_text_contains_any": json_text_contains_any,
    "json_value": json_value,
    "numeric_series_present": numeric_series_present,
    **{f"numeric_series_any_{name}": numeric_series_any for name in ("gt", "ge", "lt", "le")},
    **{f"numeric_series_all_{name}": numeric_series_all for name in ("gt", "ge", "lt", "le")},
    "numeric_spread_gt": numeric_spread_gt,
    "keyword_any": keyword_any,
    "keyword_all": keyword_all,
    "keyword_none": keyword_none,
    "regex_any": regex_any,
    "regex_none": regex_none,
    "asserted_any": asserted_any,
    "asserted_none": asserted_none,
    "claimed_any": claimed_any,
    "claimed_none": claimed_none,
    "denied_any": denied_any,
}
