"""Writes the pictures of the documents, `docs/pictures/*.png`, from the demo's runs.

The one of the report takes Chromium; without it that picture stays as it is.

python scripts/pictures.py [DIRECTORY]
"""

from __future__ import annotations

import shutil
import struct
import subprocess
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
MOST_BYTES = 200_000
REPORTED = "2025-03-05-nightly"
WIDTH, HEIGHT = 1100, 940
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
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


def report_picture(folder: Path, history: Path, registry: Path) -> bytes | None:
    """The upper part of the report on an eval run that got worse; None without a browser."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        sys.stderr.write("report.png stays as it is: no Chromium here\n")
        return None
    page, image = folder / "report.html", folder / "report.png"
    places = ["--history-dir", str(history), "--registry", str(registry)]
    if run(["report", REPORTED, "--quiet", *places, "-o", str(page)]):
        return None
    window = [f"--window-size={WIDTH},{HEIGHT}", "--hide-scrollbars", f"--screenshot={image}"]
    own = [f"--user-data-dir={folder / 'profile'}", "--headless", "--no-sandbox", "--disable-gpu"]
    subprocess.run([browser, *own, *window, page.as_uri()], check=True, capture_output=True, timeout=120)
    return compressed(image.read_bytes())


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
        report = report_picture(Path(folder), place, evaluation / "regression")
        if report is not None:
            images["report"] = report
    too_large = {name: len(image) for name, image in images.items() if len(image) > MOST_BYTES}
    for name, image in images.items():
        (target / f"{name}.png").write_bytes(image)
    sys.stderr.write("".join(f"{name}.png: {len(image):,} bytes\n" for name, image in images.items()))
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
