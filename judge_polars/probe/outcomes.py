"""What the verdict of a made-up run says of the rubric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from judge_polars.probe.answers import DENYING, EMPTY, NULL, STUFFED, Answer
from judge_polars.probe.spoilings import Spoiling
from judge_polars.probe.wanted import Unsampled
from judge_polars.rulebook import Case
from judge_polars.vocabulary import DIAGNOSIS

CONTROL, ANSWER, SPOILT = GROUPS = ("control", "answer", "spoilt")
GOOD, WRONG, UNNOTICED, NO_EFFECT, UNKNOWN = STATES = ("good", "wrong", "unnoticed", "no_effect", "unknown")
STATE_MEANINGS: Final = {
    GOOD: "as it should be",
    WRONG: "the rubric is broken: what must not pass can pass, or what must pass does not",
    UNNOTICED: "the thing was spoilt and every check passed as before",
    NO_EFFECT: "the thing could not be spoilt: other evidence still says the same",
    UNKNOWN: "nothing can be said: a file or a run is missing",
}
_MENDS: Final = {
    EMPTY: "let a hard check require a conclusion",
    NULL: "let a hard check require this incident's own conclusion",
    STUFFED: "require conclusions with claimed_any, and limit output.claimed_causes",
    DENYING: "require conclusions with claimed_any: a keyword or regex is also found where it is denied",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """What the engine says of one made-up run.

    Attributes:
        diagnosis: status of that bucket, None without a bundle.
        failed: `<bucket>.<check>` of every check that did not pass.
    """

    verdict: str
    code: str | None
    diagnosis: str | None
    failed: tuple[str, ...]
    true_facts: frozenset[str]

    @property
    def told(self) -> str:
        """The verdict with its code."""
        return self.verdict if self.code is None else f"{self.verdict} ({self.code})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One probe of one case.

    Attributes:
        group: `control` (must pass), `answer` (must not), `spoilt` (some check ought to notice).
        run: the passing run whose bundle was used, None without one.
        expected, got: a verdict, or a status of the diagnosis bucket.
        state: one of `STATES`.
        noticed_by: `<bucket>.<check>` of the checks that failed; of spoilt bundles those that passed before.
        detail: what it means and how to mend it; empty where all is well.
    """

    case_id: str
    probe: str
    group: str
    run: str | None
    expected: str
    got: str
    state: str
    noticed_by: tuple[str, ...]
    detail: str = ""

    def as_row(self) -> dict[str, Any]:
        """For the output formats."""
        return {
            "case_id": self.case_id,
            "group": self.group,
            "probe": self.probe,
            "run": self.run,
            "expected": self.expected,
            "got": self.got,
            "state": self.state,
            "noticed_by": list(self.noticed_by),
            "detail": self.detail,
        }


def of_answer(case: Case, answer: Answer, source: str | None, judged: Judged) -> Outcome:
    """An answer that must not pass; without a passing bundle its diagnosis bucket must not."""
    got = judged.told if source is not None else f"diagnosis {judged.diagnosis}"
    passed = (judged.verdict if source is not None else judged.diagnosis) == "pass"
    noticed = tuple(check for check in judged.failed if check.startswith(f"{DIAGNOSIS}."))
    detail = f"it can pass: {_mend(case, answer)}" if passed else ""
    expected = "no pass" if source is not None else "diagnosis fail"
    return Outcome(case.id, answer.name, ANSWER, source, expected, got, WRONG if passed else GOOD, noticed, detail)


def _mend(case: Case, answer: Answer) -> str:
    if not any(check.bucket == DIAGNOSIS for check in case.checks):
        return "the case has no diagnosis bucket, so no answer is looked at"
    if not any(check.layer == "hard" for check in case.checks):
        return "the case has no hard check, so no answer fails"
    return _MENDS[answer.kind]


def of_reference(case: Case, answer: Answer, judged: Judged) -> Outcome:
    """A right answer, which must pass every diagnosis check, supporting ones too."""
    failed = tuple(check for check in judged.failed if check.startswith(f"{DIAGNOSIS}."))
    wrong = bool(failed) or judged.diagnosis != "pass"
    got = f"fails {len(failed)} of them" if failed else f"diagnosis {judged.diagnosis}"
    detail = "the right answer fails; mend the answer, or these checks" if wrong else ""
    expected = "every diagnosis check"
    return Outcome(case.id, answer.name, CONTROL, None, expected, got, WRONG if wrong else GOOD, failed, detail)


def of_unsampled(case: Case, left: Unsampled) -> Outcome:
    """A pattern or rule of which the made-up answers hold nothing."""
    detail = f"{left.what}: {left.reason}; the made-up answers hold nothing of it"
    return Outcome(case.id, f"sample:{left.check}", ANSWER, None, "a text", "none", UNKNOWN, (), detail)


def of_spoiling(
    case: Case,
    spoiling: Spoiling,
    source: str | None,
    judged: Judged,
    unspoilt: Judged,
    without: Judged | None,
) -> Outcome:
    """A spoilt bundle, beside the same unspoilt; `without`: the same where a milestone's calls were never made."""
    noticed = tuple(check for check in judged.failed if check not in unspoilt.failed)
    fact = spoiling.needs_false
    state, detail = GOOD, ""
    if not noticed and judged.verdict == unspoilt.verdict:
        state, detail = UNNOTICED, "no check notices it"
        if fact is not None and fact in judged.true_facts:
            if without is None or fact in without.true_facts:
                state, detail = NO_EFFECT, f"{fact} is still true: something else says the same"
            else:
                detail = f"{fact} is still true: a call that failed counts"
    elif not noticed:
        noticed = (judged.code or judged.verdict,)
    return Outcome(case.id, spoiling.name, SPOILT, source, "noticed", judged.told, state, noticed, detail)
