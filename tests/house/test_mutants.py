"""What `make mutants` tries: every mutant still fits the text that it breaks, and nothing of the closed sets is without one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from judge_polars.history.sql_files import sql_files
from judge_polars.registry.lint import LINT_CODES
from judge_polars.vocabulary import BUCKETS, BUILT_IN_FACTS, FAILURE_CODES, METHODS
from mutants.every import EVERY
from mutants.mutant import ROOT, Mutant, StaleMutantError
from mutants.verdicts import rows_of_precedence

NAMES = {one.name for one in EVERY}


def test_every_text_stands_in_its_file_once() -> None:
    stale = []
    for one in EVERY:
        try:
            one.apply(ROOT)
        except StaleMutantError as error:
            stale.append(str(error))
    assert not stale, "\n".join(stale)


def test_names_are_unique_and_tests_exist() -> None:
    assert [name for name, times in Counter(one.name for one in EVERY).items() if times > 1] == []
    missing = {test for one in EVERY for test in one.tests if not (ROOT / test.split("::")[0]).is_file()}
    assert not missing


@pytest.mark.parametrize("text", ["once once", "never"])
def test_a_text_that_is_not_there_once_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(StaleMutantError):
        Mutant("name", "file", "once", "twice", ()).apply(tmp_path)


def test_methods_facts_and_lints_have_mutants() -> None:
    wanted = {f"{method}/{how}" for method in METHODS for how in ("never", "always")}
    wanted |= {f"{fact}/{how}" for fact in BUILT_IN_FACTS for how in ("unknown", "another")}
    wanted |= {f"{code}/never" for code in LINT_CODES}
    assert wanted - NAMES == set()


def test_rows_of_precedence_have_mutants() -> None:
    rows = rows_of_precedence()
    assert sorted(rows) == list(range(1, len(FAILURE_CODES) + 2))
    for position in rows:
        name = f"verdict_precedence/row_{position}"
        assert {f"{name}_removed", f"{name}_with_another_verdict"} <= NAMES
        assert (f"{name}_behind_the_next" in NAMES) == (position < len(rows))


def test_buckets_and_audits_have_mutants() -> None:
    broken = {one.file.removeprefix("sql/").removesuffix(".sql")[4:] for one in EVERY if one.file.startswith("sql/")}
    assert {f"bucket_{bucket}" for bucket in BUCKETS} - broken == set()
    assert {file.stem[4:] for file in sql_files() if file.stem[4:].startswith("audit_")} - broken == set()
