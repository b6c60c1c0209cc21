"""Mutants of lint (specification 10, "Validation and lint")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mutants.mutant import ROOT, Changes, Mutant, mutants_of

LINT: Final = "judge_polars/registry/lint.py"
_CODE: Final = re.compile(r'^    Lint\(\s*"([a-z_]+)",', re.MULTILINE)
_FIND: Final = "lint.find(world)"

CONDITIONS: Final[dict[str, Changes]] = {
    "lint": {
        "ignores_ignored": ("lint.code in ignored[case]:", "False:"),
        "everything_is_ignored": ("lint.code in ignored[case]:", "True:"),
        "hits_without_a_severity_of_their_own": ("severity=severity or lint.severity", "severity=lint.severity"),
        "unknown_ignores_are_known": ("if code not in LINT_CODES:", "if False:"),
        "every_ignore_is_used": ("(case.name, code) not in used and", "False and"),
        "no_ignore_is_used": ("(case.name, code) not in used and", "True and"),
        "unused_where_nothing_was_looked_at": (" and case.compiled is not None:", ":"),
    },
    "examination": {
        "found_twice": (
            "dict.fromkeys([*found, *more, *lint_findings(world)])",
            "[*found, *more, *lint_findings(world)]",
        ),
        "in_no_order": ("tuple(sorted(every))", "tuple(every)"),
    },
    "lint_policy": {
        "version_of_any_digest": ("if same and entry.case_digest != case.compiled.digest:", "if same:"),
        "version_of_any_case": ("same = entry.case_id == case.compiled.id and", "same ="),
        "another_version": (" and entry.case_version == case.compiled.version", ""),
        "buckets_do_not_matter": (
            "if case.compiled is not None and not case.buckets:",
            "if case.compiled is not None:",
        ),
        "no_bucket_lacks_a_diagnosis": (
            "and case.buckets and DIAGNOSIS not in case.buckets",
            "and DIAGNOSIS not in case.buckets",
        ),
        "diagnosis_is_never_there": ("and DIAGNOSIS not in case.buckets:", "and True:"),
        "reference_without_diagnosis": (
            "if case.judge is None or DIAGNOSIS not in case.buckets:",
            "if case.judge is None:",
        ),
        "answers_are_no_reference": ("not case.references and", ""),
        "runs_are_no_reference": ("and case.judge.model.reference_run is None", ""),
        "inactive_suites_select": ('if suite.status == "active" for case', "for case"),
        "inactive_cases_too": ('model.status == "active" and', ""),
        "selected_cases_too": ("model.id not in selected and", ""),
        "unreadable_suites_select_nothing": (" and not unreadable:", ":"),
    },
    "lint_rules": {
        "series_do_not_restrict": ("rule.series or rule.labels", "rule.labels"),
        "labels_do_not_restrict": ("rule.series or rule.labels or", "rule.series or"),
        "paths_do_not_restrict": (
            'rule.series or rule.labels or "path" in rule.model_fields_set',
            "rule.series or rule.labels",
        ),
        "presence_is_no_numeric_rule": (
            "SeriesAnyRule | SeriesAllRule | SpreadRule | SeriesPresentRule)",
            "SeriesAnyRule | SeriesAllRule | SpreadRule)",
        ),
        "spread_is_no_numeric_rule": (
            "SeriesAnyRule | SeriesAllRule | SpreadRule | SeriesPresentRule)",
            "SeriesAnyRule | SeriesAllRule | SeriesPresentRule)",
        ),
        "all_is_no_numeric_rule": (
            "SeriesAnyRule | SeriesAllRule | SpreadRule | SeriesPresentRule)",
            "SeriesAnyRule | SpreadRule | SeriesPresentRule)",
        ),
        "one_point_that_is_meant": (' and "min_points" not in rule.model_fields_set', ""),
        "one_point_of_any_alone": (
            "isinstance(rule, SeriesAnyRule | SeriesAllRule) and",
            "isinstance(rule, SeriesAnyRule) and",
        ),
        "or_all_is_a_section_alone": (
            "if rule.method in NONE_METHODS and not rule.section_or_all",
            "if rule.method in NONE_METHODS",
        ),
        "what_must_be_there_too": (
            "if rule.method in NONE_METHODS and not rule.section_or_all",
            "if not rule.section_or_all",
        ),
        "facts_that_must_be_true_too": ("truth_wanted(rule.comparison) is not False or", ""),
        "facts_not_looked_into": ("elif rule.fact in definitions:", "elif False:"),
        "or_all_of_facts": ("if rule.section is not None and not rule.section_or_all:", "if rule.section is not None:"),
        "one_node": ("and any(step[0] in _MANY for step in parse_path(path))", ""),
        "positive_comparisons": ('comparison in ("not_equals", "not_in") and', ""),
        "not_in_is_positive": ('comparison in ("not_equals", "not_in")', 'comparison in ("not_equals",)'),
        "not_equals_is_positive": ('comparison in ("not_equals", "not_in")', 'comparison in ("not_in",)'),
        "elements_are_one": (
            'frozenset(("every", "descend_member", "descend_every"))',
            'frozenset(("descend_member", "descend_every"))',
        ),
        "descendants_are_one": (
            'frozenset(("every", "descend_member", "descend_every"))',
            'frozenset(("every", "descend_every"))',
        ),
        "conditions_not_looked_at": ("elif isinstance(rule, JsonRecordRule | JsonCountRule):", "elif False:"),
        "buckets_compared": ("key = check.bucket, check.formula.need,", 'key = "", check.formula.need,'),
        "needs_not_compared": ("check.formula.need, frozenset(", "0, frozenset("),
        "well_known_checks_compared": ("and (own or first_own):", "and True:"),
    },
    "lint_decided": {
        "manifest_may_be_absent": (
            '("artifacts.manifest_present", "artifacts.report_present",',
            '("artifacts.report_present",',
        ),
        "counts_may_be_negative": ("if number >= 0 and number == number // 1", "if number == number // 1"),
        "counts_may_be_broken": ("if number >= 0 and number == number // 1", "if number >= 0"),
        "counts_below_zero": ("return bound < 0 or", "return False or"),
        "counts_less_than_zero": ('(operator == "lt" and bound == 0)\n    return most', "False\n    return most"),
        "more_causes_than_there_are": ("most = self._causes if rule.fact == CLAIMED_CAUSES else None", "most = None"),
        "as_many_causes_as_there_are": ('operator == "gt" and bound >= most', 'operator == "gt" and bound > most'),
        "at_least_all_causes": ('operator == "ge" and bound > most', 'operator == "ge" and bound >= most'),
        "sources_may_be_anything": ("if rule.fact in _VALUES and operator", "if False and operator"),
        "members_of_nothing": ('if operator in ("in", "not_in") and operand == ():', "if False:"),
        "true_rules_are_not_enough": ("if true >= formula.need:", "if true > formula.need:"),
        "false_rules_leave_enough": ("if len(decided) - false < formula.need:", "if len(decided) - false < 0:"),
        "contradictions_unseen": ("formula.need == len(decided) and self._contradict(formula.rules)", "False"),
        "contradictions_of_any": ("if formula.need == len(decided) and self._contradict", "if self._contradict"),
        "exhaustion_unseen": (
            "return True if formula.need == 1 and self._exhaust(formula.rules) else None",
            "return None",
        ),
        "exhaustion_of_all": ("return True if formula.need == 1 and self._exhaust", "return True if self._exhaust"),
        "opposite_keywords_unseen": ("return any(opposite in documents for opposite in opposites)", "return False"),
        "output_facts_are_known": ('(*known, None) if fact.startswith("output.") else known', "known"),
        "routing_facts_are_known": (
            '(True, False, None) if fact.startswith("routing.analysis_")',
            '(True, False) if fact.startswith("routing.analysis_")',
        ),
        "null_satisfies": (
            "if value is None or not members:\n        return False",
            "if value is None or not members:\n        return True",
        ),
        "milestones_too": ("if not _is_milestone(written) and", "if"),
        "checks_are_not_known": (
            "                self._known[check.fact] = self.formula(check.formula)",
            "                pass",
        ),
        "counted_conditions_of_nothing": (
            'return rule.method != "json_count" or _more_than_none(rule.comparison)',
            "return True",
        ),
        "rises_below_zero": ("return rule.threshold < 0 or (", "return False or ("),
        "rises_less_than_zero": ('(rule.threshold == 0 and rule.method.endswith("_lt"))', "False"),
    },
    "lint_answers": {
        "short_values_count": ("len(text.strip()) >= _SHORTEST_VALUE", "True"),
        "values_do_not_count": (
            'comparison.operator in ("equals", "in"):\n        yield from (_keyword',
            'comparison.operator in ("in",):\n        yield from (_keyword',
        ),
        "what_must_be_avoided_counts": ("elif wanted is not (rule.method in NONE_METHODS):", "else:"),
        "facts_not_looked_into": ("if definition is not None and truth", "if False and truth"),
        "keywords_do_not_count": (
            "yield from (_keyword(keyword, whole_word=rule.whole_word) for keyword in rule.keywords)",
            "yield from ()",
        ),
        "patterns_do_not_count": (
            """yield from (Sought(f"{flags}(?:{pattern})", pattern, False) for pattern in rule.patterns)""",
            "yield from ()",
        ),
        "denials_count": (
            '    "claimed_none",\n    "json_text_contains_any",',
            '    "claimed_none",\n    "denied_any",\n    "json_text_contains_any",',
        ),
        "case_does_not_count": ("CASE_FLAGS if rule.case_sensitive else TEXT_FLAGS", "TEXT_FLAGS"),
        "conditions_do_not_count": (
            'if rule.method == "json_record_any" or (rule.method == "json_count" and counted):',
            "if False:",
        ),
        "counts_of_none_count": (" and counted):", "):"),
        "hyphens_are_letters": ('name.replace("-", " ")', "name"),
        "underscores_are_hyphens": ('"_".join(words[first:last])', '"-".join(words[first:last])'),
        "whole_names_alone": ("if last - first > 1]", "if last - first == len(words)]"),
        "found_in_each_form": ("in first.items():", "in [found[1:] for found in passages(forms, one)]:"),
        "evidence_is_an_error": ('("the critical evidence", "warning",', '("the critical evidence", "error",'),
        "evidence_not_looked_at": (
            "check.layer == HARD if hard else check.bucket == CRITICAL_EVIDENCE",
            "check.layer == HARD and hard",
        ),
        "supporting_checks_count": ("check.layer == HARD if hard else", "check.layer is not None if hard else"),
        "the_name_counts_in_prompts": ('if not (one.kind == NAME and one.loc == ("id",))', "if True"),
        "false_wanted_as_true": ("wanted=wanted is truth", "wanted=wanted"),
        "not_equals_wants_the_same": ("isinstance(operand, bool) and operand is not value", "operand is value"),
    },
    "lint_prompt": {
        "suites_not_looked_at": (
            "for suite in world.contents.suites.values():\n        if suite:",
            "for suite in world.contents.suites.values():\n        if False:",
        ),
        "texts_as_names": ("if seen.kind == NAME:", "if True:"),
        "names_as_texts": ("if seen.kind != NAME:", "if True:"),
        "any_version": ("if plain_version(passage.text) in policy:", "if True:"),
        "escaped_versions_unseen": (r"""re.sub(r"\\[.]|\[[._\-]{1,3}\]|\\W\??", ".", text)""", "text"),
        "versions_with_underscores_unseen": (r"""re.sub(r"(?<=[0-9])_(?=[0-9])", ".", plain)""", "plain"),
        "id_within_a_word": (r'''rf"(?<![A-Za-z0-9]){re.escape(cluster)}(?![A-Za-z0-9])"''', "re.escape(cluster)"),
        "both_ends": ("if not any(holds_time(", "if not all(holds_time("),
        "start_alone": ("ends = [timestamp(window.start), timestamp(window.end)]", "ends = [timestamp(window.start)]"),
        "end_alone": ("ends = [timestamp(window.start), timestamp(window.end)]", "ends = [timestamp(window.end)]"),
        "passages_without_end": ("if len(told) == PASSAGES:", "if False:"),
        "passages_told_again": ("if passage.text not in told:", "if True:"),
    },
    "lint_seen": {
        "prompt_unseen": (
            'yield Seen(PROMPT, "the prompt", model.prompt.text,',
            'yield Seen(PROMPT, "the prompt", "",',
        ),
        "variables_unseen": ("for name, value in model.environment.env.items():", "for name, value in ():"),
        "values_of_variables_unseen": ('f"{name}={value}", source', 'f"{name}=", source'),
        "names_of_files_unseen": ("yield Seen(FILE_NAME, f", "if False: yield Seen(FILE_NAME, f"),
        "texts_of_files_unseen": ("yield Seen(FILE_TEXT, f", "if False: yield Seen(FILE_TEXT, f"),
        "path_of_the_workspace_unseen": (
            '"the path of the workspace files", named, source',
            '"the path of the workspace files", "", source',
        ),
        "links_are_followed": (
            "if path.is_symlink() or not path.is_file() or limit <= 0:",
            "if not path.is_file() or limit <= 0:",
        ),
        "binaries_are_read": (r'if content and b"\0" not in content[:8192]:', "if content:"),
        "large_files_are_whole": ("if size > FILE_BYTES]", "if False]"),
        "many_files_are_all": ("if len(files) > FILES or", "if"),
    },
}


def lint_codes() -> tuple[str, ...]:
    """The codes of `LINTS`, in order, read from the file."""
    return tuple(_CODE.findall((ROOT / LINT).read_text(encoding="utf-8")))


def of_lints() -> Iterator[Mutant]:
    """Each lint as one that finds nothing, and each of its conditions broken."""
    tests = ("tests/registry/test_lint.py", "tests/registry/test_lint_prompt.py")
    for code in lint_codes():
        yield Mutant(f"{code}/never", LINT, _FIND, f'(() if lint.code == "{code}" else {_FIND})', tests)
    for stem, changes in CONDITIONS.items():
        first = tests[1] if stem == "lint_prompt" else tests[0]
        yield from mutants_of(
            f"judge_polars/registry/{stem}.py", (first, *(one for one in tests if one != first)), changes
        )
