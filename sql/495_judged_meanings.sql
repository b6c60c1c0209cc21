-- what: by what the case runs of a case were judged last
-- grain: eval run, case with judged case runs
-- reads: latest_judged_case_runs, judgments
-- rule: what a verdict means depends on the case digest, the packs and the semantics_version (specification 60, suite_trends); where the
--       case runs were judged by several of them, the latest judgment tells
create or replace view judged_meanings as
with judgments_in_time as (
    select
        judgment_id,
        pack_digests,
        semantics_version,
        row_number() over (order by judged_at, judgment_id) as place
    from judgments
),

meanings as (
    select distinct
        eval_run_id,
        case_id,
        case_digest,
        suite_digest,
        judgment_id
    from latest_judged_case_runs
),

placed as (
    select
        meanings.eval_run_id,
        meanings.case_id,
        judgments_in_time.place,
        struct_pack(
            case_digest := meanings.case_digest,
            suite_digest := meanings.suite_digest,
            pack_digests := judgments_in_time.pack_digests,
            semantics_version := judgments_in_time.semantics_version
        ) as meaning
    from meanings
    inner join judgments_in_time using (judgment_id)
)

select
    placed.eval_run_id,
    placed.case_id,
    max(placed.place) as place,
    arg_max(placed.meaning, (placed.place, placed.meaning.case_digest)).case_digest as case_digest,
    arg_max(placed.meaning, (placed.place, placed.meaning.case_digest)).suite_digest as suite_digest,
    arg_max(placed.meaning, (placed.place, placed.meaning.case_digest)).pack_digests as pack_digests,
    arg_max(placed.meaning, (placed.place, placed.meaning.case_digest)).semantics_version as semantics_version,
    min(placed.meaning) <> max(placed.meaning) as mixed
from placed
group by placed.eval_run_id, placed.case_id;

comment on view judged_meanings is 'by what the case runs of a case of an eval run were judged last';
comment on column judged_meanings.eval_run_id is 'the eval run';
comment on column judged_meanings.case_id is 'the case';
comment on column judged_meanings.place is 'place of the latest judgment among all judgments in time, from 1';
comment on column judged_meanings.case_digest is 'of the case in the registry that judged';
comment on column judged_meanings.suite_digest is 'of the suite in the registry that judged, or null';
comment on column judged_meanings.pack_digests is 'JSON object: pack id -> digest';
comment on column judged_meanings.semantics_version is 'of the engine';
comment on column judged_meanings.mixed is 'whether the case runs were judged by several of these';
