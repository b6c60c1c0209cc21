"""All targets by name."""

from __future__ import annotations

from typing import Final

from tests.fuzz import judged, registries, small, words
from tests.fuzz.target import Target

TARGETS: Final[dict[str, Target]] = {
    target.name: target for target in (*small.TARGETS, *judged.TARGETS, *registries.TARGETS, *words.TARGETS)
}
