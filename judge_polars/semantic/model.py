"""The two files of the shadow as models, and the shape that an answer must have (specification 80, "Semantic shadow")."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, Literal, get_args

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

Status = Literal["ok", "provider_missing", "unsupported_provider", "provider_error", "timeout", "invalid_response"]
STATUSES: Final[tuple[str, ...]] = get_args(Status)
"""What can become of a packet; only `ok` is usable."""

AnswerWord = Literal["yes", "no", "unclear"]
ANSWERS: Final[tuple[str, ...]] = get_args(AnswerWord)
KINDS: Final = ("rubric", "contradiction", "equivalence")
REASONING_CHARACTERS: Final = 2_000
DETAIL_CHARACTERS: Final = 400

Mask = Callable[[str], tuple[str, Sequence[tuple[str, int]]]]
"""A text -> the text without its secrets, and (kind, line) of each that was masked."""

CONTEXT_FILE: Final = "semantic_context_v1.json"
PACKET_FILE: Final = "semantic_packet_v1.json"

_FENCED: Final = re.compile(r"\s*```[a-z]*\n(.*)\n```\s*", re.DOTALL)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def as_bytes(self) -> bytes:
        """The file: indented JSON in UTF-8, equal bytes for equal values."""
        return self.model_dump_json(indent=2).encode() + b"\n"


class Question(_Model):
    """One semantic check as the evaluator sees it; the answer that judge.yaml expects is not shown."""

    id: str
    kind: Literal["rubric", "contradiction", "equivalence"]
    question: str


class CaseShown(_Model):
    """The incident; times are RFC 3339."""

    id: str
    title: str
    cluster_id: str
    window_start: str
    window_end: str


class Excerpt(_Model):
    """A place in the evidence that a critical evidence check looks for."""

    check: str
    document: str
    text: str


class OutputShown(_Model):
    """The agent's final output; `characters` is its length, `left_out` how many of them are not shown."""

    text: str
    characters: int
    left_out: int


class Shown(_Model):
    """All that the evaluator is shown; `prompt` is the version of the words around it."""

    prompt: int
    case: CaseShown
    questions: tuple[Question, ...]
    notes: str | None
    facts: dict[str, bool | int | str]
    excerpts: tuple[Excerpt, ...]
    output: OutputShown


class Digests(_Model):
    """What the context was made from."""

    case: str
    bundle: str
    output: str | None


class MaskedPlace(_Model):
    """A secret that was masked: its kind and place, never its value."""

    kind: str
    place: str


class Context(_Model):
    """`semantic_context_v1.json`; `context_digest` is that of `shown`."""

    format: Literal["semantic_context_v1"] = "semantic_context_v1"
    case_run_id: str
    context_digest: str
    shown: Shown
    digests: Digests
    masked: tuple[MaskedPlace, ...] = ()


class AnswerGiven(_Model):
    """The answer to one question."""

    reasoning: str = Field(max_length=20_000)
    answer: AnswerWord


class Usage(_Model):
    """Tokens that the provider counted; null where it does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Packet(_Model):
    """`semantic_packet_v1.json`.

    Attributes:
        detail: why it is not ok, for people.
        answers: question id -> answer; empty unless ok.
        tries: how often the provider was asked.
        repaired: an answer of the wrong shape was asked for once more.
        from_store: the answer is one that was kept from before.
    """

    format: Literal["semantic_packet_v1"] = "semantic_packet_v1"
    case_run_id: str
    context_digest: str
    status: Status
    detail: str | None = None
    provider: str | None = None
    model: str | None = None
    answers: dict[str, AnswerGiven] = {}
    tries: int = 0
    repaired: bool = False
    usage: Usage = Usage()
    evaluated_at: AwareDatetime
    from_store: bool = False


_ANSWERS: Final = TypeAdapter(dict[str, AnswerGiven])


class WrongShapeError(Exception):
    """A reply that is no answer; the text says what is wrong with it, for the evaluator and for people."""


def answer_schema(questions: Sequence[Question]) -> dict[str, Any]:
    """JSON Schema of an answer: an object with an entry for each question id, and nothing else."""
    entry = {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string", "description": "One to three sentences."},
            "answer": {"type": "string", "enum": list(ANSWERS)},
        },
        "required": ["reasoning", "answer"],
        "additionalProperties": False,
    }
    ids = [question.id for question in questions]
    return {
        "type": "object",
        "properties": dict.fromkeys(ids, entry),
        "required": ids,
        "additionalProperties": False,
    }


def read_answers(text: str, questions: Sequence[Question]) -> dict[str, AnswerGiven]:
    """The answers in a reply, in the order of the questions; a code fence around the whole reply is taken off.

    Raises:
        WrongShapeError: it does not fit `answer_schema`.
    """
    fenced = _FENCED.fullmatch(text)
    try:
        answers = _ANSWERS.validate_json(fenced[1] if fenced else text, strict=True)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise WrongShapeError(f"{place}: {first['msg']}" if place else first["msg"]) from None
    wanted = [question.id for question in questions]
    lacking = [name for name in wanted if name not in answers]
    strange = [name for name in answers if name not in wanted]
    if lacking or strange:
        told = ", ".join([*(f"no answer to {name}" for name in lacking), *(f"no question {name}" for name in strange)])
        raise WrongShapeError(told)
    return {name: answers[name] for name in wanted}


def time_text(at: datetime) -> str:
    """RFC 3339 with `Z`."""
    return at.isoformat().replace("+00:00", "Z")
