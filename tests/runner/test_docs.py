"""`docs/live.md` tells every status and the limits as they are."""

from __future__ import annotations

import re
from pathlib import Path

from judge_polars.demo_agent.misbehaviour import WAYS
from judge_polars.runner.limits import Limits
from judge_polars.runner.statuses import STATUSES

TEXT = (Path(__file__).parents[2] / "docs" / "live.md").read_text("utf-8")


def test_statuses() -> None:
    table = TEXT.split("| status | means |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?)(?: \(\d+ s\))? \|$", table, re.MULTILINE)
    assert dict(rows) == STATUSES


def test_limits() -> None:
    limits = Limits()
    mebibytes = {"message text": limits.answer, "standard output": limits.received, "telemetry": limits.telemetry}
    for name, size in mebibytes.items():
        assert f"| {name} | {size >> 20} MiB" in TEXT
    assert f"| standard error | {limits.stderr >> 20} MiB, of which {limits.stderr_log >> 20} MiB are kept" in TEXT
    assert f"{limits.messages:,} messages, {limits.line >> 20} MiB a line, {limits.invalid_lines:,} lines" in TEXT
    assert (limits.initialize, limits.session) == (60, 60) and TEXT.count("in time (60 s)") == 2
    assert f"after {limits.cancel:g} s the process group" in TEXT and f"after {limits.terminate:g} s more" in TEXT
    assert f"gets {limits.leave:g} s" in TEXT


def test_ways_of_misbehaviour() -> None:
    assert len(WAYS) == 31 and "thirty-one" in TEXT
