"""The command line: the only room that prints or exits.  `main` is the entry point of `judge-polars`."""

from judge_polars.cli.app import main

__all__ = ["main"]
