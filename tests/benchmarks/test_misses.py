"""What `make bench` says of the rows that do not hold."""

from benchmarks.misses import KNOWN, what_does_not_hold
from benchmarks.rows import TARGETS, Measured


def test_nothing_is_said_where_all_rows_hold() -> None:
    assert what_does_not_hold([Measured("cases", "a", 1.1, "≤ 1.3"), Measured("views", "base", 9.0)]) == ""


def test_each_row_that_misses_is_named_with_how_much_and_why() -> None:
    rows = [
        Measured("views", "`verdicts`, whole", 30.0, "≤ 20"),
        Measured("views", "`failures`, whole", 19.0, "≤ 20"),
        Measured("checks", "1,000 × 20", 0.5, "≥ 5"),
    ]
    checks, views = what_does_not_hold(rows).split("\n\n**")
    assert "- 1,000 × 20: 0.5, asked ≥ 5, short by a factor of 10" in checks
    assert KNOWN["checks"].why in checks
    assert "- `verdicts`, whole: 30, asked ≤ 20, short by a factor of 1.5" in views
    assert KNOWN["views"].tried in views
    assert "failures" not in views


def test_only_stages_that_there_are_have_something_known() -> None:
    assert set(KNOWN) <= {target.name for target in TARGETS}
