"""The vectorised judge against the slow, plain one of `tests/plain`.

`comparing` says where the two differ on a world, `shrinking` makes a world small that shows a difference, and
`python -m tests.differential` (`make differential`) does both for long.
"""
