"""Where the registry is when nobody says so (specification 70)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

USUAL_PLACE: Final = Path("evaluation") / "regression"


def find_registry(start: Path) -> Path | None:
    """The nearest `evaluation/regression` at or above a directory, or None."""
    here = start.resolve()
    places = (directory / USUAL_PLACE for directory in (here, *here.parents))
    return next((place for place in places if place.is_dir()), None)
