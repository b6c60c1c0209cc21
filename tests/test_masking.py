"""Secrets in texts: masked wherever they stand, told by kind and line; what only looks like one stays."""

from __future__ import annotations

import base64
import json
import random
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_polars import masking
from judge_polars.errors import MissingPieceError
from judge_polars.masking import MaskedSecret, mask, patterns, scanner
from judge_polars.masking.patterns import own_spans

needs_scanner = pytest.mark.skipif(not masking.scanner_is_there(), reason="the extra redact is not installed")

# Made-up secrets, put together from parts, so that no scanner takes this file for one that holds any.
LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC"
BODY = "\n".join(LETTERS * 2 for _ in range(4))


def key_block(kind: str = "RSA ") -> str:
    """A private key of several lines."""
    return f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{BODY}\nQ==\n-----END {kind}PRIVATE" + " KEY-----"


def jwt() -> str:
    """A JSON Web Token."""
    parts = (json.dumps({"alg": "HS256"}), json.dumps({"sub": "1234567890", "name": "somebody"}), LETTERS)
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)


TOKENS = {
    "aws_key": "AK" + "IA" + "Q3EGRJ7M2LPX5TZB",
    "github_token": "gh" + "p_" + LETTERS + "Ab12",
    "github_fine_token": "github" + "_pat_" + LETTERS + "_" + LETTERS,
    "gitlab_token": "gl" + "pat-" + LETTERS[:20],
    "slack_token": "xo" + "xb-123456789012-1234567890123-" + LETTERS[:24],
    "slack_webhook": "https://hooks.slack" + ".com/services/T0AAAAAAA/B0BBBBBBB/" + LETTERS[:24],
    "stripe_key": "sk" + "_live_" + LETTERS[:24],
    "openai_key": "sk" + "-proj-" + LETTERS + "-" + LETTERS[:16],
    "google_key": "AI" + "za" + LETTERS + "Abc",
    "npm_token": "np" + "m_" + LETTERS + "Ab12",
    "cloud_key": "LT" + "AI" + LETTERS[:20],
    "other_cloud_key": "AK" + "ID" + LETTERS[:30],
    "hub_token": "h" + "f_" + LETTERS,
    "jwt": jwt(),
}
PLACES: dict[str, Callable[[str], str]] = {
    "log": lambda secret: f'[2025/03/04 09:10:00.000 +00:00] [WARN] ["call failed"] [auth={secret}] [code=401]',
    "yaml": lambda secret: f"server:\n  auth: {secret}  # old\n  port: 4000\n",
    "quoted yaml": lambda secret: f'server:\n  auth: "{secret}"\n',
    "url": lambda secret: f"GET https://example.org/v1/x?auth={secret}&page=2 HTTP/1.1",
    "markdown": lambda secret: f"The call used `{secret}`, which has expired.",
    "toml": lambda secret: f"[server]\nauth = '{secret}'\n",
    "escaped json in a log": lambda secret: f'body="{{\\"auth\\":\\"{secret}\\",\\"x\\":1}}"',
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("token", TOKENS)
def test_a_token_of_a_known_form_is_masked_in_every_place(token: str, place: str) -> None:
    secret = TOKENS[token]
    text = PLACES[place](secret)
    masked = mask(text)
    assert secret not in masked.text
    assert masked.secrets
    before, _, after = text.partition(secret)
    assert masked.text.startswith(before)
    assert masked.text.endswith(after)


@pytest.mark.parametrize("token", [*TOKENS, "private_key"])
def test_a_token_is_masked_in_json_and_the_json_stays_whole(token: str) -> None:
    secret = key_block() if token == "private_key" else TOKENS[token]
    value = {"a": 1.50, "列": "值", "notes": [f"it said {secret}", "fine"], "big": 2**70}
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    masked = mask(text, "json")
    read = json.loads(masked.text)
    assert secret[:60] not in masked.text
    assert read["notes"][0].startswith("it said [masked:")
    assert (read["a"], read["列"], read["notes"][1], read["big"]) == (1.5, "值", "fine", 2**70)
    assert '"a":1.5,' in masked.text


SECRET = "c0rrect-H0rse"
WITH_PASSWORDS = {
    "yaml": f"db:\n  password: {SECRET}\n  host: db-1",
    "yaml of several words": "password: correct horse battery",
    "yaml with a comment": f"  root_password: {SECRET} # rotate",
    "yaml of several lines": f"password: |\n  {SECRET}\nuser: x",
    "environment": f"MYSQL_PWD={SECRET} mysql -h db",
    "exported": f'export DB_PASSWORD="{SECRET}"',
    "container environment": f"- name: DB_PASSWORD\n  value: {SECRET}\n",
    "log field": f'[INFO] ["login"] [user=root] [password={SECRET}] [host=a]',
    "log json": f'request {{"user":"root","password":"{SECRET}"}}',
    "log escaped json": f'body="{{\\"password\\":\\"{SECRET}\\"}}"',
    "python": f"connect(host='a', password='{SECRET}')",
    "python item": f"settings['password'] = '{SECRET}'",
    "toml": f"passwd = '{SECRET}'",
    "go struct": f"Config{{User:root Password:{SECRET} Net:tcp}}",
    "camel case": f"dbPassword={SECRET}",
    "with a quote inside": 'password="c0rrect\\"H0rse"',
    "url": f"mysql://root:{SECRET}@db-1:4000/test",
    "url without a user": f"redis://:{SECRET}@cache:6379/0",
    "url with a slash in it": "postgres://app:c0rrect/H0rse@db/prod",
    "url with an at sign in it": "postgres://app:c0rrect@H0rse@db/prod",
    "go dsn": f"root:{SECRET}@tcp(db-1:4000)/test?timeout=5s",
    "go dsn with signs": "root:c0rrect@:/H0rse@tcp(127.0.0.1:4000)/test",
    "socket dsn": f"root:{SECRET}@unix(/tmp/mysql.sock)/test",
    "libpq dsn": f"host=db user=app password={SECRET} dbname=prod",
    "jdbc": f"jdbc:mysql://db:4000/test?user=root&password={SECRET}&useSSL=false",
    "odbc": f"Server=db;Uid=root;Pwd={SECRET};Database=test",
    "command line": f"tool --password {SECRET} --host a",
    "command line with =": f"tool --db-password={SECRET} --host a",
    "mysql client": f"mysql -h db -u root -p{SECRET} test",
    "curl": f"curl -u admin:{SECRET} http://pd:2379/pd/api/v1/stores",
    "sql user": f"CREATE USER 'u'@'%' IDENTIFIED BY '{SECRET}'",
    "sql user with a plugin": f"alter user u identified with mysql_native_password by '{SECRET}'",
    "sql set password": f"SET PASSWORD FOR 'u'@'%' = PASSWORD('{SECRET}')",
    "netrc": f"machine db login root password {SECRET}",
    "sentence": f"The password is {SECRET}, please rotate it.",
    "quoted sentence": 'The password was "correct horse".',
    "chinese": f"数据库密码：{SECRET}，请更换",
    "chinese sentence": f"密码是{SECRET}。",
    "api key": f"api_key: {SECRET}",
    "header": f"X-Api-Key: {SECRET}",
    "client secret": f"client_secret={SECRET}&grant_type=client_credentials",
    "aws secret": f"aws_secret_access_key = {LETTERS}aB3dE5gH",
    "bearer": f"Authorization: Bearer {LETTERS}",
    "basic": "Authorization: Basic " + base64.b64encode(b"root:c0rrect-H0rse").decode(),
    "token": f"refresh_token={LETTERS}",
    "token on the command line": f"tool --token {LETTERS}",
    "cookie": f"Cookie: session={LETTERS}; theme=dark",
    "azure": f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={LETTERS * 2}aB3dE5gHaB3dE5gHaB3d==;",
    "signed url": f"https://bucket.example.org/a?X-Amz-Date=20250304&X-Amz-Signature={'0a1b' * 16}",
}
PARTS = ("c0rrect", "H0rse", "horse", LETTERS, "b3RvO", "cm9vd", "0a1b0a1b")


@pytest.mark.parametrize("place", WITH_PASSWORDS)
def test_a_secret_that_is_known_by_what_stands_before_it_is_masked(place: str) -> None:
    text = WITH_PASSWORDS[place]
    masked = mask(text)
    assert [part for part in PARTS if part in text]
    assert [part for part in PARTS if part in masked.text] == []
    assert mask(masked.text) == masking.Masked(masked.text)


@pytest.mark.parametrize("place", WITH_PASSWORDS)
def test_such_a_text_inside_json_is_masked_too(place: str) -> None:
    text = WITH_PASSWORDS[place]
    masked = mask(json.dumps({"line": text, "next": "x"}), "json")
    assert [part for part in PARTS if part in masked.text] == []
    assert json.loads(masked.text)["next"] == "x"
    assert mask(masked.text, "json").secrets == ()


@pytest.mark.parametrize(
    ("member", "kind"),
    [
        ('{"password":"hunter2"}', "password"),
        ('{"db":{"rootPassword" : "two words"}}', "password"),
        ('{"password":12345678}', "password"),
        ('{"api_key":"k"}', "key"),
        ('{"access_token":"' + LETTERS + '"}', "token"),
        ('{"env":[{"name":"DB_PASSWORD","value":"hunter2"}]}', "password"),
        ('{"password":"\\u0068unter2\\"\\\\"}', "password"),
    ],
)
def test_a_json_member_is_masked_by_its_name(member: str, kind: str) -> None:
    masked = mask(member, "json")
    assert masked.secrets == (MaskedSecret(1, kind),)
    assert f'"[masked:{kind}]"' in masked.text
    assert "unter2" not in masked.text
    json.loads(masked.text)


@pytest.mark.parametrize("prefix", ["", "    ", "2025-03-04T09:00:00Z tidb-0 "])
@pytest.mark.parametrize("kind", ["RSA ", "", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_goes_with_all_its_lines_and_no_line_moves(prefix: str, kind: str) -> None:
    block = "\n".join(prefix + line for line in key_block(kind).split("\n"))
    masked = mask(f"first\n{block}\nlast\npassword: hunter2\n")
    assert LETTERS not in masked.text
    assert masked.text.split("\n").index("last") == 1 + 7
    assert masked.secrets == (MaskedSecret(2, "private_key"), MaskedSecret(10, "password"))


def test_a_private_key_that_is_cut_off_or_escaped_is_masked() -> None:
    cut = key_block().rpartition("\nQ==")[0]
    assert LETTERS not in mask(f"{cut}\n\nnext").text
    assert mask(f"{cut}\n\nnext").text.endswith("next")
    assert LETTERS not in mask("key: " + key_block().replace("\n", "\\n")).text


LOOK_ALIKES = {
    "git hash": "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD)",
    "uuid": "trace_id=3f2b8c1e-5d4a-4b6f-9e7d-1a2b3c4d5e6f",
    "digest": "sha256:a57d1ecf7b65a3c2682d1211bf7a88d4c0a675312e898a82aada3cd365cae610",
    "sql digest": '[digest=05c25b8fcd1b3f4f1e2d7a9d0d1c2b3a4f5e6d7c] [txn_start_ts="448812839472"]',
    "ticket": "see ABC-1234 and TICKET_123",
    "cluster": "cluster_id: 10151515151515151515",
    "metric": "tikv_thread_cpu_seconds_total{name='apply_0', token_type='x'} 0.93",
    "expiry": "password_expiry: 30d",
    "lifetime": "default_password_lifetime = 0",
    "policy": "password-policy: strict; password_history=5",
    "empty": 'password: ""\npasswd=\nuser: root',
    "nothing": "password: null",
    "variable": "password: ${DB_PASSWORD}\nsecret_key=$SECRET_KEY",
    "template": "password: {{ .Values.password }}",
    "placeholder": "password=****** api_key=<your key> token=xxxxxxxxxxxx",
    "masked": "password=[masked:password] url=mysql://root:[masked:url_password]@db/x",
    "parameter": "select * from t where password = ? and token = :token",
    "refused": "Access denied for user 'root'@'10.0.1.7' (using password: YES)",
    "sentence": "The password was rotated before the incident; the token is invalid.",
    "question": "Is the password wrong? Password: not checked.",
    "counts": '{"input_tokens":51234,"output_tokens":4210,"token":12}',
    "token limit": "max_tokens: 4096, token_count=512, tokens: 18",
    "parser": 'line 1 column 7 near "token: SELECT", unexpected token: ident',
    "secret name": "secretName: tidb-cluster-client-secret-1\nsecret: basic-tidb-1-cert",
    "working directory": "PWD=/data/deploy/tidb-4000",
    "certificate": "private_key: /etc/tidb/tls/server.key\nssl-key = 'tls/server.pem'",
    "public key": "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq\n-----END PUBLIC KEY-----",
    "certificate block": "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkq\n-----END CERTIFICATE-----",
    "host and port": "http://pd-0.pd:2379/pd/api/v1/stores?x=a@b.example",
    "mail": "mailto:somebody@example.org, https://example.org/@user",
    "ssh remote": "git@example.org:team/project.git",
    "image": "image: registry.example/pingcap/tidb@sha256:" + "0a1b" * 16,
    "time": "access: 2025-03-04T09:10:00Z, credential: 2025-03-04 09:10:00",
    "bearer": "the bearer of the lock; bearer token missing",
    "key range": "start_key=7480000000000000FF5F728000000000000000 end_key=7480000000000000FF",
    "key word": "key: tail-latency-surge, primary_key=(id), index_key: idx_created_at_20250304",
    "pass": "pass: 12, passed=3, bypass: on",
    "go pointer": "goroutine 1 [running]: panic(0x1c3a2b40, 0xc000a1b2c3)",
    "sk word": "risk-assessment-of-the-regional-deployment-in-2025, task-2025-03-04-nightly-run-0001",
    "lower case": "asia-northeast1-b, akia",
    "chart": "data:image/png;base64," + base64.b64encode(random.Random(7).randbytes(3000)).decode(),
    "compressed": base64.b64encode(zlib.compress(b"metrics " * 500)).decode(),
    "chinese": "密码错误，请重试。密码：未设置",
}


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_stays(name: str) -> None:
    text = LOOK_ALIKES[name]
    assert mask(text) == masking.Masked(text)
    in_json = json.dumps({"text": text}, ensure_ascii=False)
    assert mask(in_json, "json") == masking.Masked(in_json)


def test_lines_are_told_and_values_are_not() -> None:
    masked = mask(f"a\npassword: {SECRET}\n\nmysql://root:{SECRET}@db/x\n")
    assert masked.secrets == (MaskedSecret(2, "password"), MaskedSecret(4, "url_password"))
    assert masked.text == "a\npassword: [masked:password]\n\nmysql://root:[masked:url_password]@db/x\n"
    assert SECRET not in repr(masked)


def test_json_lines_are_masked_line_by_line_where_one_is_no_json() -> None:
    lines = ['{"a":1}', f'{{"password":"{SECRET}"}}', f"broken password={SECRET}", '{"b":"x"}']
    masked = mask("\n".join(lines), "jsonl")
    told = masked.text.split("\n")
    assert masked.secrets == (MaskedSecret(2, "password"), MaskedSecret(3, "password"))
    assert [told[0], told[3]] == [lines[0], lines[3]]
    assert json.loads(told[1]) == {"password": "[masked:password]"}
    whole = mask("\n".join(lines[:2]), "jsonl")
    assert whole.secrets == (MaskedSecret(2, "password"),)


def test_a_json_text_that_is_none_is_masked_as_text() -> None:
    assert SECRET not in mask(f'{{"password":"{SECRET}", oh', "json").text
    assert mask('{"a": "\\ud800 x"}', "json").text == '{"a": "\\ud800 x"}'


@given(
    st.recursive(
        st.one_of(st.text(max_size=12), st.integers(), st.booleans(), st.none(), st.sampled_from([SECRET, jwt()])),
        lambda below: st.one_of(
            st.lists(below, max_size=4),
            st.dictionaries(
                st.one_of(st.text(max_size=6), st.sampled_from(["password", "name", "value"])), below, max_size=4
            ),
        ),
        max_leaves=12,
    )
)
def test_any_json_stays_json_of_the_same_shape(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    masked = mask(text, "json")
    assert shape(json.loads(masked.text)) == shape(value)
    assert mask(masked.text, "json").secrets == ()


def shape(value: object) -> object:
    """The lists, objects and names of a JSON value; every scalar is the same."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    return [shape(one) for one in value] if isinstance(value, list) else None


@needs_scanner
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SG." + LETTERS[:22] + "." + LETTERS + LETTERS[:11], "sendgrid_key"),
        ("S" + "K" + "0a1b2c3d" * 4, "twilio_key"),
        ("0a1b2c3d" * 4 + "-us12", "mailchimp_key"),
        ("sq0" + "csp-" + LETTERS + LETTERS[:11], "square_token"),
    ],
)
def test_the_scanner_finds_more_kinds(text: str, kind: str) -> None:
    assert mask(f"it said {text} today").secrets == (MaskedSecret(1, kind),)


@needs_scanner
@pytest.mark.parametrize("module, name, kind, hints", scanner.DETECTORS)
def test_each_chosen_detector_is_there(module: str, name: str, kind: str, hints: tuple[str, ...]) -> None:
    assert kind in {one for one, _, _ in scanner._detectors()}
    assert all(hint == hint.lower() for hint in hints)
    del module, name


def test_without_the_scanner_our_own_patterns_run_and_it_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner, "find_spec", lambda _: None)
    scanner._detectors.cache_clear()
    try:
        assert not masking.scanner_is_there()
        assert SECRET not in mask(f"password={SECRET}").text
        with pytest.raises(MissingPieceError, match=r"pip install 'judge-polars\[redact\]'"):
            masking.require_scanner()
    finally:
        scanner._detectors.cache_clear()


def test_every_pattern_finds_something_only_with_its_hint() -> None:
    texts = [*WITH_PASSWORDS.values(), *TOKENS.values(), key_block()]
    found = {id(one) for text in texts for one in patterns.PATTERNS for _ in one.regex.finditer(text)}
    assert [one.kind for one in patterns.PATTERNS if id(one) not in found] == []
    for text in texts:
        lowered = text.lower()
        for one in patterns.PATTERNS:
            if one.regex.search(text):
                assert any(hint in lowered for hint in one.hints), (one.kind, text)
    assert list(own_spans("")) == []


BUSY = "user=root password: x token=1 secret key --password --token mysql curl login identified by authorization cookie name: "
HOSTILE = {
    "dashes": "-----BEGIN PRIVATE KEY-----" * 1500,
    "starts of tokens": "eyJ" * 14_000,
    "starts of keys": "sk-" * 14_000,
    "colons": "://" * 14_000,
    "quotes": 'password="' * 4_000,
    "backslashes": "password=" + "\\" * 40_000,
    "words": "password" * 5_000,
    "blanks": "password" + " " * 40_000,
    "dsn": "a:" * 20_000 + "@tcp(",
    "busy": BUSY * 350,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_masked_in_the_end(name: str) -> None:
    """A pattern that took quadratic time would not come back from a text of this size."""
    text = HOSTILE[name] * 8
    masked = mask(text)
    assert masked.text.count("\n") == 0
    assert len(json.loads(mask(json.dumps([text, 1]), "json").text)) == 2
