"""Every status of a packet, from a real server on the loopback."""

from __future__ import annotations

import json
import logging
import socket
import time
from dataclasses import replace

import pytest

from judge_polars.semantic import SemanticSettings, provider_of
from judge_polars.semantic.asking import Clock, evaluate
from judge_polars.semantic.model import Packet
from tests.semantic.scene import (
    WHEN,
    Answering,
    ChatServer,
    answers,
    completion,
    context_of,
    endless,
    hanging_up,
    refusing,
    serving,
    slow,
    unmasked,
)

pytest.importorskip("pydantic_ai", reason="the extra `semantic` is not installed")

KEY = "sk-planted-0123456789abcdef"
ONE = ("explains_mechanism",)
GOOD = completion(answers(ids=ONE))
SETTINGS = SemanticSettings(provider="openai-compatible", model="m", base_url="http://127.0.0.1:1/v1", key_env="K")


def impatient(waits: list[float]) -> Clock:
    """A clock whose waits are only noted."""
    return Clock(now=lambda: WHEN, sleep=waits.append)


def asked(server: ChatServer, *, seconds: float = 20.0, waits: list[float] | None = None, **settings: str) -> Packet:
    """The packet that a server leads to."""
    wanted = replace(SETTINGS, base_url=server.base_url, **settings)  # type: ignore[arg-type]
    provider = provider_of(wanted, {"K": KEY})
    return evaluate(context_of(), provider, seconds, unmasked, impatient([] if waits is None else waits))


def test_ok() -> None:
    with serving(GOOD) as server:
        packet = asked(server)
        (request,) = server.requests
    assert (packet.status, packet.tries, packet.repaired, packet.detail) == ("ok", 1, False, None)
    assert {name: given.answer for name, given in packet.answers.items()} == {"explains_mechanism": "yes"}
    assert (packet.provider, packet.model) == ("openai-compatible", "m")
    assert (packet.usage.input_tokens, packet.usage.output_tokens) == (11, 7)
    assert packet.evaluated_at == WHEN
    assert request["path"] == "/v1/chat/completions"
    headers = {name.lower(): value for name, value in request["headers"].items()}
    assert headers["authorization"] == f"Bearer {KEY}"
    schema = request["body"]["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["explains_mechanism"]


def test_organization_of_another_server_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another")
    with serving(GOOD) as server:
        provider = provider_of(replace(SETTINGS, base_url=server.base_url, key_env=None), {})
        evaluate(context_of(), provider, 20.0, unmasked)
        sent = json.dumps(server.requests)
    assert not any(word in sent for word in ("org-1", "project-1", "sk-another"))


def test_text_format_asks_in_words_only() -> None:
    with serving(completion(f"```json\n{answers(ids=ONE)}\n```")) as server:
        packet = asked(server, answer_format="text")
        (request,) = server.requests
    assert packet.status == "ok"
    assert "response_format" not in request["body"]
    assert "JSON Schema" in request["body"]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("script", "status", "tries", "words"),
    [
        pytest.param([refusing(401, f"wrong key {KEY}")], "provider_error", 1, "HTTP 401: wrong key [key]", id="401"),
        pytest.param([refusing(404, "no such model")], "provider_error", 1, "no such model", id="404"),
        pytest.param([refusing(500)], "provider_error", 5, "HTTP 500", id="500-for-ever"),
        pytest.param([refusing(429)], "provider_error", 5, "HTTP 429", id="429-for-ever"),
        pytest.param([refusing(503), GOOD], "ok", 2, None, id="503-then-ok"),
        pytest.param([refusing(429, retry_after="1"), GOOD], "ok", 2, None, id="429-then-ok"),
        pytest.param([hanging_up], "provider_error", 5, "hung up", id="closed-for-ever"),
        pytest.param([hanging_up, GOOD], "ok", 2, None, id="closed-then-ok"),
        pytest.param([completion("The answer is yes.")], "invalid_response", 2, "also after a repair", id="prose"),
        pytest.param([completion("")], "invalid_response", 2, None, id="empty"),
        pytest.param([completion(answers(answer="maybe", ids=ONE))], "invalid_response", 2, "'yes'", id="wrong-enum"),
        pytest.param(
            [completion(answers(ids=("another",)))], "invalid_response", 2, "no question another", id="wrong-id"
        ),
        pytest.param([completion("{}")], "invalid_response", 2, "no answer to explains_mechanism", id="no-answer"),
        pytest.param([completion("[]")], "invalid_response", 2, None, id="list"),
        pytest.param([completion("It is so."), GOOD], "ok", 2, None, id="prose-then-repaired"),
        pytest.param([endless], "invalid_response", 1, "more than 1,048,576 bytes", id="huge"),
        pytest.param([lambda handler: handler.send(200, b"<html>")], "invalid_response", 1, None, id="html"),
        pytest.param([lambda handler: handler.send(200, b'{"a": 1}')], "invalid_response", 1, None, id="other-json"),
    ],
)
def test_statuses(script: list[Answering], status: str, tries: int, words: str | None) -> None:
    with serving(*script) as server:
        packet = asked(server)
    assert (packet.status, packet.tries) == (status, tries), packet.detail
    assert bool(packet.answers) == (status == "ok")
    if words is None:
        return
    assert packet.detail is not None and words in packet.detail
    assert KEY not in packet.model_dump_json()


def test_slow_server_is_left_at_the_time_limit() -> None:
    with serving(slow(3.0)) as server:
        begin = time.monotonic()
        packet = asked(server, seconds=0.5)
        assert time.monotonic() - begin < 2.0
    assert (packet.status, packet.answers) == ("timeout", {})


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    provider = provider_of(replace(SETTINGS, base_url=f"http://127.0.0.1:{port}/v1"), {"K": KEY})
    packet = evaluate(context_of(), provider, 20.0, unmasked, impatient([]))
    assert (packet.status, packet.tries) == ("provider_error", 5)


def test_waits_grow_and_retry_after_is_kept() -> None:
    waits: list[float] = []
    with serving(refusing(500), refusing(500), refusing(429, retry_after="3"), refusing(500), GOOD) as server:
        assert asked(server, waits=waits).status == "ok"
    assert waits == [0.5, 1.0, 3.0, 4.0]


def test_a_wait_beyond_the_time_limit_ends_the_asking() -> None:
    waits: list[float] = []
    with serving(refusing(429, retry_after="600"), GOOD) as server:
        packet = asked(server, waits=waits)
    assert (packet.status, packet.tries, waits) == ("provider_error", 1, [])
    assert packet.detail is not None and "600 s would be beyond the time limit" in packet.detail


def test_repair_shows_what_was_wrong() -> None:
    with serving(completion("It is so."), GOOD) as server:
        packet = asked(server)
        first, second = (request["body"]["messages"] for request in server.requests)
    assert packet.repaired
    assert second[: len(first)] == first
    assert second[len(first)]["content"] == "It is so."
    assert "JSON" in second[len(first) + 1]["content"]


def test_the_key_is_nowhere(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    told = answers(ids=ONE, reasoning=f"Your key is {KEY}.")
    provider = None
    for script in ([completion(told)], [refusing(400, KEY)], [completion(KEY)], [hanging_up]):
        with serving(*script) as server:
            provider = provider_of(replace(SETTINGS, base_url=server.base_url), {"K": KEY})
            packet = evaluate(context_of(), provider, 20.0, unmasked, impatient([]))
        assert KEY not in packet.model_dump_json()
    out, err = capfd.readouterr()
    assert KEY not in repr(provider) + caplog.text + out + err
