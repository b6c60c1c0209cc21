"""Mutants of whole rule methods, and where the methods are and what tests them (specification 40)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judge_polars.vocabulary import METHODS, REASON_CODES, TRUE_CODE
from mutants.mutant import Mutant
from mutants.selections import vectors

ON_SERIES: Final = "judge_polars/rules/on_series.py"
ON_JSON: Final = "judge_polars/rules/on_json.py"
ON_TEXT: Final = "judge_polars/rules/on_text.py"
ON_ASSERTIONS: Final = "judge_polars/rules/on_assertions.py"

OF_SERIES: Final = ("tests/rules/test_on_series.py", *vectors(35, 36, 37, 38, 39, 40, 41, 42, 43, 160, 209, 211))
OF_JSON: Final = ("tests/rules/test_on_json.py", *vectors(8, 9, 10, 23, 24, 25, 31, 32, 33, 34, 159, 161, 208))
OF_TEXT: Final = ("tests/rules/test_on_text.py", *vectors(1, 2, 3, 4, 5, 6, 7, 11, 12, 27, 154, 157, 210, 216))
OF_ASSERTIONS: Final = (*vectors(13, 14, 15, 200, 202, 203, 205, 206, 207), "tests/rules/test_on_assertions.py")

_FILE_OF: Final = {"numeric": ON_SERIES, "keyword": ON_TEXT, "regex": ON_TEXT, "asserted": ON_ASSERTIONS}
_FILE_OF_OTHERS: Final = {"claimed": ON_ASSERTIONS, "denied": ON_ASSERTIONS, "json": ON_JSON, "artifact": ON_JSON}
_RESULTS: Final = {
    ON_SERIES: (
        "return _codes(asked, documents, _selecting(wanted, shard), sums, true)",
        "enumerate(rules)",
        OF_SERIES,
    ),
    ON_JSON: ("return _codes(asked, documents, selecting, true, chosen)", "enumerate(rules)", OF_JSON),
    ON_TEXT: ('return RULE_RESULTS.check(tally.select("run", "rule", code=_code()))', "enumerate(rules)", OF_TEXT),
    ON_ASSERTIONS: (
        'return RULE_RESULTS.check(tally.select("run", "rule", code=_code()))',
        "enumerate(rules)",
        OF_ASSERTIONS,
    ),
}
"""File of methods -> where its codes are ready, the numbered rules, and the tests."""


def of_methods() -> Iterator[Mutant]:
    """Each method as one that is never true, and as one that always is."""
    for method in METHODS:
        family = method.partition("_")[0]
        file = (_FILE_OF | _FILE_OF_OTHERS)[family]
        ready, numbered, tests = _RESULTS[file]
        chosen = f'pl.col("rule").is_in(pl.Series([i for i, r in {numbered} if r.method == "{method}"]).implode())'
        for how, code in (("never", REASON_CODES["not_matched"]), ("always", TRUE_CODE)):
            when = chosen if how == "always" else f'{chosen} & (pl.col("code") == {TRUE_CODE})'
            changed = f'.with_columns(code=pl.when({when}).then(pl.lit({code}, pl.UInt8)).otherwise("code"))'
            yield Mutant(f"{method}/{how}", file, ready, ready + changed, tests)
