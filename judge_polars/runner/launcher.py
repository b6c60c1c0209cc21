"""Starts one command in a session of its own and leaves nothing of it behind.

Run as a script (`python -I -S launcher.py FD`) with the standard library alone.  FD is a stream socket: the starter sends
one JSON line (`command`, `environment`, `directory`, `scratch`, `folders`, `grace`), then any number of lines `terminate`
or `kill`.
Answers are JSON lines: `{"started": pid}` or `{"failed": text}`, `{"exited": code}` (negative: ended by that signal), and
at last `{"ended": n}` with the number of processes that could not be ended.

The end of the socket means that the starter has gone, however it went: the command is terminated and, after `grace`
seconds, killed.  With the command end all its descendants, those that left its process group included (Linux: this
process is their reaper; elsewhere the process group alone), and the directory `scratch` is removed, which this process
makes, with `folders` in it: so it is never there without somebody who removes it.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
SECONDS_TO_SWEEP: Final = 5.0
IGNORED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
RESTORED: Final = (*IGNORED, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)


def process_control() -> Callable[[int, int], None]:
    """`prctl` with one argument; does nothing where there is none."""
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return lambda _option, _value: None
    return lambda option, value: prctl(option, value, 0, 0, 0)


def parents() -> dict[int, int]:
    """Process -> its parent, of all processes; empty where there is no /proc."""
    found: dict[int, int] = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return found
    for name in names:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                found[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return found


def descendants() -> list[int]:
    """All processes below this one."""
    children: dict[int, list[int]] = {}
    for process, parent in parents().items():
        children.setdefault(parent, []).append(process)
    below, waiting = list[int](), [os.getpid()]
    while waiting:
        more = children.get(waiting.pop(), [])
        below += more
        waiting += more
    return below


def send_signal(number: signal.Signals, process: int, *, group: bool = False) -> None:
    """A signal to a process or its group; nothing where it has gone."""
    try:
        (os.killpg if group else os.kill)(process, number)
    except (ProcessLookupError, PermissionError):
        return


def sweep(process: int) -> int:
    """Kill everything below this process; how many are left after `SECONDS_TO_SWEEP`."""
    until = time.monotonic() + SECONDS_TO_SWEEP
    if not parents():
        send_signal(signal.SIGKILL, process, group=True)
    while True:
        for one in descendants():
            send_signal(signal.SIGKILL, one)
        if not reap()[1]:
            return 0
        if time.monotonic() > until:
            return len(descendants())
        time.sleep(0.01)


def reap() -> tuple[dict[int, int], bool]:
    """The children that have ended (process -> exit code), and whether others are left."""
    ended: dict[int, int] = {}
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended, False
        if not process:
            return ended, True
        ended[process] = os.waitstatus_to_exitcode(status)


def start(order: Mapping[str, Any], prctl: Callable[[int, int], None]) -> tuple[int, str]:
    """Fork and execute the command; its process and an empty text, or why it could not be started."""
    reader, writer = os.pipe()
    watcher = os.getpid()
    process = os.fork()
    if not process:
        try:
            os.setsid()
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != watcher:
                os._exit(127)
            for number in RESTORED:
                signal.signal(number, signal.SIG_DFL)
            os.chdir(order["directory"])
            os.execvpe(order["command"][0], order["command"], order["environment"])
        except BaseException as wrong:
            told = os.strerror(wrong.errno) if isinstance(wrong, OSError) and wrong.errno else str(wrong)
            os.write(writer, told.encode() or b"?")
        os._exit(127)
    os.close(writer)
    with open(reader, "rb") as file:
        return process, file.read().decode()


def close_standard_streams() -> None:
    """Leave the three pipes to the command alone."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


class Watch:
    """The loop that waits for the command's end, for orders, and for the end of the starter."""

    def __init__(self, channel: socket.socket, process: int, grace: float) -> None:
        self._channel = channel
        self._process = process
        self._grace = grace
        self._kill_at: float | None = None
        self._orders: bytes | None = b""
        self._wake, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)

    def until_exit(self) -> int:
        """The command's exit code once it has ended, by itself or by order."""
        while True:
            ended, left = reap()
            if self._process in ended:
                return ended[self._process]
            if not left or (self._kill_at is not None and time.monotonic() >= self._kill_at):
                return self._killed()
            self._listen()

    def _killed(self) -> int:
        send_signal(signal.SIGKILL, self._process, group=True)
        send_signal(signal.SIGKILL, self._process)
        until = time.monotonic() + SECONDS_TO_SWEEP
        while time.monotonic() < until:
            ended, left = reap()
            if self._process in ended:
                return ended[self._process]
            if not left:
                break
            time.sleep(0.005)
        return -signal.SIGKILL

    def _listen(self) -> None:
        heard = [self._wake] if self._orders is None else [self._wake, self._channel.fileno()]
        left = None if self._kill_at is None else max(0.0, self._kill_at - time.monotonic())
        ready, _, _ = select.select(heard, [], [], left)
        if self._wake in ready:
            os.read(self._wake, 4096)
        if self._channel.fileno() in ready:
            self._hear()

    def _hear(self) -> None:
        assert self._orders is not None
        try:
            received = self._channel.recv(4096)
        except OSError:
            received = b""
        if not received:  # the starter has gone
            self._orders = None
            self._terminate()
            return
        *orders, self._orders = (self._orders + received).split(b"\n")
        for order in orders:
            if order == b"terminate":
                send_signal(signal.SIGTERM, self._process, group=True)
            elif order == b"kill":
                self._kill_at = time.monotonic()

    def _terminate(self) -> None:
        send_signal(signal.SIGTERM, self._process, group=True)
        self._kill_at = min(self._kill_at or float("inf"), time.monotonic() + self._grace)


def tell(channel: socket.socket, **answer: object) -> None:
    """One answer to the starter, if it is still there."""
    try:
        channel.sendall(json.dumps(answer).encode() + b"\n")
    except OSError:
        return


def read_order(channel: socket.socket) -> dict[str, Any] | None:
    """The first line, or None where the starter went before it was whole."""
    received = b""
    while not received.endswith(b"\n"):
        more = channel.recv(65536)
        if not more:
            return None
        received += more
    order: dict[str, Any] = json.loads(received)
    return order


def make_scratch(order: Mapping[str, Any]) -> None:
    """Make the directory `scratch`, which must not be there, and its `folders`."""
    if order["scratch"]:
        os.mkdir(order["scratch"], 0o700)
        for folder in order["folders"]:
            os.mkdir(os.path.join(order["scratch"], folder))


def main() -> None:
    """Start, watch, sweep."""
    inherited = int(sys.argv[1])
    channel = socket.socket(fileno=os.dup(inherited))  # the copy is not passed on, and has a number that `select` takes
    os.close(inherited)
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    order = read_order(channel)
    if order is None:
        return
    prctl = process_control()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        make_scratch(order)
    except OSError as wrong:
        tell(channel, failed=f"{order['scratch']}: {wrong.strerror}", ended=0)
        return
    process, failed = start(order, prctl)
    close_standard_streams()
    if failed:
        tell(channel, failed=failed)
    else:
        tell(channel, started=process)
        tell(channel, exited=Watch(channel, process, order["grace"]).until_exit())
    left = sweep(process)
    if order["scratch"]:
        shutil.rmtree(order["scratch"], ignore_errors=True)
    tell(channel, ended=left)


if __name__ == "__main__":
    main()
