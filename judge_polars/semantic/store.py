"""Results that are kept, so that asking the same again costs nothing: packets under (context digest, provider, model)."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from judge_polars.digests import digest_of
from judge_polars.semantic.model import PACKET_FILE, STATUSES, Context, Packet
from judge_polars.semantic.providers import Provider

UNREADABLE: Final = "unreadable"


@dataclass(frozen=True)
class ResultStore:
    """A directory of packets that are ok; one that is broken counts as not there."""

    directory: Path

    def find(self, context: Context, provider: Provider) -> Packet | None:
        """The packet that was kept for the same context, provider and model, as one of this case run."""
        try:
            packet = Packet.model_validate_json(self._path(context, provider).read_bytes())
        except (OSError, ValidationError):
            return None
        fits = list(packet.answers) == [question.id for question in context.shown.questions]
        if packet.status != "ok" or packet.context_digest != context.context_digest or not fits:
            return None
        return packet.model_copy(update={"case_run_id": context.case_run_id, "from_store": True})

    def keep(self, context: Context, provider: Provider, packet: Packet) -> None:
        """Keep a packet that is ok; others are asked for again next time."""
        if packet.status == "ok" and not packet.from_store:
            path = self._path(context, provider)
            write_whole(path, packet.as_bytes())

    def _path(self, context: Context, provider: Provider) -> Path:
        key = digest_of(context.context_digest, provider.identity, provider.model).removeprefix("sha256:")
        return self.directory / key[:2] / f"{key}.json"


def packet_statuses(out: Path) -> dict[str, int]:
    """How many packets of each status lie below the directory of `Shadow.out`; `unreadable` are those that are none."""
    counts = dict.fromkeys((*STATUSES, UNREADABLE), 0)
    for path in out.glob(f"*/cases/*/trial-*/{PACKET_FILE}"):
        try:
            counts[Packet.model_validate_json(path.read_bytes()).status] += 1
        except (OSError, ValidationError):
            counts[UNREADABLE] += 1
    return {status: count for status, count in counts.items() if count}


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; its directory is made, and a symbolic link that stands there is not followed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    beside.unlink(missing_ok=True)
    try:
        with beside.open("xb") as file:
            file.write(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
