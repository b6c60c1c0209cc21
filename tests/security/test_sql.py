"""SQL gets values as parameters; what a user may ask is read-only and reaches nothing outside the database."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import judge_polars as jp
from judge_polars.errors import UsageError
from judge_polars.judgment import Judgment
from tests.cli.world import write_world

PACKAGE = Path(jp.__file__).parent
IS_SQL = re.compile(r"\b(select|insert into|delete from|create table|truncate)\b.*|^from \w", re.DOTALL)
PUT_IN = {
    "baselines/difference.py": {"', '.join(COLUMNS)", "_OF_BASELINE"},
    "baselines/overlay.py": {"columns", "table.name", "condition"},
    "baselines/records.py": {"view", "marks"},
    "baselines/snapshot.py": {"', '.join(BUCKETS)"},
    "charts/rows.py": {"columns"},
    "cli/care.py": {"name"},
    "cli/querying.py": {"' and '.join(conditions)", "chosen"},
    "gate.py": {"shifted"},
    "history/bridge.py": {"name", "columns", "_literal(table.grain)", "comments", "condition", "_name(table.name)"},
    "history/publish.py": {
        "table", "key", "rows", "listed", "told", "same", "cases", "bundles", "first", "', '.join(ISSUES.schema)",
        "_rows(batch, table)", "_rows(batch, 'judgments')", "_rows(batch, 'checks')", "_rows(batch, 'outside_issues')",
        "_rows(batch, 'judged_case_runs')", "_rows(batch, 'check_outcomes')",
    },
    "history/scratch.py": {"table"},
    "history/views.py": {"name"},
    "report/outcomes.py": {"_OF_BASELINE"},
}  # fmt: skip
"""File -> what it puts into SQL: names of our own tables and columns, marks for parameters, the user's own condition, the record's
files.  Nothing of them is a text of data; whoever adds something looks at where it comes from."""
SECRET = "a,b\n1,hunter2\n"
REFUSED = {
    "read a file": "from read_csv('{file}')",
    "a file as a table": "from '{file}'",
    "read a text": "from read_text('{file}')",
    "read bytes": "from read_blob('{file}')",
    "list files": "from glob('{folder}/*')",
    "sniff a file": "from sniff_csv('{file}')",
    "a query in a text": "from query('from read_csv(''{file}'')')",
    "a table by its name": "from query_table('{file}')",
    "a variable": "select getenv('HOME')",
    "attach": "attach '{folder}/x.db' as x",
    "copy out": "copy (select 1) to '{folder}/out.csv'",
    "export": "export database '{folder}/out'",
    "import": "import database '{folder}/out'",
    "install": "install httpfs",
    "load": "load httpfs",
    "the network": "from 'https://example.org/x.csv'",
    "an object store": "from read_parquet('s3://bucket/x.parquet')",
    "access again": "set enable_external_access = true",
    "access by a pragma": "pragma enable_external_access = true",
    "unlock": "set lock_configuration = false",
    "a log file": "call enable_logging(storage = 'file', storage_path = '{folder}/log')",
    "a profile": "pragma profiling_output = '{folder}/profile'",
    "secrets": "from duckdb_secrets()",
}
CHANGES = {
    "create": "create table t as select 1",
    "drop": "drop view verdicts",
    "behind a query": "select 1; drop view verdicts",
    "insert": "insert into issues select * from issues",
    "delete": "delete from case_runs",
    "update": "update case_runs set status = 'x'",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world with a history, and a file with a secret."""
    from judge_polars.cli.app import run

    root = write_world(tmp_path_factory.mktemp("world"))
    (root / "secret.csv").write_text(SECRET)
    places = ["--registry", str(root / "registry"), "--history-dir", str(root / "history")]
    assert run(["judge", str(root / "runs"), "-q", *places]) == 0
    return root


@pytest.fixture(scope="module")
def judgment(world: Path) -> Judgment:
    """The same in memory."""
    return jp.judge(world / "runs", world / "registry")


def filled(query: str, world: Path) -> str:
    """A query on files of the world."""
    return query.format(file=world / "secret.csv", folder=world)


def test_no_text_of_data_is_put_into_sql() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        found = {
            ast.unparse(part.value)
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.JoinedStr)
            and IS_SQL.search("".join(str(part.value) for part in node.values if isinstance(part, ast.Constant)))
            for part in node.values
            if isinstance(part, ast.FormattedValue)
        }
        assert found <= PUT_IN.get(path.relative_to(PACKAGE).as_posix(), set()), path


@pytest.mark.parametrize("name", REFUSED)
def test_a_query_reaches_nothing_outside(world: Path, judgment: Judgment, name: str) -> None:
    before = sorted(world.iterdir())
    with jp.open_history(world / "history") as history:
        with pytest.raises(UsageError) as refused:
            history.sql(filled(REFUSED[name], world))
        assert "hunter2" not in str(refused.value)
    with pytest.raises(Exception, match=r"Error") as refused_in_memory:
        judgment.sql(filled(REFUSED[name], world))
    assert "hunter2" not in str(refused_in_memory.value)
    assert sorted(world.iterdir()) == before


@pytest.mark.parametrize("name", CHANGES)
def test_a_query_changes_nothing(world: Path, name: str) -> None:
    whole = (world / "history" / "history.duckdb").read_bytes()
    with jp.open_history(world / "history") as history:
        with pytest.raises(UsageError):
            history.sql(CHANGES[name])
        assert history.sql("from verdicts").height == 8
    assert (world / "history" / "history.duckdb").read_bytes() == whole


@pytest.mark.parametrize(
    "condition",
    [
        "exists(from read_csv('{file}'))",
        "true) or exists(from read_text('{file}')",
        "true) union all select content from read_text('{file}') where (true",
        "true); drop view verdicts; select (1",
        "true; select 1",
        "getenv('HOME') is not null",
        "",
    ],
)
def test_a_condition_is_only_a_condition(world: Path, judgment: Judgment, condition: str) -> None:
    with jp.open_history(world / "history") as history:
        for chosen in (history.chosen, judgment.chosen):
            with pytest.raises(UsageError) as refused:
                chosen(filled(condition, world))
            assert "hunter2" not in str(refused.value)
        assert history.chosen("verdict = 'pass' -- and so on").height > 0


def test_texts_of_data_are_only_texts(tmp_path: Path) -> None:
    """Ids that would be SQL where they were put into a query."""
    evil = "x'; drop view verdicts; --"
    root = write_world(
        tmp_path, {f"{evil}/lock-wait/1": {"output.md": evil}, f"{evil} or 1=1/lock-wait/1": {"output.md": evil}}
    )
    judgment = jp.judge(root / "runs", root / "registry")
    assert judgment.verdicts["eval_run_id"].to_list() == sorted([evil, f"{evil} or 1=1"])
    assert judgment.sql("from verdicts where eval_run_id = ?", [evil]).height == 1
