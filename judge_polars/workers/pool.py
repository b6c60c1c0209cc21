"""Processes of this machine.  They are spawned: a forked Polars deadlocks.

Each process has a pipe of its own, and is given a shard when it has none: no thread, queue or lock is shared, so that nobody is
left waiting, whatever ends a process.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Final, Generic

from judge_polars.errors import MissingPieceError
from judge_polars.interrupts import interrupts_handled
from judge_polars.workers.work import SHARDS_PER_WORKER, Done, Shard, Work, in_order

ONE_THREAD: Final = {"POLARS_MAX_THREADS": "1"}
"""Workers are as many as the processors: threads in each would only get in each other's way."""
LOST: Final = (
    "a worker process was lost, as when memory runs out: nothing that was published is lost, and the same command goes on "
    "from there; fewer --jobs need less memory"
)


def run_in_pool(work: Work[Shard, Done], shards: Sequence[Shard], jobs: int) -> Iterator[Done]:
    """Results in the order of the shards.

    However it ends before the last shard is done, by an interrupt or a fault, the processes end at once.

    Raises:
        MissingPieceError: a process was lost.
    """
    pool = _Pool[Shard, Done]()
    try:
        pool.begin(work, min(jobs, len(shards)))
        yield from in_order(shards, jobs * SHARDS_PER_WORKER, pool.submit, pool.result)
    finally:
        pool.end()


@dataclass(frozen=True)
class _Worker:
    process: SpawnProcess
    pipe: Connection


class _Pool(Generic[Shard, Done]):
    """Processes, what waits for one, and what is done and not yet taken."""

    def __init__(self) -> None:
        self._free: list[_Worker] = []
        self._busy: dict[Connection, tuple[_Worker, int]] = {}
        self._waiting: deque[tuple[int, Shard]] = deque()
        self._done: dict[int, tuple[bool, Any]] = {}
        self._next = 0

    def begin(self, work: Work[Shard, Done], jobs: int) -> None:
        """Start the processes."""
        pickled = pickle.dumps(work)
        context = multiprocessing.get_context("spawn")
        for _ in range(jobs):
            mine, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, pickled), daemon=True)
            # Processes that are started meanwhile ignore interrupts from the first moment on: this one handles them.
            with _environment(ONE_THREAD), interrupts_handled(signal.SIG_IGN):
                process.start()
                self._free.append(_Worker(process, mine))
            theirs.close()

    def submit(self, shard: Shard) -> int:
        """The number under which the result can be had."""
        number = self._next
        self._next += 1
        self._waiting.append((number, shard))
        self._give()
        return number

    def result(self, number: int) -> Done:
        """The result of a shard, once it is there; what its worker raised is raised here."""
        while number not in self._done:
            self._take()
            self._give()
        fine, outcome = self._done.pop(number)
        if fine:
            done: Done = outcome
            return done
        raise outcome

    def _give(self) -> None:
        """Shards that wait go to workers that are free, which read: so that giving never blocks for long."""
        while self._waiting and self._free:
            worker, (number, shard) = self._free.pop(), self._waiting.popleft()
            with _losses_told():
                worker.pipe.send(shard)
            self._busy[worker.pipe] = worker, number

    def _take(self) -> None:
        """Wait for what any worker answers; the pipe of one that was lost is at its end."""
        for pipe in wait(list(self._busy)):
            assert isinstance(pipe, Connection)
            with _losses_told():
                outcome = pipe.recv()
            worker, number = self._busy.pop(pipe)
            self._free.append(worker)
            self._done[number] = outcome

    def end(self) -> None:
        """End the processes, whatever they are at."""
        workers = [*self._free, *(worker for worker, _ in self._busy.values())]
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.join()
            worker.process.close()
            worker.pipe.close()


@contextmanager
def _losses_told() -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError) as wrong:
        raise MissingPieceError(LOST) from wrong


@contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    """Variables that processes have which are begun meanwhile, where they are not set."""
    added = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _serve(pipe: Connection, pickled: bytes) -> None:
    """What a worker does: shard after shard, until nobody is there to give one."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work: Work[Any, Any] = pickle.loads(pickled)
    with suppress(EOFError, ConnectionError):
        while True:
            pipe.send(_outcome(work, pipe.recv()))
            gc.collect()


def _outcome(work: Work[Any, Any], shard: Any) -> tuple[bool, Any]:
    """True and the result, or False and what was raised, with where."""
    try:
        return True, work(shard)
    except Exception as wrong:
        wrong.add_note(f"in a worker process:\n{traceback.format_exc()}")
        try:
            pickle.loads(pickle.dumps(wrong))
        except Exception:
            return False, RuntimeError(f"{type(wrong).__name__}: {wrong}")
        return False, wrong


def _end_with_parent() -> None:
    """A worker does not outlive the process that began it, however that ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
