"""Texts inside the workflow commands of GitHub Actions (specification 90, "Security")."""

from __future__ import annotations

import re

from judge_polars.printable import printable


def command_data(text: str) -> str:
    """A text behind the last `::` of a workflow command: what would end the line or begin a command is escaped."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return printable(re.sub(":(?=:)", ": ", escaped))


def command_property(text: str) -> str:
    """A value between the commas of a workflow command."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return printable(escaped.replace(":", "%3A").replace(",", "%2C"))
