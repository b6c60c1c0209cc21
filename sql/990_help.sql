-- what: the views for people: what each answers, and a query to start with
-- grain: view
-- reads: nothing
-- rule: specification 60, view help; views that only serve other views are left out
create or replace view help as
select
    position,
    topic,
    view_name,
    answers,
    example
from (
    values
    (1, 'verdicts', 'verdicts', 'What is the verdict of each case run, by the latest judgment, and why?', 'select case_run_id, verdict, primary_failure_code, cause, score_pct from verdicts order by case_run_id'),
    (2, 'verdicts', 'all_verdicts', 'What did every judgment say of each case run?', 'select judged_at, judgment_id, case_run_id, verdict, primary_failure_code from all_verdicts order by case_run_id, judged_at'),
    (3, 'verdicts', 'failures', 'Which case runs are no pass, and which checks failed, in words?', 'select case_run_id, meaning, cause, failed_checks from failures where verdict = ''fail'''),
    (4, 'verdicts', 'bucket_statuses', 'What are status and score of each bucket?', 'select case_run_id, bucket, status, score, max_score from bucket_statuses where status <> ''pass'' order by case_run_id, position'),
    (5, 'verdicts', 'check_results', 'How did each check of a case run end, and for what reason?', 'select bucket, layer, check_id, passed, reason from check_results where case_run_id = (select min(case_run_id) from case_runs) order by position'),
    (6, 'verdicts', 'evidence_diagnosis', 'Did the collector lack the evidence, or did the reasoning miss it?', 'select class, count(*) as case_runs from evidence_diagnosis group by class order by class'),
    (7, 'verdicts', 'verdict_flips', 'Which verdicts did a later judgment change: by the rubric, the bundle or the engine, and in which checks?', 'select case_run_id, from_verdict, to_verdict, rubric_changed, bundle_changed, engine_changed, changed_checks from verdict_flips'),
    (8, 'cases', 'case_verdicts', 'What do the trials of a case of an eval run make together, in each judgment?', 'select eval_run_id, case_id, verdict, passed, comparable, trials from case_verdicts order by eval_run_id, case_id'),
    (9, 'cases', 'latest_case_verdicts', 'And by the latest judgments, whichever judged which trial?', 'select eval_run_id, case_id, verdict, pass_rate, pass_rate_low, pass_rate_high from latest_case_verdicts'),
    (10, 'cases', 'case_pass_k', 'How likely does one of k trials pass, and how likely do all of k?', 'select case_id, k, pass_at_k, pass_hat_k from case_pass_k order by case_id, k'),
    (11, 'eval runs', 'eval_run_counts', 'How many case runs of an eval run were planned and found, and how did they end?', 'select eval_run_id, planned, found, passed, failed, invalid, pass_rate from eval_run_counts'),
    (12, 'eval runs', 'eval_run_coverage', 'Is an eval run complete: was everything judged that its suite plans?', 'select eval_run_id, planned, judged, cases_without_run from eval_run_coverage where incomplete'),
    (13, 'regressions', 'baseline_regressions', 'What got worse or better than in the active baseline, and is it more than noise?', 'select case_id, change, baseline_verdict, verdict, evidence, q_value from baseline_regressions where change in (''regressed'', ''missing'')'),
    (14, 'regressions', 'suite_comparison', 'How do whole eval runs compare, with the baseline and with each other?', 'select eval_run_id, compared_with, other_eval_run_id, pass_to_fail, fail_to_pass, p_value from suite_comparison'),
    (15, 'regressions', 'active_baseline_cases', 'Against what are eval runs compared?', 'select suite_id, eval_run_id, case_id, verdict, stability from active_baseline_cases'),
    (16, 'trends', 'suite_trends', 'How did the eval runs of a suite do over time, and where may they be compared?', 'select suite_id, place, eval_run_id, segment, pass_rate, pass_rate_low, pass_rate_high, matched_pass_rate from suite_trends order by suite_id, place'),
    (17, 'trends', 'case_trends', 'How did a case do over time?', 'select case_id, place, eval_run_id, segment, passed, comparable from case_trends order by case_id, place'),
    (18, 'trends', 'bucket_trends', 'How did a bucket do over time?', 'select bucket, place, eval_run_id, segment, pass_rate from bucket_trends order by bucket, place'),
    (19, 'trends', 'failure_code_trends', 'How often did a failure code come up over time?', 'select code, place, eval_run_id, case_runs, rate from failure_code_trends order by code, place'),
    (20, 'trends', 'trend_runs', 'In which order do eval runs stand, where does the meaning of their verdicts change, and which of them mix meanings?', 'select suite_id, place, eval_run_id, segment from trend_runs where mixed_semantics'),
    (21, 'quality', 'flaky_cases', 'Which cases does one agent now pass and now fail?', 'select case_id, agent_name, agent_version, comparable, flip_rate from flaky_cases order by flip_rate desc'),
    (22, 'quality', 'check_quality', 'Which checks never fail, never pass, or decide alone?', 'select case_id, bucket, check_id, pass_rate, phi, decides_alone from check_quality where never_failed or never_passed'),
    (23, 'quality', 'case_quality', 'Which cases are impossible, saturated, or tell agents apart?', 'select case_id, state, agents, comparable, pass_rate, eval_runs_since_told_apart from case_quality'),
    (24, 'quality', 'semantic_agreement', 'How far does the semantic shadow agree with the checks that it shadows?', 'select case_id, check_id, compared, agreement, kappa from semantic_agreement'),
    (25, 'quality', 'repeated_bundles', 'Which case runs are byte-identical and count twice?', 'select content_digest, case_run_id, case_runs from repeated_bundles order by content_digest, case_run_id'),
    (26, 'meanings', 'verdict_precedence', 'Which bucket status makes which verdict and code?', 'select precedence, bucket, statuses, verdict, code from verdict_precedence order by position'),
    (27, 'meanings', 'buckets', 'Which buckets are there?', 'select bucket from buckets order by position'),
    (28, 'meanings', 'reasons', 'What do the reasons of failed checks mean?', 'select reason, meaning from reasons'),
    (29, 'meanings', 'help', 'Which views are there, and what do they answer?', 'select view_name, answers from help where topic = ''trends'''),
    (30, 'audits: no row on sound data', 'audit_repeated_verdicts', 'Which case runs did one judgment judge more than once?', 'from audit_repeated_verdicts'),
    (31, 'audits: no row on sound data', 'audit_repeated_keys', 'Which keys stand for several rows?', 'from audit_repeated_keys'),
    (32, 'audits: no row on sound data', 'audit_orphan_outcomes', 'Which check outcomes belong to no judged case run, or to no check of its case?', 'from audit_orphan_outcomes'),
    (33, 'audits: no row on sound data', 'audit_repeated_outcomes', 'Which checks have several outcomes for one judged case run?', 'from audit_repeated_outcomes'),
    (34, 'audits: no row on sound data', 'audit_missing_outcomes', 'Which judged case runs lack outcomes of their checks (these count as failed), or have too many?', 'from audit_missing_outcomes'),
    (35, 'audits: no row on sound data', 'audit_orphan_judged_runs', 'Which judged case runs lack their case run, judgment or case?', 'from audit_orphan_judged_runs'),
    (36, 'audits: no row on sound data', 'audit_buckets_and_checks', 'Which buckets are configured without checks, or have checks without being configured?', 'from audit_buckets_and_checks'),
    (37, 'audits: no row on sound data', 'audit_undecided_verdicts', 'Which judged case runs have no verdict?', 'from audit_undecided_verdicts'),
    (38, 'audits: no row on sound data', 'audit_active_baselines', 'Which suites have several active baselines?', 'from audit_active_baselines'),
    (39, 'audits: no row on sound data', 'audit_case_run_parts', 'Which judged case runs contradict their own id, or name an unknown suite?', 'from audit_case_run_parts'),
    (40, 'audits: no row on sound data', 'audit_orphan_semantic_results', 'Which semantic results lack their judged case run or the check that they shadow?', 'from audit_orphan_semantic_results'),
    (41, 'audits: no row on sound data', 'audit_repeated_semantic_results', 'Which questions have several answers for one judged case run?', 'from audit_repeated_semantic_results'),
    (42, 'audits: no row on sound data', 'audit_superseded_case_runs', 'Which verdicts count although a later judgment judged their case runs again, or do not count although none did?', 'from audit_superseded_case_runs')
) as rows_of_help (position, topic, view_name, answers, example);

comment on view help is 'the views for people: what each answers, and a query to start with';
comment on column help.position is 'order in which to read, from 1';
comment on column help.topic is 'what the view is about';
comment on column help.view_name is 'the view, or table of meanings';
comment on column help.answers is 'the question that it answers';
comment on column help.example is 'a query to start with';
