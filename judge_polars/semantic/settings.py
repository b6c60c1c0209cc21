"""The table `[semantic]` of judge_polars.toml: who answers, and within which limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

from judge_polars.errors import UsageError
from judge_polars.semantic.providers import CommandProvider, NoProvider, Provider

OPENAI_COMPATIBLE: Final = "openai-compatible"
COMMAND: Final = "command"
PROVIDERS: Final = (OPENAI_COMPATIBLE, COMMAND)
FORMATS: Final = ("json_schema", "text")
_KEYS_OF_SECRETS: Final = ("key", "api_key", "apikey", "token", "password", "secret")
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "provider": (str,),
    "base_url": (str,),
    "model": (str,),
    "key_env": (str,),
    "command": (list,),
    "env": (list,),
    "answer_format": (str,),
    "temperature": (int, float),
    "answer_tokens": (int,),
    "timeout": (int, float),
    "concurrency": (int,),
    "output_characters": (int,),
}
_MADE_OF: Final = {str: "a text", list: "a list of texts", int: "a number", float: "a number"}


@dataclass(frozen=True, slots=True)
class SemanticSettings:
    """The keys of `[semantic]`.

    Attributes:
        provider: one of `PROVIDERS`; None where none is configured.
        base_url: of the server, such as `http://127.0.0.1:8080/v1`.
        model: its name there; for a command what results are kept under.
        key_env: name of the environment variable that holds the key.
        command: program and arguments.
        env: names of environment variables that the program gets.
        answer_format: `json_schema` has the server keep to the schema, `text` only asks for it.
        temperature: of the sampling; `-1` leaves it to the server.
        answer_tokens: most tokens of an answer.
        timeout: seconds for a case run, everything included.
        concurrency: case runs asked about at once.
        output_characters: how much of an output is shown at most.
    """

    provider: str | None = None
    base_url: str | None = None
    model: str | None = None
    key_env: str | None = None
    command: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    answer_format: str = "json_schema"
    temperature: float = 0.0
    answer_tokens: int = 1_500
    timeout: float = 120.0
    concurrency: int = 2
    output_characters: int = 16_000


def read_settings(table: Mapping[str, Any] | None, source: str = "judge_polars.toml") -> SemanticSettings:
    """The settings of a table; an unknown provider is no error here, its packets say so.

    Raises:
        UsageError: a key that there is not, a value of another kind, a key or password in the file.  No value is quoted.
    """
    table = {} if table is None else table
    where = f"{source}: semantic"
    if not isinstance(table, Mapping):
        raise UsageError(f"{where}: a table is wanted, [semantic]")
    for key, value in table.items():
        _require_known(where, key)
        _require_type(f"{where}.{key}", key, value)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    settings = SemanticSettings(**values)
    _require_whole(where, settings)
    return settings


def _require_known(where: str, key: str) -> None:
    if key.lower().replace("-", "_") in _KEYS_OF_SECRETS:
        raise UsageError(
            f"{where}.{key}: keys stand in no file; take the line out, change the key if the file was ever shared, "
            'and name the environment variable that holds it: key_env = "NAME"'
        )
    if key not in _TYPES:
        known = [field.name for field in fields(SemanticSettings)]
        near = get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        raise UsageError(f"{where}.{key}: there is no such setting; {hint}")


def _require_type(where: str, key: str, value: object) -> None:
    wanted = _TYPES[key]
    fits = isinstance(value, wanted) and not isinstance(value, bool)
    if isinstance(value, list):
        fits = fits and all(isinstance(item, str) and item for item in value)
    if not fits:
        raise UsageError(f"{where}: {_MADE_OF[wanted[0]]} is wanted")


def _require_whole(where: str, settings: SemanticSettings) -> None:
    """What a provider needs is there, and limits are positive."""
    for name in ("timeout", "concurrency", "output_characters", "answer_tokens"):
        if getattr(settings, name) <= 0:
            raise UsageError(f"{where}.{name}: a number above 0 is wanted")
    if settings.answer_format not in FORMATS:
        raise UsageError(f"{where}.answer_format: one of {', '.join(FORMATS)}")
    if settings.provider == COMMAND and not settings.command:
        raise UsageError(f'{where}.command: the program is missing, such as command = ["ask-my-model", "--fast"]')
    if settings.provider == OPENAI_COMPATIBLE:
        for name in ("base_url", "model"):
            if not getattr(settings, name):
                raise UsageError(f"{where}.{name}: it is missing, and the provider {OPENAI_COMPATIBLE} needs it")
        _require_url(f"{where}.base_url", settings.base_url or "")


def _require_url(where: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname)
        private = parts.username is not None or parts.password is not None
    except ValueError:
        sound = private = False
    if private:
        raise UsageError(f"{where}: a user or password in the URL; keys stand in no file, key_env names their variable")
    if not sound:
        raise UsageError(f"{where}: an http or https URL is wanted, such as http://127.0.0.1:8080/v1")


def provider_of(settings: SemanticSettings, environment: Mapping[str, str]) -> Provider:
    """Who answers by these settings; where nobody can, a `NoProvider` that says why."""
    if settings.provider is None:
        return NoProvider("provider_missing", "no provider is configured: [semantic] in judge_polars.toml names none")
    if settings.provider == COMMAND:
        lacking = [name for name in settings.env if name not in environment]
        if lacking:
            return _lacking(settings, lacking)
        variables = {name: environment[name] for name in settings.env}
        return CommandProvider(settings.command, settings.model, variables)
    if settings.provider != OPENAI_COMPATIBLE:
        told = f"there is no provider {settings.provider!r}; there are {', '.join(PROVIDERS)}"
        return NoProvider("unsupported_provider", told, settings.provider, settings.model)
    if settings.key_env is not None and not environment.get(settings.key_env):
        return _lacking(settings, [settings.key_env])
    if find_spec("pydantic_ai") is None or find_spec("openai") is None:
        told = "the extra `semantic` is not installed: pip install 'judge-polars[semantic]'"
        return NoProvider("provider_missing", told, settings.provider, settings.model)
    from judge_polars.semantic.openai_compatible import OpenAICompatibleProvider

    assert settings.base_url and settings.model
    return OpenAICompatibleProvider(
        base_url=settings.base_url,
        model=settings.model,
        key=environment[settings.key_env].strip() if settings.key_env else None,
        constrained=settings.answer_format == "json_schema",
        most_tokens=settings.answer_tokens,
        temperature=None if settings.temperature < 0 else settings.temperature,
    )


def _lacking(settings: SemanticSettings, names: list[str]) -> NoProvider:
    told = f"the environment has no variable {', '.join(names)}"
    return NoProvider("provider_missing", told, settings.provider, settings.model)
