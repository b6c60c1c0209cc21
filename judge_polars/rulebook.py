"""A compiled registry: what the judge needs to know of it, without YAML, pydantic or file positions.

`registry/compile.py` makes a `RuleBook`, `rules/` and `facts/` evaluate it.  Everything here is immutable and hashable, so
that equal rules are one rule, wherever they stand; everything pickles, so that worker processes get it whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Scalar = bool | int | float | str | datetime | None


@dataclass(frozen=True, slots=True)
class Selector:
    """Which documents a rule reads (specification 20, last paragraph).

    Attributes:
        artifact: canonical logical artifact (`report`, `logs_dir`, `evidence_dir`, `output_text` …), or None for a name.
        name: file name or glob relative to the bundle's root when it holds a `/`, else looked for directly in the
            evidence directory and, where it is a plain name that is not there, in the root.
    """

    artifact: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class TimeWithin:
    """`time_within`: at most `tolerance_us` microseconds from `of`; a text without offset is read at `offset_minutes`."""

    of: datetime
    tolerance_us: int
    offset_minutes: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One comparison of a fact or a JSON scalar with an operand; `equals: 1` and `equals: true` are two.

    Attributes:
        operator: a name of `vocabulary.COMPARISONS`, or `contains_any`, or `time_within`.
        operand: a scalar; a tuple of scalars for `in`/`not_in`; a tuple of keywords for `contains_any`; a regex for
            `matches`; a `TimeWithin`.  Timestamps are aware datetimes.
    """

    operator: str
    operand: Scalar | tuple[Scalar, ...] | TimeWithin

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        operands = self.operand if isinstance(self.operand, tuple) else (self.operand,)
        return (self.operator, isinstance(self.operand, tuple), tuple((type(operand), operand) for operand in operands))


@dataclass(frozen=True, slots=True)
class FactRule:
    """`{fact: NAME, …}`; `fact` has its family.  `reason` replaces the usual reason when the rule is false."""

    fact: str
    comparison: Comparison
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """One entry of `where`: a `json_value` at `path` relative to the selected node (`$` is the node)."""

    path: str
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class WordLists:
    """The word lists in force for the assertion rules of one case; entries are regexes (specification 40)."""

    negators: tuple[str, ...] = ()
    post_negators: tuple[str, ...] = ()
    pseudo_negators: tuple[str, ...] = ()
    terminators: tuple[str, ...] = ()
    sentence_negators: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """`{match: METHOD, artifact: SELECTOR, …}` with every default filled in; what a method does not take keeps its default.

    Patterns are complete regexes as the engine gets them: concepts put in, characters that NFKC changes replaced by their
    escaped NFKC form, no flags in front (the evaluator adds `(?im)` or `(?m)`).  Keywords are as written.  For numeric
    methods `path` `$` means the whole document.  `threshold` is also that of `numeric_spread_gt`.
    """

    method: str
    selector: Selector
    keywords: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    whole_word: bool = False
    case_sensitive: bool = False
    negated_finding: bool = False
    section: str | None = None
    section_or_all: bool = False
    ignore_unread: bool = False
    path: str = "$"
    where: tuple[Condition, ...] = ()
    comparison: Comparison | None = None
    series: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    threshold: float | int | None = None
    min_points: int = 1
    consecutive: bool = False
    of: Literal["value", "increase", "changes", "ratio"] = "value"
    by: Literal["max_over_median", "max_minus_min"] | None = None
    within: Literal["window", "before_window"] | None = None
    margin_us: int = 0
    words: WordLists | None = None
    reason: str | None = None


Rule = FactRule | DocumentRule


@dataclass(frozen=True, slots=True)
class Formula:
    """Rules and how many of them must be true: `all_of` needs all, `any_of` one, `at_least` n.  No rule: true iff need is 0."""

    need: int
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """A fact that a formula defines.  `count`: its value is the number of true rules, not whether `need` of them are."""

    name: str
    formula: Formula
    count: bool = False
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a bucket; `layer` is `hard` or `supporting` in the diagnosis bucket, else None.

    `fact`: the name of a hidden fact that takes the check's result, so that later formulas can read it
    (`required_workflow_present` reads the required workflow checks), or None.
    """

    bucket: str
    layer: str | None
    id: str
    title: str | None
    required: bool
    weight: float
    formula: Formula
    fact: str | None = None


@dataclass(frozen=True, slots=True)
class Bucket:
    """A configured bucket; the scores are None where the bucket has none (specification 50)."""

    name: str
    max_score: float | None = None
    hard_max_score: float | None = None
    supporting_weight: float | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """An allowed time window; `match` is `within`, `exact` or `overlap` (specification 10)."""

    start: datetime
    end: datetime
    match: str = "within"
    tolerance_us: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One case as the judge sees it.

    Attributes:
        definitions: every defined fact in force, channels first, in the order of evaluation.
        progressed_any_of: full names of workflow facts; "the run progressed" when one of them is true.
        checks: in bucket order, hard before supporting, then file order.
        buckets: the configured ones, in bucket order.
        digest: `sha256:…` over the merged, normalised case and judge files (not over packs).
        semantic_checks: as written, for the semantic shadow.
    """

    id: str
    version: int
    title: str
    status: str
    tags: tuple[str, ...]
    cluster_id: str
    window: Window
    allowed: tuple[Window, ...]
    trials: int
    timeout_us: int
    definitions: tuple[Definition, ...]
    progressed_any_of: tuple[str, ...]
    buckets: tuple[Bucket, ...]
    checks: tuple[Check, ...]
    digest: str
    reference_run: str | None = None
    semantic_checks: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """A named, versioned list of cases."""

    id: str
    version: int
    title: str
    status: str
    baseline_eligible: bool
    cases: tuple[str, ...]
    trials: int
    concurrency: int
    aggregate: str
    digest: str


@dataclass(frozen=True, slots=True)
class BaselineCase:
    """What a baseline remembers of one case."""

    case_id: str
    case_version: int
    case_digest: str
    verdict: str
    primary_failure_code: str | None
    score: float | None
    max_score: float | None
    trials: int
    passed_trials: int
    buckets: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """The promoted verdict snapshot of a suite."""

    suite_id: str
    suite_version: int
    eval_run_id: str
    judgment_id: str
    promoted_at: datetime
    created_by: str
    notes: str
    cases: tuple[BaselineCase, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """What is bounded while bundles are read (specifications 20 and 90); sizes in bytes."""

    document_bytes: int = 64 * 1024 * 1024
    case_run_bytes: int = 512 * 1024 * 1024
    output_bytes: int = 4 * 1024 * 1024
    archive_free_bytes: int = 16 * 1024 * 1024
    archive_ratio: int = 200
    nesting: int = 128
    levels: int = 8
    directories: int = 10_000
    issues_per_document: int = 100


@dataclass(frozen=True, slots=True)
class RuleBook:
    """A whole compiled registry.

    Attributes:
        cases: sorted by id.
        layout: artifact -> names tried in order, defaults filled in.
        causes: `status`/`stop_reason` -> cause, defaults filled in.
        packs: (id, version, digest) in order.
        digest: `sha256:…` over everything that a judgment depends on.
    """

    root: str
    cases: tuple[Case, ...]
    suites: tuple[Suite, ...]
    baselines: tuple[Baseline, ...]
    layout: Mapping[str, tuple[str, ...]]
    causes: Mapping[str, str]
    packs: tuple[tuple[str, int, str], ...]
    digest: str
    limits: Limits = field(default_factory=Limits)

    def case(self, case_id: str) -> Case | None:
        """The case of that id, or None."""
        return next((case for case in self.cases if case.id == case_id), None)
