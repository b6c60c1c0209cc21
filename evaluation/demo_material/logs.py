"""Server logs of the three incidents, in the unified format of TiDB, TiKV and PD and in that of the system journal."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from demo_material.evidence import minute
from demo_material.incidents import KILLS, Incident
from demo_material.noise import Noise

Line = tuple[datetime, str]

_EVERYDAY = {
    "tidb": (
        ("INFO", "server.go:388", '["new connection"] [conn={a}] [remoteAddr=10.0.1.5:{p}]'),
        ("INFO", "server.go:391", '["connection closed"] [conn={a}]'),
        ("INFO", "domain.go:139", '["diff load InfoSchema success"] [currentSchemaVersion=812] ["start time"={b}µs]'),
        ("WARN", "expensivequery.go:114", '[expensive_query] [cost_time={c}s] [conn={a}] [user=shop] [sql="{sql}"]'),
        ("INFO", "2pc.go:812", '["2PC clean up done"] [conn={a}] [txnStartTS=456{b}18823]'),
    ),
    "tikv": (
        ("INFO", "peer.rs:1231", '["notify leader lease renewed"] [region_id={r}] [peer_id={b}]'),
        ("INFO", "compact.rs:204", '["compact range finished"] [cf=write] [time_takes={b}ms]'),
        ("INFO", "gc_worker.rs:611", '["gc task finished"] [safe_point=456{b}77120] [regions=1204]'),
    ),
    "pd": (
        ("INFO", "operator_controller.go:480", '["add operator"] [region-id={r}] [operator="\\"balance-leader\\""]'),
        ("INFO", "cluster.go:766", '["store heartbeat"] [store-id={s}] [available=1.2TiB]'),
        ("INFO", "tso.go:221", '["update timestamp"] [physical=456{b}]'),
    ),
}
_HARMLESS_SQL = (
    "select count(*) from audit_panic_codes where code = ?",
    "select * from carts where updated_at > ?",
    "select sku, sum(qty) from stock group by sku",
)


def _head(incident: Incident, moment: datetime, level: str, source: str) -> str:
    local = moment.astimezone(timezone(timedelta(hours=incident.offset_hours)))
    time = f"{local:%Y/%m/%d %H:%M:%S}.{moment.microsecond // 1000:03d}"
    return f"[{time} {incident.offset_hours:+03d}:00] [{level}] [{source}] "


def _everyday(incident: Incident, component: str, count: int, noise: Noise) -> list[Line]:
    lines: list[Line] = []
    for _ in range(count):
        moment = minute(incident, noise.between(-4, incident.minutes + 2))
        moment = moment.replace(microsecond=noise.whole(0, 999) * 1000)
        level, source, body = noise.one_of(_EVERYDAY[component])
        filled = body.format(
            a=noise.whole(2097001, 2099999),
            b=noise.whole(100, 999),
            c=noise.whole(60, 75),
            p=noise.whole(40000, 60000),
            r=noise.whole(4000, 4900),
            s=noise.whole(1, 3),
            sql=noise.one_of(_HARMLESS_SQL),
        )
        lines.append((moment, _head(incident, moment, level, source) + filled))
    return lines


_OOM_ALARM = (
    '["tidb-server has the risk of OOM because of memory usage exceeds alarm ratio. Running SQLs and heap profile '
    'will be recorded in record path"] ["is tidb_server_memory_limit set"=false] '
    '["system memory total"=33567252480] [memory-usage-alarm-ratio=0.7]'
)
_WELCOME = '["Welcome to TiDB."] [Edition=Community] [Race=false]'
_BUSY = '["server is busy, scheduler refuses the command"] [region_id={region}] [store_id={store}]'
_SLOW_SYNC = '["slow fdatasync of raft log"] [takes={takes}ms] [store_id=2]'
_RETRY = (
    '["tikv reports `ServerIsBusy` retry later"] [reason="scheduler is busy"] '
    '[ctx="region ID: {region}, store addr: tikv-1:20160"]'
)
_SLOW_STORE = '["store is slow, consider its slow score"] [store-id=2] [slow-score=80]'


def _at(incident: Incident, minutes: float, level: str, source: str, body: str) -> Line:
    moment = minute(incident, minutes)
    return moment, _head(incident, moment, level, source) + body


def _journal(incident: Incident, minutes: float, host: str, body: str) -> Line:
    moment = minute(incident, minutes)
    return moment, f"{moment.isoformat(timespec='milliseconds')} {host} kernel: {body}"


def _text(lines: list[Line]) -> str:
    return "".join(f"{line}\n" for _, line in sorted(lines))


def _restart(incident: Incident, noise: Noise, other_instance: bool) -> dict[str, str]:
    tidb = _everyday(incident, "tidb", 22, noise)
    journal: list[Line] = [_journal(incident, -3, "tidb-0", "nfs: server backup-0 OK")]
    for kill in () if other_instance else KILLS:
        pid = noise.whole(21000, 48000)
        rss = noise.whole(30_900_000, 31_400_000)
        tidb.append(_at(incident, kill - 0.7, "WARN", "memory_usage_alarm.go:139", _OOM_ALARM))
        tidb.append(_at(incident, kill + 0.33, "INFO", "printer.go:33", _WELCOME))
        invoked = "tidb-server invoked oom-killer: gfp_mask=0x1100cca, order=0, oom_score_adj=0"
        killed = f"Out of memory: Killed process {pid} (tidb-server) total-vm:{rss + 4_100_000}kB, anon-rss:{rss}kB"
        journal.append(_journal(incident, kill, "tidb-0", invoked))
        journal.append(_journal(incident, kill + 0.01, "tidb-0", killed))
    tikv = _everyday(incident, "tikv", 10, noise)
    pd = _everyday(incident, "pd", 8, noise)
    return {"tidb.log": _text(tidb), "tikv.log": _text(tikv), "pd.log": _text(pd), "journal.log": _text(journal)}


_TIMEOUT_STACK = """[err="[tikv:9005]Region is unavailable
github.com/pingcap/errors.AddStack
\t/go/pkg/mod/github.com/pingcap/errors/errors.go:174
github.com/pingcap/tidb/pkg/store/driver/txn.(*tikvTxn).Commit
\t/src/tidb/pkg/store/driver/txn/txn_driver.go:94
github.com/pingcap/tidb/pkg/session.(*session).doCommit
\t/src/tidb/pkg/session/session.go:612"]"""


def _service(incident: Incident, noise: Noise) -> dict[str, str]:
    tidb = _everyday(incident, "tidb", 16, noise)
    tikv = _everyday(incident, "tikv", 12, noise)
    for number in range(7):
        minutes = 7 + 3.4 * number + noise.between(0, 1)
        region = noise.whole(4000, 4900)
        slow = _SLOW_SYNC.format(takes=noise.whole(2800, 4900))
        tikv.append(_at(incident, minutes, "WARN", "entry_storage.rs:902", slow))
        tikv.append(_at(incident, minutes + 0.2, "WARN", "scheduler.rs:488", _BUSY.format(region=region, store=2)))
        tidb.append(_at(incident, minutes + 0.3, "WARN", "region_request.go:988", _RETRY.format(region=region)))
    for minutes in (12.4, 21.7):
        body = f'["command dispatched failed"] [conn={noise.whole(2097001, 2099999)}] [command=Query] {_TIMEOUT_STACK}'
        tidb.append(_at(incident, minutes, "ERROR", "conn.go:1152", body))
    pd = _everyday(incident, "pd", 8, noise)
    pd.append(_at(incident, 9.1, "WARN", "store.go:301", _SLOW_STORE))
    return {"tidb.log": _text(tidb), "tikv.log": _text(tikv), "pd.log": _text(pd)}


_BACKOFF = """["tikvServerBusy backoffer.maxSleep 20000ms is exceeded, errors:
server is busy, ctx: {{region ID: 4711, store addr: tikv-2:20160}} at {time}
server is busy, ctx: {{region ID: 4711, store addr: tikv-2:20160}} at {time}
longest sleep type: tikvServerBusy, time: 18420ms"] [conn={conn}]"""


def _tail(incident: Incident, noise: Noise) -> dict[str, str]:
    tidb = _everyday(incident, "tidb", 18, noise)
    tikv = _everyday(incident, "tikv", 12, noise)
    for number in range(8):
        minutes = 9 + 3.9 * number + noise.between(0, 1)
        tikv.append(_at(incident, minutes, "WARN", "scheduler.rs:488", _BUSY.format(region=4711, store=3)))
    for minutes in (14.2, 29.6):
        moment = minute(incident, minutes)
        body = _BACKOFF.format(time=f"{moment:%H:%M:%S}", conn=noise.whole(2097001, 2099999))
        tidb.append(_at(incident, minutes, "WARN", "backoff.go:179", body))
    pd = _everyday(incident, "pd", 10, noise)
    return {"tidb.log": _text(tidb), "tikv.log": _text(tikv), "pd.log": _text(pd)}


def logs(incident: Incident, noise: Noise, other_instance: bool = False) -> dict[str, str]:
    """File name under `logs/` -> text.  `other_instance`: taken from an instance to which nothing happened."""
    if incident.short == "restart":
        return _restart(incident, noise, other_instance)
    return _service(incident, noise) if incident.short == "service" else _tail(incident, noise)
