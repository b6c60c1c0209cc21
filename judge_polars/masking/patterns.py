"""Our own patterns of secrets (specification 90, "Security"): where they stand in a text.

A pattern is looked for only where one of its hints is in the text.  None can take more than linear time in a text: repetitions
are bounded or begin at a literal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from judge_polars.masking.values import is_given, is_key, is_passphrase, is_random, is_told

Span = tuple[int, int, str]
"""Start, end, kind."""

_PASSWORD: Final = "password|passwd|passphrase|passcode|密码|口令"
_KEY: Final = (
    r"secret[-_]?access[-_]?key|secret[-_]?key|client[-_]?secret|app[-_]?secret|api[-_]?secret|api[-_]?key|private[-_]?key"
    r"|encryption[-_]?key|account[-_]?key|shared[-_]?access[-_]?key|master[-_]?key|signing[-_]?key|access[-_]?secret|密钥"
)
_TOKEN: Final = "token|secret|access[-_]?key|credentials?|令牌"
_HINTS_OF_KEYS: Final = ("secret", "key", "密钥")
_QUOTE: Final = r"\\{0,4}[\"'`]"
_IS: Final = rf"(?:{_QUOTE})?\]?[ \t]{{0,8}}(?::=|=>|[:=：])[ \t]{{0,8}}"
_BARE: Final = r"(?:[^\s,;&\"'`\])}\\，。；]|[\])}](?![\s,;\])}\"'`\\]|\Z)|\\(?![\"'`\\nrt])){1,512}"
_QUOTED: Final = rf"(?P<quote>{_QUOTE})(?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\\\n])){{1,512}})(?P=quote)"
_VALUE: Final = rf"(?:{_QUOTED}|(?:{_QUOTE})?(?P<bare>{_BARE}))"
_WORD: Final = r"(?P<secret>'[^'\n]{1,256}'|\"[^\"\n]{1,256}\"|[^\s\"'-][^\s\"']{0,256})"
_LITERAL: Final = r"(?P<mark>\\{0,2}['\"])(?P<secret>(?:(?!(?P=mark))[^\n]){1,256})(?P=mark)"
_COLON: Final = r"[\"']?[ \t]{0,8}:[ \t]{0,8}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One form of a secret.

    Attributes:
        kind: what it is called when it was masked.
        hints: one of them, in lower case, is in every text that can hold it.
        regex: the secret is the group `secret`, `quoted` or `bare`, or else the whole match.
        accepts: whether what was found is one.
    """

    kind: str
    hints: tuple[str, ...]
    regex: re.Pattern[str]
    accepts: Callable[[str], bool] = is_given


def _pattern(kind: str, hints: tuple[str, ...], regex: str, accepts: Callable[[str], bool] = is_given) -> Pattern:
    return Pattern(kind, hints, re.compile(regex, re.IGNORECASE | re.MULTILINE), accepts)


def _token(kind: str, hint: str, regex: str) -> Pattern:
    """A token that is known by its first characters; case matters, and it is no part of a longer word."""
    return Pattern(kind, (hint,), re.compile(rf"(?<![A-Za-z0-9+/_-]){regex}(?![A-Za-z0-9_])"), lambda _: True)


_HINTS_OF_PASSWORDS: Final = tuple(_PASSWORD.split("|"))

PATTERNS: Final = (
    _pattern(
        "private_key",
        ("private key",),
        r"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]|-(?!----)){0,20000}-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
        lambda _: True,
    ),
    _pattern(
        "private_key",
        ("private key",),
        r"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]{16,100}){0,400}",
        lambda _: True,
    ),
    _pattern("password", _HINTS_OF_PASSWORDS, rf"(?:{_PASSWORD}){_IS}{_VALUE}", is_given),
    _pattern("password", ("pwd",), rf"pwd{_IS}{_VALUE}", is_key),
    _pattern("key", _HINTS_OF_KEYS, rf"(?:{_KEY}){_IS}{_VALUE}", is_key),
    _pattern("token", ("token", "secret", "access", "credential", "令牌"), rf"(?:{_TOKEN}){_IS}{_VALUE}", is_random),
    _pattern(
        "password",
        _HINTS_OF_PASSWORDS,
        rf"^[ \t]{{0,40}}(?:-[ \t]{{1,4}})?[\"']?[\w.-]{{0,60}}?(?:{_PASSWORD})[\"']?[ \t]{{0,8}}:[ \t]{{1,8}}"
        r"(?P<secret>[^\s#\"'|>&*!{\[,][^\n#\"',;]{1,200}?)[ \t]{0,40}(?:#[^\n]{0,200})?$",
        is_passphrase,
    ),
    _pattern(
        "password",
        _HINTS_OF_PASSWORDS,
        rf"(?:{_PASSWORD}|{_KEY}){_COLON}[|>][-+0-9]{{0,2}}[ \t]{{0,8}}\n[ \t]{{1,40}}(?P<secret>[^\s][^\n]{{0,200}})",
    ),
    _pattern(
        "password",
        ("value",),
        rf"\bname{_COLON}[\"']?[\w.-]{{0,60}}?(?:{_PASSWORD}|{_KEY}|token|secret)[\"']?[ \t]{{0,8}},?\s{{1,80}}"
        rf"[\"']?value{_COLON}(?P<secret>[^\s,}}]{{1,512}})",
    ),
    _pattern("password", ("--",), rf"--(?:[\w-]{{0,40}}-)?(?:{_PASSWORD}|pass|{_KEY})[ \t]{{1,8}}{_WORD}", is_key),
    _pattern("token", ("--",), rf"--(?:[\w-]{{0,40}}-)?(?:token|secret)[ \t]{{1,8}}{_WORD}", is_random),
    _pattern("password", ("mysql",), rf"\bmysql\w{{0,10}}\b[^\n|;&]{{0,200}}?[ \t]-p{_WORD}"),
    _pattern(
        "password", ("curl",), rf"\bcurl\b[^\n]{{0,300}}?[ \t](?:-u|--user)[ =]{{1,4}}[\"']?[^\s:'\"]{{1,100}}:{_WORD}"
    ),
    _pattern("password", ("login",), r"\blogin[ \t]{1,8}\S{1,100}\s{1,8}password[ \t]{1,8}(?P<secret>\S{1,256})"),
    _pattern(
        "password",
        ("identified",),
        rf"\bidentified\s{{1,8}}(?:with\s{{1,8}}\S{{1,60}}\s{{1,8}})?(?:by|as)\s{{1,8}}(?:password\s{{1,8}})?{_LITERAL}",
    ),
    _pattern(
        "password",
        ("password",),
        rf"\bset\s{{1,8}}password\b[^=;\n]{{0,120}}=\s{{0,8}}(?:password\s{{0,4}}\(\s{{0,4}})?{_LITERAL}",
    ),
    _pattern(
        "password",
        ("password", "passphrase"),
        r"\bpass(?:word|phrase)[ \t]{1,4}(?:is|was|to|of)[ \t]{1,4}"
        r"(?P<secret>\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|`[^`\n]{1,100}`|\S{4,256})",
        is_told,
    ),
    _pattern(
        "password",
        ("密码", "口令"),
        r"(?:密码|口令)(?:是|为|改为|改成)[ \t]{0,4}(?P<secret>[^\s，。；]{4,256})",
        is_told,
    ),
    _pattern(
        "url_password",
        ("://",),
        r"(?<=[A-Za-z0-9])://[^\s/:@?#\"'<>\\]{0,128}:(?P<secret>[^\s/\"'<>\\]{1,256})@(?=[\w\[%$])",
    ),
    _pattern(
        "url_password",
        ("://",),
        r"(?<=[A-Za-z0-9])://[^\s/:@?#\"'<>\\]{1,128}:(?!\d{1,5}[/?#])(?P<secret>[^\s\"'<>\\]{1,256}?)@(?=[\w\[%$])",
    ),
    _pattern(
        "dsn_password",
        ("@tcp(", "@unix(", "@tcp6(", "@udp("),
        r"(?<=[\w.%+-]):(?P<secret>[^\s'\"]{1,128}?)@(?:tcp6?|unix|udp)\(",
    ),
    _pattern(
        "bearer_token", ("bearer",), r"\bbearer[ \t]{1,4}[\"']?(?P<secret>[A-Za-z0-9._~+/=-]{16,4096})", is_random
    ),
    _pattern(
        "authorization",
        ("authorization",),
        rf"\bauthorization(?:{_QUOTE})?[ \t]{{0,8}}[:=][ \t]{{0,8}}\[?(?:{_QUOTE})?"
        r"(?:basic|digest|token|apikey|negotiate)[ \t]{1,4}(?P<secret>[^\s\"'\\,\]]{6,4096})",
    ),
    _pattern(
        "cookie",
        ("cookie",),
        rf"\bcookie(?:{_QUOTE})?[ \t]{{0,8}}[:=][ \t]{{0,8}}(?:{_QUOTE})?[^\s\"'=;]{{1,80}}=(?P<secret>[^\s\"';\\]{{8,4096}})",
    ),
    _pattern(
        "signed_url",
        ("signature=", "sig=", "security-token="),
        r"[?&](?:x-amz-signature|x-goog-signature|x-amz-security-token|signature|sig)=(?P<secret>[\w%+/=.-]{16,4096})",
    ),
    _token("jwt", "eyj", r"eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,2048})?"),
    _token("aws_key", "a", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![+/=])"),
    _token("github_token", "gh", r"gh[pousr]_[A-Za-z0-9_]{36,255}"),
    _token("github_token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _token("gitlab_token", "glpat-", r"glpat-[A-Za-z0-9_-]{20,64}"),
    _token("slack_token", "xox", r"xox[abeoprs](?:-[A-Za-z0-9]{1,128}){2,8}"),
    _token("slack_webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/[\w/-]{16,200}"),
    _token("stripe_key", "_live_", r"(?:sk|rk)_live_[A-Za-z0-9]{16,255}"),
    _token("openai_key", "sk-", r"sk-(?:proj-|svcacct-|ant-|or-)?(?=[A-Za-z0-9_-]{0,40}[0-9])[A-Za-z0-9_-]{20,255}"),
    _token("google_key", "aiza", r"AIza[A-Za-z0-9_-]{35}"),
    _token("npm_token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("cloud_key", "l", r"LTAI[A-Za-z0-9]{16,26}(?![+/=])"),
    _token("cloud_key", "akid", r"AKID[A-Za-z0-9]{24,40}(?![+/=])"),
    _token("hub_token", "hf_", r"hf_[A-Za-z0-9]{30,64}"),
)
_GROUPS: Final = ("secret", "quoted", "bare")


def own_spans(text: str) -> Iterator[Span]:
    """Where our own patterns find secrets; spans may overlap."""
    lowered = text.lower()
    for pattern in PATTERNS:
        if not any(hint in lowered for hint in pattern.hints):
            continue
        groups = [name for name in _GROUPS if name in pattern.regex.groupindex]
        for found in pattern.regex.finditer(text):
            group = next((name for name in groups if found[name] is not None), 0)
            if pattern.accepts(found[group]):
                yield *found.span(group), pattern.kind


_ENDINGS: Final = tuple(
    (kind, re.compile(rf"(?:{words})$", re.IGNORECASE), accepts)
    for kind, words, accepts in (
        ("password", _PASSWORD, is_given),
        ("password", "pwd", is_key),
        ("key", _KEY, is_key),
        ("token", _TOKEN, is_random),
    )
)


def kind_of_member(name: str, value: str) -> str | None:
    """The kind of secret that a JSON member of that name and value is; None for none."""
    for kind, ending, accepts in _ENDINGS:
        if ending.search(name[-40:]):
            return kind if accepts(value) else None
    return None
