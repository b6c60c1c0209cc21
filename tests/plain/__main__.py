"""`python -m tests.plain RUNS --registry DIR`: the lines of `judge --format jsonl --facts --issues`."""

import argparse
import json
import sys
from pathlib import Path

from tests.plain.judge import judge


def main() -> int:
    """Print one JSON object per case run on standard output."""
    parser = argparse.ArgumentParser(prog="python -m tests.plain", description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--registry", type=Path, required=True)
    options = parser.parse_args()
    for line in judge(options.runs, options.registry):
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
