"""`history info|compact|rebuild`: the history's state and upkeep."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.console import show_bytes
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.errors import EXIT_FINE, UsageError

if TYPE_CHECKING:
    from judge_polars.history.record import Record
    from judge_polars.history.store import History

FORMATS: Final = ("table", "json")


def info(
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """What the history holds, how large it is, and what is to be done about it."""
    from judge_polars.history.record import Record
    from judge_polars.history.store import open_history

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    if output_format not in FORMATS:
        raise UsageError(f"--format {output_format}: one of {', '.join(FORMATS)}")
    place = place_of_history(history_dir)
    with open_history(place) as history:
        told = _told(history, Record.open(place))

    def content(width: int, colored: bool) -> bytes:
        if output_format == "json":
            import orjson

            return orjson.dumps(told, option=orjson.OPT_INDENT_2) + b"\n"
        return _as_text(told)

    show_bytes(content, talk)
    return EXIT_FINE


def _told(history: History, record: Record) -> dict[str, Any]:
    counts = history.sql(
        """
        select
            (select count(*) from eval_runs) as eval_runs,
            (select count(*) from case_runs) as case_runs,
            (select count(*) from judgments) as judgments,
            (select count(*) from judged_case_runs) as verdicts,
            (select count(*) from check_outcomes) as check_results,
            (select count(*) from (select judgment_id from latest_judged_case_runs group by judgment_id)) as judgments_in_force
        """
    ).row(0, named=True)
    mixed = history.sql("select count(*) from trend_runs where mixed_semantics").item()
    batches = record.batches()
    small = [batch for batch in batches if batch.kind == "ingest"]
    advice = []
    if mixed:
        advice.append(
            f"{mixed} eval runs have verdicts of several rubrics: `judge-polars rejudge` judges all with today's"
        )
    if len(small) > MANY_BATCHES:
        advice.append(f"{len(small)} small batches: `judge-polars history compact` puts them together")
    return {
        "directory": str(history.directory),
        "database": str(history.database),
        **counts,
        "eval_runs_of_mixed_meaning": mixed,
        "batches": len(batches),
        "record_bytes": _bytes_below(record.folder),
        "database_bytes": history.database.stat().st_size,
        "advice": advice,
    }


MANY_BATCHES: Final = 100


def _bytes_below(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return total


def _as_text(told: dict[str, Any]) -> bytes:
    lines = [f"history           {told['directory']}"]
    lines.append(f"for the shell     duckdb -readonly {told['database']}")
    counted = ("eval_runs", "case_runs", "judgments", "verdicts", "check_results", "batches")
    lines += [f"{key.replace('_', ' '):<18}{told[key]:,}" for key in counted]
    lines.append(f"{'record':<18}{_size(told['record_bytes'])}")
    lines.append(f"{'database':<18}{_size(told['database_bytes'])}")
    lines += [f"! {advice}" for advice in told["advice"]]
    return ("\n".join(lines) + "\n").encode()


def _size(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1024
    raise AssertionError


def compact(
    history_dir: options.HistoryDir = None,
    now: Annotated[
        bool, options.flag("--now", help="Remove what is replaced at once: nobody else may be reading the record.")
    ] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Put small batches of the record together, and clear away what interrupted writers left."""
    from judge_polars.compact import compact as compact_record
    from judge_polars.history.publish import publish
    from judge_polars.history.record import Record

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    record = Record.open(place_of_history(history_dir))
    done = compact_record(record, at_once=now)
    publish(record)
    talk.say(
        f"{done.before:,} batches were put together into {done.after:,}; {done.abandoned:,} abandoned directories removed"
        + (f"; {done.waiting:,} replaced batches stay for an hour for those who read them" if done.waiting else "")
    )
    return EXIT_FINE


def rebuild(
    history_dir: options.HistoryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Make the published file anew from the record."""
    from judge_polars.history.publish import publish
    from judge_polars.history.record import DATABASE, Record

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    place = place_of_history(history_dir)
    if not publish(Record.open(place), rebuild=True):
        talk.say("another process is publishing: it will see to it")
        return EXIT_FINE
    talk.say(f"written: {place / DATABASE}")
    return EXIT_FINE


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    room = typer.Typer(name="history", help="The history's state and upkeep.", no_args_is_help=True)
    room.command("info")(info)
    room.command("compact")(compact)
    room.command("rebuild")(rebuild)
    app.add_typer(room)
