"""Mutants of rules on texts: keywords, regexes and assertions (specification 40)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mutants.methods import OF_ASSERTIONS, OF_TEXT, ON_ASSERTIONS, ON_TEXT
from mutants.mutant import Mutant, mutants_of
from mutants.selections import vectors

TEXT: Final = {
    "none_needs_something": ("then(found == 0)", "then(found > 0)"),
    "all_as_any": ('if rule.method == "keyword_all"', "if False"),
    "any_as_all": ('if rule.method == "keyword_all"', "if not rule.method.endswith('_none')"),
    "nothing_avoided_without_a_document": (
        'pl.when(pl.col("documents").fill_null(0) == 0)',
        'pl.when(pl.col("documents").fill_null(1) == 0)',
    ),
    "unread_ignored": ('pl.col("strict") & (pl.col("unread") > 0)', "pl.lit(value=False)"),
    "ignore_unread_ignored": (" and not rule.ignore_unread", ""),
    "unread_matters_to_all": ('rule.method.endswith("_none") and not rule.ignore_unread', "True"),
    "whole_word_off": ("whole_word=rule.whole_word", "whole_word=False"),
    "whole_word_on": ("whole_word=rule.whole_word", "whole_word=True"),
    "case_never_counts": (
        'case_sensitive=rule.case_sensitive and rule.method.startswith("regex")',
        "case_sensitive=False",
    ),
    "case_always_counts": (
        'case_sensitive=rule.case_sensitive and rule.method.startswith("regex")',
        "case_sensitive=True",
    ),
    "json_as_plain_text": ("json_keyword(keyword) if in_json else keyword", "keyword"),
    "missing_as_no_text": ('.then(REASON_CODES["artifact_missing"])', '.then(REASON_CODES["no_text"])'),
    "no_text_as_not_matched": ('.then(REASON_CODES["no_text"])', '.then(REASON_CODES["not_matched"])'),
    "unread_as_not_matched": ('.then(REASON_CODES["unread_document"])', '.then(REASON_CODES["not_matched"])'),
}

UNITS: Final = {
    "within_swapped": ('if within == "window" else', 'if within != "window" else'),
    "within_ignored": ("    if variant.within:\n", "    if False:\n"),
    "section_ignored": ("    if variant.section is not None:\n", "    if False:\n"),
    "or_all_always": ("rule.section is not None and rule.section_or_all", "True"),
    "or_all_never": ("rule.section is not None and rule.section_or_all", "False"),
    "margin_of_the_start_dropped": ('start=pl.col("window_start") - margin', 'start=pl.col("window_start")'),
    "margin_of_the_end_dropped": ('end=pl.col("window_end") + margin', 'end=pl.col("window_end")'),
    "before_includes_the_start": ('else at < pl.col("start")', 'else at <= pl.col("start")'),
    "start_open": ('at.is_between("start", "end")', 'at.is_between("start", "end", closed="right")'),
    "end_open": ('at.is_between("start", "end")', 'at.is_between("start", "end", closed="left")'),
    "lines_without_a_time_dropped": ('.then(above).otherwise("at").forward_fill()', '.then(above).otherwise("at")'),
    "times_run_into_the_next_document": (
        'begins = (pl.col("doc") != pl.col("doc").shift(1)).fill_null(value=True)',
        'begins = pl.col("doc").shift(1).is_null()',
    ),
    "times_run_into_the_next_piece": ("and before[0] == texts", "and before[0] != texts"),
    "lines_before_the_first_time_are_old": ("lines.filter(at != _NO_TIME).join(", "lines.join("),
    "a_piece_lost": ("    yield text[first:]\n", "    yield text[first:-1]\n"),
    "offset_of_a_usual_line_ignored": ("return (local - offset)", "return (local)"),
    "offset_of_a_usual_line_of_the_other_sign": ("return (local - offset)", "return (local + offset)"),
    "fraction_of_a_line_cut": (
        """pl.lit("000000")).str.slice(0, 6)""",
        """pl.lit("000000")).str.slice(0, 0) + "000000\"""",
    ),
}

SEARCHING: Final = {
    "case_folding_off": ('return self.texts["text"].str.to_lowercase()', 'return self.texts["text"]'),
    "one_clause_is_enough": (
        'pl.col("wanted").fill_null(0) == pl.col("found").fill_null(0)',
        'pl.col("wanted").fill_null(0) >= 0',
    ),
    "regexes_with_case": ('("(?m)" if case_sensitive else "(?im)")', '"(?m)"'),
    "regexes_without_case": ('("(?m)" if case_sensitive else "(?im)")', '"(?im)"'),
    "lines_not_looked_at": ('("(?m)" if case_sensitive else "(?im)")', '("" if case_sensitive else "(?i)")'),
    "needles_are_enough": ("sure = literal and all(", "sure = bool("),
}
EXPLAINED_OF_SEARCHING: Final = {
    "one_clause_is_enough": "it spares trying patterns in texts that lack one of their words; the pattern itself is tried behind"
    " it in what is left",
}

ASSERTIONS: Final = {
    "none_as_any": ('.when(found != pl.col("none"))', ".when(found)"),
    "unread_ignored": ('pl.col("strict") & (pl.col("unread") > 0)', "pl.lit(value=False)"),
    "ignore_unread_ignored": ("strict = none and not rule.ignore_unread", "strict = none"),
    "no_document_as_not_matched": ('.then(REASON_CODES["artifact_missing"])', '.then(REASON_CODES["not_matched"])'),
    "no_text_as_not_matched": ('.then(REASON_CODES["no_text"])', '.then(REASON_CODES["not_matched"])'),
    "unread_as_not_matched": ('.then(REASON_CODES["unread_document"])', '.then(REASON_CODES["not_matched"])'),
    "negated_finding_ignored": ('pl.when("negated").then("free_itself").otherwise("free")', 'pl.col("free")'),
    "negated_finding_always": ('pl.when("negated").then("free_itself").otherwise("free")', 'pl.col("free_itself")'),
    "negated_finding_ignored_in_denials": (
        'pl.when("negated").then("denied_itself").otherwise("denied")',
        'pl.col("denied")',
    ),
    "questions_assert": (' & ~pl.col("silent")', ""),
    "questions_deny": (' & ~pl.col("question")', ""),
    "denied_sentences_deny_nothing": ('.then(denied | pl.col("denied_whole"))', ".then(denied)"),
    "denied_clauses_deny_nothing": ('.then(denied | pl.col("denied_whole"))', '.then(pl.col("denied_whole"))'),
    "claims_need_no_claim": ('.then(free & pl.col("states_claim"))', ".then(free)"),
    "assertions_need_a_claim": (".otherwise(free)\n", '.otherwise(free & pl.col("states_claim"))\n'),
    "unless_ignored": ("        if rule.unless:\n", "        if False:\n"),
    "unless_excuses_denials": ('.filter(pl.col("mode") != _DENIED)\n    found', "\n    found"),
    "unless_excuses_the_whole_text": (
        'on=["run", "rule", "clause", "words"], how="anti"',
        'on=["run", "rule"], how="anti"',
    ),
    "section_ignored": ("        return held\n    spans", "        return held\n    return held\n    spans"),
    "section_or_all_always": ('pl.col("section").is_null() | pl.col("or_all") |', "pl.lit(value=True) |"),
    "section_or_all_never": ('pl.col("section").is_null() | pl.col("or_all") |', 'pl.col("section").is_null() |'),
    "words_of_another_rule": ('mine = asks.filter(pl.col("words") == index)', "mine = asks"),
}

CLAUSES: Final = {
    "negators_ignored": ("return negated | (pl.col", "return (pl.col"),
    "post_negators_ignored": (
        '    return negated | (pl.col("negated_to") > behind).fill_null(value=False)',
        "    return negated",
    ),
    "negator_at_the_end": ('(pl.col("negated_from") < before)', '(pl.col("negated_from") <= before)'),
    "post_negator_at_the_begin": ('(pl.col("negated_to") > behind)', '(pl.col("negated_to") >= behind)'),
    "negator_before_the_begin": (
        'denied = _denied(before=pl.col("end"), behind=pl.col("begin"))',
        'denied = _denied(before=pl.col("begin"), behind=pl.col("end"))',
    ),
    "pseudo_negators_kept": ('content = replaced(unmarked, words.pseudo_negators, " ")', "content = unmarked"),
    "terminators_ignored": ("replaced(content, words.terminators, OPEN).str.split(OPEN)", "content.str.split(OPEN)"),
    "terminators_dropped": ('content=pl.col("heads") + pl.col("pieces")', 'content=pl.col("pieces")'),
    "commas_kept": (
        'clauses.with_columns(content=plain_commas(clauses["content"]).str.strip_chars())',
        'clauses.with_columns(content=clauses["content"].str.strip_chars())',
    ),
    "clauses_not_trimmed": ('plain_commas(clauses["content"]).str.strip_chars()', 'plain_commas(clauses["content"])'),
    "one_match_of_several": ("matches.list.len() > 1).drop", "matches.list.len() > 2).drop"),
    "all_matches_must_be_free": ("flag.any().alias(name)", "flag.all().alias(name)"),
    "headings_deny_nothing": (
        'DENYING_CONTEXTS: Final = ("heading", "lead_in")',
        'DENYING_CONTEXTS: Final = ("lead_in",)',
    ),
    "lead_ins_deny_nothing": (
        'DENYING_CONTEXTS: Final = ("heading", "lead_in")',
        'DENYING_CONTEXTS: Final = ("heading",)',
    ),
    "labels_deny": ('negated & contexts["kind"].is_in(DENYING_CONTEXTS)', "negated"),
    "post_negators_of_headings_ignored": (
        "holds(bare, words.negators) | holds(bare, words.post_negators)",
        "holds(bare, words.negators)",
    ),
    "negators_of_headings_ignored": (
        "holds(bare, words.negators) | holds(bare, words.post_negators)",
        "holds(bare, words.post_negators)",
    ),
    "pseudo_negators_of_headings_kept": (
        'bare = plain_commas(replaced(contexts["content"], words.pseudo_negators, " "))',
        'bare = plain_commas(contexts["content"])',
    ),
    "sentence_negators_ignored": (
        'pl.col("denies").fill_null(value=False) | holds(plain, words.sentence_negators)',
        'pl.col("denies").fill_null(value=False)',
    ),
    "contexts_deny_nothing": (
        'pl.col("denies").fill_null(value=False) | holds(plain, words.sentence_negators)',
        "holds(plain, words.sentence_negators)",
    ),
    "claims_of_contexts_ignored": (
        'pl.col("states_claim").fill_null(value=False) | holds(plain, words.claims)',
        "holds(plain, words.claims)",
    ),
    "claims_of_sentences_ignored": (
        'pl.col("states_claim").fill_null(value=False) | holds(plain, words.claims)',
        'pl.col("states_claim").fill_null(value=False)',
    ),
    "questions_are_loud": ('silent=pl.col("denied_whole") | pl.col("question")', 'silent=pl.col("denied_whole")'),
    "denied_sentences_are_loud": ('silent=pl.col("denied_whole") | pl.col("question")', 'silent=pl.col("question")'),
}


def of_text_rules() -> Iterator[Mutant]:
    """Mutants of what searches texts, and of what understands clauses."""
    yield from mutants_of(ON_TEXT, OF_TEXT, TEXT)
    yield from mutants_of(
        "judge_polars/rules/units.py",
        ("tests/rules/test_on_text.py", "tests/rules/test_units.py", *vectors(12, 155, 210)),
        UNITS,
    )
    yield from mutants_of("judge_polars/rules/searching.py", OF_TEXT, SEARCHING, EXPLAINED_OF_SEARCHING)
    yield from mutants_of(ON_ASSERTIONS, OF_ASSERTIONS, ASSERTIONS)
    yield from mutants_of("judge_polars/rules/clauses.py", OF_ASSERTIONS, CLAUSES)
