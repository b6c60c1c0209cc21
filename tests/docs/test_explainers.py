"""The explainers and the guide for cases say what the program does: names, tables, codes, places and commands are its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer

from judge_polars.cli.app import app
from judge_polars.history.views import VerdictDatabase
from judge_polars.probe.answers import made_up_answers
from judge_polars.probe.outcomes import STATES
from judge_polars.probe.wanted import language_of
from judge_polars.registry import load_registry
from judge_polars.registry.lint import LINT_CODES
from judge_polars.vocabulary import (
    ARTIFACTS,
    BUCKETS,
    BUILT_IN_FACTS,
    CAUSES,
    DEFAULT_LAYOUT,
    FAILURE_CODES,
    FAMILIES,
    METHODS,
    REASONS,
    STATUSES,
    VERDICTS,
)

ROOT = Path(__file__).resolve().parents[2]
EVALUATION = ROOT / "evaluation"
EXPLAINERS = (EVALUATION / "judge-pipeline-explainer.md", EVALUATION / "judge-pipeline-explainer.zh.md")
README = EVALUATION / "regression" / "README.md"
SKILL = EVALUATION / "regression" / "add-case-skill" / "SKILL.md"
DOCUMENTS = (*EXPLAINERS, README, SKILL)
QUOTED = re.compile(r"`([^`\n]+)`")
PLACE = re.compile(r"(?:judge_polars|sql)/[\w./]*")
COMMAND = re.compile(r"judge-polars ([a-z]+)((?:[^\S\n]+[^\s`|]+)*)")


def name_of(path: Path) -> str:
    return str(path.relative_to(EVALUATION))


every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
every_explainer = pytest.mark.parametrize("path", EXPLAINERS, ids=name_of)
every_table_of_verdicts = pytest.mark.parametrize("path", (*EXPLAINERS, README), ids=name_of)


def tables(text: str) -> Iterator[list[list[str]]]:
    """The tables of a Markdown text: rows of cells, the heading first."""
    for block in re.findall(r"(?:^[ ]*\|.*\|[ ]*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
        yield [rows[0], *rows[2:]]


def table_with(path: Path, *first: str) -> list[list[str]]:
    """The rows of the only table whose first column holds these quoted names at its beginning."""
    found = [
        rows[1:]
        for rows in tables(path.read_text("utf-8"))
        if [name for row in rows[1:] for name in QUOTED.findall(row[0])][: len(first)] == list(first)
    ]
    assert len(found) >= 1, f"{path.name} has no table that begins with {first}"
    return found[0]


def quoted(cell: str) -> list[str]:
    return QUOTED.findall(cell)


@cache
def precedence() -> list[tuple[int, tuple[str, ...], str, str | None]]:
    """The rows of `sql/200_verdict_precedence.sql`: number, bucket and statuses, verdict, code."""
    database = VerdictDatabase()
    query = "select precedence, bucket, statuses, verdict, code from verdict_precedence order by position"
    rows = database.sql(query).rows()
    database.close()
    return [
        (number, tuple([bucket] * (bucket not in (None, "all_buckets")) + (statuses or [])), verdict, code)
        for number, bucket, statuses, verdict, code in rows
    ]


@every_table_of_verdicts
def test_table_of_verdicts(path: Path) -> None:
    [rows] = [
        rows[1:]
        for rows in tables(path.read_text("utf-8"))
        if len(rows[0]) == 4 and any("environment_failed" in cell for row in rows for cell in row)
    ]
    told = [
        (int(number), tuple(quoted(when)), quoted(verdict)[0], next(iter(quoted(code)), None))
        for number, when, verdict, code in rows
    ]
    assert told == precedence()


@every_explainer
def test_steps_name_the_views_of_the_buckets(path: Path) -> None:
    rows = [row for rows in tables(path.read_text("utf-8")) for row in rows if "_bucket_" in row[-1]]
    assert [quoted(row[1])[0] for row in rows] == list(BUCKETS)
    for row in rows:
        assert quoted(row[2])[0].endswith(f"_bucket_{quoted(row[1])[0]}.sql")


def statuses_in_sql(bucket: str) -> set[str]:
    """The statuses that a bucket's view can give."""
    [view] = (ROOT / "sql").glob(f"*_bucket_{bucket}.sql")
    body = view.read_text("utf-8").partition("create")[2]
    return {status for status in STATUSES if f"'{status}'" in body}


def is_scored_in_sql(bucket: str) -> bool:
    [view] = (ROOT / "sql").glob(f"*_bucket_{bucket}.sql")
    return "score := null::double" not in view.read_text("utf-8")


@every_explainer
def test_table_of_buckets(path: Path) -> None:
    [rows] = [
        rows[1:] for rows in tables(path.read_text("utf-8")) if len(rows[0]) == 4 and quoted(rows[1][0]) == ["contract"]
    ]
    assert [quoted(row[0])[0] for row in rows] == list(BUCKETS)
    before: set[str] = set()
    for name, reads, status, score in rows:
        bucket = quoted(name)[0]
        told = set(quoted(status)) or before  # "the same" as in the row above
        assert told == statuses_in_sql(bucket), bucket
        assert (score not in ("none", "无")) is is_scored_in_sql(bucket), bucket
        assert {family.removesuffix(".*") for family in quoted(reads)} <= set(FAMILIES), bucket
        before = told


@every_explainer
def test_every_bucket_has_its_section_in_order(path: Path) -> None:
    found = re.findall(r"^### \S+ ?\d+[:：] ?`(\w+)`", path.read_text("utf-8"), re.MULTILINE)
    if not found:
        found = re.findall(r"^### .*`(\w+)`$", path.read_text("utf-8"), re.MULTILINE)
    assert found == list(BUCKETS)


@every_explainer
def test_table_of_methods(path: Path) -> None:
    rows = table_with(path, "artifact_present")
    assert [name for row in rows for name in quoted(row[0])] == list(METHODS)


@every_explainer
def test_table_of_artifacts(path: Path) -> None:
    rows = table_with(path, "manifest")
    assert {quoted(row[0])[0]: tuple(quoted(row[1])) for row in rows} == DEFAULT_LAYOUT
    assert [quoted(row[0])[0] for row in rows] == list(ARTIFACTS)


@every_explainer
def test_every_reason_is_named_in_order(path: Path) -> None:
    text = path.read_text("utf-8")
    [line] = [part for part in text.split("\n\n") if "`path_selects_nothing`" in part]
    assert [name for name in quoted(line.replace("\n", " ")) if name in REASONS] == list(REASONS)


@every_explainer
def test_families_causes_and_verdicts(path: Path) -> None:
    text = path.read_text("utf-8")
    families = [name for rows in tables(text) if "`window`" in str(rows) for row in rows[1:] for name in quoted(row[0])]
    assert families[: len(FAMILIES)] and set(families) == set(FAMILIES)
    assert re.search("[,、] ?".join(CAUSES), text)
    assert re.findall(r"^- `(\w+)`[:：]", text, re.MULTILINE)[:3] == list(VERDICTS)


@every_document
def test_codes_are_the_programs(path: Path) -> None:
    words = {word for cell in quoted(path.read_text("utf-8")) for word in re.findall(r"\w+", cell)}
    looks_like_a_code = re.compile(
        r"(?:bundle|contract|evidence|workflow|diagnosis|execution|critical|environment)_\w+"
    )
    endings = ("_failed", "_partial", "_missing", "_incomplete", "_unresolved", "_ambiguous")
    codes = {word for word in words if looks_like_a_code.fullmatch(word) and word.endswith(endings)}
    assert codes - set(REASONS) <= set(FAILURE_CODES)


@cache
def known_facts() -> frozenset[str]:
    book = load_registry(EVALUATION / "regression").compile()
    return frozenset(BUILT_IN_FACTS) | {one.name for case in book.cases for one in case.definitions}


@every_document
def test_facts_exist(path: Path) -> None:
    written = {
        word for word in quoted(path.read_text("utf-8")) if re.fullmatch(rf"(?:{'|'.join(FAMILIES)})\.\w+", word)
    }
    files = {name for name in written if name.endswith((".json", ".md", ".txt", ".yaml"))}
    assert written - files <= known_facts()


@cache
def well_known_checks() -> frozenset[str]:
    from judge_polars.registry import compile_checks, policy

    text = Path(compile_checks.__file__).read_text("utf-8") + Path(policy.__file__).read_text("utf-8")
    return frozenset(re.findall(r"[\"'](\w+)[\"']", text))


@every_explainer
def test_usual_checks_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    listed = re.findall(r"(?:Usual checks: |常用检查：)(.*?)[.。](?: It|回答|\s)", text, re.DOTALL)
    assert len(listed) == 5
    milestones = {name.removeprefix("workflow.") for name in known_facts() if name.startswith("workflow.")}
    routing = {name.removeprefix("routing.analysis_") for name in known_facts()}
    for name in (name for part in listed for name in quoted(part)):
        assert name in well_known_checks() | milestones | routing, name


@every_document
def test_places_exist(path: Path) -> None:
    for written in quoted(path.read_text("utf-8")):
        file, _, name = written.partition(":")
        if not PLACE.fullmatch(file):
            continue
        assert (ROOT / file).exists(), written
        if name:
            tree = ast.parse((ROOT / file).read_text("utf-8"))
            defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
            assert name in defined, written


@every_document
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target


@cache
def options_of_commands() -> dict[str, set[str]]:
    """Command -> its options."""
    commands = getattr(typer.main.get_command(app), "commands", {})
    return {name: {option for one in command.params for option in one.opts} for name, command in commands.items()}


def test_lint_codes_of_the_skill() -> None:
    looks_like_a_lint = r"(?:ticket|issue|answer|prompt|version|case_in|fix_version)_\w+"
    written = {name for name in quoted(SKILL.read_text("utf-8")) if re.fullmatch(looks_like_a_lint, name)}
    assert len(written) >= 8
    assert written <= set(LINT_CODES)


@every_document
def test_commands_and_options_exist(path: Path) -> None:
    known = options_of_commands()
    wrong = []
    for command, rest in COMMAND.findall(path.read_text("utf-8")):
        options = re.findall(r"(?<!\S)--?[a-z][\w-]*", rest)
        wrong += [f"judge-polars {command}"] if command not in known else []
        wrong += [f"judge-polars {command} {one}" for one in options if one not in known.get(command, {one})]
    assert wrong == []


def test_the_two_languages_tell_the_same() -> None:
    english, chinese = (path.read_text("utf-8") for path in EXPLAINERS)
    assert [len(rows) for rows in tables(english)] == [len(rows) for rows in tables(chinese)]
    assert re.findall(r"^#+", english, re.MULTILINE) == re.findall(r"^#+", chinese, re.MULTILINE)
    names = re.compile(r"[a-z]+(?:_[a-z0-9]+)+|[\w/]+\.(?:py|sql|yaml|json|md)")
    assert set(names.findall(" ".join(quoted(english)))) == set(names.findall(" ".join(quoted(chinese))))


@pytest.mark.parametrize("path", (README, SKILL), ids=name_of)
def test_buckets_of_the_guide(path: Path) -> None:
    found = [
        names
        for rows in tables(path.read_text("utf-8"))
        if set(names := [name for row in rows[1:] for name in quoted(row[0])]) == set(BUCKETS)
    ]
    assert len(found) == 1


def test_probes_of_the_guide() -> None:
    rows = table_with(README, "reference*.md")
    told = [name for row in rows for name in quoted(row[0])]
    case = load_registry(EVALUATION / "regression").compile().cases[0]
    answers = [answer.name for answer in made_up_answers(language_of(case))]
    assert told[:2] == ["reference*.md", "reference_run"]
    assert told[2 : 2 + len(answers)] == answers
    source = (ROOT / "judge_polars" / "probe" / "spoilings.py").read_text("utf-8")
    spoilt = told[2 + len(answers) :]
    made = set(re.findall(r"(?:Spoiling\(f?|_only_changed\(files, )\"(\w+)", source))
    assert set(spoilt) == made - {"removed_milestone"}  # made to compare with, no probe itself
    assert {state for state in STATES if state != "good"} <= set(quoted(README.read_text("utf-8")))
