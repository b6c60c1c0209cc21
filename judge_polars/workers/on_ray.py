"""A Ray cluster: one that is there, or one of this machine for as long as the work takes (extra `ray`)."""

from __future__ import annotations

import gc
import logging
import os
import socket
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from typing import Any, Final

from judge_polars.errors import InputError, MissingPieceError
from judge_polars.version import __version__
from judge_polars.workers.work import SHARDS_PER_WORKER, Done, Shard, Work, in_order

INSTALL: Final = "--engine ray needs Ray: pip install 'judge-polars[ray]'"
RETRIES: Final = 3
"""How often Ray gives a shard to another worker when one was lost with it."""
STORE_BYTES: Final = 512 * 1024 * 1024
"""Memory that a cluster which is begun here keeps for results on their way."""
CONNECT_SECONDS: Final = 10
QUIET: Final = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""A cluster that is begun here reports to nobody."""


def run_on_ray(
    work: Work[Shard, Done], shards: Sequence[Shard], jobs: int | None, address: str | None
) -> Iterator[Done]:
    """Results in the order of the shards.

    What all shards share is put into the object store once and taken from there once by each worker.  A shard whose worker
    is lost is given to another one; nothing is left in work when this ends.

    Args:
        jobs: shards in work at a time; None as many as the cluster has processors.
        address: of a cluster that is there; None begins one of `jobs` processes, and ends it.

    Raises:
        MissingPieceError: Ray is not installed, no cluster answers, judge_polars is not there in it or another one, or a shard's
            workers were lost again and again.
        InputError: a worker does not see the files.
    """
    ray = _ray()
    with _cluster(ray, jobs, address) as processors:
        shared = [ray.put(work)]
        name, versions, place = uuid.uuid4().hex, _versions(), os.getcwd()
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(_work_on)
        begun: set[Any] = set()

        def submit(shard: Shard) -> Any:
            handle = task.remote(name, versions, place, shared, shard)
            begun.add(handle)
            return handle

        def result(handle: Any) -> Done:
            done: Done = _result(ray, handle)
            begun.discard(handle)
            return done

        try:
            yield from in_order(shards, (jobs or processors) * SHARDS_PER_WORKER, submit, result)
        finally:
            for handle in begun:
                with suppress(ray.exceptions.RayError):
                    ray.cancel(handle, force=True)


def _ray() -> Any:
    os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
    try:
        import ray
        import ray.exceptions
    except ImportError as wrong:
        raise MissingPieceError(INSTALL) from wrong
    return ray


@contextmanager
def _cluster(ray: Any, jobs: int | None, address: str | None) -> Iterator[int]:
    """Connected to a cluster, with the number of its processors; what was begun here is ended here."""
    if ray.is_initialized():
        yield _processors(ray)
        return
    quiet = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    try:
        if address is None:
            ray.init("local", num_cpus=jobs or 1, object_store_memory=STORE_BYTES, include_dashboard=False, **quiet)
        else:
            _require_answer(address)
            ray.init(address, **quiet)
    except (ConnectionError, ImportError, OSError, RuntimeError, ValueError) as wrong:
        first = str(wrong).strip().partition("\n")[0]
        where = "no Ray could be begun here" if address is None else f"no Ray cluster answers at {address}"
        raise MissingPieceError(f"{where}: {first}; `ray status` tells more, --engine local needs none") from wrong
    try:
        yield _processors(ray)
    finally:
        ray.shutdown()


def _require_answer(address: str) -> None:
    """Raise `OSError` where nobody listens at `host:port`; Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


def _processors(ray: Any) -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _result(ray: Any, handle: Any) -> Any:
    """What became of a shard; what its worker raised is raised here."""
    try:
        return ray.get(handle)
    except ray.exceptions.RayTaskError as wrong:
        cause = wrong.cause
        if isinstance(cause, Exception) and not isinstance(cause, ray.exceptions.RayError):
            raise cause from None
        raise
    except ray.exceptions.RayError as wrong:
        first = str(wrong).strip().partition("\n")[0]
        raise MissingPieceError(
            f"workers of the Ray cluster were lost with a shard again and again, as when memory runs out: {first} "
            "Nothing that was published is lost, and the same command goes on from there"
        ) from wrong


_kept: dict[str, Work[Any, Any]] = {}


def _work_on(name: str, versions: dict[str, str], place: str, shared: list[Any], shard: Any) -> Any:
    """Work on a shard, in a worker of the cluster.

    Args:
        name: of the work, of which the last one is kept.
        versions: that it must be done with, so that every machine gives the same bytes.
        place: directory that relative paths begin in.
        shared: the work, in the object store.
    """
    if name not in _kept:
        _require_same(versions)
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        import ray

        with suppress(OSError):
            os.chdir(place)
        _kept.clear()
        _kept[name] = ray.get(shared[0])
    work = _kept[name]
    for path in work.reads(shard):
        if not os.path.lexists(path):
            raise InputError(
                f"{path}: it is not there for the Ray worker on {socket.gethostname()}; runs and history must lie on a file "
                "system that all machines of the cluster see under the same path"
            )
    done = work(shard)
    gc.collect()
    return done


def _versions() -> dict[str, str]:
    return {"judge-polars": __version__, "polars": _installed("polars"), "orjson": _installed("orjson")}


def _installed(package: str) -> str:
    try:
        return version_of(package)
    except PackageNotFoundError:
        return "none"


def _require_same(wanted: dict[str, str]) -> None:
    """Raise `MissingPieceError` where a worker has other versions than the process that gives it work."""
    here = _versions()
    other = [f"{name} {here[name]} instead of {wanted[name]}" for name in wanted if here[name] != wanted[name]]
    if other:
        raise MissingPieceError(
            f"the Ray worker on {socket.gethostname()} has {', '.join(other)}: install the same versions on all machines"
        )
