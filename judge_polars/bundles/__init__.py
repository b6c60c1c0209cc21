"""Files of runs -> shard tables; the only room that opens files of a run, and it trusts none of them."""

from judge_polars.bundles.discover import CaseRunPlace, Duplicate, EmptyRoot, Found, find_case_runs
from judge_polars.bundles.documents import Visitor
from judge_polars.bundles.json_text import NoJsonError, compact, parse_json
from judge_polars.bundles.read import Identity, IdentityOf, ShardReading, read_shard, shards
from judge_polars.bundles.signature import Signature, signature
from judge_polars.bundles.stored import value_of

__all__ = [
    "CaseRunPlace",
    "Duplicate",
    "EmptyRoot",
    "Found",
    "Identity",
    "IdentityOf",
    "NoJsonError",
    "ShardReading",
    "Signature",
    "Visitor",
    "compact",
    "find_case_runs",
    "parse_json",
    "read_shard",
    "shards",
    "signature",
    "value_of",
]
