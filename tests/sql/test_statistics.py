"""The macros of statistics against scipy and against counting by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb, sqrt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, fisher_exact, hypergeom, pearsonr

from tests.sql.history_builder import History, new_database

DATABASE = History(new_database())
"""No test here fills a table, so that Hypothesis may share it between examples."""
SMALL = st.integers(0, 30)
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

    @given(trials=st.integers(1, 10**6), share=st.floats(0, 1))
    @settings(max_examples=40)
    def test_like_scipy(self, trials: int, share: float) -> None:
        successes = min(trials, round(trials * share))
        expected = binomtest(successes, trials).proportion_ci(method="wilson")
        [found] = DATABASE.rows("select wilson_low(?, ?), wilson_high(?, ?)", successes, trials, successes, trials)
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


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
            pytest.param((1, 999_999, 9, 999_991), 0.010742033691790772, id="rare among a million"),
            pytest.param((1, 999_999, 0, 5), 1.0, id="a million against five"),
            pytest.param((0, 5, 1_000_000, 0), 0.0, id="five against a million"),
            pytest.param((0, 1_000_000, 1_000_000, 0), 0.0, id="far below the smallest double"),
            pytest.param((1_000_000, 0, 0, 1_000_000), 1.0, id="far above the mean"),
        ],
    )
    def test_known_values(self, table: tuple[int, ...], expected: float) -> None:
        assert value("fisher_less(?, ?, ?, ?)", *table) == pytest.approx(expected, abs=1e-10)

    @given(a=SMALL, b=SMALL, c=SMALL, d=SMALL)
    @settings(max_examples=60)
    def test_like_exact_arithmetic_on_both_sides(self, a: int, b: int, c: int, d: int) -> None:
        """As few successes of a or fewer; and as many or more is as few failures or fewer."""
        n, successes, total = a + b, a + c, a + b + c + d

        def probability(ks: range) -> float:
            ways = sum(comb(successes, k) * comb(total - successes, n - k) for k in ks if n - k >= 0)
            return float(Fraction(ways, comb(total, n)))

        assert value("fisher_less(?, ?, ?, ?)", a, b, c, d) == pytest.approx(probability(range(a + 1)), abs=1e-12)
        assert value("fisher_less(?, ?, ?, ?)", b, a, d, c) == pytest.approx(probability(range(a, n + 1)), abs=1e-12)

    @given(a=st.integers(0, 10**6), b=st.integers(0, 10**6), c=st.integers(0, 10**6), d=st.integers(0, 10**6))
    @settings(max_examples=40)
    def test_huge_counts_like_scipy(self, a: int, b: int, c: int, d: int) -> None:
        expected = hypergeom.cdf(a, a + b + c + d, a + c, a + b) if a + b and c + d else 1.0
        assert value("fisher_less(?, ?, ?, ?)", a, b, c, d) == pytest.approx(expected, rel=1e-6, abs=1e-290)

    def test_an_unknown_count_gives_no_p_value(self) -> None:
        assert value("fisher_less(null, 1, 1, 1)") is None

    @pytest.mark.parametrize(
        ("a", "b", "expected"), [(2, 2, 1 / 6), (2, 3, 1 / 10), (2, 4, 1 / 15), (2, 5, 1 / 21), (3, 3, 1 / 20)]
    )
    def test_least_p_value_that_can_be_reached(self, a: int, b: int, expected: float) -> None:
        assert value("fisher_least(?, ?)", a, b) == pytest.approx(expected, abs=1e-12)
        assert value("fisher_less(0, ?, ?, 0)", a, b) == pytest.approx(expected, abs=1e-12)


class TestHypergeometric:
    @given(n=COUNT, successes=COUNT, rest=COUNT, k=COUNT)
    @settings(max_examples=60)
    def test_distribution_and_ends_like_scipy(self, n: int, successes: int, rest: int, k: int) -> None:
        total = max(1, successes + rest)
        successes, n = min(successes, total), min(n, total)
        law = hypergeom(total, successes, n)
        asked = "hypergeometric_first(k, n, s, t), hypergeometric_last(n, s, t), hypergeometric_at_most(k, n, s, t)"
        [(first, last, at_most)] = DATABASE.rows(
            f"select {asked} from (select ?::bigint as k, ?::bigint as n, ?::bigint as s, ?::bigint as t)",
            k, n, successes, total,
        )  # fmt: skip
        least, most = law.support()
        assert least <= first
        assert last <= most
        assert law.cdf(first - 1) <= 1e-13 * law.cdf(max(k, least)) + 1e-300
        assert law.sf(last) < 1e-13
        assert at_most == pytest.approx(law.cdf(k), rel=1e-8, abs=1e-290)

    @given(n=COUNT, successes=COUNT, rest=COUNT, k=COUNT, other=COUNT)
    @settings(max_examples=30)
    def test_log_weight_is_the_logarithm_of_the_probability_up_to_a_constant(
        self, n: int, successes: int, rest: int, k: int, other: int
    ) -> None:
        rest = max(rest, 1)
        n = min(n, successes + rest)
        least, most = max(0, n - rest), min(n, successes)
        k, other = least + k % (most - least + 1), least + other % (most - least + 1)
        law = hypergeom(successes + rest, successes, n)
        weight = "hypergeometric_log_weight(?, ?, ?, ?)"
        asked = [part for x in (k, other) for part in (x, n, successes, successes + rest)]
        found = value(f"{weight} - {weight}", *asked)
        assert found == pytest.approx(law.logpmf(k) - law.logpmf(other), rel=1e-7, abs=1e-7)

    def test_spread_keeps_sums_short(self) -> None:
        assert value("hypergeometric_spread(1000000, 1000000, 2000000)") == pytest.approx(16 + 8 * 353.55, rel=1e-3)

    @pytest.mark.parametrize("k", [0, 400_000, 499_000, 500_000, 501_000, 1_000_000])
    def test_huge_counts_need_few_terms(self, k: int) -> None:
        arguments = "1000000, 1000000, 2000000"
        terms = value(f"hypergeometric_last({arguments}) - hypergeometric_first(?, {arguments})", k)
        assert terms is not None
        assert terms < 20_000


class TestMcNemar:
    @given(down=COUNT, up=COUNT)
    @settings(max_examples=60)
    def test_like_scipy(self, down: int, up: int) -> None:
        expected = binomtest(min(down, up), down + up).pvalue if down + up else 1.0
        assert value("mcnemar_exact(?, ?)", down, up) == pytest.approx(expected, rel=1e-8, abs=1e-290)

    @given(down=SMALL, up=SMALL)
    @settings(max_examples=40)
    def test_like_exact_arithmetic(self, down: int, up: int) -> None:
        ways = sum(comb(down + up, k) for k in range(min(down, up) + 1))
        expected = min(Fraction(1), Fraction(2 * ways, 2 ** (down + up)))
        assert value("mcnemar_exact(?, ?)", down, up) == pytest.approx(float(expected), abs=1e-12)

    @given(down=st.integers(0, 10**6), up=st.integers(0, 10**6))
    @settings(max_examples=20)
    def test_huge_counts_like_scipy(self, down: int, up: int) -> None:
        expected = min(1.0, 2 * binom.cdf(min(down, up), down + up, 0.5))
        assert value("mcnemar_exact(?, ?)", down, up) == pytest.approx(expected, rel=1e-6, abs=1e-290)

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

    @given(trials=st.integers(1, 400), passed=st.integers(0, 400), k=st.integers(1, 400))
    @settings(max_examples=40)
    def test_like_exact_arithmetic(self, trials: int, passed: int, k: int) -> None:
        passed, k = min(passed, trials), min(k, trials)
        every = float(Fraction(comb(passed, k), comb(trials, k)))
        one = float(1 - Fraction(comb(trials - passed, k), comb(trials, k)))
        assert value("pass_hat_k(?, ?, ?)", trials, passed, k) == pytest.approx(every, rel=1e-9, abs=1e-300)
        assert value("pass_at_k(?, ?, ?)", trials, passed, k) == pytest.approx(one, abs=1e-12)

    @pytest.mark.parametrize("k", [1, 2, 1000])
    def test_where_all_or_none_pass_there_is_no_doubt(self, k: int) -> None:
        trials = 1_000_000
        asked = "pass_at_k(?, ?, ?), pass_hat_k(?, ?, ?)"
        assert DATABASE.rows(f"select {asked}", *[trials, trials, k] * 2) == [(1.0, 1.0)]
        assert DATABASE.rows(f"select {asked}", *[trials, 0, k] * 2) == [(0.0, 0.0)]

    def test_without_trials_there_is_no_estimate(self) -> None:
        assert DATABASE.rows("select pass_at_k(0, 0, 1), pass_hat_k(0, 0, 1)") == [(None, None)]

    def test_many_trials(self) -> None:
        assert value("pass_hat_k(1000, 999, 500)") == pytest.approx(0.5, abs=1e-12)


class TestAgreement:
    """`phi_coefficient` and `cohen_kappa` of the counts (both yes, only a, only b, neither)."""

    @given(counts=st.lists(st.integers(0, 40), min_size=4, max_size=4))
    @settings(max_examples=80)
    def test_like_counting_pairs(self, counts: list[int]) -> None:
        """Phi is the correlation of the two answers, kappa the agreement beyond that of independent ones."""
        both, only_a, only_b, neither = counts
        a = [1] * (both + only_a) + [0] * (only_b + neither)
        b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
        found = DATABASE.rows("select phi_coefficient(?, ?, ?, ?), cohen_kappa(?, ?, ?, ?)", *counts, *counts)
        phi = pearsonr(a, b).statistic if len(set(a)) == len(set(b)) == 2 else None
        kappa = None
        if a:
            n, yes_a, yes_b = len(a), sum(a), sum(b)
            by_chance = Fraction(yes_a * yes_b + (n - yes_a) * (n - yes_b), n * n)
            observed = Fraction(both + neither, n)
            kappa = None if by_chance == 1 else float((observed - by_chance) / (1 - by_chance))
        assert found == [(_near(phi), _near(kappa))]

    @pytest.mark.parametrize(
        ("counts", "phi", "kappa"),
        [
            pytest.param((0, 0, 0, 0), None, None, id="nothing"),
            pytest.param((5, 0, 0, 0), None, None, id="both always yes"),
            pytest.param((0, 5, 0, 0), None, 0.0, id="always apart, one way"),
            pytest.param((0, 5, 5, 0), -1.0, -1.0, id="always apart, both ways"),
            pytest.param((5, 0, 0, 5), 1.0, 1.0, id="always alike"),
            pytest.param((5, 5, 5, 5), 0.0, 0.0, id="by chance"),
            pytest.param((20, 5, 10, 15), 10 / sqrt(600), 0.4, id="an example of Cohen's kappa"),
            pytest.param((10**6, 0, 0, 10**6), 1.0, 1.0, id="a million each"),
            pytest.param((10**9, 1, 1, 10**9), 1 - 2e-9, 1 - 2e-9, id="thousand millions"),
        ],
    )
    def test_known_values(self, counts: tuple[int, ...], phi: float | None, kappa: float | None) -> None:
        found = DATABASE.rows("select phi_coefficient(?, ?, ?, ?), cohen_kappa(?, ?, ?, ?)", *counts, *counts)
        assert found == [(_near(phi), _near(kappa))]


def _near(expected: float | None) -> object:
    return None if expected is None else pytest.approx(expected, abs=1e-10)


class TestScoreTolerance:
    def test_is_five_points_where_nothing_is_said(self) -> None:
        assert value("score_tolerance()") == 5.0

    def test_is_what_the_session_says(self) -> None:
        DATABASE.con.execute("set variable score_tolerance = 2")
        assert value("score_tolerance()") == 2.0
        DATABASE.con.execute("reset variable score_tolerance")
        assert value("score_tolerance()") == 5.0


def word(expression: str) -> object:
    """The value of an SQL expression that gives a text."""
    (found,) = DATABASE.rows(f"select {expression}")[0]
    return found


@pytest.mark.parametrize(
    ("now", "before", "score_now", "score_before", "change"),
    [
        ("fail", "pass", "90", "10", "regressed"),
        ("invalid", "fail", "null", "10", "regressed"),
        ("pass", "fail", "10", "90", "improved"),
        ("fail", "invalid", "10", "null", "improved"),
        ("pass", "pass", "84.9", "90", "score_dropped"),
        ("pass", "pass", "85", "90", "unchanged"),
        ("fail", "fail", "95", "90", "unchanged"),
        ("fail", "fail", "95.1", "90", "score_raised"),
        ("invalid", "invalid", "null", "null", "unchanged"),
    ],
)
def test_verdict_change(now: str, before: str, score_now: str, score_before: str, change: str) -> None:
    assert word(f"verdict_change('{now}', '{before}', {score_now}, {score_before})") == change


@pytest.mark.parametrize(
    ("trials", "before", "p_value", "evidence"),
    [
        (1, 9, "null", "single_trial"),
        (9, 1, "null", "single_trial"),
        (2, 2, "0.1667", "underpowered"),
        (2, 4, "0.0667", "underpowered"),
        (2, 5, "0.0476", "significant"),
        (3, 3, "0.05", "significant"),
        (3, 3, "0.0501", "within_noise"),
        (3, 3, "0.5", "within_noise"),
    ],
)
def test_trial_evidence(trials: int, before: int, p_value: str, evidence: str) -> None:
    assert word(f"trial_evidence({trials}, {before}, {p_value})") == evidence


@pytest.mark.parametrize(
    ("passed", "comparable", "stability"),
    [
        ("0", "0", "not_comparable"),
        ("3", "3", "always_pass"),
        ("0", "3", "always_fail"),
        ("1", "3", "mixed"),
        ("1", "null", "mixed"),
        ("0", "null", "always_fail"),
        ("null", "null", None),
    ],
)
def test_trial_stability(passed: str, comparable: str, stability: str | None) -> None:
    assert word(f"trial_stability({passed}, {comparable})") == stability


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
        " pass_at_k(3, 1, 2), pass_hat_k(3, 1, 1), part_score(10::double, 1::double, 2::double), score_tolerance(),"
        " phi_coefficient(1, 2, 3, 4), cohen_kappa(1, 2, 3, 4), hypergeometric_at_most(1, 2, 3, 4)"
    )
    assert set(frame.dtypes) == {pl.Float64()}
