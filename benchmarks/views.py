"""Every view over a whole history and over one eval run of it, against the sum over all check results."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb

from benchmarks.books import book_of
from benchmarks.rows import Measured
from benchmarks.sizes import Sizes
from benchmarks.timing import in_turns
from judge_polars.book_tables import registry_tables
from judge_polars.history.bridge import create_tables, insert, load_views, supersede
from judge_polars.history.publish import STORAGE
from judge_polars.rules.program import compile_program
from judge_polars.tables import PUBLISHED_TABLES

CASES: Final = 20
RUNS_OF_EVAL: Final = 500
RUNS_OF_JUDGMENT: Final = 50_000
BASE: Final = "select sum(passed::int) from check_results"
_HISTORY: Final = """
insert into judged_case_runs by name
select
    i as judged_key,
    'judgment-' || lpad((i // {of_judgment})::varchar, 4, '0') as judgment_id,
    eval_run_id || '/' || case_id || '/' || trial as case_run_id,
    eval_run_id, case_id, trial, case_digest,
    1 as case_version,
    'sha256:suite' as suite_digest,
    'sha256:' || md5(run::varchar) || md5((run + 7)::varchar) as bundle_digest,
    case when hash(run) % 100 = 0 then 'unresolved' else 'resolved' end as bundle_status,
    hash(run) % 50 > 0 as has_output,
    'agent' as cause,
    hash(run) % 3 > 0 as progressed
from (
    select
        i,
        case when i < {first} then i else i - {first} end as run,
        'run-' || lpad((run // {of_eval})::varchar, 5, '0') as eval_run_id,
        'case-' || lpad((run % {cases})::varchar, 4, '0') as case_id,
        1 + run % {of_eval} // {cases} as trial
    from range({count}) as numbers(i)
) inner join (select case_id, case_digest from cases) using (case_id)
order by i;
insert into case_runs by name
select
    case_run_id, eval_run_id, case_id, trial, 'completed' as status, 'end_turn' as stop_reason,
    timestamptz '2025-01-01 00:00:00+00' + to_seconds(judged_key) as started_at,
    'demo' as agent_name, '1.' || (judged_key // 20000) as agent_version, 'm' as agent_model,
    100 as input_tokens, 200 as output_tokens, 0.1 as cost_usd, 7 as tool_calls
from judged_case_runs where judged_key < {first};
insert into eval_runs by name
select
    eval_run_id, 'suite' as suite_id, 1 as suite_version, 'live' as execution_mode, min(started_at) as started_at,
    any_value(agent_name) as agent_name, any_value(agent_version) as agent_version, 'm' as agent_model
from case_runs group by eval_run_id;
insert into suites values ('sha256:suite', 'suite', 1, 'Suite', 'active', true, 'majority', {trials});
insert into suite_cases select 'sha256:suite', 'suite', case_id, row_number() over (order by case_id) - 1 from cases;
insert into judgments by name
select
    judgment_id, timestamptz '2025-02-01 00:00:00+00' + to_seconds(min(judged_key)) as judged_at, 'sha256:0' as registry_digest,
    '{{}}' as pack_digests, 1 as semantics_version, '1' as engine_version, count(*) as case_runs, 'judge' as purpose
from judged_case_runs group by judgment_id;
insert into baselines values ('suite', 1, 'run-00000', 'judgment-0000', timestamptz '2025-02-02 00:00:00+00', 'bench', '', true);
insert into baseline_cases by name
select
    'suite' as suite_id, 'run-00000' as eval_run_id, case_id, 1 as case_version, case_digest, 'pass' as verdict, 90.0 as score,
    100.0 as max_score, {trials} as trials, {trials} as passed_trials, '{{}}' as buckets
from cases;
insert into bundles by name
select
    case_run_id, bundle_digest, 'resolved' as status, 'audit' as root, bundle_digest as content_digest
from judged_case_runs where judged_key < {first};
"""
_OUTCOMES: Final = """
insert into check_outcomes by name
select
    judged_key, check_key, passed,
    (hash(judged_key + check_key) % 3)::bigint as deciding_rule,
    case when not passed then ['not_matched', 'artifact_missing', 'fact_unknown'][1 + (hash(judged_key) % 3)::int] end as reason
from (
    select judged_key, check_key, hash(judged_key * 31 + check_key) % 1000 >= 30 as passed
    from judged_case_runs inner join checks using (case_digest)
    where judged_key between {low} and {high} and bundle_status = 'resolved'
) order by judged_key, check_key
"""


@contextmanager
def history(verdicts: int) -> Iterator[tuple[duckdb.DuckDBPyConnection, float]]:
    """A database file as a history publishes it, opened for reading, and the bytes that a check result takes in it.

    A tenth of the verdicts are of runs that were judged before, with the same checks.
    """
    with tempfile.TemporaryDirectory(prefix="judge-polars-bench-") as place:
        path = Path(place) / "history.duckdb"
        with duckdb.connect(str(path), config={"storage_compatibility_version": STORAGE}) as con:
            con.execute("set timezone = 'UTC'")
            create_tables(con)
            program = compile_program(book_of(CASES))
            known = {table.name: table for table in PUBLISHED_TABLES}
            for name, frame in registry_tables(program.book, program.all_checks).items():
                insert(con, known[name], frame)
            first = verdicts * 9 // 10
            numbers = {"count": verdicts, "first": first, "cases": CASES, "of_eval": RUNS_OF_EVAL}
            numbers |= {"trials": RUNS_OF_EVAL // CASES, "of_judgment": RUNS_OF_JUDGMENT}
            con.execute(_HISTORY.format(**numbers))
            load_views(con)
            supersede(con)
            con.execute("checkpoint")
            before = path.stat().st_size
            for low in range(0, verdicts, 100_000):
                con.execute(_OUTCOMES.format(low=low, high=low + 99_999))
            con.execute("checkpoint")
            results = con.execute("select count(*) from check_outcomes").fetchall()[0][0]
        bytes_each = (path.stat().st_size - before) / results
        with duckdb.connect(str(path), read_only=True) as con:
            con.execute("set timezone = 'UTC'")
            con.execute("set memory_limit = '6GB'")
            yield con, bytes_each


def views_of(con: duckdb.DuckDBPyConnection) -> list[tuple[str, bool]]:
    """Views that people query, each with whether it tells the eval run."""
    rows = con.execute(
        """
        select view_name, bool_or(column_name = 'eval_run_id') from duckdb_views() inner join duckdb_columns()
        on table_name = view_name where not duckdb_views.internal and view_name not like 'audit_%' and view_name <> 'help'
        group by view_name order by view_name
        """
    ).fetchall()
    return [(str(name), bool(told)) for name, told in rows]


def whole(view: str) -> str:
    """A query that works out every column of every row of a view."""
    return f"select count(*), count(columns(*)) from {view}"


def measure_views(sizes: Sizes) -> Iterator[Measured]:
    rounds = min(3, sizes.rounds)
    with history(sizes.verdicts) as (con, bytes_each):
        base = in_turns({"base": lambda: con.execute(BASE).fetchall()}, sizes.rounds)["base"]
        note = f"`{BASE}` takes {base:.2f} CPU s; {rounds} rounds, a few of the views take long"
        yield Measured("views", f"{sizes.verdicts:,} verdicts", 1.0, "", sizes.rounds, note)
        for view, told in views_of(con):
            sides = {"whole": lambda view=view: con.execute(whole(view)).fetchall()}
            if told:
                one = f"select * from {view} where eval_run_id = 'run-00001'"
                sides["one"] = lambda one=one: con.execute(one).fetchall()
            best = in_turns(sides, rounds)
            yield Measured("views", f"`{view}`, whole", best["whole"] / base, "≤ 20", rounds, f"{best['whole']:.3f} s")
            if told:
                part = best["one"] / best["whole"]
                yield Measured("views", f"`{view}`, one eval run", part, "≤ 0.1", rounds, f"{best['one']:.3f} s")
        note = f"in history.duckdb, {sizes.verdicts:,} verdicts"
        yield Measured("disk", "bytes per check result", bytes_each, "≤ 4", 1, note)
