"""Lint: what is valid and still wrong with a registry (specification 10, "Validation and lint")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from judge_polars.errors import Finding
from judge_polars.registry.lint_answers import answer_in_name, answer_in_prompt
from judge_polars.registry.lint_decided import check_cannot_fail, check_cannot_pass
from judge_polars.registry.lint_policy import (
    case_cannot_fail,
    case_in_no_suite,
    no_diagnosis_bucket,
    reference_missing,
    version_not_raised,
)
from judge_polars.registry.lint_prompt import (
    fix_version_in_prompt,
    issue_number_in_prompt,
    prompt_lacks_cluster_id,
    prompt_lacks_task,
    prompt_lacks_time_window,
    ticket_id_in_name,
    ticket_id_in_prompt,
)
from judge_polars.registry.lint_rules import (
    duplicate_check,
    must_avoid_in_section,
    negative_comparison_on_many,
    series_unrestricted,
    single_point,
)
from judge_polars.registry.lint_seen import not_looked_at
from judge_polars.registry.lint_world import Hit, LintCase, World
from judge_polars.registry.suggestions import listed, nearest

ERROR: Final = "error"
WARNING: Final = "warning"


class Lint(NamedTuple):
    """One lint code; `find` yields the places that it finds, which may have another severity."""

    code: str
    severity: str
    meaning: str
    find: Callable[[World], Iterator[Hit]]


LINTS: Final = (
    Lint("ticket_id_in_name", ERROR, "a ticket id in a case id, a suite id or a path", ticket_id_in_name),
    Lint(
        "answer_in_name",
        ERROR,
        "a case id that tells what a hard check needs (an error) or critical evidence looks for (a warning)",
        answer_in_name,
    ),
    Lint("ticket_id_in_prompt", ERROR, "a ticket id or a ticket link in what the agent sees", ticket_id_in_prompt),
    Lint(
        "issue_number_in_prompt",
        ERROR,
        "an issue or a pull request of a code host in what the agent sees",
        issue_number_in_prompt,
    ),
    Lint("fix_version_in_prompt", WARNING, "a version in the prompt that the policy also names", fix_version_in_prompt),
    Lint("answer_in_prompt", ERROR, "what a hard check needs, in what the agent sees", answer_in_prompt),
    Lint("prompt_lacks_cluster_id", ERROR, "a prompt without the cluster's id", prompt_lacks_cluster_id),
    Lint("prompt_lacks_time_window", ERROR, "a prompt with neither end of the time window", prompt_lacks_time_window),
    Lint("prompt_lacks_task", WARNING, "a prompt that asks for nothing", prompt_lacks_task),
    Lint(
        "version_not_raised",
        WARNING,
        "a case that differs from the baseline's under the same version",
        version_not_raised,
    ),
    Lint("check_cannot_fail", WARNING, "a check that every run passes", check_cannot_fail),
    Lint("check_cannot_pass", WARNING, "a check that no run passes", check_cannot_pass),
    Lint("series_unrestricted", WARNING, "a numeric rule without `series`, `labels` and `path`", series_unrestricted),
    Lint("single_point", WARNING, "a numeric rule that one noisy point decides", single_point),
    Lint(
        "must_avoid_in_section", WARNING, "what must be avoided, looked for in a section alone", must_avoid_in_section
    ),
    Lint(
        "negative_comparison_on_many",
        WARNING,
        "`not_equals` or `not_in` that any one of many nodes satisfies",
        negative_comparison_on_many,
    ),
    Lint("duplicate_check", WARNING, "two checks of a bucket with the same rules", duplicate_check),
    Lint("case_cannot_fail", ERROR, "a case without a configured bucket", case_cannot_fail),
    Lint("no_diagnosis_bucket", WARNING, "a case that does not look at the conclusion", no_diagnosis_bucket),
    Lint("reference_missing", WARNING, "a case without an answer or a run that must pass", reference_missing),
    Lint("case_in_no_suite", WARNING, "an active case that no active suite selects", case_in_no_suite),
)
"""Every lint code of the specification's table, in its order."""
LINT_CODES: Final = tuple(lint.code for lint in LINTS)


def lint_findings(world: World) -> list[Finding]:
    """Everything that lint finds, without what a case ignores; ignores that are wrong or ignore nothing are found too.

    In the order of the lint codes; the same finding may come twice.
    """
    ignored = {case.name: case.case.model.lint_ignore for case in world.cases}
    used: set[tuple[str, str]] = set()
    findings: list[Finding] = []
    for lint in LINTS:
        for case, finding, severity in lint.find(world):
            if case is not None and lint.code in ignored[case]:
                used.add((case, lint.code))
            else:
                findings.append(replace(finding, code=lint.code, severity=severity or lint.severity))
    for one in world.cases:
        findings += _ignores(one, used)
        findings += _limits(one)
    return findings


def _ignores(case: LintCase, used: set[tuple[str, str]]) -> Iterator[Finding]:
    """Entries of `lint_ignore` that name no lint code, or ignore nothing."""
    source = case.case.source
    for code in case.case.model.lint_ignore:
        loc = ("lint_ignore", code)
        if code not in LINT_CODES:
            message = f"`{code}` is no lint code{nearest(code, LINT_CODES)}; known are {listed(LINT_CODES, 30)}"
            yield source.finding(loc, "unknown_lint_code", message, key=True)
        elif (case.name, code) not in used and case.compiled is not None:
            message = f"nothing of this case is ignored by `{code}`; remove the entry"
            yield source.finding(loc, "unused_ignore", message, key=True, severity=WARNING)


def _limits(case: LintCase) -> Iterator[Finding]:
    told = not_looked_at(case.case, case.directory)
    if told is not None:
        yield case.case.source.finding(
            ("environment", "workspace_files"), "workspace_too_large", told, severity=WARNING
        )
