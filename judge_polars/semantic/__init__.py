"""The semantic shadow: questions that words and numbers cannot settle, put to an evaluator, never part of a verdict.

Case runs and their documents -> `semantic_context_v1.json` (what is shown) -> a provider -> `semantic_packet_v1.json` (what came
back) -> `tables.SEMANTIC_RESULTS` (specification 80, "Semantic shadow").
"""

from judge_polars.semantic.model import STATUSES, Context, Packet
from judge_polars.semantic.providers import NoProvider, Provider
from judge_polars.semantic.settings import SemanticSettings, provider_of, read_settings
from judge_polars.semantic.shadow import Shadow, run_shadow
from judge_polars.semantic.store import ResultStore

__all__ = [
    "STATUSES",
    "Context",
    "NoProvider",
    "Packet",
    "Provider",
    "ResultStore",
    "SemanticSettings",
    "Shadow",
    "provider_of",
    "read_settings",
    "run_shadow",
]
