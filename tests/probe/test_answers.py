"""Rubrics that a made-up answer passes are found, and those that are near them are not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from judge_polars.probe.answers import made_up_answers
from judge_polars.probe.wanted import language_of
from judge_polars.registry import load_registry
from tests.cli.world import PACK
from tests.probe.rubrics import (
    CLAIM,
    GOOD_CHECKS,
    LIMIT,
    RIGHT_ANSWER,
    diagnosis,
    outcome_of,
    probed,
    states,
    write_registry,
    wrong,
)

NULL = {"null_agent", "null_agent_zh"}
STUFFED = {"stuffed_answer", "causes_listed", "causes_claimed"}
DENYING = {"conclusions_denied", "conclusions_ruled_out"}
AVOIDS_LOCK = {"id": "avoids_lock", "match": "claimed_none", "concepts": ["lock_wait"]}
NAMES_DISK = {"id": "names_disk", "match": "keyword_any", "keywords": ["disk hung"]}
CONTRACT = {"contract": {"checks": [{"id": "cluster_scope_match"}]}}


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        pytest.param(CONTRACT, {"empty_answer"} | NULL | {"causes_listed", "causes_claimed"}, id="no_diagnosis_bucket"),
        pytest.param(diagnosis(supporting=(NAMES_DISK,)), {"empty_answer"} | NULL | STUFFED, id="no_hard_check"),
        pytest.param(diagnosis(NAMES_DISK), STUFFED | DENYING, id="keyword_needed"),
        pytest.param(
            diagnosis({"id": "names_disk", "match": "regex_any", "patterns": ["disk (?:hung|stalled)"]}, LIMIT),
            {"stuffed_answer", "causes_listed"} | DENYING,
            id="regex_needed",
        ),
        pytest.param(
            diagnosis({"id": "names_disk", "match": "keyword_any", "keywords": ["disk hung"], "section": "root cause"}),
            {"stuffed_answer", "conclusions_denied"},
            id="keyword_needed_in_a_section",
        ),
        pytest.param(
            diagnosis({"id": "says_disk", "match": "asserted_any", "concepts": ["disk_hang"]}, LIMIT),
            {"stuffed_answer", "causes_listed"},
            id="assertion_needed",
        ),
        pytest.param(diagnosis(CLAIM), {"causes_claimed"}, id="claims_not_limited"),
        pytest.param(diagnosis(CLAIM, AVOIDS_LOCK), set(), id="near_miss_wrong_cause_avoided"),
        pytest.param(diagnosis(*GOOD_CHECKS), set(), id="near_miss_claims_limited"),
        pytest.param(diagnosis(CLAIM, LIMIT, NAMES_DISK), set(), id="near_miss_keyword_beside_a_claim"),
        pytest.param(diagnosis(AVOIDS_LOCK), NULL | {"stuffed_answer", "causes_listed"}, id="only_avoids"),
        pytest.param(
            diagnosis({"id": "general", "match": "claimed_any", "patterns": ["problem", "有关"]}, LIMIT),
            NULL,
            id="conclusion_of_every_incident",
        ),
        pytest.param(
            diagnosis({"id": "via_fact", "fact": "output.blames_disk"}, LIMIT), set(), id="near_miss_through_a_fact"
        ),
        pytest.param(
            diagnosis({"id": "via_fact", "fact": "output.blames_disk"}), {"causes_claimed"}, id="through_a_fact"
        ),
        pytest.param(
            diagnosis({"id": "via_fact", "fact": "output.blames_disk", "equals": False}),
            NULL | {"stuffed_answer", "causes_listed"},
            id="fact_to_be_false",
        ),
        pytest.param(
            diagnosis({"id": "rules_out", "match": "denied_any", "concepts": ["lock_wait"]}, *GOOD_CHECKS),
            set(),
            id="near_miss_denial_needed_too",
        ),
    ],
)
def test_what_can_pass(tmp_path: Path, judge: Mapping[str, Any], expected: set[str]) -> None:
    report = probed(write_registry(tmp_path, judge))
    assert wrong(report) == expected
    assert report.is_sound is not bool(expected)


def test_a_pack_that_misses_a_denial_in_one_language(tmp_path: Path) -> None:
    judge = diagnosis({"id": "says_disk", "match": "asserted_any", "concepts": ["disk_hang"]}, LIMIT)
    assert "conclusions_ruled_out" in wrong(probed(write_registry(tmp_path, judge, pack=PACK)))


def answers_of(tmp_path: Path, *hard: Mapping[str, Any]) -> dict[str, str]:
    """The made-up answers of a case with these hard checks."""
    book = load_registry(write_registry(tmp_path, diagnosis(*hard))).compile()
    return {answer.name: answer.text for answer in made_up_answers(language_of(book.cases[0]))}


def test_a_needed_denial_is_claimed_where_all_else_is_denied(tmp_path: Path) -> None:
    answers = answers_of(tmp_path, {"id": "rules_out", "match": "denied_any", "patterns": ["lock wait"]}, CLAIM)
    assert answers["conclusions_denied"].splitlines()[0] == "The root cause was lock wait."
    assert "The root cause was not disk hung." in answers["conclusions_denied"]
    assert "根因不是磁盘卡住。" in answers["conclusions_denied"]


def test_the_stuffed_answer_holds_what_is_to_be_avoided_too(tmp_path: Path) -> None:
    stuffed = answers_of(tmp_path, CLAIM, AVOIDS_LOCK)["stuffed_answer"].splitlines()
    assert {"disk hung", "disk hang", "磁盘卡住", "lock wait", "锁等待"} <= set(stuffed)


def test_causes_are_listed_in_both_languages(tmp_path: Path) -> None:
    listed = answers_of(tmp_path, CLAIM)["causes_listed"]
    assert listed == "Possible causes:\n\n- disk hung\n- lock wait\n\n可能的原因：\n\n- 磁盘卡住\n- 锁等待"


def test_what_cannot_be_sampled_is_told(tmp_path: Path) -> None:
    hard = {
        "id": "han",
        "any_of": [
            {"match": "claimed_any", "patterns": [r"\p{Han}{3}"]},
            {"match": "json_value", "path": "$.cause", "equals": "disk"},
        ],
    }
    told = [
        one
        for one in probed(write_registry(tmp_path, diagnosis(hard, LIMIT))).outcomes
        if one.probe.startswith("sample:")
    ]
    assert [one.state for one in told] == ["unknown", "unknown"]
    assert told[0].probe == "sample:diagnosis.han"
    assert r"\p{Han}{3}" in told[0].detail
    assert "only text rules are sampled" in told[1].detail


@pytest.mark.parametrize(
    ("text", "state"),
    [
        pytest.param(RIGHT_ANSWER, "good", id="right"),
        pytest.param("The root cause: the disk hung.", "wrong", id="supporting_check_fails"),
        pytest.param("The disk hung on tikv-2.", "wrong", id="hard_check_fails"),
        pytest.param("", "wrong", id="empty"),
    ],
)
def test_reference(tmp_path: Path, text: str, state: str) -> None:
    judge = diagnosis(*GOOD_CHECKS, supporting=({"id": "names_host", "match": "keyword_any", "keywords": ["tikv-2"]},))
    report = probed(write_registry(tmp_path, judge, references={"reference.md": text}))
    assert outcome_of(report, "reference.md").state == state
    assert report.is_sound is (state == "good")


def test_every_reference_is_looked_at(tmp_path: Path) -> None:
    references = {
        "reference.md": RIGHT_ANSWER,
        "reference-zh.md": "根因：磁盘卡住。",
        "reference-2.md": "Who knows?",
        "expected.md": "?",
    }
    report = probed(write_registry(tmp_path, diagnosis(*GOOD_CHECKS), references=references))
    found = {name: state for name, state in states(report).items() if name.startswith("ref")}
    assert found == {"reference-2.md": "wrong", "reference-zh.md": "good", "reference.md": "good"}


def test_a_missing_reference_is_told_and_not_wrong(tmp_path: Path) -> None:
    report = probed(write_registry(tmp_path, diagnosis(*GOOD_CHECKS)))
    assert outcome_of(report, "reference*.md").state == "unknown"
    assert report.is_sound
