"""Hostile registries, documents, bundles and texts (specification 90, "Robustness"): `python -m tests.fuzz --help`."""
