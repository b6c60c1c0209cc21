"""`baselines/<suite_id>.yaml`: the promoted verdict snapshot of a suite (specification 10)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from judge_polars.registry.values import (
    CaseId,
    Digest,
    Model,
    Natural,
    OneOf,
    Positive,
    Score,
    SuiteId,
    Text,
    Timestamp,
    refused,
)
from judge_polars.vocabulary import BUCKETS, FAILURE_CODES, STATUSES, VERDICTS


class BaselineCaseEntry(Model):
    """What the snapshot remembers of one case."""

    case_version: Positive = Field(description="Version of the case at promotion.")
    case_digest: Digest = Field(description="Digest of the case at promotion.")
    verdict: Annotated[str, OneOf(VERDICTS)] = Field(description="The case's verdict.")
    primary_failure_code: Annotated[str, OneOf(FAILURE_CODES)] | None = Field(
        default=None, description="Why it is no pass; null for a pass."
    )
    score: Score | None = Field(default=None, description="Mean score of the comparable trials.")
    max_score: Score | None = Field(default=None, description="The score that was possible.")
    trials: Positive = Field(default=1, description="Trials of the case.")
    passed_trials: Natural = Field(default=0, description="Trials that passed.")
    buckets: dict[Annotated[str, OneOf(BUCKETS)], Annotated[str, OneOf(STATUSES)] | None] = Field(
        default={}, description="Bucket -> status."
    )

    @model_validator(mode="after")
    def _passed_of_all(self) -> BaselineCaseEntry:
        if self.passed_trials > self.trials:
            raise refused(
                "out_of_range", f"{self.passed_trials} of {self.trials} trials cannot have passed", "passed_trials"
            )
        return self


class BaselineFile(Model):
    """The active baseline of a suite."""

    schema_version: Literal[1] = Field(description="Version of this file's form: 1.")
    suite_id: SuiteId = Field(description="The suite; equals the file's name without `.yaml`.")
    suite_version: Positive = Field(description="Version of the suite at promotion.")
    eval_run_id: Text = Field(description="The promoted eval run.")
    judgment_id: Text = Field(description="The judgment that gave its verdicts.")
    promoted_at: Timestamp = Field(description="When it was promoted: RFC 3339 with an offset.")
    created_by: str = Field(default="", description="Who promoted it.")
    notes: str = Field(default="", description="Why.")
    cases: dict[CaseId, BaselineCaseEntry] = Field(description="Case id -> what is remembered of it.")
