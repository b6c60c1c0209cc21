#!/usr/bin/env python3
"""Compares what a judge says about the conformance vectors with what they expect.

    check_vectors.py DIR --judge 'judge-polars judge {runs} --registry {registry} --no-history --format jsonl --facts --issues'

DIR holds one directory per vector (or is one vector).  The command is run once per vector; {runs} and {registry} stand for the vector's
directories.  Its standard output is read as JSON Lines.  Standard library only.  Exit code: 0 all passed, 1 some failed, 2 wrong usage.
"""

import argparse
import json
import math
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

BUCKETS = [
    "contract",
    "workflow",
    "execution_contract",
    "evidence_collection",
    "critical_evidence",
    "evidence_routing",
    "diagnosis",
]
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")


def instant(text):
    """The instant that an RFC 3339 text names, to the microsecond, or None."""
    if not isinstance(text, str) or not TIME.match(text):
        return None
    text = re.sub(r"\.(\d{1,6})\d*", lambda found: "." + found[1].ljust(6, "0"), text).replace("Z", "+00:00")
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return None


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same_scalar(wanted, found):
    if number(wanted) and number(found):
        return wanted == found or math.isclose(wanted, found, rel_tol=1e-9, abs_tol=1e-9)
    if type(wanted) is not type(found):
        return False
    if wanted == found:
        return True
    return isinstance(wanted, str) and instant(wanted) is not None and instant(wanted) == instant(found)


def show(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."


def differences(wanted, found, at):
    """Where `found` lacks or contradicts `wanted`, one text each."""
    if isinstance(wanted, dict):
        if not isinstance(found, dict):
            return [f"{at}: wanted an object, found {show(found)}"]
        if not wanted and found:
            return [f"{at}: wanted {{}}, found {show(found)}"]
        out = []
        for key, value in wanted.items():
            if key not in found:
                out.append(f"{at}.{key}: missing, wanted {show(value)}")
            else:
                out += differences(value, found[key], f"{at}.{key}")
        return out
    if isinstance(wanted, list):
        if not isinstance(found, list):
            return [f"{at}: wanted a list, found {show(found)}"]
        if len(wanted) != len(found):
            return [f"{at}: wanted {show(wanted)}, found {show(found)}"]
        return [d for i, (w, f) in enumerate(zip(wanted, found)) for d in differences(w, f, f"{at}[{i}]")]
    return [] if same_scalar(wanted, found) else [f"{at}: wanted {show(wanted)}, found {show(found)}"]


def differences_of_checks(wanted, found):
    if not wanted:
        return [f"checks: wanted [], found {len(found)} checks"] if found else []
    places = {(c.get("bucket"), c.get("layer"), c.get("id")): place for place, c in enumerate(found)}
    out, last = [], -1
    for check in wanted:
        key = (check.get("bucket"), check.get("layer"), check["id"])
        name = "checks." + "/".join(str(part) for part in key if part)
        if key not in places:
            out.append(f"{name}: missing")
            continue
        out += differences(check, found[places[key]], name)
        if places[key] < last:
            out.append(f"{name}: stands too early")
        last = max(last, places[key])
    return out


def differences_of_issues(wanted, found):
    out = []
    for issue in wanted:
        fields = {k: v for k, v in issue.items() if k != "$count"}
        fitting = sum(not differences(fields, f, "") for f in found)
        if fitting == 0 or fitting != issue.get("$count", fitting):
            out.append(f"issues: {fitting} are {show(issue)}")
    return out


def order_of(line):
    """What is out of order in a line, whatever is expected of it."""
    out = []
    buckets = [name for name in line.get("buckets") or {} if name in BUCKETS]
    if buckets != sorted(buckets, key=BUCKETS.index):
        out.append(f"buckets: out of order: {buckets}")
    of_checks = [BUCKETS.index(c["bucket"]) for c in line.get("checks") or [] if c.get("bucket") in BUCKETS]
    if of_checks != sorted(of_checks):
        out.append("checks: the buckets are out of order")
    issues = [
        (i.get("document") is not None, i.get("document") or "", i.get("code") or "", i.get("detail") or "")
        for i in line.get("issues") or []
    ]
    if issues != sorted(issues):
        out.append("issues: out of order")
    return out


def differences_of_line(wanted, lines):
    key = wanted["case_run_id"]
    found = [line for line in lines if line.get("case_run_id") == key]
    if wanted.get("$absent"):
        return [f"{key}: there should be no such line"] if found else []
    if len(found) != 1:
        return [f"{key}: {len(found)} lines, wanted one"]
    out = []
    for field, value in wanted.items():
        if field not in found[0]:
            out.append(f"{field}: missing")
        elif field == "checks":
            out += differences_of_checks(value, found[0][field] or [])
        elif field == "issues":
            out += differences_of_issues(value, found[0][field] or [])
        else:
            out += differences(value, found[0][field], field)
    return [f"{key}: {text}" for text in out + order_of(found[0])]


def parse_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def check(vector, command, timeout):
    """What is wrong with one vector: a list of texts, empty when it passed."""
    words = [
        w.replace("{runs}", str(vector / "runs")).replace("{registry}", str(vector / "registry"))
        for w in shlex.split(command)
    ]
    try:
        done = subprocess.run(words, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return [f"no answer within {timeout} s"]
    problem = done.stderr.decode("utf-8", "replace").strip()[-600:]
    if done.returncode not in (0, 1):
        return [f"exit code {done.returncode}: {problem}"]
    try:
        lines = parse_lines(done.stdout.decode("utf-8"))
    except (UnicodeDecodeError, ValueError) as error:
        return [f"standard output is no JSON Lines: {error}; {problem}"]
    wanted = parse_lines((vector / "expected.jsonl").read_text("utf-8"))
    order = [
        (str(line.get("eval_run_id")), str(line.get("case_id")), line.get("trial"))
        for line in lines
        if isinstance(line.get("trial"), int)
    ]
    out = ["the lines are not in the order of eval run id, case id, trial number"] if order != sorted(order) else []
    return out + [text for line in wanted for text in differences_of_line(line, lines)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, metavar="DIR")
    parser.add_argument("--judge", required=True, metavar="COMMAND", help="with {runs} and {registry}")
    parser.add_argument("--only", metavar="TEXT", help="vectors whose name holds TEXT")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--quiet", action="store_true", help="names of failed vectors and the sum only")
    options = parser.parse_args()
    if "{runs}" not in options.judge:
        parser.error("the command needs {runs}")
    root = options.dir.resolve()
    vectors = [root] if (root / "expected.jsonl").exists() else sorted(p.parent for p in root.glob("*/expected.jsonl"))
    vectors = [v for v in vectors if not options.only or options.only in v.name]
    if not vectors:
        parser.error(f"no vectors in {options.dir}")
    failed = 0
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        results = pool.map(lambda v: check(v, options.judge, options.timeout), vectors)
        for vector, wrong in zip(vectors, results):
            if wrong:
                failed += 1
                print(f"FAIL {vector.name}")
                for text in [] if options.quiet else wrong:
                    print(f"     {text}")
    print(f"{len(vectors) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
