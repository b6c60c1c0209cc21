"""Mutants of facts, of the bundle that is judged, and of references (specifications 20 and 30)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judge_polars.vocabulary import BUILT_IN_FACTS
from mutants.mutant import Changes, Mutant, mutants_of
from mutants.selections import vectors

BUILT_IN: Final = "judge_polars/facts/builtin.py"
ROUTING: Final = "judge_polars/facts/routing.py"
_OF_WINDOWS: Final = vectors(*range(49, 63), 179)
_OF_CLUSTERS: Final = vectors(*range(63, 70), 178)
_OF_ARTIFACTS: Final = vectors(70, 71, 72, 73, 76)
_OF_ROUTING: Final = vectors(*range(93, 110), 180, 181)
_OF_BUNDLES: Final = vectors(*range(78, 92), 173)

_END: Final = {
    BUILT_IN: 'pl.col("collection_error_count").cast(pl.Int64).alias("evidence.collection_error_count"),\n    )',
    ROUTING: "refs_unresolved=known(pl.sum_horizontal([missing[c].cast(pl.Int64) for c in ROUTING_CHANNELS])),\n    )",
}
"""File -> where the table of its facts is ready."""
_OTHER: Final = {
    "boolean": "~{column}",
    "number": "{column} + 1",
    "timestamp": '{column} + pl.duration(days=9, time_unit="us")',
    "string": '{column} + "x"',
}
"""Type -> another value."""


def of_built_in_facts() -> Iterator[Mutant]:
    """Each built-in fact unknown, and with another value."""
    for fact, kind in BUILT_IN_FACTS.items():
        family, _, name = fact.partition(".")
        routing = family == "routing"
        file, column = (ROUTING, name) if routing else (BUILT_IN, fact)
        tests = {"window": _OF_WINDOWS, "cluster": _OF_CLUSTERS, "routing": _OF_ROUTING}.get(family, _OF_ARTIFACTS)
        value = f'pl.col("{column}")'
        for how, changed in (
            ("unknown", f"pl.when(False).then({value})"),
            ("another", _OTHER[kind].format(column=value)),
        ):
            new = f'{_END[file]}.with_columns(({changed}).alias("{column}"))'
            yield Mutant(f"{fact}/{how}", file, _END[file], new, tests)


BUILT_IN_CONDITIONS: Final[Changes] = {
    "window_present_without_a_bundle": (
        'pl.when(known).then(pl.col("window_source")',
        'pl.when(True).then(pl.col("window_source")',
    ),
    "artifacts_without_a_bundle": ("pl.when(known).then(_present(artifact))", "pl.when(True).then(_present(artifact))"),
}

RESOLUTION: Final[Changes] = {
    "lone_ones_must_match": (
        'pl.when(count == 1).then("lone")',
        'pl.when((count == 1) & (pl.col("matching") == 1)).then("lone")',
    ),
    "first_of_several": (
        '.when(pl.col("matching") == 1).then("matching_one")',
        '.when(pl.col("matching") >= 1).then("matching_one")',
    ),
    "any_of_several": ('.when(pl.col("matching") == 1).then("matching_one")', '.when(count > 1).then("lone")'),
    "match_by_cluster_alone": ('pl.col("cluster_matched") & pl.col("window_matched")', 'pl.col("cluster_matched")'),
    "match_by_window_alone": ('pl.col("cluster_matched") & pl.col("window_matched")', 'pl.col("window_matched")'),
    "match_by_either": (
        'pl.col("cluster_matched") & pl.col("window_matched")',
        'pl.col("cluster_matched") | pl.col("window_matched")',
    ),
    "ambiguous_as_resolved": ('.otherwise(pl.lit("ambiguous"))', '.otherwise(pl.lit("resolved"))'),
    "ambiguous_as_unresolved": ('.otherwise(pl.lit("ambiguous"))', '.otherwise(pl.lit("unresolved"))'),
    "unresolved_as_ambiguous": ('.then(pl.lit("unresolved"))', '.then(pl.lit("ambiguous"))'),
    "lone_as_ambiguous": ('.when((count == 1) | (pl.col("matching") == 1))', '.when(pl.col("matching") == 1)'),
    "matching_as_ambiguous": ('.when((count == 1) | (pl.col("matching") == 1))', ".when(count == 1)"),
}

CANDIDATES: Final[Changes] = {
    "report_missing_is_fine": (
        "if candidate.report_name is None:\n        candidate.reasons.append((",
        "if candidate.report_name is None:\n        print((",
    ),
    "evidence_missing_is_fine": ("if not tree.has_folder(path, layout.evidence_dir):", "if False:"),
    "manifest_invalid_as_report_invalid": (
        'candidate.manifest_name, "manifest_invalid"',
        'candidate.manifest_name, "report_invalid"',
    ),
    "report_invalid_as_missing": ('candidate.report_name, "report_invalid"', 'candidate.report_name, "report_missing"'),
    "no_object_is_fine": ("if not isinstance(value, dict):", "if False:"),
    "no_json_is_no_reason": ('        candidate.reasons.append((code, f"{name}: {fault}"))\n', ""),
    "unread_is_no_reason": ('        candidate.reasons.append((code, f"{name}: {content.detail}"))\n', ""),
    "no_object_is_no_reason": ('        candidate.reasons.append((code, f"{name}: no JSON object"))\n', ""),
    "invalid_ones_are_bundles": (
        "        if not candidate.reasons:\n            groups",
        "        if True:\n            groups",
    ),
    "copies_are_bundles": (
        "groups.setdefault(candidate.identity, [])",
        "groups.setdefault((candidate.place.path, ''), [])",
    ),
    "reports_do_not_matter": (
        "candidate.identity = (manifest[0], report[0])",
        'candidate.identity = (manifest[0], "")',
    ),
    "manifests_do_not_matter": (
        "candidate.identity = (manifest[0], report[0])",
        'candidate.identity = ("", report[0])',
    ),
    "copy_with_less_evidence": (
        "return -_evidence_files(tree, path, layout, valid), not",
        "return _evidence_files(tree, path, layout, valid), not",
    ),
    "copy_outside_the_audit_dir": (", not in_audit_dir, parts, label", ", in_audit_dir, parts, label"),
    "deeper_copy": (", not in_audit_dir, parts, label", ", not in_audit_dir, -parts, label"),
    "logs_do_not_matter": (" + next(filter(None, logs), 0)", ""),
    "one_level_less": ("for _ in range(levels + 1):", "for _ in range(levels):"),
    "one_level_more": ("for _ in range(levels + 1):", "for _ in range(levels + 2):"),
    "limits_are_silent": ("        if beyond:\n", "        if False:\n"),
    "found_twice": ("            if path in seen:\n", "            if False:\n"),
    "outer_root_first": ("        starts.reverse()", "        pass"),
    "links_out_are_followed": ('if not target.startswith(base + "/"):', "if False:"),
    "parents_are_followed": ('os.path.normpath(name).split("/")[0] == os.pardir', "False"),
    "absolute_paths_are_followed": ("or os.path.isabs(name) or", "or"),
    "linked_workspaces_are_followed": ("if refused or os.path.islink(path):", "if refused:"),
    "workspaces_of_other_places": ("if refused or os.path.islink(path):", "if os.path.islink(path):"),
    "order_of_finding": (
        "search.candidates.sort(key=lambda candidate: candidate.place.label)",
        "search.candidates.reverse()",
    ),
}

TRACE: Final[Changes] = {
    "exact_as_within": ('pl.when(pl.col("match") == "exact")', "pl.when(False)"),
    "overlap_as_within": ('.when(pl.col("match") == "overlap")', ".when(False)"),
    "within_as_overlap": (".otherwise(within)", ".otherwise(overlap)"),
    "tolerance_of_the_start_dropped": (
        "within = (start >= allowed_start - tolerance)",
        "within = (start >= allowed_start)",
    ),
    "tolerance_of_the_end_dropped": ("(end <= allowed_end + tolerance)\n    exact", "(end <= allowed_end)\n    exact"),
    "within_start_open": ("within = (start >= allowed_start", "within = (start > allowed_start"),
    "within_end_open": ("(end <= allowed_end + tolerance)\n    exact", "(end < allowed_end + tolerance)\n    exact"),
    "exact_start_alone": (
        "((start - allowed_start).abs() <= tolerance) & ((end - allowed_end).abs() <= tolerance)",
        "(start - allowed_start).abs() <= tolerance",
    ),
    "exact_end_alone": (
        "((start - allowed_start).abs() <= tolerance) & ((end - allowed_end).abs() <= tolerance)",
        "(end - allowed_end).abs() <= tolerance",
    ),
    "exact_start_open": ("(start - allowed_start).abs() <= tolerance", "(start - allowed_start).abs() < tolerance"),
    "overlap_start_open": ("overlap = (start <= allowed_end", "overlap = (start < allowed_end"),
    "overlap_end_open": (
        "(end >= allowed_start - tolerance)\n    matched",
        "(end > allowed_start - tolerance)\n    matched",
    ),
    "turned_round_matches": ("return matched & (start <= end)", "return matched"),
    "an_instant_matches_not": ("return matched & (start <= end)", "return matched & (start < end)"),
    "unknown_windows_match": (
        'pl.col("window_end")).fill_null(value=False)',
        'pl.col("window_end")).fill_null(value=True)',
    ),
    "unknown_clusters_match": (
        'pl.col("expected_cluster")).fill_null(value=False)',
        'pl.col("expected_cluster")).fill_null(value=True)',
    ),
    "no_window_matches": (
        'window_matched=pl.col("window_matched").fill_null(value=False)',
        'window_matched=pl.col("window_matched").fill_null(value=True)',
    ),
    "manifest_first_for_clusters": (
        """    for source, document in (("report", report), ("manifest", manifest)):
        metadata = document.get("metadata")""",
        """    for source, document in (("manifest", manifest), ("report", report)):
        metadata = document.get("metadata")""",
    ),
    "manifest_first_for_windows": (
        """    for source, document in (("report", report), ("manifest", manifest)):
        ends =""",
        """    for source, document in (("manifest", manifest), ("report", report)):
        ends =""",
    ),
    "metadata_behind_the_document": ("for holder in (metadata, document):", "for holder in (document, metadata):"),
    "blank_clusters_count": ("if isinstance(value, str) and value.strip():", "if isinstance(value, str):"),
    "white_space_counts": ("return value.strip(), source", "return value, source"),
    "booleans_as_numbers": (
        "            if isinstance(value, bool):\n                return str(value).lower(), source\n",
        "",
    ),
    "inexact_clusters_passed_over": ("                return None, None\n    return", "    return"),
    "one_end_is_enough": ("if times[0] is not None and times[1] is not None:", "if times[0] is not None:"),
    "null_ends_count": (
        "if holder.get(first) is not None and holder.get(last) is not None:",
        "if first in holder and last in holder:",
    ),
    "start_in_metadata_itself": ("(metadata, _PAIRS[1:])", "(metadata, _PAIRS)"),
    "invalid_times_are_silent": ('issues.append((source, "timestamp_invalid"', 'print((source, "timestamp_invalid"'),
    "times_without_offset_are_silent": ("    if not parsed[1]:\n", "    if False:\n"),
}

ROUTING_CONDITIONS: Final[Changes] = {
    "any_metric": (
        'series.select("bundle", "name", "labels"), on=["bundle", "name"], how="inner"',
        'series.select("bundle", "labels"), on=["bundle"], how="inner"',
    ),
    "labels_over_several_series": (
        '(pl.col("wanted").list.set_difference(pl.col("labels")).list.len() == 0).any()',
        "pl.len() > 0",
    ),
    "labels_on_all_series": (".list.len() == 0).any()", ".list.len() == 0).all()"),
    "metric_selector_not_understood": ('.then(pl.lit("selector_not_understood"))', '.then(pl.lit("no_such_metric"))'),
    "no_such_metric": ('.then(pl.lit("no_such_metric"))', '.then(pl.lit("labels_not_on_one_series"))'),
    "escapes_in_labels_kept": ('.str.replace_all(r"\\\\(.)", "${1}")', ""),
    "query_of_another_bundle": (
        'refs.join(ids, on=["bundle", "ref"], how="semi")',
        'refs.join(ids, on=["ref"], how="semi")',
    ),
    "any_query": ('queries.select("bundle", ref="query_id")', 'refs.select("bundle", "ref")'),
    "any_event": ('events.select("bundle", ref="event_id")', 'refs.select("bundle", "ref")'),
    "query_reason_of_events": ('"no_such_query"', '"no_such_event"'),
    "line_zero": ('(pl.col("line") >= 1)', '(pl.col("line") >= 0)'),
    "line_behind_the_last": ('(pl.col("line") <= pl.col("lines"))', '(pl.col("line") <= pl.col("lines") + 1)'),
    "last_line": ('(pl.col("line") <= pl.col("lines"))', '(pl.col("line") < pl.col("lines"))'),
    "lines_ignored": ('(pl.col("line_there") & pl.col("quote_there"))', 'pl.col("quote_there")'),
    "quotes_ignored": ('(pl.col("line_there") & pl.col("quote_there"))', 'pl.col("line_there")'),
    "missing_documents_fit": ('quote_there")).fill_null(value=False)', 'quote_there")).fill_null(value=True)'),
    "line_reason_lost": ('.then(pl.lit("no_such_line"))', '.then(pl.lit("no_such_document"))'),
    "quote_reason_lost": ('.then(pl.lit("quote_not_found"))', '.then(pl.lit("no_such_line"))'),
    "logs_in_the_root_alone": ('[*(f"{name}/" for name in logs_dirs), ""]', '[""]'),
    "logs_in_the_logs_alone": ('[*(f"{name}/" for name in logs_dirs), ""]', '[*(f"{name}/" for name in logs_dirs)]'),
    "line_before_the_whole": ("trial=pl.lit(0, pl.UInt8)", "trial=pl.lit(2, pl.UInt8)"),
    "hash_form_unknown": ('r"^(.+?)(?::|#L)(\\d{1,18})$"', 'r"^(.+?)(?::)(\\d{1,18})$"'),
    "quotes_as_written": ('quote = keyword_form(pl.col("quote"))', 'quote = pl.col("quote")'),
    "json_quotes_as_text": ("pl.when(is_json).then(json_keyword_form(quote)).otherwise(quote)", "quote"),
    "observed_logs_resolve_nothing": ('.then("logs")\n        .when', ".then(pl.lit(value=False))\n        .when"),
    "observed_events_resolve_nothing": (
        '.then("events")\n        .otherwise',
        ".then(pl.lit(value=False))\n        .otherwise",
    ),
    "metrics_resolve_by_logs": (
        ".otherwise(pl.lit(value=False))\n    )\n    strict",
        '.otherwise("logs")\n    )\n    strict',
    ),
    "verified_metrics": ('strict = pl.col("channel").is_in(["log", "event"])', "strict = pl.lit(value=True)"),
    "verified_logs_unknown": (
        'strict = pl.col("channel").is_in(["log", "event"])',
        'strict = pl.col("channel").is_in(["event"])',
    ),
    "verified_events_unknown": (
        'strict = pl.col("channel").is_in(["log", "event"])',
        'strict = pl.col("channel").is_in(["log"])',
    ),
    "key_as_supporting": (
        'key_refs=(pl.col("role") == "key").any()',
        'key_refs=(pl.col("role") == "supporting").any()',
    ),
    "supporting_as_key": (
        'supporting_refs=(pl.col("role") == "supporting").any()',
        'supporting_refs=(pl.col("role") == "key").any()',
    ),
    "unfit_are_all": ('& ~pl.col("fits")).sum()', ").sum()"),
    "logs_seen_or_not": ('pl.col("logs").fill_null(value=False)', "pl.lit(value=False)"),
    "events_seen_or_not": ('pl.col("events").fill_null(value=False)', "pl.lit(value=False)"),
    "content_without_json": ("return pl.when(valid).then(value)", "return value"),
    "valid_without_a_patch": ("pl.when(present).then(valid)", "valid"),
    "no_reference_is_one": ('pl.col(f"{c}_refs") > 0)', 'pl.col(f"{c}_refs") >= 0)'),
}

ITEMS: Final[Changes] = {
    "items_need_no_id": (" or item_id(item) is None", ""),
    "items_need_no_evidence": ("return bool(lists) and all(", "return all("),
    "one_good_reference_is_enough": (
        "and all(read_reference(entry) is not None",
        "and any(read_reference(entry) is not None",
    ),
    "any_evidence_list": ("isinstance(references, list) and all(", "all("),
    "titles_do_not_count": ('for name in ("id", "title")', 'for name in ("id",)'),
    "title_first": ('for name in ("id", "title")', 'for name in ("title", "id")'),
    "empty_ids_count": ("and text), None)", "), None)"),
    "empty_references_count": ("if known is None or not ref.strip() else", "if known is None else"),
    "white_space_counts": ("Reference(known, ref.strip())", "Reference(known, ref)"),
    "channels_with_case": ("channel.strip().lower()", "channel.strip()"),
    "type_is_no_channel": ('entry.get("type")', "None"),
    "quotes_of_any_kind": ("if quote is None or isinstance(quote, str) else None", "if True else None"),
    "quotes_of_metrics": ('if reference is None or reference.channel != "log":', "if reference is None:"),
    "plural_channels_unknown": ('"metrics": "metric", "queries": "query"', ""),
    "bare_lists_are_none": (
        'items = patch.get("items") if isinstance(patch, dict) else patch',
        'items = patch.get("items") if isinstance(patch, dict) else None',
    ),
    "no_items_are_valid": ("bool(items) and all(map(", "all(map("),
    "one_valid_item_is_enough": ("bool(items) and all(map(", "bool(items) and any(map("),
}

EVIDENCE: Final[Changes] = {
    "digests_alone": ("found = of_digests + [", "found = of_digests or ["),
    "empty_ids_count": (
        "if type(value) is str and value and value not in found:",
        "if type(value) is str and value not in found:",
    ),
    "ids_twice": ("if type(value) is str and value and value not in found:", "if type(value) is str and value:"),
    "integers_are_no_ids": ("if type(value) is int:", "if False:"),
    "members_not_looked_into": (
        "[value, *(value.get(name) for name in members)] if isinstance(value, dict) else [value]",
        "[value]",
    ),
    "root_counts_too": ('on=["bundle", "document"], how="anti"', 'on=["bundle", "document"], how="left"'),
    "errors_not_counted": ("append(len(entries))", "append(0)"),
}

SERIES_OF_DOCUMENTS: Final[Changes] = {
    "wrappers_name_series": ("if name is None and not _is_answer(node):", "if name is None:"),
    "containers_name_series": ("return member if member and member not in CONTAINER_NAMES else None", "return member"),
    "ids_are_series": ('member in TIME_LISTS or member.endswith(("id", "ids"))', "member in TIME_LISTS"),
    "times_are_series": ('member in TIME_LISTS or member.endswith(("id", "ids"))', 'member.endswith(("id", "ids"))'),
    "times_beside_unused": ("if timed and member in TIMED_LISTS else None", "if False else None"),
    "times_of_another_length": ("and len(times) == len(child)), None)", "), None)"),
    "name_before_metric": ('for member in ("metric", "name"):', 'for member in ("name", "metric"):'),
    "labels_first": (
        """    for holder in ("metric", "labels"):
        inner = node.get(holder)
        if type(inner) is dict:
            return sorted(""",
        """    for holder in ("labels", "metric"):
        inner = node.get(holder)
        if type(inner) is dict:
            return sorted(""",
    ),
    "labels_of_the_outer_lost": ("            )\n    return outer", "            )\n    return []"),
    "name_is_a_label": (' and key != "__name__"]', "]"),
    "nan_is_a_point": ('.filter(pl.col("value").is_not_nan())\n        without', "\n        without"),
    "milliseconds_as_seconds": ("number >= MILLISECONDS_FROM", "number >= 1e300"),
    "extension_is_a_name": ("return Level(stem if dot and stem else file_name,", "return Level(file_name,"),
}


def of_facts() -> Iterator[Mutant]:
    """Mutants of everything that facts and bundles come from."""
    yield from of_built_in_facts()
    yield from mutants_of(BUILT_IN, (*vectors(46), *_OF_BUNDLES), BUILT_IN_CONDITIONS)
    yield from mutants_of("judge_polars/facts/resolve.py", ("tests/facts/test_resolve.py", *_OF_BUNDLES), RESOLUTION)
    places = ("tests/bundles/test_candidates.py", "tests/bundles/test_case_run_records.py", *_OF_BUNDLES)
    yield from mutants_of("judge_polars/bundles/resolve.py", places, CANDIDATES)
    windows = ("tests/facts/test_trace.py", *_OF_WINDOWS, *_OF_CLUSTERS)
    yield from mutants_of("judge_polars/facts/trace.py", windows, TRACE)
    yield from mutants_of(ROUTING, ("tests/facts/test_routing.py", *_OF_ROUTING), ROUTING_CONDITIONS)
    items = ("tests/facts/test_routing_items.py", *_OF_ROUTING)
    yield from mutants_of("judge_polars/facts/routing_items.py", items, ITEMS)
    yield from mutants_of(
        "judge_polars/facts/evidence.py", ("tests/facts/test_extraction.py", *vectors(76, 104, 109)), EVIDENCE
    )
    series = ("tests/facts/test_series.py", *vectors(35, 36, 37, 40, 163, 164, 165, 212))
    yield from mutants_of("judge_polars/facts/series.py", series, SERIES_OF_DOCUMENTS)
