"""Lint of whole cases: what is lacking beside single rules (specification 10, lint table)."""

from __future__ import annotations

from collections.abc import Iterator

from judge_polars.registry.lint_world import Hit, World
from judge_polars.vocabulary import DIAGNOSIS


def version_not_raised(world: World) -> Iterator[Hit]:
    """Cases that differ from what a baseline remembers under the same version."""
    for case in world.cases:
        if case.compiled is None:
            continue
        for baseline in world.book.baselines:
            for entry in baseline.cases:
                same = entry.case_id == case.compiled.id and entry.case_version == case.compiled.version
                if same and entry.case_digest != case.compiled.digest:
                    message = (
                        f"the case is not what the baseline of `{baseline.suite_id}` remembers of version "
                        f"{entry.case_version}; raise `version` to {entry.case_version + 1}, or promote a baseline anew"
                    )
                    yield case.hit(("version",), message)


def case_cannot_fail(world: World) -> Iterator[Hit]:
    """Cases without a configured bucket."""
    for case in world.cases:
        if case.compiled is not None and not case.buckets:
            yield case.judge_hit(("judge",), "no bucket is configured, so every run would pass; add one with checks")


def no_diagnosis_bucket(world: World) -> Iterator[Hit]:
    """Cases that look at everything but the conclusion."""
    for case in world.cases:
        if case.compiled is not None and case.buckets and DIAGNOSIS not in case.buckets:
            message = "there is no `diagnosis` bucket, so a wrong conclusion passes; add one with hard checks"
            yield case.judge_hit(("judge",), message)


def reference_missing(world: World) -> Iterator[Hit]:
    """Cases with a diagnosis bucket and no answer that must pass it, as text or as a run."""
    for case in world.cases:
        if case.judge is None or DIAGNOSIS not in case.buckets:
            continue
        if not case.references and case.judge.model.reference_run is None:
            message = (
                "there is neither a `reference*.md` beside this file nor a `reference_run`, so nothing shows that a right "
                "answer passes; add an answer that you would be glad to get"
            )
            yield case.judge_hit(("case_id",), message)


def case_in_no_suite(world: World) -> Iterator[Hit]:
    """Active cases that no active suite selects."""
    suites = [suite.model for suite in world.contents.suites.values() if suite]
    selected = {case for suite in suites if suite.status == "active" for case in suite.cases}
    unreadable = any(suite is None for suite in world.contents.suites.values())
    for case in world.cases:
        model = case.case.model
        if model.status == "active" and model.id not in selected and not unreadable:
            yield case.hit(("id",), "no active suite selects this active case; add it to one, or make it inactive")
