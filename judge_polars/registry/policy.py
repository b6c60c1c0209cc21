"""`cases/<case_id>/judge.yaml`: policy and ground truth, for the judge alone (specification 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from judge_polars.registry.formula import Formula
from judge_polars.registry.pack import FactDefinitions, Words
from judge_polars.registry.values import (
    CaseId,
    Distinct,
    Model,
    Name,
    Natural,
    Score,
    Selector,
    Text,
    Weight,
    refused,
)

DEFAULT_PROGRESSED: Final = ("evidence_collection_completed", "architecture_context_loaded", "summary_read_completed")


class HardCheck(Formula):
    """A named, weighted formula without `required`: critical evidence, hard and supporting checks."""

    needs_rules: ClassVar[bool] = False

    id: Name = Field(description="Unique in its list; lower-case words joined by `_`.")
    title: Text | None = Field(default=None, description="One line for people.")
    weight: Weight = Field(default=1.0, description="Share in the bucket's score; greater than 0.")


class Check(HardCheck):
    """A check that is required or optional; a well-known one needs no rules of its own."""

    required: bool | None = Field(default=None, description="By default true, but for the optional well-known checks.")


def _distinct_ids(checks: Sequence[HardCheck]) -> Sequence[HardCheck]:
    seen: set[str] = set()
    for index, check in enumerate(checks):
        if check.id in seen:
            raise refused(
                "duplicate_id", f"the id `{check.id}` is already taken in this list; choose another one", index, "id"
            )
        seen.add(check.id)
    return checks


Checks = Annotated[list[Check], AfterValidator(_distinct_ids)]
HardChecks = Annotated[list[HardCheck], AfterValidator(_distinct_ids)]


class ContractBucket(Model):
    """Is the run about this incident at all?"""

    checks: Checks = Field(min_length=1, description="Checks on facts `window.*` and `cluster.*`.")


class WorkflowBucket(Model):
    """Did the agent go the way that it has to go?"""

    max_score: Score = Field(default=10.0, description="Score of a full pass.")
    progressed_any_of: list[Text] = Field(
        default=list(DEFAULT_PROGRESSED), description="Workflow facts; one of them true makes a failed bucket partial."
    )
    checks: Checks = Field(min_length=1, description="Checks on facts `workflow.*`.")


class _ChannelParameters(Model):
    required_artifacts: Annotated[list[Selector], Distinct] = Field(
        default=[], description="Logical artifacts, file names or globs that must be there."
    )
    preferred_channels: Annotated[list[Name], Distinct] = Field(
        default=[], description="Channels that should be observed."
    )
    minimum_channels: Natural = Field(default=1, description="How many of the listed channels must be observed.")


class ExecutionContractBucket(_ChannelParameters):
    """Did the run leave what a run has to leave?"""

    checks: Checks = Field(min_length=1, description="Checks on facts `workflow.*`, `artifacts.*`, `evidence.*`.")


class EvidenceCollectionBucket(_ChannelParameters):
    """Was the evidence gathered?"""

    max_score: Score = Field(default=10.0, description="Score of a full pass.")
    checks: Checks = Field(min_length=1, description="Checks on facts `artifacts.*` and `evidence.*`.")


class CriticalEvidenceBucket(Model):
    """Does the evidence hold what decides this case?"""

    max_score: Score = Field(default=10.0, description="Score of a full pass.")
    checks: HardChecks = Field(
        min_length=1, description="Document rules on anything but `output`, and defined evidence facts."
    )


class EvidenceRoutingBucket(Model):
    """Does the structured evidence map hold?"""

    max_score: Score = Field(default=10.0, description="Score of a full pass.")
    checks: Checks = Field(min_length=1, description="Checks on facts `routing.*`.")


class SemanticCheck(Model):
    """A question for the semantic shadow; it never changes a verdict."""

    id: Name = Field(description="Unique in its list.")
    kind: Literal["rubric", "contradiction", "equivalence"] = Field(description="What is asked.")
    question: Text = Field(description="The question.")
    expected: Text | None = Field(default=None, description="The expected answer.")
    shadows: Name | None = Field(default=None, description="The deterministic check that it is compared with.")


class DiagnosisBucket(Model):
    """Is the diagnosis right?"""

    hard_max_score: Score = Field(default=18.0, description="Score of all hard checks.")
    hard_checks: HardChecks = Field(default=[], description="Checks that all must pass.")
    supporting_weight: Score = Field(default=12.0, description="Score of all supporting checks.")
    supporting_checks: HardChecks = Field(default=[], description="Checks that only add to the score.")
    semantic_checks: list[SemanticCheck] = Field(default=[], description="Questions for the semantic shadow.")

    @model_validator(mode="after")
    def _something(self) -> DiagnosisBucket:
        if not self.hard_checks and not self.supporting_checks:
            raise refused("missing_key", "a diagnosis bucket needs a hard or a supporting check")
        return self


class Judge(Model):
    """The configured buckets; one that is left out passes and has no part in the score."""

    contract: ContractBucket | None = Field(default=None, description="Is the run about this incident?")
    workflow: WorkflowBucket | None = Field(default=None, description="Did the agent go its way?")
    execution_contract: ExecutionContractBucket | None = Field(
        default=None, description="Did the run leave what it must?"
    )
    evidence_collection: EvidenceCollectionBucket | None = Field(default=None, description="Was the evidence gathered?")
    critical_evidence: CriticalEvidenceBucket | None = Field(
        default=None, description="Is the deciding evidence there?"
    )
    evidence_routing: EvidenceRoutingBucket | None = Field(default=None, description="Does the evidence map hold?")
    diagnosis: DiagnosisBucket | None = Field(default=None, description="Is the diagnosis right?")

    @model_serializer(mode="wrap")
    def _keep_removals(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """`BUCKET: null` removes a default of all cases: it is kept where defaults are left out."""
        dumped: dict[str, Any] = handler(self)
        return dumped | {name: None for name in self.model_fields_set if getattr(self, name) is None}

    def removes(self, bucket: str) -> bool:
        """Whether a bucket is `null`: not configured, whatever the defaults of all cases say."""
        return bucket in self.model_fields_set and getattr(self, bucket) is None


class JudgeFile(Model):
    """Policy and ground truth of one case."""

    schema_version: Literal[1] = Field(description="Version of this file's form: 1.")
    case_id: CaseId = Field(description="The case; equals the directory's name.")
    facts: FactDefinitions = Field(default=[], description="Facts that the case defines.")
    reference_run: Text | None = Field(default=None, description="Case run id of a run that must pass, for `probe`.")
    words: Words = Field(default=Words(), description="Word lists that replace those of the packs for this case.")
    judge: Judge = Field(description="The buckets.")
