"""The limit probe: the least that any reader of these files must do (specification 90, "Speed and scale")."""

from __future__ import annotations

import os
from pathlib import Path

import orjson


def limit_probe(root: Path) -> int:
    """Walk, read every byte, parse every JSON file, decode every other one; keep nothing.  Returns the bytes read."""
    total = 0
    stack = [str(root)]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                    continue
                descriptor = os.open(entry.path, os.O_RDONLY)
                data = os.read(descriptor, os.fstat(descriptor).st_size)
                os.close(descriptor)
                total += len(data)
                if entry.name.endswith(".json"):
                    orjson.loads(data)
                else:
                    data.decode("utf-8", "replace")
    return total
