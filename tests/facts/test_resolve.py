"""Which of a case run's bundles is judged (specification 20, "Finding the bundle")."""

import polars as pl

from judge_polars.facts.resolve import resolve_bundles


def test_one_row_per_run() -> None:
    runs = pl.DataFrame({"run": [0, 1, 2, 3, 4]}, schema={"run": pl.UInt32})
    bundles = pl.DataFrame(
        {"bundle": [0, 1, 2, 3, 4, 5, 6], "run": [1, 2, 2, 3, 3, 4, 4]}, schema={"bundle": pl.UInt32, "run": pl.UInt32}
    )
    matched = pl.DataFrame(
        {
            "bundle": [0, 1, 2, 3, 4, 5, 6],
            "cluster_matched": [False, True, True, True, True, True, False],
            "window_matched": [False, False, True, True, True, False, True],
        },
        schema={"bundle": pl.UInt32, "cluster_matched": pl.Boolean, "window_matched": pl.Boolean},
    )
    assert resolve_bundles(runs, bundles, matched).rows() == [
        (0, None, "unresolved"),
        (1, 0, "resolved"),  # a lone bundle is the bundle, matching or not
        (2, 2, "resolved"),  # the one of two that matches by both
        (3, None, "ambiguous"),  # both match
        (4, None, "ambiguous"),  # one half each
    ]
