"""What is known of a session while it goes on: message text, usage, last activity, refused requests, limits that were hit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from judge_polars.runner.limits import Limits
from judge_polars.runner.masks import Mask
from judge_polars.runner.records import now

MOST_REFUSED: Final = 100
LONGEST_NAME: Final = 200


class Account:
    """Kept from the messages of the wire, whatever their order and however wrong they are; values of variables are masked.

    Attributes:
        over: becomes the reason when a limit was hit; the session ends then.
        last_activity: monotonic seconds of the agent's last message.
        last_seen: in words, what that was.
        refused: requests that were refused, the first hundred; `refused_count` is how many there were.
    """

    def __init__(self, limits: Limits, mask: Mask) -> None:
        self._limits = limits
        self._mask = mask
        self._texts: list[str] = []
        self._size = 0
        self._messages = 0
        self._invalid = 0
        self._tool_calls: set[str] = set()
        self._usage: dict[str, int | float | None] = {"input_tokens": None, "output_tokens": None, "cost_usd": None}
        self._asked: dict[str | int, str] = {}
        self._agent: dict[str, str | None] = {"name": None, "version": None, "model": None}
        self.over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.last_activity = time.monotonic()
        self.last_seen = ""
        self.refused: list[dict[str, object]] = []
        self.refused_count = 0

    @property
    def answer(self) -> str:
        """The agent's message text, concatenated."""
        return self._mask.text("".join(self._texts))

    @property
    def usage(self) -> dict[str, int | float | None]:
        """As `case_run.json` holds it; null where the agent did not tell."""
        return {**self._usage, "tool_calls": len(self._tool_calls)}

    @property
    def invalid_lines(self) -> int:
        """Lines that were no protocol message."""
        return self._invalid

    def agent(self, name: str) -> dict[str, str | None]:
        """Name, version and model as the agent told them; the name that it was declared under where it did not."""
        return {**self._agent, "name": self._agent["name"] or name}

    def stop(self, reason: str) -> None:
        """A limit was hit."""
        if not self.over.done():
            self.over.set_result(reason)

    def refuse(self, method: str, what: str, why: str) -> None:
        """Record a request that was refused."""
        self.refused_count += 1
        if len(self.refused) < MOST_REFUSED:
            self.refused.append({"ts": now(), "method": method, "what": self._name(what), "why": why})

    def invalid_line(self) -> None:
        """A line was no protocol message."""
        self.last_activity = time.monotonic()
        self.last_seen = "a line that is no protocol message"
        self._invalid += 1
        if self._invalid > self._limits.invalid_lines:
            self.stop(f"more than {self._limits.invalid_lines:,} lines that are no protocol message")

    def sent(self, message: Mapping[str, Any]) -> None:
        """A message goes to the agent."""
        if "method" in message and "id" in message:
            self._asked[message["id"]] = message["method"]

    def received(self, message: Mapping[str, Any]) -> None:
        """A message came from the agent."""
        self.last_activity = time.monotonic()
        self._messages += 1
        if self._messages > self._limits.messages:
            self.stop(f"more than {self._limits.messages:,} messages")
        params = _object(message, "params")
        if message.get("method") == "session/update":
            self._update(_object(params, "update"))
        elif "method" in message:
            self.last_seen = self._name(str(message["method"]))
        else:
            self._answered(self._asked.pop(message.get("id", ""), ""), _object(message, "result"))

    def _update(self, update: Mapping[str, Any]) -> None:
        kind = update.get("sessionUpdate")
        self.last_seen = self._name(str(kind))
        match kind:
            case "agent_message_chunk":
                content = _object(update, "content")
                if isinstance(content.get("text"), str):
                    self._add(content["text"])
            case "tool_call" | "tool_call_update":
                self._tool_calls.add(str(update.get("toolCallId"))[:LONGEST_NAME])
                title = update.get("title")
                if isinstance(title, str):
                    self.last_seen = self._name(title)
            case "usage_update":
                cost = _object(update, "cost")
                if cost.get("currency") == "USD":
                    self._usage["cost_usd"] = _number(cost.get("amount"))
            case _:
                pass

    def _add(self, text: str) -> None:
        self._size += len(text.encode(errors="surrogatepass"))
        if self._size > self._limits.answer:
            self.stop(f"more than {self._limits.answer:,} bytes of message text")
            return
        self._texts.append(text)

    def _answered(self, method: str, result: Mapping[str, Any]) -> None:
        if method == "initialize":
            told = _object(result, "agentInfo")
            self._agent.update({key: self._text(told.get(key)) for key in ("name", "version")})
        elif method == "session/new":
            self._agent["model"] = self._text(_model(result))
        elif method == "session/prompt":
            usage = _object(result, "usage")
            for ours, theirs in (("input_tokens", "inputTokens"), ("output_tokens", "outputTokens")):
                self._usage[ours] = _number(usage.get(theirs))

    def _text(self, value: object) -> str | None:
        return self._name(value) if isinstance(value, str) and value.strip() else None

    def _name(self, text: str) -> str:
        return self._mask.text(text, LONGEST_NAME)


def _model(result: Mapping[str, Any]) -> object:
    """The model that a new session tells: of its options the one of the category `model`, or the older member `models`."""
    options = result.get("configOptions")
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict) and "model" in (option.get("category"), option.get("id")):
            return option.get("currentValue")
    return _object(result, "models").get("currentModelId")


def _object(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def _number(value: object) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
