"""Nothing of a bundle or a registry is more than data: no pickle, no eval, no import, no YAML object, no regex without end."""

from __future__ import annotations

import ast
import time
from pathlib import Path

import pytest

import judge_polars as jp
from judge_polars.errors import RegistryError
from judge_polars.markdown import read_text
from judge_polars.masking import mask
from tests.cli.world import DISK_JUDGE, PACK, bundle, record, write_files, write_world

PACKAGE = Path(jp.__file__).parent
EXECUTES = frozenset({"eval", "exec", "compile", "__import__"})
UNSAFE_MODULES = frozenset({"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "cloudpickle", "runpy", "code"})
PICKLES = {"workers/pool.py": "work and answers, by pipes between our own processes"}
IMPORTS_BY_NAME = {
    "__init__.py": "names of our own modules",
    "charts/__init__.py": "names of our own modules",
    "registry/__init__.py": "names of our own modules",
    "masking/scanner.py": "modules of the scanner, by a list",
    "probe/samples.py": "the standard library's parser of regexes",
}
"""File -> what it imports by a name that is put together."""


def called(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every module of the package."""
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}


def test_nothing_executes_or_unpickles(trees: dict[str, ast.Module]) -> None:
    for file, tree in trees.items():
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            module = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            unsafe = UNSAFE_MODULES.intersection(name.split(".")[0] for name in (*names, *module))
            assert not unsafe or file in PICKLES, file
        for call in called(tree):
            assert not (isinstance(call.func, ast.Name) and call.func.id in EXECUTES), f"{file}:{call.lineno}"
            named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            assert named not in ("deserialize", "spec_from_file_location", "read_pickle", "unsafe_load", "full_load"), (
                file
            )
            assert named != "import_module" or file in IMPORTS_BY_NAME, f"{file}:{call.lineno}"


def test_yaml_is_read_by_the_safe_loader_alone(trees: dict[str, ast.Module]) -> None:
    for file, tree in trees.items():
        loaders = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "yaml"
        }
        assert "load" not in loaders and "load_all" not in loaders, file
        assert all("Loader" not in name or name in ("SafeLoader", "CSafeLoader") for name in loaders), file


TAGS = (
    "!!python/object/apply:os.system ['touch {mark}']",
    "!!python/object/new:os.system ['touch {mark}']",
    "!!python/object:pathlib.Path {{}}",
    "!!python/name:os.system",
    "!!python/module:os",
    "!!python/tuple [1, 2]",
    "!own text",
)


@pytest.mark.parametrize("file", ["pack.yaml", "registry.yaml", "suites/daily.yaml", "cases/lock-wait/judge.yaml"])
def test_tags_that_would_build_objects_are_refused(tmp_path: Path, file: str) -> None:
    write_world(tmp_path, {})
    mark = tmp_path / "was-built"
    path = tmp_path / "registry" / file
    tagged = [f"  - {tag.format(mark=mark)}" for tag in TAGS]
    path.write_text("\n".join([path.read_text("utf-8").rstrip("\n"), "more:", *tagged, ""]), "utf-8")
    with pytest.raises(RegistryError) as refused:
        jp.load_registry(tmp_path / "registry")
    told = str(refused.value)
    assert told.count("is not read; quote a text instead") == len(TAGS), told
    assert not mark.exists()


PATTERNS = (
    "(a+)+$",
    "(a|aa)+$",
    "(a|a?)+b$",
    "(.*a){20}b",
    r"(\w+\s?)*!$",
    "a*a*a*a*a*a*a*a*c",
    "((a{1,30}){1,10})b",
    "x*a.*b.*c.*d",
)
"""What takes a backtracking engine exponential or high polynomial time in a text of `a`."""
SECONDS = 20.0
"""CPU that a linear engine never needs for the texts below, on any machine; a backtracking one does not end."""


def test_regexes_and_texts_that_would_never_end(tmp_path: Path) -> None:
    rules = "\n".join(
        f"          - {{match: regex_any, artifact: logs, patterns: ['{pattern}']}}" for pattern in PATTERNS
    )
    judge = DISK_JUDGE.replace(
        '          - {match: keyword_any, artifact: logs, keywords: ["write stall"], within: window}', rules
    )
    assert rules in judge
    long = "a" * 30_000 + " " + "a " * 10_000 + "?"
    stalled = f"[2025/03/04 09:10:00.000 +00:00] {long}\n"
    files = {**bundle(log=stalled), "output.md": long, "case_run.json": record()}
    root = write_world(tmp_path, {"e/disk-hang/1": files})
    pack = PACK.replace("'disk (?:hung|hang)'", "'(a+)+b', '(?:a|aa)+c'").replace("'root cause'", "'(?:a*)*z'")
    write_files(root / "registry", {"cases/disk-hang/judge.yaml": judge, "pack.yaml": pack})
    begun = time.process_time()
    judgment = jp.judge(root / "runs", root / "registry")
    assert judgment.verdicts["verdict"].to_list() == ["fail"]
    assert time.process_time() - begun < SECONDS


def test_a_run_of_combining_marks_is_put_in_order_in_linear_time() -> None:
    begun = time.process_time()
    marks = "e" + "\u0301\u0316" * 100_000
    reading = read_text(f"# {marks}\n\nThe disk hung, {marks}.\n")
    assert len(reading.sections) == 1
    assert any("disk hung" in sentence.text for sentence in reading.sentences)
    assert time.process_time() - begun < SECONDS


@pytest.mark.parametrize(
    "pattern", [r"(a)\1", "(?=a)b", "(?<=a)b", "(?>a+)b", "(?:a{1000}){1000}", "((((a{99}){99}){99}){99})"]
)
def test_regexes_that_a_linear_engine_cannot_run_are_refused(tmp_path: Path, pattern: str) -> None:
    write_world(tmp_path, {})
    judge = DISK_JUDGE.replace(
        '{match: keyword_any, artifact: logs, keywords: ["write stall"], within: window}',
        f"{{match: regex_any, artifact: logs, patterns: ['{pattern}']}}",
    )
    write_files(tmp_path / "registry", {"cases/disk-hang/judge.yaml": judge})
    with pytest.raises(RegistryError, match="engine does not take"):
        jp.load_registry(tmp_path / "registry")


UNITS = (
    "password",
    "password: ",
    "-",
    "a-",
    "a://b:",
    "://",
    "--a-",
    "curl -u ",
    "eyJ",
    "-----BEGIN PRIVATE " + "KEY-----",
    '"',
    "\\",
)


def test_texts_that_would_keep_the_mask_for_ever() -> None:
    """Twice the text takes about twice the time: a quadratic pattern would take hours for these."""
    begun = time.process_time()
    for unit in UNITS:
        mask(unit * (40_000 // len(unit)) + " password secret key token mysql login identified cookie bearer !")
    assert time.process_time() - begun < SECONDS


def test_a_bundle_of_programs_is_only_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Python or a notebook would run lies in the bundle, and is read where a rule looks at it."""
    mark = tmp_path / "was-run"
    code = f"import pathlib; pathlib.Path({str(mark)!r}).write_text('x')  # write stall\n"
    cell = '{"cells": [{"cell_type": "code", "source": ["' + code.strip().replace('"', "'") + '"]}]}'
    names = ("conftest.py", "sitecustomize.py", "usercustomize.py", "polars.py", "duckdb.py", "__init__.py", "x.pth")
    programs = {
        **{f"{folder}{name}": code for name in names for folder in ("audit/", "audit/logs/", "")},
        "audit/evidence/notebook.ipynb": cell,
        "audit/evidence/notebook.json": cell,
        "audit/evidence/x.pkl": f"cbuiltins\nexec\n(S'{code.strip()}'\ntR.".replace("'x'", '"x"'),
        "audit/judge_polars.toml": "[agents.x]\ncommand = ['sh', '-c', 'true']\n",
        "audit/logs/program.log": f"[2025/03/04 09:10:00.000 +00:00] {code}",
    }
    files = {**bundle(log="nothing\n"), **programs, "output.md": "?", "case_run.json": record()}
    root = write_world(tmp_path, {"e/disk-hang/1": files})
    monkeypatch.chdir(root / "runs/e/cases/disk-hang/trial-1/audit")
    judgment = jp.judge(root / "runs", root / "registry")
    assert not mark.exists()
    assert judgment.sql("select passed from check_results where check_id = 'writes_stalled'").to_series().to_list() == [
        True
    ]
