"""`python -m tests.differential.exporting WORLD OUT SETTINGS`: judge a world, and write every export of it into a directory.

SETTINGS is a JSON object of `Settings`.  Times of judging and ids of judgments are taken out of what was written, by name.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

import polars as pl

from judge_polars.bundles import read
from judge_polars.cli.app import run
from judge_polars.workers import force

Place = TypeVar("Place")
PASSING: Final = ("judgment_id", "judged_at")
"""Columns and members that differ from one judging pass to the next."""
EXPORTED: Final = ("verdicts", "check_results", "facts")
FORMATS: Final = ("csv", "jsonl", "parquet")


@dataclass(frozen=True)
class Settings:
    """How a world is judged.

    Attributes:
        backward: directories list their files, and roots are given, the other way round.
        one_by_one: each eval run is read by a command of its own, in the order of `backward`.
        jobs: worker processes, which are used for any number of case runs.
        shard: case runs in a shard; None leaves it.
        compact: batches are made one before judging.
        umask: of the files that are written.
    """

    backward: bool = False
    one_by_one: bool = False
    jobs: int = 1
    shard: int | None = None
    compact: bool = False
    umask: int = 0o022


def main() -> int:
    """The command line."""
    world, out, settings = Path(sys.argv[1]), Path(sys.argv[2]), Settings(**json.loads(sys.argv[3]))
    os.umask(settings.umask)
    if settings.backward:
        list_backward()
    if settings.shard is not None:
        cut_shards(settings.shard)
    force.POOL_FROM = 1  # type: ignore[misc]
    out.mkdir(parents=True)
    export(world, out, settings)
    return 0


def list_backward() -> None:
    """Directories list what is in them in the opposite of the order of names."""
    scandir, listdir = os.scandir, os.listdir

    class Backward:
        """What `os.scandir` gives, the other way round."""

        def __init__(self, path: Any = ".") -> None:
            with scandir(path) as entries:
                self._entries = iter(sorted(entries, key=lambda entry: entry.name, reverse=True))

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            return self._entries

        def __next__(self) -> os.DirEntry[str]:
            return next(self._entries)

        def __enter__(self) -> Backward:
            return self

        def __exit__(self, *_: object) -> None:
            return

        def close(self) -> None:
            """Nothing is open."""

    os.scandir = Backward  # type: ignore[assignment]
    os.listdir = lambda path=".": sorted(listdir(path), reverse=True)  # type: ignore[assignment]


def cut_shards(size: int) -> None:
    """Shards have so many case runs."""

    def of_that_size(places: list[Place]) -> Iterator[list[Place]]:
        return cut(places, size)

    cut = read.shards
    for room in ("judge", "ingest"):
        import_module(f"judge_polars.{room}").shards = of_that_size  # type: ignore[attr-defined]


def export(world: Path, out: Path, settings: Settings) -> None:
    """Read, judge and write everything, by the commands that people use."""
    roots = sorted((str(path) for path in (world / "runs").iterdir()), reverse=settings.backward)
    history = ["--history-dir", str(out / "history")]
    judging = ["--registry", str(world / "registry"), "--jobs", str(settings.jobs), *history]
    if settings.one_by_one:
        for root in roots:
            if Path(root, "cases").is_dir():
                call("ingest", root, *judging)
    if settings.compact:
        call("history", "compact", *history)
    call("judge", *roots, *judging, "--facts", "--issues", "-o", str(out / "judge.jsonl"), "-o", str(out / "judge.csv"))
    for what in EXPORTED:
        for suffix in FORMATS:
            call("export", what, "-o", str(out / f"{what}.{suffix}"), *history)
    call("report", "-o", str(out / "report.html"), *history, "--registry", str(world / "registry"))


def call(*arguments: str) -> None:
    """Run a command, which has to end well."""
    code = run([*arguments, "--quiet"])
    if code:
        raise RuntimeError(f"exit code {code}: {' '.join(arguments)}")


def exports(out: Path) -> dict[str, bytes]:
    """Everything that was written, without what passes; Parquet files as the rows and the types that they hold."""
    told = {path.name: path.read_bytes() for path in sorted(out.glob("*.*")) if path.suffix != ".parquet"}
    values = {value for text in told.values() for value in passing_values(text.decode("utf-8"))}
    for value in sorted(values, key=len, reverse=True):
        told = {name: text.replace(value.encode(), b"<passing>") for name, text in told.items()}
    for path in sorted(out.glob("*.parquet")):
        frame = pl.read_parquet(path).drop(PASSING, strict=False)
        told[path.name] = f"{frame.schema}\n{frame.write_ndjson()}".encode()
    return told


def passing_values(text: str) -> Iterator[str]:
    """What a text holds under the names that pass: members of JSON, columns of CSV."""
    for name in PASSING:
        yield from re.findall(rf'"{name}": ?"([^"]+)"', text)
    header, _, rest = text.partition("\n")
    if any(name in header.split(",") for name in PASSING):
        for row in csv.DictReader(io.StringIO(f"{header}\n{rest}")):
            yield from (row[name] for name in PASSING if row.get(name))


if __name__ == "__main__":
    sys.exit(main())
