"""Retries, limits and cleaning, without a server."""

from __future__ import annotations

import pytest

from judge_polars.semantic.asking import Clock, evaluate
from judge_polars.semantic.model import Context, WrongShapeError, answer_schema, read_answers
from judge_polars.semantic.providers import Complaint, ProviderFaultError, Reply
from tests.semantic.scene import WHEN, Scripted, answers, context_of, unmasked

CONTEXT = context_of(ids=("explains_mechanism", "contradicts_itself"))


class Ticking:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def sleep(self, seconds: float) -> None:
        """Time passes."""
        self.seconds += seconds

    def clock(self) -> Clock:
        """For `evaluate`."""
        return Clock(now=lambda: WHEN, seconds=lambda: self.seconds, sleep=self.sleep)


def test_time_that_is_left_is_handed_on() -> None:
    provider = Scripted([ProviderFaultError("provider_error", "busy", again=True, wait=4.0), answers()])
    assert evaluate(CONTEXT, provider, 10.0, unmasked, Ticking().clock()).status == "ok"
    assert [seconds for _, _, seconds in provider.asked] == [10.0, 6.0]


def test_no_time_is_left_for_a_repair() -> None:
    time = Ticking()

    class Slow(Scripted):
        def ask(self, context: Context, complaint: Complaint | None, seconds: float) -> Reply:
            time.sleep(10.0)
            return super().ask(context, complaint, seconds)

    packet = evaluate(CONTEXT, Slow(["prose"]), 10.0, unmasked, time.clock())
    assert (packet.status, packet.tries, packet.repaired) == ("timeout", 1, True)


def test_an_error_of_the_provider_itself_is_a_packet() -> None:
    packet = evaluate(CONTEXT, Scripted([RuntimeError("it broke: s3cr3t")], secrets=("s3cr3t",)), 5.0, unmasked)
    assert (packet.status, packet.detail) == ("provider_error", "RuntimeError: it broke: [key]")


def test_what_comes_back_is_masked_and_cut() -> None:
    def mask(text: str) -> tuple[str, list[tuple[str, int]]]:
        return text.replace("hunter2", "***"), [("password", 1)] * ("hunter2" in text)

    packet = evaluate(CONTEXT, Scripted([answers(reasoning="hunter2" + "x" * 9_000)]), 5.0, mask)
    reasoning = packet.answers["explains_mechanism"].reasoning
    assert reasoning.startswith("***x")
    assert len(reasoning) == 2_000


def test_details_are_one_printable_line() -> None:
    provider = Scripted([ProviderFaultError("provider_error", "a\x1b[31m\nb" + "c" * 9_000)])
    detail = evaluate(CONTEXT, provider, 5.0, unmasked).detail
    assert detail is not None
    assert detail.startswith("a␛[31m⏎b")
    assert len(detail) == 400


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param("yes", "Invalid JSON", id="prose"),
        pytest.param(
            '{"explains_mechanism": {"answer": "yes", "reasoning": ""}}', "no answer to contr", id="one-lacking"
        ),
        pytest.param(answers(answer="YES"), "Input should be 'yes'", id="upper-case"),
        pytest.param(answers().replace('"It says so."', "1"), "valid string", id="number-for-reasoning"),
        pytest.param(answers().replace('"reasoning"', '"because"'), "Field required", id="another-key"),
        pytest.param(answers() + answers(), "Invalid JSON", id="two-objects"),
        pytest.param("Here it is:\n```json\n" + answers() + "\n```", "Invalid JSON", id="prose-around-a-fence"),
        pytest.param("[" * 100_000, "Invalid JSON", id="deep"),
        pytest.param(
            '{"format": "semantic_packet_v1", "status": "ok"}', "format: Input should be", id="a-packet-is-no-answer"
        ),
    ],
)
def test_wrong_shapes(text: str, wrong: str) -> None:
    with pytest.raises(WrongShapeError, match=wrong):
        read_answers(text, CONTEXT.shown.questions)


@pytest.mark.parametrize("text", [answers(), f"```json\n{answers()}\n```", f"\n```\n{answers()}\n```\n"])
def test_right_shapes(text: str) -> None:
    assert list(read_answers(text, CONTEXT.shown.questions)) == ["explains_mechanism", "contradicts_itself"]


def test_answer_schema_fits_what_is_read() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    import json

    schema = answer_schema(CONTEXT.shown.questions)
    jsonschema.validate(json.loads(answers()), schema)
    for wrong in (answers(answer="perhaps"), answers(ids=("x",)), "[]"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(wrong), schema)
