"""`suites/<suite_id>.yaml` (specification 10)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from judge_polars.registry.values import CaseId, Distinct, Model, OneOf, Positive, SuiteId, Text
from judge_polars.vocabulary import AGGREGATES


class ExecutionPolicy(Model):
    """How the suite is run and its trials are put together."""

    trials: Positive = Field(default=1, description="How often each case is run.")
    concurrency: Positive = Field(default=1, description="How many case runs go on side by side.")
    aggregate: Annotated[str, OneOf(AGGREGATES)] = Field(
        default="majority", description="How trials give a case's verdict."
    )


class SuiteFile(Model):
    """A named, versioned list of cases."""

    schema_version: Literal[1] = Field(description="Version of this file's form: 1.")
    id: SuiteId = Field(description="Equals the file's name without `.yaml`.")
    version: Positive = Field(description="Raised on every change of the list.")
    title: Text = Field(description="One line for people.")
    status: Literal["active", "inactive"] = Field(default="active", description="Whether the suite is in use.")
    baseline_eligible: bool = Field(default=False, description="Whether a run of it may be promoted.")
    cases: Annotated[list[CaseId], Distinct] = Field(min_length=1, description="Ids of active cases, in order.")
    execution_policy: ExecutionPolicy = Field(default=ExecutionPolicy(), description="How the suite is run.")
