"""The JSON value of a document whose text was kept (the forms are those of `intake_tables.text_form`)."""

from __future__ import annotations

from judge_polars.bundles.json_text import NoJsonError, parse_json
from judge_polars.bundles.texts import read_json_lines, read_output
from judge_polars.rulebook import Limits

JSON_LINES, OUTPUT = 3, 4


def value_of(form: int, text: str, limits: Limits) -> object:
    """The value that a text of that form was made of; None where it has none."""
    if form == JSON_LINES:
        return read_json_lines(text.encode(), limits.nesting)[2]
    if form == OUTPUT:
        return read_output(text.encode(), limits.nesting)[2]
    try:
        return parse_json(text.encode(), limits.nesting)
    except NoJsonError:
        return None
