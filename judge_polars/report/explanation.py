"""Explanations as plain text, Markdown, JSON and HTML (the coloured one for terminals is in `cli/`)."""

from __future__ import annotations

import html
import textwrap
from typing import TYPE_CHECKING, Final

import orjson

from judge_polars.printable import markdown_cell
from judge_polars.report import outline
from judge_polars.report.outline import Line

if TYPE_CHECKING:
    from judge_polars.explain import Explanation

_COLORS: Final = {outline.GOOD: "#2a9d55", outline.BAD: "#d1495b", outline.ODD: "#8a6d1a", outline.FAINT: "#6b7280"}
_TEXT_WIDTH: Final = 100


def as_text(told: Explanation, width: int = _TEXT_WIDTH) -> str:
    """Indented lines of at most so many characters."""
    lines: list[str] = []
    for line in outline.outline(told):
        if line.role == outline.HEADING:
            lines.append("")
        lines += wrapped(line, width) or [""]
    return "\n".join(lines) + "\n"


def wrapped(line: Line, width: int) -> list[str]:
    """One line cut to lines of a width, those that follow indented a little more."""
    indent = "  " * line.level
    text = f"│ {line.text}" if line.role == outline.QUOTE else line.text
    return textwrap.wrap(
        text,
        max(width, len(indent) + 20),
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
    )


def as_markdown(told: Explanation) -> bytes:
    """Headings and nested lists; everything that came from a run is escaped."""
    parts: list[str] = []
    for line in outline.outline(told):
        text = markdown_cell(line.text.removeprefix(outline.BULLET))
        if line.role == outline.TITLE:
            parts.append(f"# {text}\n")
        elif line.role == outline.HEADING:
            parts.append(f"\n## {text}\n")
        elif line.level == 0:
            parts.append(f"{text}\n")
        else:
            quoted = f"“{text}”" if line.role == outline.QUOTE else text
            parts.append("  " * (line.level - 1) + f"- {quoted}")
    return ("\n".join(parts) + "\n").encode()


def as_json(told: Explanation) -> bytes:
    """One object with all that the explanation holds."""
    return orjson.dumps(told.as_record(), option=orjson.OPT_INDENT_2) + b"\n"


def as_html(told: Explanation) -> str:
    """A part of a page: no script, no style sheet, all text escaped; readable on light and on dark."""
    parts = ['<div style="font-family:ui-monospace,monospace;font-size:0.9em;line-height:1.45">']
    for line in outline.outline(told):
        color = _COLORS.get(line.role)
        style = f"margin-left:{1.5 * line.level}em" + (f";color:{color}" if color else "")
        text = html.escape(line.text)
        if line.role == outline.QUOTE:
            text = f"<q>{text}</q>"
        tag = {outline.TITLE: "h3", outline.HEADING: "h4"}.get(line.role, "div")
        parts.append(f'<{tag} style="{style}">{text}</{tag}>')
    return "\n".join([*parts, "</div>"])
