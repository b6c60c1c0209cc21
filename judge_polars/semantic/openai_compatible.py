"""The provider that speaks the OpenAI chat protocol: any hosted or local server of that kind, through pydantic-ai.

Nothing is tried again here (`asking.py` does), and an answer longer than `MOST_ANSWER_BYTES` is not read to its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2
import openai
from pydantic_ai import exceptions
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider as _Service

from judge_polars.semantic.model import Context, Usage, answer_schema
from judge_polars.semantic.prompt import messages, repair
from judge_polars.semantic.providers import (
    MOST_ANSWER_BYTES,
    Complaint,
    ProviderFaultError,
    Reply,
    secrets_of,
)

NAME: Final = "openai-compatible"
_NO_KEY: Final = "none"
"""What is sent where no key is configured: servers that need none ignore it."""


class _TooLongError(Exception):
    """The body of a response is longer than what is read."""


class _Bounded(httpx2.AsyncByteStream):
    """A response body that ends with an error after so many bytes."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for piece in self._stream:
            read += len(piece)
            if read > MOST_ANSWER_BYTES:
                raise _TooLongError
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    """Bound the body of a response before it is read."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


@dataclass(frozen=True)
class OpenAICompatibleProvider:
    """A server that answers `<base_url>/chat/completions`.

    Attributes:
        key: sent as a bearer token; None where the server needs none.
        constrained: ask the server to keep the answer to the JSON Schema (`response_format`); some servers cannot.
    """

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    constrained: bool = True
    most_tokens: int = 1_500
    temperature: float | None = 0.0
    name: str = NAME

    @property
    def identity(self) -> str:
        """The server and how it is asked."""
        return f"{self.name} {self.base_url} constrained={self.constrained} temperature={self.temperature}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key."""
        return secrets_of([self.key] if self.key else [])

    def ask(self, context: Context, complaint: Complaint | None, seconds: float) -> Reply:
        """One request, within so many seconds from name look-up to the last byte."""
        try:
            response = asyncio.run(asyncio.wait_for(self._request(context, complaint, seconds), seconds))
        except TimeoutError:
            raise ProviderFaultError("timeout", f"no answer within {seconds:.1f} s") from None
        except Exception as wrong:
            raise fault_of(wrong) from None
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        usage = Usage(input_tokens=response.usage.input_tokens, output_tokens=response.usage.output_tokens)
        return Reply(text, response.model_name, usage)

    async def _request(self, context: Context, complaint: Complaint | None, seconds: float) -> ModelResponse:
        http = openai.DefaultAsyncHttpxClient(timeout=seconds, event_hooks={"response": [_bound]})
        async with openai.AsyncOpenAI(
            base_url=self.base_url, api_key=self.key or _NO_KEY, max_retries=0, timeout=seconds, http_client=http
        ) as client:
            client.organization = client.project = None  # never what the environment has for another server
            model = OpenAIChatModel(self.model, provider=_Service(NAME, openai_client=client))
            return await model_request(
                model,
                _conversation(context, complaint),
                model_settings=self._settings(),  # type: ignore[arg-type]
                model_request_parameters=self._shape(context),
            )

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"max_tokens": self.most_tokens}
        return settings if self.temperature is None else {**settings, "temperature": self.temperature}

    def _shape(self, context: Context) -> ModelRequestParameters:
        if not self.constrained:
            return ModelRequestParameters(output_mode="text")
        schema = answer_schema(context.shown.questions)
        return ModelRequestParameters(
            output_mode="native",
            output_object=OutputObjectDefinition(json_schema=schema, name="answers", strict=True),
        )


def _conversation(context: Context, complaint: Complaint | None) -> list[ModelRequest | ModelResponse]:
    instructions, question = messages(context)
    said: list[ModelRequest | ModelResponse] = [
        ModelRequest(parts=[SystemPromptPart(instructions), UserPromptPart(question)])
    ]
    if complaint is not None:
        said.append(ModelResponse(parts=[TextPart(complaint.text[: MOST_ANSWER_BYTES // 64])]))
        said.append(ModelRequest(parts=[UserPromptPart(repair(complaint.wrong))]))
    return said


def fault_of(wrong: Exception) -> ProviderFaultError:
    """What an exception of the layers below means; its own text is not trusted and not taken over as it is."""
    if _caused_by(wrong, _TooLongError):
        return ProviderFaultError("invalid_response", f"more than {MOST_ANSWER_BYTES:,} bytes")
    if isinstance(wrong, exceptions.ModelTimeoutError):
        return ProviderFaultError("timeout", "the server did not answer in time")
    if isinstance(wrong, exceptions.ModelHTTPError):
        code = wrong.status_code
        again = code in (408, 409, 425, 429) or code >= 500
        return ProviderFaultError(
            "provider_error", f"HTTP {code}: {_body(wrong.body)}", again=again, wait=wrong.retry_after
        )
    if isinstance(wrong, exceptions.ModelConnectionError):
        return ProviderFaultError("provider_error", "the server cannot be reached, or it hung up", again=True)
    if isinstance(wrong, exceptions.UnexpectedModelBehavior) or _caused_by(wrong, ValueError):
        return ProviderFaultError("invalid_response", f"no chat completion: {wrong}")
    return ProviderFaultError("provider_error", f"{type(wrong).__name__}: {wrong}")


def _body(body: object) -> str:
    """What the server says, in a few words."""
    if isinstance(body, dict):
        return str(body.get("message") or body.get("detail") or body)
    return str(body) if body else "no more is said"


def _caused_by(wrong: BaseException | None, kind: type[Exception]) -> bool:
    while wrong is not None:
        if isinstance(wrong, kind):
            return True
        wrong = wrong.__cause__ or wrong.__context__
    return False
