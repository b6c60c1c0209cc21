"""From a context to a packet: patience with a busy provider, one repair of a wrong answer, and a limit to all of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from judge_polars.printable import excerpt
from judge_polars.semantic.model import (
    DETAIL_CHARACTERS,
    REASONING_CHARACTERS,
    AnswerGiven,
    Context,
    Mask,
    Packet,
    Status,
    Usage,
    WrongShapeError,
    read_answers,
)
from judge_polars.semantic.providers import Complaint, Provider, ProviderFaultError, Reply

TRIES: Final = 5
"""How often a busy provider is asked, before a repair and again after it."""
FIRST_WAIT_SECONDS: Final = 0.5
LONGEST_WAIT_SECONDS: Final = 16.0
NOBODY: Final = ("provider_missing", "unsupported_provider")
"""Statuses that come without anybody having been asked."""

HIDDEN: Final = "[key]"


@dataclass(frozen=True)
class Clock:
    """Time as the asking sees it; tests give their own."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    seconds: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class _Asking:
    """One context put to a provider, until there are answers, a fault, or no time."""

    def __init__(self, context: Context, provider: Provider, seconds: float, clock: Clock) -> None:
        self._context = context
        self._provider = provider
        self._clock = clock
        self._deadline = clock.seconds() + seconds
        self.tries = 0

    def reply(self, complaint: Complaint | None) -> Reply:
        """The provider's reply; a busy provider is asked again after the time that it names, else after longer and longer waits.

        Raises:
            ProviderFaultError: there is none, or no time is left for another try.
        """
        for number in range(TRIES):
            left = self._deadline - self._clock.seconds()
            if left <= 0:
                raise ProviderFaultError("timeout", "no time is left")
            self.tries += 1
            try:
                return self._provider.ask(self._context, complaint, left)
            except ProviderFaultError as fault:
                wait = fault.wait if fault.wait is not None else _wait(number)
                if not fault.again or number + 1 == TRIES:
                    raise
                if self._clock.seconds() + wait >= self._deadline:
                    told = f"{fault.detail}; another try after {wait:g} s would be beyond the time limit"
                    raise ProviderFaultError(fault.status, told) from None
                self._clock.sleep(wait)
        raise AssertionError("the last try returns or raises")


def _wait(number: int) -> float:
    return min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**number)


def evaluate(context: Context, provider: Provider, seconds: float, mask: Mask, clock: Clock | None = None) -> Packet:
    """Ask the questions of a context and tell what came back; never raises.

    Args:
        seconds: for everything together: tries, waits and repair.
        mask: is applied to what the provider says.
    """
    clock = clock or Clock()
    asking = _Asking(context, provider, seconds, clock)
    repaired = False
    model = provider.model

    def packet(status: Status, detail: str | None, answers: dict[str, AnswerGiven], usage: Usage) -> Packet:
        return Packet(
            case_run_id=context.case_run_id,
            context_digest=context.context_digest,
            status=status,
            detail=None if detail is None else excerpt(_clean(detail, provider, mask), length=DETAIL_CHARACTERS),
            provider=provider.name,
            model=None if model is None else excerpt(_clean(model, provider, mask), length=DETAIL_CHARACTERS),
            answers=answers,
            tries=0 if status in NOBODY else asking.tries,
            repaired=repaired,
            usage=usage,
            evaluated_at=clock.now(),
        )

    complaint: Complaint | None = None
    try:
        while True:
            reply = asking.reply(complaint)
            try:
                answers = read_answers(reply.text, context.shown.questions)
            except WrongShapeError as wrong:
                if complaint is not None:
                    return packet("invalid_response", f"also after a repair: {wrong}", {}, reply.usage)
                complaint, repaired = Complaint(reply.text, str(wrong)), True
                continue
            return packet("ok", None, _told(answers, provider, mask), reply.usage)
    except ProviderFaultError as fault:
        return packet(fault.status, fault.detail, {}, Usage())
    except Exception as wrong:  # whatever a provider does: the shadow never stops the judge
        return packet("provider_error", f"{type(wrong).__name__}: {wrong}", {}, Usage())


def _told(answers: dict[str, AnswerGiven], provider: Provider, mask: Mask) -> dict[str, AnswerGiven]:
    """The answers with their words cleaned and cut."""
    return {
        name: AnswerGiven(
            answer=given.answer,
            reasoning=_clean(given.reasoning, provider, mask)[:REASONING_CHARACTERS],
        )
        for name, given in answers.items()
    }


def _clean(text: str, provider: Provider, mask: Mask) -> str:
    """A provider's words without its key and without what the mask finds."""
    for secret in provider.secrets:
        text = text.replace(secret, HIDDEN)
    return mask(text)[0]
