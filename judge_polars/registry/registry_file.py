"""`registry.yaml`, which is optional: packs, layout, causes, and buckets of all cases (specification 10, 20, 50)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from judge_polars.registry.policy import Judge
from judge_polars.registry.values import Distinct, Model, NameOrNames, OneOf, Positive, Text
from judge_polars.vocabulary import CAUSES

DEFAULT_PACKS: Final = ("tidb",)


class LimitsSection(Model):
    """What is bounded while bundles are read."""

    document_bytes: Positive = Field(default=64 * 1024 * 1024, description="Largest document that is read, in bytes.")
    output_bytes: Positive = Field(
        default=4 * 1024 * 1024,
        description="Largest final output text that is read, in bytes; its sentences take up to 150 times its bytes of memory.",
    )
    case_run_bytes: Positive = Field(
        default=512 * 1024 * 1024,
        description="Bytes that are read of all files of a case run together; of an archive what it unpacks to counts, too.",
    )


class RegistryFile(Model):
    """What holds for the whole registry."""

    schema_version: Literal[1] = Field(default=1, description="Version of this file's form: 1.")
    packs: Annotated[list[Text], Distinct] = Field(
        default=list(DEFAULT_PACKS),
        description="Names of shipped packs, or files relative to the registry (with a `/`, or ending in `.yaml`).",
    )
    layout: dict[str, NameOrNames] = Field(default={}, description="Logical artifact -> name or names tried in order.")
    causes: dict[Text, Annotated[str, OneOf(CAUSES)]] = Field(
        default={}, description="`status` or `stop_reason` of a case run -> whose doing it was; adds to the defaults."
    )
    judge_defaults: Judge = Field(
        default=Judge(), description="Whole buckets for all cases that do not have their own."
    )
    limits: LimitsSection = Field(default=LimitsSection(), description="What is bounded while bundles are read.")
