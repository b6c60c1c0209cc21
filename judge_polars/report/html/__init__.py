"""The report as one HTML file: no script, nothing loaded, all text escaped and made printable (specification 70, "Report")."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judge_polars.baselines.words import (
    change_words,
    evidence_words,
    heading_words,
    measure_words,
    suite_lines,
    verdict_words,
)
from judge_polars.errors import MissingPieceError
from judge_polars.printable import printable
from judge_polars.report.content import REGRESSED, Report
from judge_polars.report.formats import SYMBOLS
from judge_polars.report.html.charts import count_chart, rate_chart
from judge_polars.report.told import score_words
from judge_polars.report.words import count_words, group_title, rate_words, tally_words
from judge_polars.vocabulary import BUCKETS

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent / "templates"
STATUS_SYMBOLS: Final = {**SYMBOLS, "partial": "◐", "none": "–"}
INSTALL: Final = "pip install 'judge-polars[report]'"


def as_html(report: Report) -> bytes:
    """The whole document, UTF-8.

    Raises:
        MissingPieceError: the extra `report` is not installed.
    """
    page = _environment().get_template("page.html.j2")
    return page.render(
        report=report,
        difference=report.difference,
        rates=rate_chart(report.trends) if report.trends else None,
        counts=count_chart(report.trends) if report.trends else None,
        buckets=BUCKETS,
        regressed=REGRESSED,
    ).encode()


def require_templates() -> None:
    """Raise `MissingPieceError` where the extra `report` is not installed."""
    try:
        import jinja2
    except ImportError as missing:
        raise MissingPieceError(f"an HTML report needs the extra `report`: {INSTALL}") from missing
    del jinja2


@cache
def _environment() -> Environment:
    require_templates()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: object) -> object:
        """Every text that a template shows goes through here, and is escaped afterwards."""
        return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        symbols=STATUS_SYMBOLS,
        style=Markup((TEMPLATES / "style.css").read_text("utf-8")),
        change_words=change_words,
        count_words=count_words,
        evidence_words=evidence_words,
        group_title=group_title,
        heading_words=heading_words,
        measure_words=measure_words,
        rate_words=rate_words,
        score_words=score_words,
        suite_lines=suite_lines,
        tally_words=tally_words,
        verdict_words=verdict_words,
    )
    return environment
