"""Verdicts as JUnit XML: fail is a failure of the type of its code, invalid an error, what was not run is skipped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from judge_polars.errors import MissingPieceError
from judge_polars.printable import printable
from judge_polars.report.outcomes import EvalRun, Outcomes, Row

if TYPE_CHECKING:
    from junitparser import TestCase, TestSuite

INSTALL: Final = "pip install 'judge-polars[report]'"
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\U0001fffe\U0001ffff]")
NAME: Final = "judge-polars"


def require_junit() -> None:
    """Raise `MissingPieceError` where the extra `report` is not installed."""
    try:
        import junitparser
    except ImportError as missing:
        raise MissingPieceError(f"--junit-xml needs the extra `report`: {INSTALL}") from missing
    del junitparser


def as_junit(told: Outcomes) -> bytes:
    """A document with a test suite per eval run and a test case per case run, UTF-8.

    Raises:
        MissingPieceError: the extra `report` is not installed.
    """
    require_junit()
    from junitparser import JUnitXml

    whole: Any = JUnitXml(NAME)
    for run in told.eval_runs:
        if run.case_runs or run.not_run:
            whole.append(_suite(run, told))
    whole.update_statistics()
    xml: bytes = whole.tostring()
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + xml + b"\n"


def _suite(run: EvalRun, told: Outcomes) -> TestSuite:
    from junitparser import Skipped, TestCase, TestSuite

    suite = TestSuite(xml_text(run.eval_run_id))
    for name, value in _properties(run, told):
        suite.add_property(name, xml_text(value))
    family = xml_text(run.suite_id or NAME)
    cases = [_case(row, family) for row in run.case_runs]
    for case_id, trial in run.not_run:
        case = TestCase(xml_text(f"{case_id}/{trial}"), family)
        case.result = [Skipped("planned by the suite, but there is no judged case run")]
        cases.append(case)
    suite.add_testcases(cases)
    return suite


def _properties(run: EvalRun, told: Outcomes) -> list[tuple[str, str]]:
    found = [("gate", told.gate.line)]
    for name in ("agent_name", "agent_version", "agent_model"):
        values = sorted({row[name] for row in run.case_runs if row[name]})
        found += [(name, ", ".join(values))] if values else []
    changes = [f"{row['case_id']} {row['change']}" for row in told.changes if row["eval_run_id"] == run.eval_run_id]
    return [*found, ("changes", ", ".join(changes))] if changes else found


def _case(row: Row, family: str) -> TestCase:
    from junitparser import Error, Failure, TestCase

    case = TestCase(xml_text(f"{row['case_id']}/{row['trial']}"), family)
    if row["seconds"] is not None and row["seconds"] >= 0:
        case.time = row["seconds"]
    if row["verdict"] != "pass":
        kind = Failure if row["verdict"] == "fail" else Error
        code = row["primary_failure_code"]
        result = kind(xml_text(f"{code}: {row['why']}"), code)
        result.text = "\n".join(map(xml_text, _lines(row)))
        case.result = [result]
    return case


def _lines(row: Row) -> list[str]:
    lines = [f"verdict: {row['verdict']}", f"failure codes: {', '.join(row['failure_codes'])}"]
    if row["cause"]:
        lines.append(f"cause: {row['cause']}")
    ended = ", ".join(row[key] for key in ("status", "stop_reason") if row[key])
    if ended:
        lines.append(f"ended: {ended}")
    return [*lines, f"why: judge-polars explain {row['case_run_id']}"]


def xml_text(text: str) -> str:
    """The text in one line, of characters that XML may hold and that show themselves."""
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))
