"""The maintained scanner: chosen detectors of detect-secrets, an extra (specification 90, "Security").

Its defaults (entropy, keywords) would flag every line of a log, so only detectors of tokens of a known form run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from judge_polars.errors import MissingPieceError
from judge_polars.masking.patterns import Span

DETECTORS: Final = (
    ("aws", "AWSKeyDetector", "aws_key", ("akia", "asia", "abia", "acca", "a3t", "aws")),
    ("azure_storage_key", "AzureStorageKeyDetector", "azure_key", ("accountkey",)),
    ("basic_auth", "BasicAuthDetector", "url_password", ("://",)),
    ("discord", "DiscordBotTokenDetector", "discord_token", ("discord",)),
    ("github_token", "GitHubTokenDetector", "github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    ("gitlab_token", "GitLabTokenDetector", "gitlab_token", ("gl", "gr1348941")),
    ("mailchimp", "MailchimpDetector", "mailchimp_key", ("-us",)),
    ("npm", "NpmDetector", "npm_token", ("_authtoken",)),
    ("openai", "OpenAIDetector", "openai_key", ("t3blbkfj",)),
    ("private_key", "PrivateKeyDetector", "private_key", ("private key", "putty")),
    ("pypi_token", "PypiTokenDetector", "package_index_token", ("ageichlwas5vcmc", "agendgvzdc5wexbpl")),
    ("sendgrid", "SendGridDetector", "sendgrid_key", ("sg.",)),
    ("slack", "SlackDetector", "slack_token", ("xox", "hooks.slack.com")),
    ("square_oauth", "SquareOAuthDetector", "square_token", ("sq0csp",)),
    ("stripe", "StripeDetector", "stripe_key", ("k_live_",)),
    ("twilio", "TwilioKeyDetector", "twilio_key", ("ac", "sk")),
)
"""Module, class, kind, hints: one of these, in lower case, is in every text in which the detector finds anything."""

INSTALL: Final = "pip install 'judge-polars[redact]'"
_PIECE: Final = 2_000
_OVERLAP: Final = 400
_SHORTEST: Final = 8
_TWILIO: Final = re.compile(r"(?<![A-Za-z0-9+/_-])(?:AC|SK)[a-f0-9]{32}(?![A-Za-z0-9+/_=-])")


def scanner_is_there() -> bool:
    """Whether the extra is installed."""
    return find_spec("detect_secrets") is not None


def require_scanner() -> None:
    """Raise `MissingPieceError`, with the command that brings it, where the scanner is not installed."""
    if not scanner_is_there():
        raise MissingPieceError(
            f"the scanner for secrets is not installed: {INSTALL}; without it only our own patterns look for secrets"
        )


@cache
def _detectors() -> tuple[tuple[str, tuple[str, ...], tuple[re.Pattern[str], ...]], ...]:
    """Kind, hints and patterns of each detector; none where the extra is not installed."""
    if not scanner_is_there():
        return ()
    return tuple(
        (kind, hints, tuple(getattr(import_module(f"detect_secrets.plugins.{module}"), name).denylist))
        for module, name, kind, hints in DETECTORS
    )


def scanned_spans(text: str) -> Iterator[Span]:
    """Where the scanner finds secrets; spans may overlap.

    It looks at pieces of a line, because some of its patterns take quadratic time in a long one.
    """
    detectors = _detectors()
    lowered = text.lower()
    meant = [(kind, hints, found) for kind, hints, found in detectors if any(hint in lowered for hint in hints)]
    if not meant:
        return
    for start, piece in _pieces(text):
        lowered = piece.lower()
        for kind, hints, patterns in meant:
            if not any(hint in lowered for hint in hints):
                continue
            for pattern in patterns:
                for found in pattern.finditer(piece):
                    first, end = _secret(found)
                    if kind != "twilio_key" or _TWILIO.search(piece, max(0, first - 1), end + 1):
                        yield start + first, start + end, kind


def _secret(found: re.Match[str]) -> tuple[int, int]:
    """The longest group of a match where it can be a secret, else the whole match."""
    spans = [found.span(group) for group in range(1, (found.re.groups or 0) + 1)]
    first, end = max(spans, key=lambda span: span[1] - span[0], default=found.span())
    return (first, end) if end - first >= _SHORTEST or (found.re.groups == 1 and "://" in found[0]) else found.span()


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Start and text of pieces of at most `_PIECE` characters, which overlap."""
    step = _PIECE - _OVERLAP
    for start in range(0, max(1, len(text) - _OVERLAP), step):
        yield start, text[start : start + _PIECE]
