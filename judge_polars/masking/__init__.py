"""Secrets in texts, masked (specification 90, "Security"): what was masked is told by kind and line, never by value.

A maintained scanner with a chosen list of detectors (`scanner`, extra `redact`) and patterns of our own (`patterns`), which run
without it, too.
"""

from judge_polars.masking.scanner import require_scanner, scanner_is_there
from judge_polars.masking.texts import Masked, MaskedSecret, mask, mask_beginning, masked_kinds, told_masks

__all__ = [
    "Masked",
    "MaskedSecret",
    "mask",
    "mask_beginning",
    "masked_kinds",
    "require_scanner",
    "scanner_is_there",
    "told_masks",
]
