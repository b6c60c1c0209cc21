"""Charts as pictures for tests: the pixels of a PNG, the words of an SVG."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import vl_convert

Pixels = np.ndarray[Any, np.dtype[np.uint8]]


def pixels(chart: Any, folder: Path, scale: float = 1.0) -> Pixels:
    """A chart as PNG, read back: height × width × 4 (red, green, blue, alpha)."""
    path = folder / "chart.png"
    chart.save(path, scale_factor=scale)
    image = path.read_bytes()
    width, height, depth, kind = struct.unpack_from(">IIBB", image, 16)
    assert (depth, kind) == (8, 6), "not 8 bits of red, green, blue, alpha"
    at, packed = 8, b""
    while at < len(image):
        (length,) = struct.unpack_from(">I", image, at)
        packed += image[at + 8 : at + 8 + length] if image[at + 4 : at + 8] == b"IDAT" else b""
        at += length + 12
    lines = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + 4 * width)
    return _unfiltered(lines, width)


def _unfiltered(lines: Pixels, width: int) -> Pixels:
    """PNG's line filters undone (Portable Network Graphics Specification, section 9)."""
    shown = np.zeros((len(lines) + 1, width + 1, 4), dtype=np.int16)
    for number, line in enumerate(lines, start=1):
        kind, raw = line[0], line[1:].reshape(width, 4).astype(np.int16)
        above = shown[number - 1]
        if kind == 0:
            shown[number, 1:] = raw
        elif kind == 1:
            shown[number, 1:] = np.cumsum(raw, axis=0, dtype=np.int64) % 256
        elif kind == 2:
            shown[number, 1:] = (raw + above[1:]) % 256
        else:
            for at in range(1, width + 1):
                left, up, corner = shown[number, at - 1], above[at], above[at - 1]
                guess = (left + up) // 2 if kind == 3 else _paeth(left, up, corner)
                shown[number, at] = (raw[at - 1] + guess) % 256
    return shown[1:, 1:].astype(np.uint8)


def _paeth(left: Any, up: Any, corner: Any) -> Any:
    distances = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
    first = (distances[0] <= distances[1]) & (distances[0] <= distances[2])
    return np.where(first, left, np.where(distances[1] <= distances[2], up, corner))


def colors(image: Pixels) -> set[str]:
    """The colours of a picture, as `#rrggbb`."""
    flat = np.unique(image[:, :, :3].reshape(-1, 3), axis=0)
    return {f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in flat.tolist()}


def words(chart: Any) -> list[str]:
    """The texts of a chart as SVG, which must be XML without scripts and links."""
    tree = ElementTree.fromstring(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[]))
    names = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert not names & {"script", "a", "image", "foreignObject"}
    return [element.text for element in tree.iter() if element.tag.endswith(("}text", "}tspan")) and element.text]
