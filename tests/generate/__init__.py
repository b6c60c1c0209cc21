"""Random registries and runs for the differential test, of small vocabularies, so that rules hold again and again."""

from tests.generate.world import write_world

__all__ = ["write_world"]
