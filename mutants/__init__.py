"""Mutants of the judge: each breaks one rule, view or lint, and a test must notice (`make mutants`)."""
