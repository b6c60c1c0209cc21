"""Two results of `python -m benchmarks -o`, side by side: `python -m benchmarks.compare A.json B.json`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rows import Measured, from_data


def comparison(before: Sequence[Measured], after: Sequence[Measured]) -> str:
    """A Markdown table of the figures of both, and of their ratio; what only one of them has is left out."""
    known = {(row.target, row.what): row for row in before}
    lines = ["| row | what | before | after | after ÷ before | asked |", "| --- | --- | ---: | ---: | ---: | --- |"]
    for row in after:
        former = known.get((row.target, row.what))
        if former is not None:
            ratio = f"{row.value / former.value:.2f}" if former.value else ""
            cells = (row.target, row.what, f"{former.value:,.3g}", f"{row.value:,.3g}", ratio, row.bound)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    options = parser.parse_args()
    before, after = (from_data(json.loads(path.read_text("utf-8"))) for path in (options.before, options.after))
    print(comparison(before, after))


if __name__ == "__main__":
    main()
