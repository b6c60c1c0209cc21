"""The macros of statistics against scipy and against counting by hand."""

from __future__ import annotations

from itertools import combinations, product
from math import comb, sqrt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact, hypergeom

from tests.sql.history_builder import History, new_database

DATABASE = History(new_database())
"""No test here fills a table, so that Hypothesis may share it between examples."""
COUNT = st.one_of(st.integers(0, 12), st.integers(0, 3000))


def value(expression: str, *parameters: object) -> float | None:
    found: float | None = DATABASE.value(expression, *parameters)
    return found


@given(n=st.integers(0, 400), k=st.integers(0, 400))
@settings(max_examples=30)
def test_log_choose_is_the_logarithm_of_the_binomial_coefficient(n: int, k: int) -> None:
    k = min(n, k)
    found = DATABASE.value("exp(log_choose(?, ?))", n, k)
    assert found == pytest.approx(comb(n, k), rel=1e-11)


class TestWilson:
    def test_no_trials_give_no_interval(self) -> None:
        asked = "wilson_low(0, 0), wilson_high(0, 0), wilson_low(null, null), wilson_high(null, null)"
        assert DATABASE.rows(f"select {asked}") == [(None,) * 4]

    @pytest.mark.parametrize(
        ("successes", "trials", "low", "high"),
        [
            pytest.param(1, 1, 0.2065493143772375, 1.0, id="one of one"),
            pytest.param(0, 1, 0.0, 0.7934506856227625, id="none of one"),
            pytest.param(5, 10, 0.2365930905125640, 0.7634069094874360, id="half"),
            pytest.param(10, 10, 0.7224672001371107, 1.0, id="all"),
            pytest.param(0, 10, 0.0, 0.2775327998628892, id="none"),
        ],
    )
    def test_known_intervals(self, successes: int, trials: int, low: float, high: float) -> None:
        found = DATABASE.rows("select wilson_low(?, ?), wilson_high(?, ?)", successes, trials, successes, trials)
        assert found == [pytest.approx((low, high), abs=1e-12)]

    @given(trials=st.integers(1, 10**9), share=st.floats(0, 1))
    @settings(max_examples=40)
    def test_formula(self, trials: int, share: float) -> None:
        successes = min(trials, round(trials * share))
        z, p = 1.959963984540054, successes / trials
        centre, half = p + z * z / (2 * trials), z * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
        low, high = ((centre + sign * half) / (1 + z * z / trials) for sign in (-1, 1))
        [found] = DATABASE.rows("select wilson_low(?, ?), wilson_high(?, ?)", successes, trials, successes, trials)
        assert found == pytest.approx((max(0.0, low), min(1.0, high)), abs=1e-9)
        assert 0 <= found[0] <= p <= found[1] <= 1


class TestFisher:
    @given(a=COUNT, b=COUNT, c=COUNT, d=COUNT)
    @settings(max_examples=80)
    def test_like_scipy(self, a: int, b: int, c: int, d: int) -> None:
        expected = fisher_exact([[a, b], [c, d]], "less")[1] if a + b and c + d else 1.0
        assert value("fisher_less(?, ?, ?, ?)", a, b, c, d) == pytest.approx(expected, rel=1e-8, abs=1e-290)

    def test_every_small_table(self) -> None:
        """All tables with up to 4 trials a side, by counting the ways to draw at most that few successes."""
        tables = [
            (a, n - a, c, m - c) for n, m in product(range(1, 5), repeat=2) for a in range(n + 1) for c in range(m + 1)
        ]
        found = DATABASE.rows(
            f"select a, b, c, d, fisher_less(a, b, c, d) from (values {', '.join(map(str, tables))}) as t (a, b, c, d)"
        )
        for a, b, c, d, p in found:
            marbles = [1] * (a + c) + [0] * (b + d)
            draws = [sum(marbles[i] for i in draw) for draw in combinations(range(len(marbles)), a + b)]
            assert p == pytest.approx(sum(drawn <= a for drawn in draws) / len(draws), abs=1e-13)

    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            pytest.param((0, 3, 3, 0), 0.05, id="3 against 3"),
            pytest.param((3, 0, 0, 3), 1.0, id="better is never significant"),
            pytest.param((0, 0, 3, 0), 1.0, id="no trials here"),
            pytest.param((3, 0, 0, 0), 1.0, id="no trials there"),
            pytest.param((0, 0, 0, 0), 1.0, id="no trials at all"),
            pytest.param((5, 0, 5, 0), 1.0, id="all pass"),
            pytest.param((0, 5, 0, 5), 1.0, id="none passes"),
            pytest.param((500_000, 500_000, 501_000, 499_000), 0.0788572524348833, id="a million each"),
            pytest.param((0, 1_000_000, 1_000_000, 0), 0.0, id="far below the smallest double"),
            pytest.param((1_000_000, 0, 0, 1_000_000), 1.0, id="far above the mean"),
        ],
    )
    def test_known_values(self, table: tuple[int, ...], expected: float) -> None:
        assert value("fisher_less(?, ?, ?, ?)", *table) == pytest.approx(expected, abs=1e-10)

    @pytest.mark.parametrize(
        ("a", "b", "expected"), [(2, 2, 1 / 6), (2, 3, 1 / 10), (2, 4, 1 / 15), (2, 5, 1 / 21), (3, 3, 1 / 20)]
    )
    def test_least_p_value_that_can_be_reached(self, a: int, b: int, expected: float) -> None:
        assert value("fisher_least(?, ?)", a, b) == pytest.approx(expected, abs=1e-12)
        assert value("fisher_less(0, ?, ?, 0)", a, b) == pytest.approx(expected, abs=1e-12)


class TestHypergeometric:
    @given(n=COUNT, successes=COUNT, rest=COUNT, k=COUNT)
    @settings(max_examples=60)
    def test_sum_and_ends_like_scipy(self, n: int, successes: int, rest: int, k: int) -> None:
        total = max(1, successes + rest)
        successes, n = min(successes, total), min(n, total)
        law = hypergeom(total, successes, n)
        asked = "hypergeometric_first(n, s, t), hypergeometric_last(n, s, t), hypergeometric_at_most(k, n, s, t)"
        [(first, last, at_most)] = DATABASE.rows(
            f"select {asked} from (select ?::bigint as k, ?::bigint as n, ?::bigint as s, ?::bigint as t)",
            k, n, successes, total,
        )  # fmt: skip
        least, most = law.support()
        assert least <= first <= last <= most
        assert law.cdf(first - 1) < 1e-300
        assert law.sf(last) < 1e-300
        assert at_most == pytest.approx(law.cdf(k), rel=1e-8, abs=1e-290)

    def test_of_nothing_between_the_ends_is_zero(self) -> None:
        assert value("hypergeometric_sum(3, 2, 5, 5, 10)") == 0.0

    def test_spread_keeps_sums_short(self) -> None:
        assert value("hypergeometric_spread(1000000, 1000000, 2000000)") == pytest.approx(60 + 60 * 353.55, rel=1e-3)


class TestMcNemar:
    @given(down=COUNT, up=COUNT)
    @settings(max_examples=60)
    def test_like_scipy(self, down: int, up: int) -> None:
        expected = binomtest(min(down, up), down + up).pvalue if down + up else 1.0
        assert value("mcnemar_exact(?, ?)", down, up) == pytest.approx(expected, rel=1e-8, abs=1e-290)

    @pytest.mark.parametrize(
        ("down", "up", "expected"),
        [(0, 0, 1.0), (1, 0, 1.0), (0, 5, 0.0625), (6, 0, 0.03125), (3, 3, 1.0), (500_000, 499_000, 0.317552599673747)],
    )
    def test_known_values(self, down: int, up: int, expected: float) -> None:
        assert value("mcnemar_exact(?, ?)", down, up) == pytest.approx(expected, abs=1e-8)


class TestPassK:
    def test_by_drawing_every_subset(self) -> None:
        cases = [(n, c, k) for n in range(1, 7) for c in range(n + 1) for k in range(1, n + 1)]
        found = DATABASE.rows(
            "select n, c, k, pass_at_k(n, c, k), pass_hat_k(n, c, k)"
            f" from (values {', '.join(map(str, cases))}) as t (n, c, k)"
        )
        for n, c, k, one, every in found:
            draws = list(combinations([True] * c + [False] * (n - c), k))
            assert one == pytest.approx(sum(map(any, draws)) / len(draws), abs=1e-12)
            assert every == pytest.approx(sum(map(all, draws)) / len(draws), abs=1e-12)

    def test_more_than_the_trials_is_unknown(self) -> None:
        assert DATABASE.rows("select pass_at_k(3, 1, 4), pass_hat_k(3, 1, 4)") == [(None, None)]

    def test_many_trials(self) -> None:
        assert value("pass_hat_k(1000, 999, 500)") == pytest.approx(0.5, abs=1e-12)


class TestScoreTolerance:
    def test_is_five_points_where_nothing_is_said(self) -> None:
        assert value("score_tolerance()") == 5.0

    def test_is_what_the_session_says(self) -> None:
        DATABASE.con.execute("set variable score_tolerance = 2")
        assert value("score_tolerance()") == 2.0
        DATABASE.con.execute("reset variable score_tolerance")
        assert value("score_tolerance()") == 5.0


class TestPartScore:
    @pytest.mark.parametrize(
        ("max_score", "failed", "whole", "expected"),
        [
            pytest.param(10.0, 1.0, 4.0, 7.5, id="a quarter failed"),
            pytest.param(10.0, None, 4.0, 10.0, id="nothing failed"),
            pytest.param(10.0, 4.0, 4.0, 0.0, id="all failed"),
            pytest.param(10.0, None, 0.0, 10.0, id="no check: full"),
            pytest.param(None, 1.0, 4.0, None, id="not scored"),
        ],
    )
    def test_is_the_share_that_did_not_fail(
        self, max_score: float | None, failed: float | None, whole: float, expected: float | None
    ) -> None:
        found = value("part_score(?::double, ?::double, ?::double)", max_score, failed, whole)
        assert found == expected


def test_results_are_doubles() -> None:
    frame = DATABASE.frame(
        "select wilson_low(1, 2), wilson_high(1, 2), fisher_less(1, 2, 3, 4), fisher_least(2, 2), mcnemar_exact(1, 2),"
        " pass_at_k(3, 1, 2), pass_hat_k(3, 1, 1), part_score(10::double, 1::double, 2::double), score_tolerance()"
    )
    assert set(frame.dtypes) == {pl.Float64()}
