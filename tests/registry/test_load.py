"""A directory as a `Registry`: what is read, what may be missing, and edits in memory (specification 10, 70)."""

from __future__ import annotations

import copy
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judge_polars.errors import EXIT_INVALID_INPUT, RegistryError
from judge_polars.registry import Registry, find_registry, load_registry
from judge_polars.registry.files import SHIPPED_PACKS
from judge_polars.registry.rule import FactRule, KeywordRule
from judge_polars.registry.suite import SuiteFile
from judge_polars.rulebook import DocumentRule
from tests.registry.small import changed, write_registry


def codes(error: pytest.ExceptionInfo[RegistryError]) -> list[str]:
    return [finding.code for finding in error.value.findings]


def test_a_registry_holds_the_models_of_its_files(tmp_path: Path) -> None:
    registry = load_registry(str(write_registry(tmp_path)))
    assert registry.root == tmp_path
    assert (list(registry.packs), list(registry.cases)) == (["small"], ["case-a"])
    assert (list(registry.suites), list(registry.baselines)) == (["daily"], ["daily"])
    assert registry.cases["case-a"].case.environment.cluster_id == "1001"
    assert registry.findings == ()


@pytest.mark.parametrize("gone", [["baselines"], ["suites", "baselines"]], ids=["baselines", "suites"])
def test_what_may_be_missing(tmp_path: Path, gone: list[str]) -> None:
    write_registry(tmp_path)
    for name in gone:
        shutil.rmtree(tmp_path / name)
    assert load_registry(tmp_path).compile().cases


def test_the_shipped_pack_is_the_default(tmp_path: Path) -> None:
    write_registry(tmp_path, {"cases/case-a/judge.yaml": "schema_version: 1\ncase_id: case-a\njudge: {}\n"})
    (tmp_path / "registry.yaml").unlink()
    registry = load_registry(tmp_path)
    assert list(registry.packs) == ["tidb"]
    assert (SHIPPED_PACKS / "tidb.yaml").is_file()


def test_hidden_directories_runs_and_notes_are_not_read(tmp_path: Path) -> None:
    extra = {
        "cases/.draft/case.yaml": "a: [",
        "cases/README.md": "x",
        "cases/case-a/expected.md": "x",
        "baselines/runs/r1/eval_run.json": "{}",
        "suites/.hidden.yaml": "a: [",
    }
    assert load_registry(write_registry(tmp_path, extra)).findings == ()


def test_a_file_with_another_ending_is_told_of(tmp_path: Path) -> None:
    (found,) = load_registry(write_registry(tmp_path, {"suites/weekly.yml": "a: 1"})).findings
    assert (found.code, found.severity, found.file) == (
        "unexpected_file",
        "warning",
        str(tmp_path / "suites/weekly.yml"),
    )


def test_no_directory_and_no_registry_are_findings(tmp_path: Path) -> None:
    with pytest.raises(RegistryError) as error:
        load_registry(tmp_path / "none")
    assert "no_registry" in codes(error)
    with pytest.raises(RegistryError) as error:
        load_registry(tmp_path)
    assert "no_registry" in codes(error)
    assert error.value.exit_code == EXIT_INVALID_INPUT


def test_the_directory_above_is_answered_with_the_right_one(tmp_path: Path) -> None:
    write_registry(tmp_path / "evaluation" / "regression")
    with pytest.raises(RegistryError, match=r"did you mean .*regression"):
        load_registry(tmp_path)


def test_a_registry_without_cases_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "registry.yaml").write_text("packs: []\n")
    assert [finding.code for finding in load_registry(tmp_path).findings] == ["no_cases"]


def test_find_registry_looks_upward(tmp_path: Path) -> None:
    place = write_registry(tmp_path / "project" / "evaluation" / "regression")
    deep = tmp_path / "project" / "src" / "deep"
    deep.mkdir(parents=True)
    assert find_registry(deep) == place
    assert find_registry(tmp_path / "project") == place
    assert find_registry(tmp_path) is None


def test_workspace_files_lie_inside_the_case(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    case = changed("case", '"1001"', '"1001"\n  workspace_files: workspace/')
    registry = write_registry(tmp_path / "registry", {"cases/case-a/case.yaml": case})
    workspace = registry / "cases" / "case-a" / "workspace"
    workspace.symlink_to(outside)
    with pytest.raises(RegistryError) as error:
        load_registry(registry)
    assert codes(error) == ["invalid_file"]
    workspace.unlink()
    workspace.mkdir()
    assert load_registry(registry).findings == ()


def edited(tmp_path: Path) -> Registry:
    return load_registry(write_registry(tmp_path))


def seen_rule(registry: Registry) -> Any:
    bucket = registry.cases["case-a"].policy.judge.critical_evidence
    assert bucket is not None and bucket.checks[0].all_of is not None
    return bucket.checks[0].all_of[0]


def test_an_edited_keyword_is_compiled(tmp_path: Path) -> None:
    registry = edited(tmp_path)
    before = registry.compile()
    assert registry.compile() is before
    seen_rule(registry).keywords.append("slow")
    after = registry.compile()
    rule = next(check for check in after.cases[0].checks if check.id == "seen").formula.rules[0]
    assert isinstance(rule, DocumentRule) and rule.keywords == ("busy", "slow")
    assert after.cases[0].digest != before.cases[0].digest
    assert after.digest != before.digest
    seen_rule(registry).keywords.remove("slow")
    assert registry.compile() == before


def test_a_default_may_be_edited_in_place(tmp_path: Path) -> None:
    registry = edited(tmp_path)
    entry = registry.cases["case-a"]
    entry.case.tags.append("new")
    entry.case.execution.trials = 4
    case = registry.compile().cases[0]
    assert (case.tags, case.trials) == (("x", "new"), 4)


def test_checks_are_added_and_removed(tmp_path: Path) -> None:
    registry = edited(tmp_path)
    judge = registry.cases["case-a"].policy.judge
    assert judge.critical_evidence is not None
    added = judge.critical_evidence.checks[0].model_copy(deep=True, update={"id": "added"})
    added.all_of = [KeywordRule(match="keyword_any", artifact="logs", keywords=["x"]), FactRule(fact="panic")]
    judge.critical_evidence.checks.append(added)
    judge.contract = None
    checks = registry.compile().cases[0].checks
    assert [(check.id, len(check.formula.rules)) for check in checks] == [
        ("started", 1),
        ("seen", 1),
        ("added", 2),
        ("named", 1),
    ]


def test_a_pack_a_suite_and_the_settings_may_be_edited(tmp_path: Path) -> None:
    registry = edited(tmp_path)
    registry.packs["small"].concepts["slow_disk"] = ["io stall"]
    registry.suites["weekly"] = SuiteFile(schema_version=1, id="weekly", version=1, title="Weekly", cases=["case-a"])
    registry.settings.layout["report"] = ["answer.json"]
    book = registry.compile()
    assert book.layout["report"] == ("answer.json",)
    assert [suite.id for suite in book.suites] == ["daily", "weekly"]
    hot = next(one for one in book.cases[0].definitions if one.name == "output.hot").formula.rules[0]
    assert isinstance(hot, DocumentRule) and hot.patterns == ("io stall",)


def test_a_removed_default_stays_removed(tmp_path: Path) -> None:
    registry_file = "packs: [pack.yaml]\njudge_defaults:\n  evidence_routing: {checks: [{id: patch_present}]}\n"
    judge = changed("judge", "judge:\n", "judge:\n  evidence_routing: null\n")
    changes = {"registry.yaml": registry_file, "cases/case-a/judge.yaml": judge}
    registry = load_registry(write_registry(tmp_path, changes))
    registry.cases["case-a"].case.title = "Another title"
    assert "evidence_routing" not in {bucket.name for bucket in registry.compile().cases[0].buckets}


def test_an_invalid_edit_is_refused_with_its_place(tmp_path: Path) -> None:
    registry = edited(tmp_path)
    seen_rule(registry).keywords[0] = " "
    judge = registry.cases["case-a"].policy.judge
    assert judge.diagnosis is not None and judge.diagnosis.hard_checks[0].all_of is not None
    judge.diagnosis.hard_checks[0].all_of[0].fact = "hto"  # type: ignore[union-attr]
    with pytest.raises(RegistryError) as error:
        registry.compile()
    place = tmp_path / "cases" / "case-a" / "judge.yaml"
    assert [(found.code, found.file, found.line, found.column) for found in error.value.findings] == [
        ("empty_keyword", str(place), 13, 66),
        ("unknown_fact", str(place), 17, 25),
    ]
    assert "2 errors in the registry" in str(error.value)


@pytest.mark.parametrize("value", [object(), "high", None, [1], float("nan")])
def test_an_edit_of_a_wrong_kind_is_a_finding_too(tmp_path: Path, value: object) -> None:
    registry = edited(tmp_path)
    registry.cases["case-a"].case.execution.trials = value  # type: ignore[assignment]
    with pytest.raises(RegistryError):
        registry.compile()


def test_copies_are_edited_apart(tmp_path: Path) -> None:
    registry = edited(tmp_path)
    before = registry.compile()
    for other in (copy.deepcopy(registry), pickle.loads(pickle.dumps(registry))):
        seen_rule(other).keywords.append("slow")
        assert other.compile() != before
    assert registry.compile() is before


def test_looking_for_a_registry_imports_neither_yaml_nor_pydantic() -> None:
    program = (
        "import sys; from judge_polars.registry import find_registry; "
        "print(sorted({'yaml', 'pydantic', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
