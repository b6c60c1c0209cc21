"""What the tests share: a small world whose cases ask questions, a context of one run, and a loopback server."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from judge_polars.digests import digest_of
from judge_polars.judge import judge_runs
from judge_polars.judgment import Judgment
from judge_polars.registry import load_registry
from judge_polars.semantic.model import CaseShown, Context, Digests, OutputShown, Question, Shown
from judge_polars.semantic.providers import ProviderFaultError, Reply
from tests.cli.world import DISK_JUDGE, RUNS, write_files, write_world

QUESTIONS: Final = """\
    semantic_checks:
      - id: explains_mechanism
        kind: rubric
        question: Does the answer say how the disk led to the outage?
        expected: "yes"
        shadows: names_the_host
      - id: contradicts_itself
        kind: contradiction
        question: Does the answer contradict itself about the disk?
        expected: "no"
"""
WHEN: Final = datetime(2025, 3, 6, 12, tzinfo=UTC)


def write_asking_world(root: Path, runs: dict[str, dict[str, str]] | None = None) -> Path:
    """The small world, with two questions in `disk-hang`."""
    write_world(root, RUNS if runs is None else runs)
    write_files(root / "registry", {"cases/disk-hang/judge.yaml": DISK_JUDGE + QUESTIONS})
    write_files(root / "registry", {"cases/disk-hang/expected.md": "The disk of tikv-2 hung.\n"})
    return root


def judged(root: Path) -> Judgment:
    """The world, judged in memory."""
    return judge_runs([root / "runs"], load_registry(root / "registry").compile())


def context_of(output: str = "The disk hung.", *, ids: tuple[str, ...] = ("explains_mechanism",)) -> Context:
    """A context without a world."""
    shown = Shown(
        prompt=1,
        case=CaseShown(id="c", title="A case", cluster_id="1", window_start="a", window_end="b"),
        questions=tuple(Question(id=name, kind="rubric", question="Is it so?") for name in ids),
        notes=None,
        facts={},
        excerpts=(),
        output=OutputShown(text=output, characters=len(output), left_out=0),
    )
    return Context(
        case_run_id="r1/c/1",
        context_digest=digest_of(shown.model_dump(mode="json")),
        shown=shown,
        digests=Digests(case="sha256:1", bundle="sha256:2", output=None),
    )


def unmasked(text: str) -> tuple[str, list[tuple[str, int]]]:
    """A mask that finds nothing."""
    return text, []


def answers(*, answer: str = "yes", reasoning: str = "It says so.", ids: tuple[str, ...] = ()) -> str:
    """A reply with the same answer to each question."""
    ids = ids or ("explains_mechanism", "contradicts_itself")
    return json.dumps({name: {"reasoning": reasoning, "answer": answer} for name in ids})


@dataclass
class Scripted:
    """A provider that replies, or fails, as its script says; the last entry for ever."""

    script: list[str | ProviderFaultError | Exception]
    name: str = "scripted"
    model: str | None = "m"
    identity: str = "scripted"
    secrets: tuple[str, ...] = ()
    asked: list[Any] = field(default_factory=list)

    def ask(self, context: Context, complaint: Any, seconds: float) -> Reply:
        """The next entry."""
        self.asked.append((context, complaint, seconds))
        entry = self.script[min(len(self.asked), len(self.script)) - 1]
        if isinstance(entry, Exception):
            raise entry
        return Reply(entry)


Answering = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the script of its server; keeps what was sent."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One chat completion."""
        server = self.server
        assert isinstance(server, ChatServer)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.requests.append({"path": self.path, "headers": dict(self.headers.items()), "body": body})
        script = server.script
        script[min(len(server.requests), len(script)) - 1](self)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def send(self, code: int, content: bytes, **headers: str) -> None:
        """A whole response."""
        self.send_response(code)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class ChatServer(ThreadingHTTPServer):
    """A server on the loopback that follows a script."""

    daemon_threads = True

    def __init__(self, script: list[Answering]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []

    @property
    def base_url(self) -> str:
        """What a provider is given."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no failure."""


@contextmanager
def serving(*script: Answering) -> Iterator[ChatServer]:
    """A server for a while."""
    with ChatServer(list(script)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def completion(text: str) -> Answering:
    """A chat completion with this text."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    told = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m-real",
        "choices": [choice],
        "usage": usage,
    }
    return lambda handler: handler.send(200, json.dumps(told).encode())


def refusing(code: int, message: str = "no", **headers: str) -> Answering:
    """An error of HTTP."""
    return lambda handler: handler.send(code, json.dumps({"error": {"message": message}}).encode(), **headers)


def slow(seconds: float) -> Answering:
    """No answer for so long."""

    def answer(handler: Handler) -> None:
        time.sleep(seconds)
        completion(answers())(handler)

    return answer


def hanging_up(handler: Handler) -> None:
    """The connection is closed without a response."""
    handler.close_connection = True


def endless(handler: Handler) -> None:
    """A response of 50 MB, as far as anybody reads it."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(50_000_000))
    handler.end_headers()
    for _ in range(1_000):
        handler.wfile.write(b"x" * 50_000)
