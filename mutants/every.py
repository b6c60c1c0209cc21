"""Every mutant."""

from __future__ import annotations

from typing import Final

from mutants.fact_rules import of_fact_rules
from mutants.facts import of_facts
from mutants.histories import of_histories
from mutants.lints import of_lints
from mutants.methods import of_methods
from mutants.text_rules import of_text_rules
from mutants.value_rules import of_value_rules
from mutants.verdicts import of_verdicts

_OF_RULES: Final = (*of_methods(), *of_fact_rules(), *of_value_rules(), *of_text_rules())
EVERY: Final = (*_OF_RULES, *of_verdicts(), *of_histories(), *of_lints(), *of_facts())
