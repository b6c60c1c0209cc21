"""`semantic run` and `semantic status` on the small world."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

from judge_polars.archive import open_history
from judge_polars.chronicle import judge_files
from judge_polars.cli import semantics
from judge_polars.errors import JudgePolarsError, NothingSelectedError, UsageError
from judge_polars.registry import load_registry
from judge_polars.tables import SEMANTIC_RESULTS
from tests.cli.world import write_world
from tests.semantic.scene import answers, completion, refusing, serving, write_asking_world

KEY = "sk-planted-in-the-environment"
PROGRAM = f"import json, sys; json.load(sys.stdin); print(json.dumps({{'answers': json.loads({answers()!r})}}))"


class Result(NamedTuple):
    """What a command printed and its exit code, or what it raised."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_asking_world(tmp_path_factory.mktemp("asking"))


@pytest.fixture
def cli(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Cli:
    """Runs `semantic …` in an empty directory; `WORLD/` stands for the small world."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    app = typer.Typer()
    semantics.add_commands(app)
    app.command("another")(lambda: None)

    def call(*arguments: str) -> Result:
        given = ["semantic", *(argument.replace("WORLD", str(world)) for argument in arguments)]
        code = app(given, standalone_mode=False)
        out, err = capsysbinary.readouterr()
        return Result(code, out.decode(), err.decode())

    return call


RUN = ("run", "WORLD/runs", "--registry", "WORLD/registry", "--out", "out")


def configure(**keys: object) -> None:
    """`judge_polars.toml` in the working directory."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    Path("judge_polars.toml").write_text("[semantic]\n" + "\n".join(lines) + "\n")


def test_run_with_a_program(cli: Cli) -> None:
    configure(provider="command", command=[sys.executable, "-c", PROGRAM], model="mine")
    result = cli(*RUN)
    assert result.code == 0
    lines = [line.split() for line in result.out.splitlines()]
    assert lines[0] == ["case", "run", "id", "check", "answer"]
    assert lines[1] == ["2025-03-04-nightly/disk-hang/1", "explains_mechanism", "✓", "yes"]
    assert lines[2] == ["contradicts_itself", "✗", "yes,", "expected", "no"]
    assert "semantic shadow, not scored: 4 ok; command mine; files in out" in result.err
    assert len(list(Path("out").rglob("semantic_packet_v1.json"))) == 4


def test_run_again_asks_nobody(cli: Cli) -> None:
    configure(provider="command", command=[sys.executable, "-c", PROGRAM])
    cli(*RUN)
    assert "4 ok (4 kept from before)" in cli(*RUN).err
    assert "kept from before" not in cli(*RUN, "--fresh").err


@pytest.mark.parametrize("wanted", ["json", "csv", "jsonl", "markdown"])
def test_formats(cli: Cli, wanted: str) -> None:
    configure(provider="command", command=[sys.executable, "-c", PROGRAM])
    out = cli(*RUN, "--format", wanted, "--case", "disk-*", "--eval-run", "2025-03-04*", "--verdict", "pass").out
    if wanted == "json":
        assert [list(row) for row in json.loads(out)] == [list(SEMANTIC_RESULTS.schema)] * 4
    assert len(out.splitlines()) == {"json": 70, "csv": 5, "jsonl": 4, "markdown": 6}[wanted]


@pytest.fixture
def history(cli: Cli, world: Path) -> Path:
    """A history of the small world in the working directory."""
    judge_files([world / "runs"], load_registry(world / "registry").compile(), Path("h"))
    return Path("h")


OF_HISTORY = ("run", "--registry", "WORLD/registry", "--history-dir", "h")


def test_a_history_keeps_the_last_answer_to_a_question(cli: Cli, history: Path) -> None:
    """Asking again, first in vain, leaves one row of a question, and the agreement counts each case run once."""
    assert cli(*OF_HISTORY).code == 4
    configure(provider="command", command=[sys.executable, "-c", PROGRAM])
    asked = cli(*OF_HISTORY, "--format", "jsonl")
    assert asked.code == 0
    assert "4 ok (4 kept from before)" in cli(*OF_HISTORY).err
    with open_history(history) as opened:
        rows = opened.sql("from semantic_results order by case_run_id, semantic_check_id")
        compared = opened.sql("select compared, unanswered from semantic_agreement").rows()
    assert rows.height == len(asked.out.splitlines()) == 8
    assert set(rows["status"]) == {"ok"}
    assert compared == [(4, 0)]
    assert ["packets", "4"] in [line.split() for line in cli("status", "--history-dir", "h").out.splitlines()]


def test_answers_of_other_questions_stay(cli: Cli, history: Path) -> None:
    configure(provider="command", command=[sys.executable, "-c", PROGRAM])
    cli(*OF_HISTORY)
    cli(*OF_HISTORY, "--eval-run", "2025-03-04*", "--fresh")
    with open_history(history) as opened:
        assert opened.sql("select count(*) from semantic_results").item() == 8
        assert opened.sql("select count(distinct case_run_id) from semantic_results").item() == 4


def test_run_without_a_provider(cli: Cli) -> None:
    result = cli(*RUN)
    assert result.code == 4
    assert "provider_missing, 4 case runs: no provider is configured" in result.err
    assert len(list(Path("out").rglob("semantic_packet_v1.json"))) == 4
    assert len(list(Path("out").rglob("semantic_context_v1.json"))) == 4


def test_run_with_a_provider_that_there_is_not(cli: Cli) -> None:
    configure(provider="oracle")
    assert cli(*RUN).code == 2


def test_the_key_is_in_no_file_and_no_message(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pydantic_ai", reason="the extra `semantic` is not installed")
    monkeypatch.setenv("MY_KEY", KEY)
    told = ""
    for script in (completion(answers(reasoning=KEY)), refusing(401, f"wrong: {KEY}"), completion(KEY)):
        with serving(script) as server:
            configure(provider="openai-compatible", base_url=server.base_url, model="m", key_env="MY_KEY")
            result = cli(*RUN, "--fresh", "-v", "--case", "disk-*", "-o", "rows.json")
            told += result.out + result.err + cli("status", "out").out
            assert any(KEY in str(request["headers"]) for request in server.requests)
        told += "".join(path.read_text() for path in Path().rglob("*") if path.is_file())
    assert "[key]" in told
    assert KEY not in told


@pytest.mark.parametrize(
    ("arguments", "raised", "words"),
    [
        pytest.param((*RUN, "--format", "yaml"), UsageError, "--format yaml", id="format"),
        pytest.param((*RUN, "--case", "lock-*"), NothingSelectedError, "none of the", id="case-without-questions"),
        pytest.param((*RUN, "--case", "x"), NothingSelectedError, "", id="no-such-case"),
        pytest.param(("status", "nowhere"), JudgePolarsError, "no such directory", id="status-of-nothing"),
        pytest.param(("status", "--format", "yaml"), UsageError, "--format yaml", id="status-format"),
    ],
)
def test_what_is_refused(cli: Cli, arguments: tuple[str, ...], raised: type[Exception], words: str) -> None:
    with pytest.raises(raised, match=words or None):
        cli(*arguments)


def test_a_registry_without_questions(cli: Cli, tmp_path: Path) -> None:
    plain = write_world(tmp_path / "plain")
    with pytest.raises(NothingSelectedError, match="write semantic_checks"):
        cli("run", str(plain / "runs"), "--registry", str(plain / "registry"), "--out", "out")


def test_a_wrong_setting_is_told_with_its_file(cli: Cli) -> None:
    configure(api_key=KEY)
    with pytest.raises(UsageError, match=r"judge_polars\.toml: semantic\.api_key: keys stand in no file") as raised:
        cli(*RUN)
    assert KEY not in str(raised.value)


def test_status(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("status").code == 4
    monkeypatch.setenv("MY_KEY", KEY)
    configure(provider="command", command=[sys.executable, "-c", PROGRAM], env=["MY_KEY"])
    cli(*RUN)
    next(Path("out").rglob("semantic_packet_v1.json")).write_text("{}")
    result = cli("status", "out", "--format", "csv")
    assert result.code == 0
    assert result.out.splitlines()[-3:] == ["packets,4", "ok,3", "unreadable,1"]
    configure(provider="oracle")
    assert cli("status").code == 2
