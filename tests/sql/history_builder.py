"""The published tables of one test, written row by row: a row says what differs from the defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import duckdb
import polars as pl

from judge_polars.history.bridge import create_tables, insert, load_views, read, supersede
from judge_polars.tables import PUBLISHED_TABLES
from judge_polars.vocabulary import BUCKETS

DAY_1: Final = datetime(2025, 3, 1, tzinfo=UTC)
DAY_2: Final = datetime(2025, 3, 2, tzinfo=UTC)
ALL_PASS: Final = dict.fromkeys(BUCKETS, "pass")
_TABLES: Final = {table.name: table for table in PUBLISHED_TABLES}

DEFAULTS: Final[dict[str, dict[str, object]]] = {
    "eval_runs": {"suite_id": "suite-a", "suite_version": 1},
    "case_runs": {"trial": 1, "status": "completed"},
    "cases": {"case_id": "case-a", "case_version": 1, "status": "active"},
    "case_buckets": {},
    "checks": {"position": 0, "required": True, "weight": 1.0, "need": 1},
    "suites": {"suite_version": 1, "aggregate": "majority", "trials": 1},
    "suite_cases": {"position": 0},
    "baselines": {
        "suite_id": "suite-a",
        "suite_version": 1,
        "eval_run_id": "base",
        "judgment_id": "j0",
        "active": True,
    },
    "baseline_cases": {
        "suite_id": "suite-a",
        "eval_run_id": "base",
        "case_version": 1,
        "case_digest": "case-a@1",
        "verdict": "pass",
        "trials": 1,
        "passed_trials": 1,
        "buckets": "{}",
    },
    "judgments": {"judged_at": DAY_1, "registry_digest": "registry", "semantics_version": 1},
    "judged_case_runs": {
        "judgment_id": "j1",
        "case_digest": "case-a@1",
        "case_version": 1,
        "bundle_digest": "bundle",
        "bundle_status": "resolved",
        "has_output": True,
        "cause": "agent",
        "progressed": False,
    },
    "check_outcomes": {"passed": True},
    "rules": {"rule": 0, "method": "contains_any"},
    "bundles": {"bundle_digest": "bundle", "status": "resolved"},
    "semantic_results": {
        "judgment_id": "j1",
        "case_digest": "case-a@1",
        "semantic_check_id": "q1",
        "kind": "rubric",
        "status": "ok",
    },
}


def new_database() -> duckdb.DuckDBPyConnection:
    """The declared tables, empty, and everything of `sql/`."""
    con = duckdb.connect()
    con.execute("set timezone = 'UTC'")
    con.execute("set threads = 1")
    create_tables(con)
    load_views(con)
    return con


def _ids(row: Mapping[str, object]) -> dict[str, object]:
    """The parts of the row's case_run_id."""
    eval_run_id, case_id, trial = str(row["case_run_id"]).split("/")
    return {"eval_run_id": eval_run_id, "case_id": case_id, "trial": int(trial)}


class History:
    """Rows of a test, in a database that the tests share; `clear` takes them out again."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._keys = 0
        self._checks: dict[str, list[tuple[int, str]]] = {}
        self._pending: dict[str, list[dict[str, object]]] = {}
        self._filled: set[str] = set()
        self._strangers: set[str] = set()

    def write(self) -> None:
        """Put the rows that were added into the database."""
        self._know_cases()
        for table, rows in self._pending.items():
            insert(self._con, _TABLES[table], pl.DataFrame(rows, schema=_TABLES[table].schema))
        if {"judged_case_runs", "judgments"} & set(self._pending):
            self.supersede()
        self._filled |= set(self._pending)
        self._pending.clear()

    def supersede(self) -> None:
        """Work out anew which judged case runs are superseded."""
        self._con.execute("delete from superseded_case_runs")
        if self._con.execute("select count(*) > count(distinct case_run_id) from judged_case_runs").fetchall() == [
            (True,)
        ]:
            supersede(self._con)
        self._filled.add("superseded_case_runs")

    def forget(self, judgment_id: str) -> None:
        """Take out what a judgment judged."""
        self.con.execute("delete from judged_case_runs where judgment_id = ?", [judgment_id])
        self.supersede()

    def _know_cases(self) -> None:
        """A row in `cases` for each case that has case runs, is no stranger and has none of its own."""
        known = {row["case_id"] for row in self._pending.get("cases", ())} | self._strangers
        found = {str(row["case_id"]) for row in self._pending.get("case_runs", ())}
        if "cases" in self._filled:
            known |= {case for (case,) in self._con.execute("select case_id from cases").fetchall()}
        for case in sorted(found - known):
            self.add("cases", {"case_digest": f"{case}@1", "case_id": case})

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The database, with every row that was added so far."""
        self.write()
        return self._con

    def add(self, table: str, *rows: Mapping[str, object]) -> None:
        """Rows of one table; columns that are not named take their default, else null."""
        defaults = {**dict.fromkeys(_TABLES[table].schema), **DEFAULTS.get(table, {})}
        ids = _ids if table in ("case_runs", "judged_case_runs") else dict
        self._pending.setdefault(table, []).extend({**defaults, **ids(row), **row} for row in rows)

    def stranger(self, case_run_id: str, **columns: object) -> None:
        """A case run whose case no registry knows."""
        self._strangers.add(str(_ids({"case_run_id": case_run_id})["case_id"]))
        self.add("case_runs", {"case_run_id": case_run_id, **columns})

    def clear(self) -> None:
        """Empty every table that was filled."""
        self._pending.clear()
        self._strangers.clear()
        for table in self._filled:
            self._con.execute(f"delete from {table}")

    def _next_key(self) -> int:
        self._keys += 1
        return self._keys

    def case(self, digest: str, *checks: Mapping[str, object], **scores: Mapping[str, float]) -> None:
        """A case with its checks, each bucket that has one configured; `scores`: bucket -> columns of case_buckets."""
        self._checks[digest] = []
        for position, check in enumerate(checks):
            key = self._next_key()
            name = ".".join(str(check[part]) for part in ("bucket", "layer", "check_id") if check.get(part))
            self._checks[digest].append((key, name))
            self.add("checks", {"check_key": key, "case_digest": digest, "position": position, **check})
        buckets = dict.fromkeys(check["bucket"] for check in checks)
        self.add("cases", {"case_digest": digest, "case_id": digest.partition("@")[0]})
        if buckets:
            rows = ({"case_digest": digest, "bucket": bucket, **scores.get(str(bucket), {})} for bucket in buckets)
            self.add("case_buckets", *rows)

    def checks_of(self, digest: str) -> list[tuple[int, str]]:
        """Key and name (as in `judged`) of the checks of a case, in order."""
        return self._checks.get(digest, [])

    def judged(
        self, case_run_id: str, *, failed: Iterable[str] = (), missing: Iterable[str] = (), **columns: Any
    ) -> None:
        """A judged case run and the outcomes of its checks.

        Checks are named `bucket.check_id` or `bucket.layer.check_id`: those in `failed` are false, those in `missing`
        have no outcome.
        """
        key = self._next_key()
        row = {**DEFAULTS["judged_case_runs"], **columns}
        self.add("judged_case_runs", {"judged_key": key, "case_run_id": case_run_id, **columns})
        checks = self.checks_of(str(row["case_digest"]))
        unknown = {*failed, *missing} - {name for _, name in checks}
        assert not unknown, f"no such checks: {unknown}"
        if row["bundle_status"] == "resolved" and checks:
            self.add(
                "check_outcomes",
                *(
                    {
                        "judged_key": key,
                        "check_key": check,
                        "passed": name not in failed,
                        "deciding_rule": 0,
                        "reason": "not_matched" if name in failed else None,
                    }
                    for check, name in checks
                    if name not in missing
                ),
            )

    def case_of_verdicts(self, digest: str = "case-a@1") -> None:
        """A case with a check of each bucket by which a test can make any verdict: see `trial`."""
        self.case(
            digest,
            {"bucket": "contract", "check_id": "same_cluster"},
            {"bucket": "critical_evidence", "check_id": "seen"},
            {"bucket": "critical_evidence", "check_id": "seen_twice"},
            {"bucket": "diagnosis", "layer": "hard", "check_id": "named"},
            critical_evidence={"max_score": 10.0},
            diagnosis={"hard_max_score": 10.0},
        )

    def trial(self, case_run_id: str, verdict: str, *, judgment_id: str = "j1", **columns: Any) -> None:
        """A case run of `case_of_verdicts` with its record; `verdict` as in `FAILED_FOR`.

        pass 20 of 20, fail 10 of 20 (critical_evidence_missing), diagnosis 10 of 20 (diagnosis_critical_gate_failed).
        """
        case_id = case_run_id.split("/")[1]
        recorded = {key: columns.pop(key) for key in list(columns) if key in _TABLES["case_runs"].schema}
        if judgment_id == "j1" or recorded:
            self.add("case_runs", {"case_run_id": case_run_id, **recorded})
        digest = str(columns.pop("case_digest", f"{case_id}@1"))
        self.judged(case_run_id, failed=FAILED_FOR[verdict], judgment_id=judgment_id, case_digest=digest, **columns)

    def frame(self, query: str, *parameters: object) -> pl.DataFrame:
        """The rows of a query."""
        return read(self.con, query, parameters)

    def rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        """The rows of a query as tuples."""
        return self.frame(query, *parameters).rows()

    def value(self, expression: str, *parameters: object) -> Any:
        """The value of an SQL expression."""
        [(value,)] = self.rows(f"select {expression} as value", *parameters)
        return value


FAILED_FOR: Final[dict[str, tuple[str, ...]]] = {
    "pass": (),
    "invalid": ("contract.same_cluster",),
    "fail": ("critical_evidence.seen", "critical_evidence.seen_twice"),
    "partial": ("critical_evidence.seen",),
    "diagnosis": ("diagnosis.hard.named",),
}
"""What fails in a trial of `History.trial`."""
