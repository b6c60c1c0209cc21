"""Writes the pictures of the documents, `docs/pictures/*.png`, from the demo's runs.

python scripts/pictures.py [DIRECTORY]
"""

from __future__ import annotations

import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import judge_polars as jp
from judge_polars import charts
from judge_polars.charts.look import Chart
from judge_polars.cli.app import run
from judge_polars.sources import Rows

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 60_000
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEPT = (b"IHDR", b"IDAT", b"IEND")


def pictures(history: Rows) -> dict[str, Chart]:
    """Name of a picture -> its chart."""
    run_id = charts.rows.run_to_triage(history)
    return {
        "pass-rate": charts.pass_rate(history.sql("from suite_trends")),
        "cases-by-eval-run": charts.heat_map(charts.rows.case_map(history)),
        "verdict-flow": charts.verdict_flow(charts.rows.comparison(history, run_id)),
    }


def png(chart: Chart) -> bytes:
    """A chart as a small PNG."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chart.png"
        chart.save(path, scale_factor=1.2)
        return compressed(path.read_bytes())


def compressed(image: bytes) -> bytes:
    """A PNG with its pixels as they are, packed as tightly as zlib can."""
    chunks = list(_chunks(image))
    pixels = zlib.decompress(b"".join(content for kind, content in chunks if kind == b"IDAT"))
    contents = {kind: content for kind, content in chunks if kind in _KEPT} | {b"IDAT": zlib.compress(pixels, 9)}
    return _SIGNATURE + b"".join(_chunk(kind, contents[kind]) for kind in _KEPT)


def _chunks(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each part of a PNG."""
    at = len(_SIGNATURE)
    while at < len(image):
        (length,) = struct.unpack_from(">I", image, at)
        yield image[at + 4 : at + 8], image[at + 8 : at + 8 + length]
        at += length + 12


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def main(arguments: list[str]) -> int:
    """Judge the demo's runs and write the pictures; exit code 1 when one is too large."""
    target = Path(arguments[0]) if arguments else ROOT / "docs" / "pictures"
    target.mkdir(parents=True, exist_ok=True)
    evaluation = ROOT / "evaluation"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "history"
        command = ["judge", str(evaluation / "runs"), "--registry", str(evaluation / "regression"), "--quiet"]
        code = run(
            [*command, "--history-dir", str(place), "--output", str(Path(folder) / "verdicts.csv"), "--format", "csv"]
        )
        if code:
            return code
        with jp.open_history(place) as history:
            images = {name: png(chart) for name, chart in pictures(history).items()}
    too_large = {name: len(image) for name, image in images.items() if len(image) > MOST_BYTES}
    for name, image in images.items():
        (target / f"{name}.png").write_bytes(image)
    sys.stderr.write("".join(f"{name}.png: {len(image):,} bytes\n" for name, image in images.items()))
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
