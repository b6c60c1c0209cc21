"""The vectorised judge against the slow, plain one of `tests/plain`, on random registries and runs: no field differs."""

from pathlib import Path

import pytest

from tests.differential.comparing import difference_of
from tests.generate import write_world

SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_field_differs(seed: int, tmp_path: Path) -> None:
    write_world(seed, tmp_path)
    assert difference_of(tmp_path)[:20] == []
