"""Digests of what a verdict depends on (specification 60): SHA-256, as `sha256:<hex>`."""

from __future__ import annotations

import hashlib

import orjson


def digest_of(*parts: object) -> str:
    """The digest of JSON values, key order aside."""
    return "sha256:" + hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()
