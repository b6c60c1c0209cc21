"""The export: what is kept, left out and masked, and that it is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import judge_polars
from judge_polars.baselines.export import LISTING, Export, LeftOut, MaskedPlace, write_export
from judge_polars.baselines.kept_documents import MOST_LOG_BYTES, is_unsafe, left_out_reason
from judge_polars.baselines.promotion import plan_promotion
from judge_polars.errors import InputError
from judge_polars.judged_runs import JudgedRuns
from judge_polars.registry import Registry
from judge_polars.report.records import case_run_records
from judge_polars.rulebook import Baseline
from tests.baselines.conftest import GOOD, RESTART, SUITE, SURGE, StandIn, defaults

KEY = f"{GOOD}/{RESTART}/1"
PLACE = f"cases/{RESTART}/trial-1"


@pytest.fixture
def baseline(source: JudgedRuns, registry: Registry) -> Baseline:
    """The snapshot of a good eval run."""
    return plan_promotion(source, GOOD, registry.compile()).baseline


@pytest.fixture
def written(source: JudgedRuns) -> StandIn:
    """The demo with documents that a test writes down."""
    return StandIn(source)


def exported(source: StandIn, baseline: Baseline, tmp_path: Path) -> tuple[Path, Export]:
    """An export and its directory."""
    directory = tmp_path / "runs" / baseline.eval_run_id
    return directory, write_export(source, baseline, directory, ["logs"])


def test_the_files_of_a_run(source: JudgedRuns, baseline: Baseline, tmp_path: Path) -> None:
    directory = tmp_path / GOOD
    write_export(source, baseline, directory, ["logs"])
    listed = json.loads((directory / LISTING).read_bytes())
    assert {file["path"]: (file["size"], file["sha256"]) for file in listed["files"]} == {
        path.relative_to(directory).as_posix(): (path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in directory.rglob("*")
        if path.is_file() and path.name != LISTING
    }
    assert (listed["eval_run_id"], listed["suite_id"], listed["judgment_id"]) == (GOOD, SUITE, baseline.judgment_id)
    of_run = sorted(
        path.relative_to(directory / PLACE).as_posix() for path in (directory / PLACE).rglob("*") if path.is_file()
    )
    assert of_run == sorted(
        [
            *("case_run.json", "judgment.json", "output.md"),
            *(f"audit/{name}.json" for name in ("analysis_patch", "diagnosis_report", "manifest", "summary")),
            *(
                "audit/summary.md",
                "audit/logs/journal.log",
                "audit/logs/pd.log",
                "audit/logs/tidb.log",
                "audit/logs/tikv.log",
            ),
            *(
                f"audit/evidence/{name}.json"
                for name in (
                    *("collection_errors", "component_health", "events", "gate_checks", "log_stats", "metrics"),
                    "queries",
                )
            ),
        ]
    )
    assert [one["reason"] for one in listed["left_out"]] == ["telemetry"] * 9
    assert listed["masked"] == []


def test_it_is_an_eval_run_that_can_be_judged(
    source: JudgedRuns, baseline: Baseline, registry: Registry, tmp_path: Path
) -> None:
    directory = tmp_path / GOOD
    write_export(source, baseline, directory, ["logs"])
    again = judge_polars.judge(directory, registry)
    assert again.verdicts.height == 9
    kept = "select * exclude directory from case_runs where eval_run_id = ? order by case_run_id"
    assert again.sql(kept, [GOOD]).equals(source.sql(kept, [GOOD]))
    assert (
        again.frames["eval_runs"].rows() == source.sql("select * from eval_runs where eval_run_id = ?", [GOOD]).rows()
    )
    diagnosed = """
        select case_run_id, passed, check_id
        from check_results
        where bucket in ('diagnosis', 'critical_evidence') and case_run_id like ?
        order by all
    """
    assert again.sql(diagnosed, [f"{GOOD}/%"]).equals(source.sql(diagnosed, [f"{GOOD}/%"]))


def test_the_judgment_is_the_line_of_judge(source: JudgedRuns, baseline: Baseline, tmp_path: Path) -> None:
    directory = tmp_path / GOOD
    write_export(source, baseline, directory, ["logs"])
    for record in case_run_records(source.judgment):
        if record["eval_run_id"] == GOOD:
            path = directory / "cases" / record["case_id"] / f"trial-{record['trial']}" / "judgment.json"
            assert json.loads(path.read_bytes()) == json.loads(json.dumps(record))


def test_secrets_are_masked_and_listed_by_kind_and_place(written: StandIn, baseline: Baseline, tmp_path: Path) -> None:
    secret = "c0rrect-H0rse"
    written.written = {
        (KEY, "manifest.json"): {"text": f'{{"dsn":"mysql://root:{secret}@db/x","password":"{secret}"}}'},
        (KEY, "logs/tidb.log"): {"text": f"first\n[WARN] [password={secret}]\n"},
        (KEY, "events.jsonl"): {"text": f'{{"a":1}}\n{{"token":"x","password":"{secret}"}}'},
        (KEY, "output"): {"artifact": "output_text", "text": f"The password is {secret}."},
    }
    directory, export = exported(written, baseline, tmp_path)
    assert export.masked == [
        MaskedPlace(f"{PLACE}/audit/events.jsonl", 2, "password"),
        MaskedPlace(f"{PLACE}/audit/logs/tidb.log", 2, "password"),
        MaskedPlace(f"{PLACE}/audit/manifest.json", 1, "url_password"),
        MaskedPlace(f"{PLACE}/audit/manifest.json", 1, "password"),
        MaskedPlace(f"{PLACE}/output.md", 1, "password"),
    ]
    assert not [path for path in directory.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    manifest = json.loads((directory / PLACE / "audit" / "manifest.json").read_bytes())
    assert manifest == {"dsn": "mysql://root:[masked:url_password]@db/x", "password": "[masked:password]"}
    assert len(json.loads((directory / LISTING).read_bytes())["masked"]) == 5


@pytest.mark.parametrize(
    ("name", "columns", "reason"),
    [
        ("manifest.json", {}, None),
        ("evidence/metrics.json", {"size": 10**7}, None),
        ("notes.txt", {"size": 10**7}, None),
        ("logs/tidb.log", {"size": MOST_LOG_BYTES}, None),
        ("logs/tidb.log", {"size": MOST_LOG_BYTES + 1}, "log_too_large"),
        ("logs/packed.txt", {"size": 10, "text": "x" * (MOST_LOG_BYTES + 1)}, "log_too_large"),
        ("tidb.log.1", {"size": 10**6}, "log_too_large"),
        ("other/catalog.txt", {"size": 10**6}, None),
        ("telemetry.jsonl", {"artifact": "telemetry"}, "telemetry"),
        ("chart.png", {"unread": True}, "unread"),
        (".env", {}, "hidden"),
        ("evidence/.cache/x.json", {}, "hidden"),
        ("agent.lock", {}, "local_state"),
        ("package-lock.json", {}, None),
        ("state/agent.sqlite3", {"unread": True}, "local_state"),
        ("history.duckdb.wal", {}, "local_state"),
        ("agent.sock", {}, "local_state"),
        ("cache/answers.json", {}, "local_state"),
        ("evidence/cache_hits.json", {}, None),
        ("logs/journal.log", {}, None),
        ("../outside.json", {}, "unsafe_name"),
        ("/etc/passwd", {}, "unsafe_name"),
        ("a//b.json", {}, "unsafe_name"),
        ("a\\b.json", {}, "unsafe_name"),
        ("a\nb.json", {}, "unsafe_name"),
        ("C:x.json", {}, "unsafe_name"),
    ],
)
def test_what_is_left_out(name: str, columns: dict[str, object], reason: str | None) -> None:
    document = {"document": name, "artifact": None, "text": "x", **defaults(name, columns)}
    assert left_out_reason(document, ["logs"]) == reason


def test_what_is_left_out_is_listed_and_not_written(written: StandIn, baseline: Baseline, tmp_path: Path) -> None:
    written.written = {
        (KEY, "../../../outside.json"): {"text": "{}"},
        (KEY, "chart.png"): {"unread": True, "size": 7},
        (KEY, "empty.txt"): {"text": None, "size": 3},
    }
    directory, export = exported(written, baseline, tmp_path)
    assert export.left_out == [
        LeftOut(KEY, "../../../outside.json", "unsafe_name", 2),
        LeftOut(KEY, "chart.png", "unread", 7),
    ]
    assert sorted(path.name for path in (directory / PLACE / "audit").iterdir()) == ["empty.txt"]
    assert not list(tmp_path.rglob("outside.json"))
    assert sum(written.portions) == 9


def test_an_export_that_fails_leaves_nothing(
    written: StandIn, baseline: Baseline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    directory, _ = exported(written, baseline, tmp_path)
    before = (directory / LISTING).read_bytes()
    monkeypatch.setattr(Export, "listing", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_export(written, baseline, directory, ["logs"], replace=True)
    with pytest.raises(InputError, match="No space left on device"):
        write_export(written, baseline, tmp_path / "elsewhere" / GOOD, ["logs"])
    assert [path.name for path in directory.parent.iterdir()] == [GOOD]
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (directory / LISTING).read_bytes() == before


def test_an_export_gives_way_only_when_it_may(written: StandIn, baseline: Baseline, tmp_path: Path) -> None:
    directory, _ = exported(written, baseline, tmp_path)
    with pytest.raises(InputError, match="there already"):
        write_export(written, baseline, directory, ["logs"])
    (directory / "old").touch()
    write_export(written, baseline, directory, ["logs"], replace=True)
    assert not (directory / "old").exists()
    assert [path.name for path in directory.parent.iterdir()] == [GOOD]


def test_a_record_that_was_not_there_is_not_made_up(written: StandIn, baseline: Baseline, tmp_path: Path) -> None:
    import polars as pl

    frames = written.rows.judgment.frames  # type: ignore[attr-defined]
    bare = frames["case_runs"].with_columns(
        pl.when(pl.col("case_id") != SURGE).then(pl.col(name)).alias(name)
        for name in ("recorded_case_version", "status", "stop_reason", "started_at", "finished_at", "tool_calls")
    )
    written.rows = JudgedRuns(judge_polars.judgment.Judgment({**frames, "case_runs": bare}))
    directory, _ = exported(written, baseline, tmp_path)
    records = {path.parent.parent.name for path in directory.rglob("case_run.json")}
    assert SURGE not in records
    assert RESTART in records


def test_names_that_clash_somewhere(written: StandIn, baseline: Baseline, tmp_path: Path) -> None:
    names = [
        "Manifest.json",
        "evidence",
        "evidence/a.json",
        "evidence/e\u0301.json",
        "evidence/\u00c9.json",
        "output",
        "o",
    ]
    written.written = {(KEY, name): {"text": "{}"} for name in names}
    written.written[(KEY, "manifest.json")] = {"text": "{}", "artifact": "manifest"}
    written.written[(KEY, "evidence/A.JSON")] = {"text": "{}", "unread": True}
    directory, export = exported(written, baseline, tmp_path)
    kept = {path.relative_to(directory / PLACE / "audit").as_posix() for path in directory.rglob("audit/**/*.json")}
    assert kept == {"manifest.json", "evidence/a.json", "evidence/e\u0301.json"}
    assert [(one.document, one.reason) for one in export.left_out] == [
        ("Manifest.json", "name_clash"),
        ("evidence", "name_clash"),
        ("evidence/A.JSON", "unread"),
        ("evidence/\u00c9.json", "name_clash"),
    ]


def test_unsafe_names() -> None:
    assert is_unsafe("..")
    assert not is_unsafe("a/b..c/d.json")
