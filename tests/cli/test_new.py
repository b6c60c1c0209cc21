"""`new case` and `new suite`: what they write validates, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_polars.registry import examine
from judge_polars.registry.schemas import write_schemas
from tests.cli.conftest import Cli
from tests.registry.lint_small import case, findings_in

NAMES = (
    "slow-writes-at-noon",
    "a",
    "3-stores-slow",
    "null",
    "true",
    "v8-upgrade",
    "tikv-3-slow",
    "0x1f",
    "1e3",
    "123",
    "no",
)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A registry of the shipped pack without a case."""
    root = tmp_path / "registry"
    (root / "cases").mkdir(parents=True)
    return root


@pytest.mark.parametrize("name", NAMES)
def test_a_new_case_validates_strictly(cli: Cli, empty: Path, name: str) -> None:
    result = cli("new", "case", name, "--registry", str(empty), registry=False)
    assert result.code == 0, result.err
    assert sorted(Path(line).name for line in result.out.split()) == [
        "case.yaml",
        "expected.md",
        "judge.yaml",
        "reference.md",
    ]
    assert examine(empty).findings == ()
    assert cli("validate", "--strict", "--registry", str(empty), registry=False).code == 0


@pytest.mark.parametrize("name", ["nightly", "null", "123", "1e3"])
def test_a_new_suite_validates(cli: Cli, empty: Path, name: str) -> None:
    for one in ("one-a", "one-b", "two"):
        cli("new", "case", one, "--registry", str(empty), registry=False)
        path = empty / "cases" / one / "case.yaml"
        path.write_text(path.read_text("utf-8").replace("status: inactive", "status: active"), "utf-8")
    assert cli("new", "suite", name, "--registry", str(empty), registry=False).code == 0
    assert examine(empty).findings == ()
    assert cli("new", "suite", "chosen", "--case", "one-*", "--registry", str(empty), registry=False).code == 0
    assert "  - one-a\n  - one-b\nexecution" in (empty / "suites" / "chosen.yaml").read_text("utf-8")


def test_a_new_case_in_a_registry_with_another_pack(cli: Cli, tmp_path: Path) -> None:
    findings_in(tmp_path / "r", {})
    assert cli("new", "case", "another", "--registry", str(tmp_path / "r"), registry=False).code == 0
    assert examine(tmp_path / "r").findings == ()


def test_the_schema_line_leads_to_the_schemas(cli: Cli, empty: Path) -> None:
    hint = cli("new", "case", "before", "--registry", str(empty), registry=False)
    assert "schema export --dir registry/schemas" in hint.err
    write_schemas(empty.parent / "docs" / "schemas")
    quiet = cli("new", "case", "after", "--registry", str(empty), registry=False)
    assert "schema export" not in quiet.err
    for name, directory in (("before", empty / "schemas"), ("after", empty.parent / "docs" / "schemas")):
        for kind in ("case", "judge"):
            file = empty / "cases" / name / f"{kind}.yaml"
            line = file.read_text("utf-8").splitlines()[0]
            start = "# yaml-language-server: $schema="
            assert line.startswith(start)
            assert (file.parent / line.removeprefix(start)).resolve() == directory.resolve() / f"{kind}.schema.json"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Slow-Writes", "`slow-writes` would do"),
        ("slow_writes", "`slow-writes` would do"),
        ("slow writes", "`slow-writes` would do"),
        ("-x-", "would do"),
        ("ünter", "`unter` would do"),
        ("慢", "lower-case words"),
        ("../x", "`x` would do"),
        ("a/b", "`a-b` would do"),
        ("", "lower-case words"),
        ("a\n", "`a` would do"),
        ("x" * 101, "at most 100"),
        ("abc-1234", "`abc-1234` is a ticket id"),
        ("there", "there is such a"),
    ],
)
@pytest.mark.parametrize("what", ["case", "suite"])
def test_names_that_are_refused(cli: Cli, empty: Path, what: str, name: str, told: str) -> None:
    for folder in ("cases/there", "suites"):
        (empty / folder).mkdir(parents=True)
    (empty / "suites" / "there.yaml").write_text("", "utf-8")
    before = sorted(empty.rglob("*"))
    result = cli("new", what, "--registry", str(empty), "--", name, registry=False)
    assert (result.code, result.out) == (2, "")
    assert told in result.err and "\n" not in result.err.strip()
    assert sorted(empty.rglob("*")) == before


def test_a_suite_needs_an_active_case(cli: Cli, empty: Path, tmp_path: Path) -> None:
    none = cli("new", "suite", "nightly", "--registry", str(empty), registry=False)
    assert none.code == 2 and "make one active" in none.err
    findings_in(tmp_path / "r", {"case": case()})
    other = cli("new", "suite", "nightly", "--case", "x*", "--registry", str(tmp_path / "r"), registry=False)
    assert other.code == 2 and "there are: slow-writes" in other.err


def test_without_a_registry(cli: Cli) -> None:
    result = cli("new", "case", "a", registry=False)
    assert result.code == 2 and "--registry DIR" in result.err


def test_a_directory_that_may_not_be_written(cli: Cli, empty: Path) -> None:
    (empty / "suites").write_text("", "utf-8")
    findings_in(empty, {"suites/daily.yaml": None})
    result = cli("new", "suite", "nightly", "--registry", str(empty), registry=False)
    assert result.code == 2 and "internal error" not in result.err


def test_the_rubric_of_a_new_case_is_whole(cli: Cli, empty: Path) -> None:
    """Its reference answer passes and made-up answers do not, before anything is filled in."""
    assert cli("new", "case", "slow-writes-at-noon", "--registry", str(empty), registry=False).code == 0
    probed = cli("probe", "slow-writes-at-noon", "--registry", str(empty), registry=False)
    assert probed.code == 0, probed.out + probed.err
