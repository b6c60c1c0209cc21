"""The table `[semantic]`."""

from __future__ import annotations

from typing import Any

import pytest

from judge_polars.errors import UsageError
from judge_polars.semantic import NoProvider, SemanticSettings, provider_of, read_settings
from judge_polars.semantic.providers import CommandProvider

SERVER = {"provider": "openai-compatible", "base_url": "http://127.0.0.1:8080/v1", "model": "m"}
PLANTED = "sk-planted-in-a-file"


def test_no_table() -> None:
    assert read_settings(None) == SemanticSettings()
    provider = provider_of(SemanticSettings(), {})
    assert isinstance(provider, NoProvider)
    assert provider.status == "provider_missing"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        pytest.param({"providr": "x"}, "did you mean provider?", id="misspelt"),
        pytest.param({"colour": "x"}, "known are provider, base_url", id="unknown"),
        pytest.param({**SERVER, "api_key": PLANTED}, "keys stand in no file", id="key"),
        pytest.param({**SERVER, "token": PLANTED}, "keys stand in no file", id="token"),
        pytest.param({**SERVER, "base_url": f"http://me:{PLANTED}@host/v1"}, "user or password", id="key-in-url"),
        pytest.param({**SERVER, "base_url": "ftp://host"}, "http or https", id="scheme"),
        pytest.param({**SERVER, "base_url": "localhost:80"}, "http or https", id="no-scheme"),
        pytest.param({**SERVER, "base_url": "http://[x"}, "http or https", id="no-url"),
        pytest.param(
            {"provider": "openai-compatible", "model": "m"}, "semantic.base_url: it is missing", id="no-base-url"
        ),
        pytest.param({"provider": "openai-compatible", "base_url": "http://h"}, "semantic.model", id="no-model"),
        pytest.param({"provider": "command"}, "semantic.command", id="no-command"),
        pytest.param({"provider": "command", "command": "x"}, "a list of texts", id="command-as-text"),
        pytest.param({"provider": "command", "command": ["x", 1]}, "a list of texts", id="command-with-number"),
        pytest.param({**SERVER, "timeout": True}, "a number", id="boolean-for-number"),
        pytest.param({**SERVER, "timeout": 0}, "above 0", id="no-time"),
        pytest.param({**SERVER, "concurrency": -1}, "above 0", id="nobody-at-once"),
        pytest.param({**SERVER, "answer_format": "xml"}, "json_schema, text", id="format"),
        pytest.param("x", r"\[semantic\]", id="no-table"),
    ],
)
def test_what_is_refused(table: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words) as raised:
        read_settings(table, "my.toml")
    assert str(raised.value).startswith("my.toml: semantic")
    assert PLANTED not in str(raised.value)


@pytest.mark.parametrize(
    ("table", "environment", "status", "words"),
    [
        pytest.param({"provider": "oracle"}, {}, "unsupported_provider", "'oracle'", id="unsupported"),
        pytest.param({**SERVER, "key_env": "K"}, {}, "provider_missing", "no variable K", id="no-key"),
        pytest.param({**SERVER, "key_env": "K"}, {"K": ""}, "provider_missing", "no variable K", id="empty-key"),
        pytest.param({"provider": "command", "command": ["x"], "env": ["A"]}, {}, "provider_missing", "A", id="no-env"),
    ],
)
def test_nobody_to_ask(table: dict[str, Any], environment: dict[str, str], status: str, words: str) -> None:
    provider = provider_of(read_settings(table), environment)
    assert isinstance(provider, NoProvider)
    assert (provider.status, provider.name) == (status, table["provider"])
    assert words in provider.detail


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge_polars.semantic.settings.find_spec", lambda name: None)
    provider = provider_of(read_settings(SERVER), {})
    assert isinstance(provider, NoProvider)
    assert provider.status == "provider_missing"
    assert "pip install 'judge-polars[semantic]'" in provider.detail


def test_a_command() -> None:
    table = {"provider": "command", "command": ["ask", "-x"], "env": ["A"], "model": "m", "timeout": 5}
    settings = read_settings(table)
    assert provider_of(settings, {"A": "value", "B": "2"}) == CommandProvider(("ask", "-x"), "m", {"A": "value"})
    assert settings.timeout == 5


def test_a_server() -> None:
    pytest.importorskip("pydantic_ai", reason="the extra `semantic` is not installed")
    from judge_polars.semantic.openai_compatible import OpenAICompatibleProvider

    provider = provider_of(read_settings({**SERVER, "key_env": "K", "temperature": -1}), {"K": " key \n"})
    wanted = OpenAICompatibleProvider("http://127.0.0.1:8080/v1", "m", "key", temperature=None)
    assert provider == wanted
