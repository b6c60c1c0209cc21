"""Who answers: the protocol of a provider, what can go wrong with one, and the provider that is a program."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from judge_polars.semantic.model import STATUSES, Context, Status, Usage

MOST_ANSWER_BYTES: Final = 1 << 20
PASSED_ON: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ")
"""Variables that a program always gets; others are named in the settings."""

_STDERR_BYTES: Final = 4_000
_TICK_SECONDS: Final = 0.05
_SHORTEST_SECRET: Final = 4


class Reply(NamedTuple):
    """What came back: JSON of the answers, if all is well; the model that says it answered."""

    text: str
    model: str | None = None
    usage: Usage = Usage()


class Complaint(NamedTuple):
    """A reply of the wrong shape, and what is wrong with it."""

    text: str
    wrong: str


class ProviderFaultError(Exception):
    """No reply.

    Attributes:
        status: what the packet says.
        detail: why, for people; secrets are taken out of it later.
        again: whether asking once more may help.
        wait: seconds to wait that the provider asked for, or None.
    """

    def __init__(self, status: Status, detail: str, *, again: bool = False, wait: float | None = None) -> None:
        super().__init__(detail)
        self.status: Status = status
        self.detail = detail
        self.again = again
        self.wait = wait


class Provider(Protocol):
    """Somebody who answers.

    `identity` is what results are kept under, with the model; `secrets` are values that no file or message may hold.
    """

    @property
    def name(self) -> str | None: ...
    @property
    def model(self) -> str | None: ...
    @property
    def identity(self) -> str: ...
    @property
    def secrets(self) -> tuple[str, ...]: ...

    def ask(self, context: Context, complaint: Complaint | None, seconds: float) -> Reply:
        """The reply within so many seconds; `complaint` is there when it is asked for once more.

        Raises:
            ProviderFaultError: there is none.
        """


@dataclass(frozen=True)
class NoProvider:
    """Nobody to ask: none is configured, or something that there is not."""

    status: Status
    detail: str
    name: str | None = None
    model: str | None = None
    identity: str = "none"
    secrets: tuple[str, ...] = ()

    def ask(self, context: Context, complaint: Complaint | None, seconds: float) -> Reply:
        """Never a reply."""
        raise ProviderFaultError(self.status, self.detail)


@dataclass(frozen=True)
class CommandProvider:
    """A program that reads the context on standard input and prints a packet.

    Of the packet `answers` is needed; `status`, `detail`, `model` and `context_digest` are read where they are there.

    Attributes:
        command: program and arguments; no shell is involved.
        variables: environment of the program beside `PASSED_ON`.
    """

    command: tuple[str, ...]
    model: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    name: str = "command"

    @property
    def identity(self) -> str:
        """The command line."""
        return json.dumps([self.name, *self.command])

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values of the variables that the settings name."""
        return secrets_of(self.variables.values())

    def ask(self, context: Context, complaint: Complaint | None, seconds: float) -> Reply:
        """Run the program once; its process group is ended with it."""
        usual = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**usual, **self.variables},
                start_new_session=True,
            )
        except (OSError, ValueError) as wrong:
            told = getattr(wrong, "strerror", None) or type(wrong).__name__
            raise ProviderFaultError("provider_error", f"{self.command[0]} could not be started: {told}") from None
        try:
            out, err = _exchange(process, context.as_bytes(), time.monotonic() + seconds)
        finally:
            _end_group(process)
        if process.returncode != 0:
            told = err.decode(errors="replace").strip()[-300:]
            raise ProviderFaultError("provider_error", f"{self.command[0]} ended with {process.returncode}: {told}")
        return _reply(out.decode(errors="replace"), context)


def secrets_of(values: Iterable[str]) -> tuple[str, ...]:
    """The values that are long enough to be told apart from ordinary words."""
    return tuple(value for value in values if len(value) >= _SHORTEST_SECRET)


def _exchange(process: subprocess.Popen[bytes], data: bytes, deadline: float) -> tuple[bytes, bytes]:
    """Feed a program and read what it prints, until it has ended.

    Raises:
        ProviderFaultError: the time is over, or it prints too much.
    """
    assert process.stdin and process.stdout and process.stderr
    out, err = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        for stream, event in (
            (process.stdin, selectors.EVENT_WRITE),
            (process.stdout, selectors.EVENT_READ),
            (process.stderr, selectors.EVENT_READ),
        ):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, event)
        rest = memoryview(data)
        while selector.get_map():
            if time.monotonic() >= deadline:
                raise ProviderFaultError("timeout", "the program was ended at the time limit")
            ready = selector.select(_TICK_SECONDS)
            if not ready and _has_ended(process):
                break  # what it started may still hold its pipes
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    rest = _written(process, rest)
                    if not rest:
                        selector.unregister(process.stdin)
                        process.stdin.close()
                    continue
                piece = os.read(key.fd, 65_536)
                if not piece:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    out += piece
                    if len(out) > MOST_ANSWER_BYTES:
                        raise ProviderFaultError("invalid_response", f"more than {MOST_ANSWER_BYTES:,} bytes")
                else:
                    err = (err + piece)[-_STDERR_BYTES:]
    while not _has_ended(process):
        if time.monotonic() >= deadline:
            raise ProviderFaultError("timeout", "the program was ended at the time limit")
        time.sleep(_TICK_SECONDS)
    return bytes(out), bytes(err)


def _written(process: subprocess.Popen[bytes], rest: memoryview) -> memoryview:
    """What is left to be written; nothing where the program reads no more."""
    assert process.stdin
    try:
        return rest[os.write(process.stdin.fileno(), rest[:65_536]) :]
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[:0]


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended; it stays a zombie, so that its group's number is not given to another."""
    flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
    return os.waitid(os.P_PID, process.pid, flags) is not None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the program and everything that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _reply(printed: str, context: Context) -> Reply:
    """What a program's packet holds; what is no packet is handed on, to be found of the wrong shape.

    Raises:
        ProviderFaultError: the packet says so itself, or belongs to another context.
    """
    try:
        packet = json.loads(printed)
    except (ValueError, RecursionError):
        return Reply(printed)
    if not isinstance(packet, dict) or not isinstance(packet.get("status", "ok"), str):
        return Reply(printed)
    status, detail, model = packet.get("status", "ok"), packet.get("detail"), packet.get("model")
    if status != "ok" and status in STATUSES:
        raise ProviderFaultError(status, str(detail or "the program says so"))
    if status != "ok" or packet.get("context_digest", context.context_digest) != context.context_digest:
        raise ProviderFaultError("invalid_response", "a packet of another context or of an unknown status")
    return Reply(json.dumps(packet.get("answers")), model if isinstance(model, str) else None)
