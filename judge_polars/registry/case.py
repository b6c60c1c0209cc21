"""`cases/<case_id>/case.yaml`: what the agent may see (specification 10)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from judge_polars.registry.values import (
    CaseId,
    Duration,
    Model,
    Positive,
    RelativePath,
    Text,
    Timestamp,
    duration_us,
    refused,
    timestamp,
)


class Prompt(Model):
    """What the agent is told."""

    text: Text = Field(description="The whole prompt; nothing is prepended.")


class Environment(Model):
    """Where the agent works."""

    cluster_id: Text = Field(description="Id of the cluster that the case is about; a quoted text.")
    workspace_files: RelativePath | None = Field(
        default=None, description="Directory, relative to the case, that is copied into the fresh workspace."
    )
    env: dict[Text, str] = Field(default={}, description="Environment variables of the agent process.")


class AllowedWindow(Model):
    """A time window that a run may have."""

    start: Timestamp = Field(description="RFC 3339 with an offset.")
    end: Timestamp = Field(description="RFC 3339 with an offset.")
    match: Literal["within", "exact", "overlap"] = Field(
        default="within", description="How the run's window is compared with this one."
    )
    tolerance: Duration = Field(default="0s", description="How far an end may be off, as `<n>h<n>m<n>s`.")

    @model_validator(mode="after")
    def _in_order(self) -> AllowedWindow:
        _check_order(self.start, self.end)
        return self


class TimeWindow(Model):
    """The incident's time window."""

    start: Timestamp = Field(description="RFC 3339 with an offset.")
    end: Timestamp = Field(description="RFC 3339 with an offset.")
    allowed: list[AllowedWindow] | None = Field(
        default=None, min_length=1, description="Windows that a run may have; by default the one above."
    )

    @model_validator(mode="after")
    def _in_order(self) -> TimeWindow:
        _check_order(self.start, self.end)
        return self


def _check_order(start: str, end: str) -> None:
    if timestamp(end) < timestamp(start):
        raise refused("window_reversed", f"the end {end} lies before the start {start}; exchange them", "end")


class Execution(Model):
    """How the case is run."""

    timeout: Duration = Field(default="30m", description="Time limit of one case run, as `<n>h<n>m<n>s`.")
    trials: Positive = Field(default=1, description="How often the case is run.")

    @model_validator(mode="after")
    def _some_time(self) -> Execution:
        if not duration_us(self.timeout):
            raise refused("out_of_range", "a timeout of nothing lets no run finish; write a longer one", "timeout")
        return self


class CaseFile(Model):
    """One incident as the agent meets it."""

    schema_version: Literal[1] = Field(description="Version of this file's form: 1.")
    id: CaseId = Field(description="Equals the directory's name; lower-case words joined by `-`.")
    version: Positive = Field(description="Raised on every change of meaning.")
    title: Text = Field(description="One line for people.")
    status: Literal["active", "inactive"] = Field(default="active", description="Whether suites may select the case.")
    tags: list[Text] = Field(default=[], description="Free words to select cases by.")
    prompt: Prompt = Field(description="What the agent is told.")
    environment: Environment = Field(description="Where the agent works.")
    time_window: TimeWindow = Field(description="The incident's time window.")
    execution: Execution = Field(default=Execution(), description="How the case is run.")
    lint_ignore: dict[str, Text] = Field(default={}, description="Lint code -> why it does not count for this case.")
