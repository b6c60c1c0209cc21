"""Every mutant."""

from __future__ import annotations

from typing import Final

from mutants.facts import of_facts
from mutants.histories import of_histories
from mutants.lints import of_lints
from mutants.rules import of_rules
from mutants.verdicts import of_verdicts

EVERY: Final = (*of_rules(), *of_verdicts(), *of_histories(), *of_lints(), *of_facts())
