"""Which tests must notice a mutant: a few that take seconds."""

from __future__ import annotations

from mutants.mutant import ROOT, StaleMutantError

_VECTORS = ROOT / "tests" / "conformance" / "vectors"


def vectors(*numbers: int) -> tuple[str, ...]:
    """Conformance vectors by their numbers, as pytest names them."""
    found = {int(path.name[:3]): path.name for path in _VECTORS.iterdir()}
    missing = [number for number in numbers if number not in found]
    if missing:
        raise StaleMutantError(f"there are no vectors {missing}")
    return tuple(f"tests/conformance/test_vectors.py::test_vector[{found[number]}]" for number in numbers)


def sql(*names: str) -> tuple[str, ...]:
    """Tests of views and macros by their names."""
    return tuple(f"tests/sql/test_{name}.py" for name in names)
