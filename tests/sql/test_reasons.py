"""View `reasons`."""

from judge_polars.vocabulary import REASONS
from tests.sql.history_builder import History


def test_are_those_of_the_vocabulary(history: History) -> None:
    assert sorted(reason for (reason,) in history.rows("select reason from reasons")) == sorted(REASONS)


def test_each_has_its_own_words(history: History) -> None:
    words = [meaning for (meaning,) in history.rows("select meaning from reasons")]
    assert all(words)
    assert len(set(words)) == len(words)
