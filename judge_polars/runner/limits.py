"""How much an agent may write and how long it may take (specification 80, 90)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, sizes in bytes.

    Attributes:
        initialize, session: until these two calls are answered.
        cancel: between asking the agent to stop and telling it to (SIGTERM).
        terminate: between that and its end by force (SIGKILL).
        leave: until an agent that has answered ends by itself, once its standard input is closed.
        line: of one protocol message.
        received: of everything that the agent writes to standard output.
        messages: protocol messages of the agent.
        invalid_lines: lines that are no protocol message.
        answer: of the agent's message text.
        telemetry, stderr_log: kept in these two files; what comes after is counted and left out.
        stderr: that the agent may write to standard error at all.
        file: that it may read or write through one request.
        terminals: that it may have open at a time; `terminal_output` is what one keeps.
    """

    initialize: float = 60.0
    session: float = 60.0
    cancel: float = 5.0
    terminate: float = 5.0
    leave: float = 2.0
    line: int = 16 * 2**20
    received: int = 256 * 2**20
    messages: int = 200_000
    invalid_lines: int = 1_000
    answer: int = 4 * 2**20
    telemetry: int = 32 * 2**20
    stderr_log: int = 4 * 2**20
    stderr: int = 64 * 2**20
    file: int = 16 * 2**20
    terminals: int = 16
    terminal_output: int = 2**20
