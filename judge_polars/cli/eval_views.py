"""What `eval` shows: the plan of a dry run, and where a live run is (specification 80)."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from judge_polars.cli.console import SECONDS_BETWEEN_LINES, Talk, is_colored
from judge_polars.printable import excerpt, printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.table import Table

    from judge_polars.runner.case_run import Progress
    from judge_polars.runner.eval_run import Ran
    from judge_polars.runner.plan import CaseRunPlan, EvalPlan

MOST_SHOWN: Final = 20
"""Case runs that the display shows at a time, those that are at work first."""
LONGEST_SEEN: Final = 60
GOOD: Final = "end_turn"
ENDED: Final = "ended"
WAITING: Final = "waiting"


def plan_view(plan: EvalPlan) -> RenderableType:
    """The whole plan; what the trials of a case have in common is told once."""
    from rich.console import Group

    executable = plan.agent.executable() or "not found"
    head = _pairs(
        ("eval run", plan.eval_run_id),
        ("suite", f"{plan.suite_id}, version {plan.suite_version}"),
        ("agent", f"{plan.agent.name}, permissions {plan.agent.permissions}"),
        ("command", shlex.join(plan.agent.command)),
        ("program", executable),
        ("side by side", str(plan.concurrency)),
        ("directory", str(plan.directory)),
    )
    cases: dict[str, list[CaseRunPlan]] = {}
    for one in plan.case_runs:
        cases.setdefault(one.case_id, []).append(one)
    return Group(head, *(part for trials in cases.values() for part in _case_view(trials)))


def _case_view(trials: list[CaseRunPlan]) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    first = trials[0]
    yield Text()
    yield Text(f"{first.case_id}, version {first.case_version}", style="bold")
    files = "none: an empty workspace"
    if first.workspace_files is not None:
        files = f"{first.workspace_files} ({first.amount.files} files, {first.amount.size:,} bytes)"
    yield Padding(
        _pairs(
            ("timeout", f"{first.timeout:g} s"),
            ("workspace files", files),
            *(("case run" if number == 0 else "", _place(one)) for number, one in enumerate(trials)),
        ),
        (0, 0, 0, 2),
    )
    yield Text("  environment", style="dim")
    yield Padding(
        _pairs(*((one.name, _told(one.told, one.source, one.value)) for one in first.environment)), (0, 0, 0, 4)
    )
    yield Text("  prompt", style="dim")
    for line in first.prompt.rstrip("\n").split("\n"):
        yield Text(f"    {printable(line)}", no_wrap=True, overflow="ignore")


def _place(one: CaseRunPlan) -> str:
    from judge_polars.runner.records import is_finished

    return f"{one.directory}{' (finished: not repeated)' if is_finished(one.directory, one.case_run_id) else ''}"


def _told(told: str, source: str, value: str | None) -> str:
    """A variable's value or origin, and who wants it."""
    if source == "agent":
        return f"{told} of this environment{'' if value is not None else ', where it is not set'}"
    return f"{told} (case)" if source == "case" else told


def _pairs(*rows: tuple[str, str]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(printable(name)), Text(printable(value)))
    return table


def outcome_lines(ran: Ran) -> list[str]:
    """How the case runs ended, in one line; those without a record one a line."""
    counts: dict[str, int] = {}
    for record in ran.done.values():
        status = str(record["stop_reason"] if record["status"] == "completed" else record["status"])
        counts[status] = counts.get(status, 0) + 1
    words = [f"{count} {status}" for status, count in sorted(counts.items())]
    if ran.kept:
        words.append(f"{len(ran.kept)} were done before")
    lost = [f"{key}: no record could be written: {why}" for key, why in ran.lost.items()]
    return [f"case runs: {', '.join(words) or 'none'}", *lost]


class EvalDisplay:
    """Case, state, elapsed time, last activity: a table on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, talk: Talk, clock: Callable[[], float] = time.monotonic) -> None:
        self._talk = talk
        self._clock = clock
        self._last = clock()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not self._talk.quiet:
            from rich.console import Console
            from rich.live import Live

            color = is_colored(self._talk.color, sys.stderr)
            console = Console(stderr=True, color_system="auto" if color else None, highlight=False, markup=False)
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: list[Progress]) -> None:
        """Show where the case runs are."""
        if self._live is not None:
            self._live.update(progress_view(progress, self._clock()), refresh=True)
        elif self._clock() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = self._clock()
            self._talk.say(progress_line(progress, self._clock()))


def progress_line(progress: list[Progress], now: float) -> str:
    """How many are done, and what those at work do."""
    done = sum(one.state == ENDED for one in progress)
    at_work = [one for one in progress if one.state not in (ENDED, WAITING)]
    words = "; ".join(f"{printable(one.case_run_id)}: {_doing(one, now)}" for one in at_work[:MOST_SHOWN])
    return f"{done} of {len(progress)} case runs done" + (f"; {words}" if words else "")


def progress_view(progress: list[Progress], now: float) -> RenderableType:
    """The table of a terminal."""
    from rich.table import Table
    from rich.text import Text

    done = sum(one.state == ENDED for one in progress)
    table = Table(box=None, pad_edge=False, caption=f"{done} of {len(progress)} case runs done", caption_justify="left")
    for name in ("", "case run", "state", "elapsed", "last activity"):
        table.add_column(Text(name), overflow="ellipsis", no_wrap=True)
    order = {WAITING: 2, ENDED: 1}
    for one in sorted(progress, key=lambda one: order.get(one.state, 0))[:MOST_SHOWN]:
        symbol, style = _symbol(one)
        state = f"{one.state}: {one.status}" if one.status else one.state
        table.add_row(
            Text(symbol, style=style),
            Text(printable(one.case_run_id.partition("/")[2])),
            Text(state),
            Text(_elapsed(one, now), justify="right"),
            Text("" if one.state in (ENDED, WAITING) else _activity(one, now)),
        )
    return table


def _symbol(one: Progress) -> tuple[str, str]:
    if one.state == WAITING:
        return "·", "dim"
    if one.state != ENDED:
        return "▶", "cyan"
    return ("✓", "green") if one.status == GOOD else ("✗", "red")


def _elapsed(one: Progress, now: float) -> str:
    if one.begun is None:
        return ""
    seconds = int((one.ended if one.ended is not None else now) - one.begun)
    return f"{seconds // 60}:{seconds % 60:02}"


def _activity(one: Progress, now: float) -> str:
    if one.last_activity is None:
        return ""
    return f"{max(0, int(now - one.last_activity))} s ago {excerpt(one.last_seen, length=LONGEST_SEEN)}".rstrip()


def _doing(one: Progress, now: float) -> str:
    return f"{one.state} for {_elapsed(one, now)}, last activity {_activity(one, now) or 'none'}"
