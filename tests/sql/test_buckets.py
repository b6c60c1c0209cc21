"""Table `buckets`."""

from judge_polars.vocabulary import BUCKETS
from tests.sql.history_builder import History


def test_are_those_of_the_vocabulary_in_its_order(history: History) -> None:
    assert history.rows("select bucket, position from buckets order by position") == [
        (bucket, place) for place, bucket in enumerate(BUCKETS, start=1)
    ]
