"""The ways in which the agent can be told to misbehave, each for a test of what a client makes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

WAYS: Final = {
    "die-at-start": "ends at once with exit code 3",
    "hang-at-start": "never reads anything",
    "other-protocol": "answers `initialize` with version 99 of the protocol",
    "no-protocol": "answers every line with a line that is no JSON",
    "auth-required": "refuses a session: authentication required",
    "refuse-session": "refuses a session for another reason",
    "hang-in-session": "never answers `session/new`",
    "die-in-prompt": "ends with exit code 4 after half of its answer",
    "hang-in-prompt": "never answers the prompt; stops when it is cancelled",
    "ignore-cancel": "never answers the prompt, cancelled or not",
    "ignore-sigterm": "ignores SIGTERM, and the end of its input",
    "rate-limited": "answers the prompt with an error that carries HTTP status 429",
    "provider-error": "answers the prompt with an error that carries HTTP status 503",
    "agent-error": "answers the prompt with an internal error",
    "odd-stop-reason": "answers the prompt with a stop reason that the protocol does not know",
    "babble-messages": "sends message text without end",
    "babble-garbage": "writes lines that are no message without end",
    "babble-line": "writes one line without end",
    "babble-stderr": "writes to standard error without end",
    "invalid-lines": "writes lines that are no message, or odd ones, between its messages",
    "read-outside": "asks for a file outside its workspace",
    "write-outside": "asks to write a file outside its workspace",
    "read-link": "asks for a file behind a link that leads out of its workspace",
    "ask-permission": "asks for leave to use a tool inside its workspace, and one outside",
    "terminal": "runs a command in a terminal of the client, in its workspace and outside",
    "pieces": "sends its answer in pieces of a few characters",
    "slow": "waits for a second before its answer",
    "exit-nonzero": "ends with exit code 5 after its answer",
    "leave-child": "leaves a child process of another process group behind",
    "dump-environment": "writes its environment to environment.json in its workspace",
    "speak-secrets": "tells its environment in its answer and on standard error",
}
"""Name on the command line -> what it does."""

DEATH: Final = 3
LONG: Final = 3600.0


def before_reading(ways: frozenset[str]) -> None:
    """What happens before the first message is read."""
    if "die-at-start" in ways:
        sys.exit(DEATH)
    if "ignore-sigterm" in ways:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "leave-child" in ways:
        subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG})"], start_new_session=True)
    if "hang-at-start" in ways:
        time.sleep(LONG)
    if "no-protocol" in ways:
        for _ in sys.stdin:
            os.write(1, b"what do you mean?\n")
    if "babble-garbage" in ways:
        write_without_end(1, b"this is no message\n" * 100)
    if "babble-line" in ways:
        write_without_end(1, b"x" * 65536)


INVALID_LINES: Final = (
    b"no message",
    b"\xff",
    b"[1]",
    b'{"id": [1], "result": 1}',
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": 777, "error": "odd"}',
    b'{"jsonrpc": "2.0", "method": "session/update", "params": 5}',
    b'{"jsonrpc": "2.0", "method": "no/such_method", "id": "x"}',
)
"""Five lines that are no message, and three that are messages with something odd in them."""


def write_without_end(stream: int, content: bytes) -> None:
    """Write the same again and again."""
    while True:
        os.write(stream, content)


def after_ending(ways: frozenset[str]) -> None:
    """What happens when the client has closed the connection."""
    if "ignore-sigterm" in ways:
        time.sleep(LONG)
    if "exit-nonzero" in ways:
        sys.exit(5)


def link_out(workspace: Path) -> Path:
    """A link in the workspace that leads to a file outside."""
    link = workspace / "innocent.txt"
    link.symlink_to("/etc/hostname")
    return link
