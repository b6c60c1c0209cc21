"""Lines of an agent: which are messages, and what the account makes of them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from judge_polars.runner.account import Account
from judge_polars.runner.limits import Limits
from judge_polars.runner.masks import Mask
from judge_polars.runner.telemetry import Telemetry, keep_stderr
from judge_polars.runner.wire import read_message


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param(b"hello", "no JSON: ", id="text"),
        pytest.param(b"\xff\xfe", "no JSON: ", id="bytes"),
        pytest.param(b"[" * 100_000, "no JSON: ", id="depth"),
        pytest.param(b"[1]", "no JSON object", id="list"),
        pytest.param(b"null", "no JSON object", id="null"),
        pytest.param(b'{"id": [1], "result": 1}', "an id that is neither a number nor a text", id="id-list"),
        pytest.param(b'{"id": true, "result": 1}', "an id that is neither a number nor a text", id="id-boolean"),
        pytest.param(b'{"id": 1.0, "result": 1}', "an id that is neither a number nor a text", id="id-fraction"),
        pytest.param(b'{"method": []}', "a method that is no text", id="method-list"),
        pytest.param(b'{"id": 1}', "neither a request nor a notification nor an answer", id="nothing-said"),
        pytest.param(b'{"result": 1}', "neither a request nor a notification nor an answer", id="no-id"),
    ],
)
def test_lines_that_are_no_message(line: bytes, why: str) -> None:
    message, told = read_message(line)
    assert message is None and told.startswith(why)


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc": "2.0", "method": "session/update", "params": 5}',
        b'{"method": "x", "id": "a"}',
        b'{"id": null, "result": {}}',
        b'{"id": 3, "result": null}',
    ],
)
def test_lines_that_are_messages(line: bytes) -> None:
    assert read_message(line) == (json.loads(line), "")


@pytest.mark.parametrize(
    ("error", "plain"),
    [
        ('"odd"', {"code": -32603, "message": "odd"}),
        ("null", {"code": -32603, "message": "None"}),
        ('{"code": "x", "message": 5}', {"code": -32603, "message": "5"}),
        ('{"code": -32000, "message": "m", "data": [1]}', {"code": -32000, "message": "m", "data": [1]}),
    ],
)
def test_errors_get_a_code_and_a_text(error: str, plain: dict[str, Any]) -> None:
    message, _ = read_message(f'{{"id": 1, "error": {error}}}'.encode())
    assert message is not None and message["error"] == plain


def account_of(*messages: dict[str, Any], limits: Limits | None = None, mask: Mask | None = None) -> Account:
    """The account after these messages of the agent; requests of ours are initialize 0, session/new 1, prompt 2."""

    async def body() -> Account:
        account = Account(limits or Limits(), mask or Mask({}))
        for number, method in enumerate(("initialize", "session/new", "session/prompt")):
            account.sent({"id": number, "method": method})
        for message in messages:
            account.received(message)
        return account

    return asyncio.run(body())


def update(**members: object) -> dict[str, Any]:
    return {"method": "session/update", "params": {"update": members}}


def test_account_of_a_session() -> None:
    account = account_of(
        {"id": 0, "result": {"agentInfo": {"name": "clinic-agent", "version": "1.4.0"}}},
        {"id": 1, "result": {"configOptions": [{"id": "x"}, {"id": "m", "category": "model", "currentValue": "m-1"}]}},
        update(sessionUpdate="tool_call", toolCallId="a", title="Query metrics"),
        update(sessionUpdate="tool_call_update", toolCallId="a", status="completed"),
        update(sessionUpdate="tool_call", toolCallId="b"),
        update(sessionUpdate="agent_thought_chunk", content={"type": "text", "text": "hm"}),
        update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "An "}),
        update(sessionUpdate="agent_message_chunk", content={"type": "image", "data": "x"}),
        update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "answer."}),
        update(sessionUpdate="usage_update", cost={"amount": 0.31, "currency": "USD"}),
        {"id": 2, "result": {"stopReason": "end_turn", "usage": {"inputTokens": 12, "outputTokens": 5}}},
    )
    assert account.answer == "An answer."
    assert account.usage == {"input_tokens": 12, "output_tokens": 5, "cost_usd": 0.31, "tool_calls": 2}
    assert account.agent("clinic") == {"name": "clinic-agent", "version": "1.4.0", "model": "m-1"}


def test_account_of_an_agent_that_tells_nothing_or_nonsense() -> None:
    account = account_of(
        {"id": 0, "result": {"agentInfo": [1]}},
        {"id": 1, "result": {"models": {"currentModelId": "m-2"}}},
        {"method": "session/update", "params": [1]},
        update(sessionUpdate=[1], content=3),
        update(sessionUpdate="usage_update", cost={"amount": 3, "currency": "EUR"}),
        {"id": 2, "result": {"usage": {"inputTokens": True, "outputTokens": "5"}}},
        {"id": 9, "result": {}},
    )
    assert account.answer == ""
    assert account.usage == {"input_tokens": None, "output_tokens": None, "cost_usd": None, "tool_calls": 0}
    assert account.agent("clinic") == {"name": "clinic", "version": None, "model": "m-2"}


def test_limits_of_the_account() -> None:
    text = update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "é" * 4})
    assert not account_of(text, limits=Limits(answer=8)).over.done()
    account = account_of(text, text, limits=Limits(answer=8))
    assert account.over.result() == "more than 8 bytes of message text"
    assert account.answer == "éééé"
    assert account_of(text, text, limits=Limits(messages=1)).over.result() == "more than 1 messages"


def test_telemetry_of_long_messages_and_of_lone_surrogates(tmp_path: Path) -> None:
    with Telemetry(tmp_path / "t.jsonl", 10_000, Mask({})) as telemetry:
        telemetry.message("recv", {"jsonrpc": "2.0", "method": "m", "params": "x" * 2**21})
        telemetry.message("recv", {"method": "m", "params": "\ud800"})
    long, odd = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert long["message"] == {"jsonrpc": "2.0", "method": "m"} and long["cut"] > 2**21
    assert odd["message"]["params"] == "\ud800"


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_standard_error_is_masked_wherever_it_is_cut(tmp_path: Path, step: int) -> None:
    async def body() -> None:
        stream = asyncio.StreamReader()
        content = b"begin secret-value end\nlast secret-value"
        for start in range(0, len(content), step):
            stream.feed_data(content[start : start + step])
            if step > 1:
                await asyncio.sleep(0)
        stream.feed_eof()
        mask = Mask({"KEY": "secret-value"})
        await keep_stderr(stream, tmp_path / "log", kept=1000, allowed=1000, mask=mask, over=print)

    asyncio.run(body())
    assert (tmp_path / "log").read_bytes() == b"begin ${KEY} end\nlast ${KEY}"
