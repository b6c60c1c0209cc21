"""How this process takes Ctrl-C for a while."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def interrupts_handled(how: signal.Handlers) -> Iterator[None]:
    """Ctrl-C meanwhile does what `how` says (`signal.SIG_IGN`, `signal.SIG_DFL`); only the main thread can say so."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, how)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
