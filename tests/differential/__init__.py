"""The vectorised judge against the slow, plain one of `tests/plain`, and against itself under other circumstances.

`comparing` says where the two differ on a world, `shrinking` makes a world small that shows a difference, `circumstances` are
those that change no byte of an export, and `python -m tests.differential` (`make differential`) does all of it for long.
"""
