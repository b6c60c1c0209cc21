"""Who ran what and how it went: the five nightly eval runs of `demo-agent`, trial by trial.

A trial is named by its answer (`answers/<case>/<answer>.md`) and by quirks, each of which spoils or varies one thing.
`expected_verdicts.csv`, written by hand beside this table, says what the judge must make of each trial.

The story: 1.0 is good, but weak on the degradation; 1.1 mends that; 1.2 brings another model, which concludes wrongly
on the latency surge, and a night of trouble with the harness; the next night is cut short; 1.3 recovers, but one case
is flaky.
"""

from __future__ import annotations

from dataclasses import dataclass

QUIRKS = {
    "plain": "nothing special",
    "acp": "telemetry holds ACP messages instead of flat records",
    "run_directory": "the bundle lies in a directory of its own below audit/",
    "in_workspace": "the bundle lies in the workspace",
    "packed_log": "tikv.log is kept as tikv.log.gz",
    "tickets": "the help desk's notes were collected",
    "summary_unread": "the agent never read its own summary",
    "guardrails_failed": "the call that reads the guardrails failed",
    "events_lost": "events were asked for, and nothing of them was kept",
    "events_not_asked": "events were never asked for",
    "event_from_memory": "the evidence map cites an event that was never collected",
    "no_metrics": "the metrics file is missing",
    "no_disk_metrics": "the metrics of the devices were not asked for",
    "other_instance": "everything was collected from an instance to which nothing happened",
    "no_patch": "the agent stopped before it wrote the evidence map",
    "misspelt_metric": "the evidence map cites a metric that does not exist",
    "day_before": "the window is that of the day before",
    "cut_report": "the report ends in the middle",
    "two_bundles": "two bundles are left, both of the right cluster and window",
    "never_started": "the agent's process could not be started",
}


@dataclass(frozen=True)
class Trial:
    """One case run."""

    case: str
    number: int
    answer: str | None
    quirks: tuple[str, ...] = ()


@dataclass(frozen=True)
class EvalRun:
    """One night."""

    eval_run_id: str
    version: str
    model: str
    trials: tuple[Trial, ...]


EVAL_RUNS = (
    EvalRun(
        "2025-03-03-nightly",
        "1.0",
        "demo-m1",
        (
            Trial("restart", 1, "full_a"),
            Trial("restart", 2, "full_b", ("run_directory",)),
            Trial("restart", 3, "full_a", ("in_workspace", "summary_unread")),
            Trial("service", 1, "false_alarm", ("summary_unread",)),
            Trial("service", 2, "full_b", ("no_disk_metrics", "run_directory")),
            Trial("service", 3, "full_a"),
            Trial("tail", 1, "partial"),
            Trial("tail", 2, "partial", ("in_workspace",)),
            Trial("tail", 3, "partial", ("summary_unread",)),
        ),
    ),
    EvalRun(
        "2025-03-04-nightly",
        "1.1",
        "demo-m1",
        (
            Trial("restart", 1, "full_b"),
            Trial("restart", 2, "full_a", ("packed_log",)),
            Trial("restart", 3, "full_b", ("in_workspace",)),
            Trial("service", 1, "full_a", ("run_directory",)),
            Trial("service", 2, "full_b", ("tickets",)),
            Trial("service", 3, "full_a", ("events_not_asked", "event_from_memory")),
            Trial("tail", 1, "full_a"),
            Trial("tail", 2, "full_b", ("in_workspace",)),
            Trial("tail", 3, "full_a", ("tickets",)),
        ),
    ),
    EvalRun(
        "2025-03-05-nightly",
        "1.2",
        "demo-m2",
        (
            Trial("restart", 1, "full_b", ("run_directory",)),
            Trial("restart", 2, "full_a", ("events_lost",)),
            Trial("restart", 3, "unfinished", ("no_patch", "summary_unread")),
            Trial("service", 1, None, ("never_started",)),
            Trial("service", 2, "full_b", ("cut_report",)),
            Trial("service", 3, "full_a", ("day_before",)),
            Trial("tail", 1, "wrong_index"),
            Trial("tail", 2, "shotgun", ("in_workspace",)),
            Trial("tail", 3, "full_b", ("misspelt_metric",)),
        ),
    ),
    EvalRun(
        "2025-03-06-nightly",
        "1.2",
        "demo-m2",
        (
            Trial("restart", 1, "full_a", ("two_bundles", "in_workspace")),
            Trial("restart", 2, "full_b"),
            Trial("restart", 3, "other_instance", ("other_instance",)),
            Trial("tail", 1, "full_a", ("guardrails_failed",)),
            Trial("tail", 2, "full_b", ("no_metrics", "run_directory")),
        ),
    ),
    EvalRun(
        "2025-03-07-nightly",
        "1.3",
        "demo-m2",
        (
            Trial("restart", 1, "short_a", ("acp",)),
            Trial("restart", 2, "short_b", ("acp", "in_workspace")),
            Trial("restart", 3, "short_a", ("acp", "summary_unread")),
            Trial("service", 1, "full_b", ("acp",)),
            Trial("service", 2, "short", ("acp", "run_directory")),
            Trial("service", 3, "full_a", ("acp", "events_not_asked")),
            Trial("tail", 1, "full_b", ("acp", "packed_log")),
            Trial("tail", 2, "wrong_plan", ("acp",)),
            Trial("tail", 3, "denies_wrong", ("acp", "in_workspace")),
        ),
    ),
)
