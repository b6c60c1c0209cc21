"""`sql` and `export`: the history's tables and views, read-only."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.console import Talk, show_bytes, terminal_width, write
from judge_polars.cli.outputs import require_writable, write_file
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.errors import EXIT_FINE, MissingPieceError, UsageError
from judge_polars.interrupts import interrupts_handled
from judge_polars.printable import printable

if TYPE_CHECKING:
    import polars as pl

    from judge_polars.history.store import History

FORMATS: Final = ("table", "json", "jsonl", "csv", "markdown")
EXPORTS: Final = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
MOST_SHOWN: Final = 200
"""Rows of a table without `--limit`."""
MOST_COUNTED: Final = 100_000
"""Rows behind those that a table shows that are counted."""
MOST_OF_A_CELL: Final = 1_000
"""Characters of a cell of a table."""
TABLES: Final = ("verdicts", "check_results", "facts")

SQL_EXAMPLES = """
Examples:\n
\b
  judge-polars sql "from help"
  judge-polars sql "select eval_run_id, pass_rate from suite_trends" --format csv
  judge-polars sql            # an interactive shell (needs the duckdb shell: pip install duckdb-cli)
"""
EXPORT_EXAMPLES = """
Examples:\n
\b
  judge-polars export -o verdicts.parquet
  judge-polars export check_results -o checks.csv
  judge-polars export facts -o facts.jsonl --where "verdict = 'fail'"
"""


def sql(
    query: Annotated[str | None, options.argument(metavar="QUERY", help="SQL; without it a shell opens.")] = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    limit: Annotated[
        int | None,
        options.option(
            "--limit",
            min=1,
            metavar="N",
            help=f"At most N rows of each statement; without it a table shows {MOST_SHOWN}.",
        ),
    ] = None,
    history_dir: options.HistoryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Query the history: read-only, without access to other files, networks or extensions.

    Of several statements each one's rows are shown, one after the other. Nothing is masked.
    """
    import polars as pl

    from judge_polars.history.store import open_history

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    if output_format not in FORMATS:
        raise UsageError(f"--format {output_format}: one of {', '.join(FORMATS)}")
    with open_history(place_of_history(history_dir)) as history:
        if query is None:
            return _shell(history.database, talk)
        # Ctrl-C ends the process: Python itself would not meet it before the next rows, and there is nothing to clear away.
        with interrupts_handled(signal.SIG_DFL):
            try:
                _show(history, query, output_format, limit)
            except pl.exceptions.PanicException as wrong:
                raise UsageError(f"a value cannot be shown ({wrong}): ask for it as text, `value::varchar`") from wrong
    return EXIT_FINE


def _show(history: History, query: str, output_format: str, limit: int | None) -> None:
    """The rows of each statement, one after the other."""
    from judge_polars.report.frames import frames_as

    as_table = output_format == "table"
    shown = limit or MOST_SHOWN
    wanted = (
        history.results(query, shown + MOST_COUNTED + 1, MOST_OF_A_CELL) if as_table else history.results(query, limit)
    )
    for number, batches in enumerate(wanted):
        with closing(batches):
            if as_table:
                table = _table(batches, shown, terminal_width())
                write(b"\n" + table if number and table else table)
            else:
                for piece in frames_as(output_format, batches):
                    write(piece)


def _shell(database: Path, talk: Talk) -> int:
    """The `duckdb` shell on the published file, else a plain prompt."""
    beside = Path(sys.executable).with_name("duckdb")
    program = shutil.which("duckdb") or (str(beside) if beside.exists() else None)
    if program is None:
        raise MissingPieceError("the interactive shell needs duckdb's own: pip install 'judge-polars[shell]'")
    talk.say(f"{database} (read-only); `from help;` says what there is, `.quit` leaves")
    settings = "set enable_external_access = false; set timezone = 'UTC'; set lock_configuration = true;"
    return subprocess.run(
        [program, "-readonly", "-cmd", settings, os.fspath(database.absolute())], check=False
    ).returncode


def _table(batches: Iterable[pl.DataFrame], most: int, width: int) -> bytes:
    """The first rows as a table, and how many more there are (counted up to `MOST_COUNTED`)."""
    from judge_polars.cli.rows_table import rows_view
    from judge_polars.report.frames import shortened

    columns: list[str] = []
    rows: list[dict[str, Any]] = []
    left = 0
    for batch in batches:
        columns = batch.columns
        kept = batch.head(most - len(rows))
        rows += shortened(kept, MOST_OF_A_CELL)
        left += batch.height - kept.height
    if not rows:
        return f"{', '.join(map(printable, columns))}\n(no rows)\n".encode() if columns else b""
    counted = f"more than {MOST_COUNTED:,}" if left > MOST_COUNTED else f"{left:,}"
    more = f"… and {counted} more rows: --limit shows more, --format csv gives all\n" if left else ""
    return rows_view(rows, "table", width, colored=False, keyed=False) + more.encode()


def export(
    table: Annotated[str, options.argument(metavar="|".join(TABLES), help="What to export.")] = "verdicts",
    output: Annotated[
        Path | None,
        options.option("--output", "-o", metavar="FILE", help=f"To be written: {', '.join(EXPORTS)}."),
    ] = None,
    eval_run: options.EvalRuns = None,
    where: options.Where = None,
    history_dir: options.HistoryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Export verdicts, check results or facts as Parquet, CSV or JSON Lines.

    Secrets in what records and documents say are masked, and told by kind and column.
    """
    from judge_polars.history.store import open_history
    from judge_polars.report.frames import exported
    from judge_polars.report.veil import Veil

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    if table not in TABLES:
        raise UsageError(f"export {table}: one of {', '.join(TABLES)}; `judge-polars sql` reads every table")
    if output is not None:
        if output.suffix.lower() not in EXPORTS:
            raise UsageError(f"-o {output}: wanted is a name that ends in {', '.join(EXPORTS)}")
        require_writable(output)
    veil = Veil()
    with open_history(place_of_history(history_dir)) as history:
        rows = veil.frame(_rows(history, table, eval_run or [], where))
    for masked in veil.told():
        talk.say(f"masked: {masked}")
    if output is None:
        show_bytes(lambda width, colored: exported("jsonl", rows), talk)
        return EXIT_FINE
    write_file(output, exported(EXPORTS[output.suffix.lower()], rows))
    talk.say(f"written: {output}, {rows.height:,} rows")
    return EXIT_FINE


def _rows(history: History, table: str, eval_runs: list[str], where: str | None) -> pl.DataFrame:
    """The rows that are meant, in their order."""
    conditions = ["true"]
    if where is not None:
        history.chosen(where)
        conditions.append(f"(\n{where}\n)")
    globs = " or ".join("eval_run_id glob ?" for _ in eval_runs)
    if globs:
        conditions.append(f"({globs})")
    chosen = f"select judgment_id, case_run_id from verdicts where {' and '.join(conditions)}"
    query = {
        "verdicts": f"select * from verdicts where case_run_id in (select case_run_id from ({chosen})) "
        "order by eval_run_id, case_id, trial",
        "check_results": f"select check_results.* from check_results inner join ({chosen}) using (judgment_id, case_run_id) "
        "order by case_run_id, position",
        "facts": f"select facts.* from facts inner join ({chosen}) using (case_run_id) order by case_run_id, fact",
    }[table]
    return history.sql(query, eval_runs or None)


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("sql", epilog=SQL_EXAMPLES)(sql)
    app.command("export", epilog=EXPORT_EXAMPLES)(export)
