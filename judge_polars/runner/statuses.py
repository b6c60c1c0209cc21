"""How a case run ended, in one word (specification 80; specification 50 maps the words to causes)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

COMPLETED: Final = "completed"
SETUP_FAILED: Final = "setup_failed"
SPAWN_FAILED: Final = "spawn_failed"
INITIALIZE_TIMEOUT: Final = "initialize_timeout"
PROTOCOL_MISMATCH: Final = "protocol_mismatch"
AUTH_REQUIRED: Final = "auth_required"
SESSION_FAILED: Final = "session_failed"
PROMPT_TIMEOUT: Final = "prompt_timeout"
AGENT_ERROR: Final = "agent_error"
AGENT_EXITED: Final = "agent_exited"
OUTPUT_LIMIT: Final = "output_limit"
RATE_LIMITED: Final = "rate_limited"
PROVIDER_ERROR: Final = "provider_error"

STATUSES: Final = {
    COMPLETED: "the agent answered; the stop reason says how",
    SETUP_FAILED: "the workspace could not be made",
    SPAWN_FAILED: "the agent's command could not be started",
    INITIALIZE_TIMEOUT: "the agent did not answer `initialize` in time",
    PROTOCOL_MISMATCH: "the agent speaks another version of the protocol, or none",
    AUTH_REQUIRED: "the agent wants to be logged in first",
    SESSION_FAILED: "the agent opened no session, or not in time",
    PROMPT_TIMEOUT: "the case's time was over before the agent answered",
    AGENT_ERROR: "the agent answered the prompt with an error, or with something that is no answer",
    AGENT_EXITED: "the agent ended, or closed its output, before it answered",
    OUTPUT_LIMIT: "the agent wrote too much, or too many lines that are no message",
    RATE_LIMITED: "the agent's provider told it to wait",
    PROVIDER_ERROR: "the agent's provider failed",
}
"""Status of a case run -> what it means."""

_AUTH_REQUIRED_CODE: Final = -32000
_NO_METHOD_CODES: Final = (-32601, -32600, -32602, -32700)
_LONGEST_DETAIL: Final = 2_000
_HTTP_STATUS: Final = re.compile(r'"(?:status|statusCode|status_code|httpStatus|code)": ?"?(\d{3})"?(?!\d)')
_OF_AUTH: Final = re.compile(r"(?i)\bauth|\b(?:log|sign)[ -]?in\b|credential|api key")
_WORDS: Final = (
    (
        AUTH_REQUIRED,
        re.compile(r"(?i)authentication required|not (?:authenticated|logged in)|unauthorized|invalid api key"),
    ),
    (RATE_LIMITED, re.compile(r"(?i)\brate.?limit|too many requests|\bquota\b|\boverloaded\b|usage limit")),
    (
        PROVIDER_ERROR,
        re.compile(
            r"(?i)\b(?:provider|upstream) (?:error|failed|unavailable)|\bapi ?error\b|bad gateway|service unavailable"
        ),
    ),
)
_OF_HTTP: Final = {401: AUTH_REQUIRED, 403: AUTH_REQUIRED, 429: RATE_LIMITED, 529: RATE_LIMITED}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case run ended.

    Attributes:
        stop_reason: the protocol's, where the agent gave one.
        detail: why, for people; empty where the status says all.
    """

    status: str
    stop_reason: str | None = None
    detail: str = ""


def outcome_of_error(code: int, message: str, data: Any, otherwise: str) -> Outcome:
    """The outcome of a call that the agent answered with an error: by its code, an HTTP status in its data, its words."""
    told = json.dumps(data, ensure_ascii=False, default=str) if data is not None else ""
    detail = f"error {code}: {message} {told}".strip()[:_LONGEST_DETAIL]
    if code == _AUTH_REQUIRED_CODE and _OF_AUTH.search(message):
        return Outcome(AUTH_REQUIRED, detail=detail)
    for found in _HTTP_STATUS.finditer(told):
        number = int(found[1])
        if number in _OF_HTTP or 500 <= number <= 599:
            return Outcome(_OF_HTTP.get(number, PROVIDER_ERROR), detail=detail)
    for status, words in _WORDS:
        if words.search(f"{message} {told}"):
            return Outcome(status, detail=detail)
    return Outcome(otherwise, detail=detail)


def outcome_of_initialize_error(code: int, message: str, data: Any) -> Outcome:
    """As `outcome_of_error`; an agent that does not know the call speaks another protocol."""
    if code in _NO_METHOD_CODES:
        return Outcome(
            PROTOCOL_MISMATCH, detail=f"initialize was answered with error {code}: {message}"[:_LONGEST_DETAIL]
        )
    return outcome_of_error(code, message, data, AGENT_ERROR)
