"""Ticket ids, issue numbers and version numbers in texts (specification 10, lint table).

A ticket id is a word, a hyphen or underscore, and a number.  So are names of standards, of error codes and of machines:
these are told apart by the word and by the number of digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TICKET_WORDS: Final = (
    "ticket|tickets|issue|issues|jira|bug|bugs|incident|inc|oncall|ops|case|task|story|defect|req|chg|prb|sr|cr"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_TICKETS: Final = _words(
    # standards, encodings, algorithms
    "UTF UCS UTC GMT TLS SSL SSH SHA SHA1 SHA2 SHA3 MD AES RSA DES DSA RC EC ED CURVE SECP POLY CRC HMAC ISO IEC IEEE RFC "
    "ANSI NIST FIPS PKCS X ECMA ITU EN DIN GB CP KOI BIG LATIN WINDOWS EUC ASCII BASE SQL HTTP HTTPS IP IPV INT UINT FLOAT "
    "DECIMAL ARM AMD INTEL XEON EPYC DDR PCIE PC CAT SATA RAID USB COVID SARS VARCHAR CHAR BIT UUID "
    # error codes
    "ERROR ERR ERRNO ORA MY SQLSTATE HY CODE STATUS EXIT SIGNAL SIG KB WARN INFO "
    # machines, places and measures
    "TIKV TIDB PD TIFLASH TICDC TIPROXY NODE HOST SERVER STORE POD VM DB DC IDC AZ RACK ZONE REGION SHARD REPLICA DISK NVME "
    "SSD CPU GPU CORE NUMA PORT THREAD CONN SESSION TXN TABLE INDEX PARTITION QPS TPS PCT TOP LEVEL FY VER VERSION "
    "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"
)
"""Words before a hyphen and a number that make no ticket id."""
_PRODUCTS: Final = _words("TIKV TIDB PD TIFLASH TICDC TIPROXY")
"""Words of `_NO_TICKETS` that begin ticket ids too, when four and more digits follow: `TIDB-12345`."""
_LOWER_NO_TICKETS: Final = _words(
    "error err http https code status port exit top version year since until last first max min after before under over about "
    "january february march april june july august september october november december spring summer autumn fall winter week "
    "day hour minute minutes second seconds us eu ap east west north south central memory batch limit size rows users "
    "connections sessions queries statements stores nodes regions tables partitions shards by of to from at in on and or "
    "windows latin base model series cluster group pool epoch term job build"
)
_UPPER: Final = re.compile(
    r"(?<![A-Za-z0-9_.\-])(?P<word>[A-Z][A-Z0-9]{0,9})(?P<mark>[-_])(?P<number>[0-9]{1,7})"
    r"(?![A-Za-z0-9]|_[0-9]|[.:,][0-9]|-[0-9A-Fa-f]{4}-|-[0-9]{2}\b)"
)
_NAMED: Final = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_TICKET_WORDS})(?P<mark>[-_])(?P<number>[0-9]{{1,9}})(?![A-Za-z0-9]|[.:,][0-9]|-[0-9]{{2}}\b)",
    re.IGNORECASE,
)
_YEARLY: Final = re.compile(
    r"(?<![A-Za-z0-9_.\-])(?:INC|CVE|TICKET|CASE|BUG)-(?:19|20)[0-9]{2}-[0-9]{3,7}(?![A-Za-z0-9-])", re.IGNORECASE
)
_SPOKEN: Final = re.compile(
    r"(?<![A-Za-z])(?:tickets?|jira)(?: (?:no\.?|number|id))?\s*[:：]?\s*[#＃]?\s*[0-9]{3,9}(?![0-9A-Za-z]|[.:,\-][0-9])"
    r"|(?:工单|单号|故障单|事件单)(?:号|编号)?\s*(?:为|是)?\s*[:：]?\s*[#＃]?\s*[0-9]{3,9}(?![0-9A-Za-z]|[.:\-][0-9])",
    re.IGNORECASE,
)
_HASH: Final = re.compile(
    r"(?<![\w&/#＃?=%\[(])(?:[#＃])(?P<number>[0-9]{3,5}|[0-9]{7})(?![0-9A-Za-z_]|[.:,\-][0-9])"
    r"|(?<=[(（\[【])[#＃][0-9]{3,5}(?=[)）\]】])"
)
_COUNTED: Final = re.compile(
    r"(?:region|store|conn|connection|thread|goroutine|session|txn|job|step|row|line|core|cpu|disk|node|instance|shard|"
    r"replica|partition|attempt|query|statement|table|worker|peer|no|number|port|pid|block|page)s?[\s:]*$"
    r"|(?:副本|节点|实例|连接|会话|线程|分区|行|第|编号|端口|表|任务)\s*$",
    re.IGNORECASE,
)
"""What stands before a `#1234` that counts things of the system."""
_TICKET_LINK: Final = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'（）]{0,200}?(?:jira|atlassian\.net|zendesk|servicenow|service-now|pagerduty|opsgenie|linear\.app|youtrack|"
    r"redmine|/browse/[A-Za-z]|/tickets?/|/incidents?/[A-Za-z0-9]|tapd\.cn|work_?items?/)[^\s<>\"'（）]{0,200}",
    re.IGNORECASE,
)
_ISSUE_LINK: Final = re.compile(
    r"(?<![\w.-])(?:https?://)?(?:[\w-]{1,63}\.){1,8}[a-z]{2,20}(?::[0-9]{1,5})?/[^\s<>\"'（）]{0,200}?"
    r"(?:issues|issue|pull|pulls|pull-requests|merge_requests|discussions)/[0-9]+"
    r"|(?<![\w/.-])[\w.-]{1,60}/[\w.-]{1,60}/(?:issues|pulls?|merge_requests)/[0-9]+",
    re.IGNORECASE,
)
_ISSUE_NUMBER: Final = re.compile(
    r"(?<![\w.-])[A-Za-z][\w.-]{0,60}/[\w.-]{0,40}[A-Za-z][\w.-]{0,40}[#＃][0-9]{1,7}(?![0-9A-Za-z])"
    r"|(?<![\w/-])(?:GH|PR|MR)-[0-9]{1,7}(?![0-9A-Za-z])"
    r"|(?<![A-Za-z])(?i:issues?|pull[ -]requests?|merge[ -]requests?|PRs?|MRs?)"
    r"(?: (?i:no\.?|number|id))?\s*[:：]?\s*[#＃!]\s?[0-9]{1,7}(?![0-9A-Za-z])"
    r"|(?<![A-Za-z])(?:(?i:pull request|merge request)|PR|MR) (?:(?i:no\.?|number) ?)?[0-9]{2,7}(?![0-9A-Za-z%]|[.:,\-][0-9])"
    r"|(?<![A-Za-z])(?i:issue (?:no\.?|number|id))\s*[:：]?\s*[0-9]{1,7}(?![0-9A-Za-z]|[.:,\-][0-9])"
    r"|(?:议题|合并请求|拉取请求|缺陷单|问题单)(?:号|编号)?\s*[:：]?\s*[#＃]?\s*[0-9]{2,7}(?![0-9A-Za-z])"
)
_VERSION: Final = re.compile(
    r"(?<![\w.\-/])(?P<v>[vV])?(?P<number>[0-9]{1,4}(?:\.[0-9]{1,4}){1,2})(?![0-9A-Za-z_]|\.[0-9]|%)(?P<more>-[A-Za-z][\w.]*)?"
)
_VERSION_WORD: Final = re.compile(
    r"(?:version|release|tidb|tikv|pd|tiflash|ticdc|mysql|upgraded? (?:from|to)|to|from|版本|升级到|升级至)"
    r"(?: is| was|是|为)?[\s:：]*$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(
    r"(?:^|[-_/.])(?P<word>[a-z]{2,10})[-_](?P<number>[0-9]{3,7})(?=$|[-_/.])(?!\.[0-9])", re.IGNORECASE
)
_NAME_WORD: Final = re.compile(
    rf"(?:^|[-_/.])(?:{_TICKET_WORDS}|gh|pr)[-_]?(?P<number>[0-9]{{2,9}})(?=$|[-_/.])", re.IGNORECASE
)
_DATE: Final = re.compile(r"(?:19|20)[0-9]{2}(?:[-_]?[01][0-9](?:[-_]?[0-3][0-9])?)?(?![0-9])")


_PART_OF_YEAR: Final = re.compile(r"[QHW][0-9]{1,2}|CY|SS|WS")
_MONTH_OF_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}[-_]?(?:0[1-9]|1[0-2])(?:[-_]?[0-3][0-9])?(?![0-9])")


class Passage(NamedTuple):
    """A passage of a text and where it begins."""

    text: str
    start: int


def tickets_in_name(name: str) -> Iterator[Passage]:
    """Ticket ids in an id or a path, whatever the case of letters."""
    taken: set[int] = set()
    for pattern in (_NAME_WORD, _NAME):
        for found in pattern.finditer(name):
            passage = found[0].lstrip("-_/.")
            start = found.start() + len(found[0]) - len(passage)
            word = found.groupdict().get("word")
            if start in taken or _begins_date(name, found.start("number"), alone=word is not None):
                continue
            if word and _is_no_ticket(word, found["number"]):
                continue
            taken.add(start)
            yield Passage(passage, start)
    for found in re.finditer(r"#[0-9]{2,9}(?![0-9A-Za-z])", name):
        yield Passage(found[0], found.start())


def _begins_date(name: str, start: int, *, alone: bool) -> bool:
    """Whether a year begins here: with a month behind it, or `alone`."""
    return bool((_DATE if alone else _MONTH_OF_YEAR).match(name, start))


def _is_no_ticket(word: str, number: str) -> bool:
    if word.upper() in _PRODUCTS:
        return len(number) < 4
    return word.upper() in _NO_TICKETS or word.lower() in _LOWER_NO_TICKETS


def tickets_in_text(text: str) -> Iterator[Passage]:
    """Ticket ids and links in a text that people write."""
    spans: list[tuple[int, int]] = [found.span() for found in _ISSUE_NUMBER.finditer(text)]
    spans += [found.span() for found in _ISSUE_LINK.finditer(text)]
    for pattern in (_TICKET_LINK, _YEARLY, _NAMED, _UPPER, _SPOKEN, _HASH):
        for found in pattern.finditer(text):
            start, end = found.span()
            if any(start < after and before < end for before, after in spans) or not _counts(pattern, found, text):
                continue
            spans.append((start, end))
            yield Passage(found[0], start)


def _counts(pattern: re.Pattern[str], found: re.Match[str], text: str) -> bool:
    """Whether a match is a ticket id after all."""
    if pattern is _HASH:
        return not _COUNTED.search(text, max(0, found.start() - 16), found.start())
    if pattern is _UPPER:
        word, number = found["word"], found["number"]
        if word == "GH":
            return False
        if found["mark"] == "_":
            return len(word) > 2 and len(number) >= 3 and word not in _NO_TICKETS
        if word in _PRODUCTS:
            return len(number) >= 4 and not _DATE.match(number)
        return len(number) >= 3 and len(word) > 1 and not (word in _NO_TICKETS or _PART_OF_YEAR.fullmatch(word))
    if pattern is _NAMED:
        return len(found["number"]) >= 2 or found[0].isupper()
    return True


def issues_in_text(text: str) -> Iterator[Passage]:
    """Links to and numbers of issues and pull requests of a code host."""
    spans: list[tuple[int, int]] = []
    for pattern in (_ISSUE_LINK, _ISSUE_NUMBER):
        for found in pattern.finditer(text):
            if not any(found.start() < end and start < found.end() for start, end in spans):
                spans.append(found.span())
                yield Passage(found[0], found.start())


def versions_in(text: str) -> Iterator[Passage]:
    """Version numbers: three parts, or two behind a `v` or a word that says so; no addresses, shares or decimals."""
    for found in _VERSION.finditer(text):
        parts = found["number"].count(".") + 1
        said = found["v"] or _VERSION_WORD.search(text, max(0, found.start() - 24), found.start())
        if (parts == 3 and not _DATE.match(found["number"].replace(".", "-"))) or said:
            yield Passage(found[0], found.start())


def plain_version(version: str) -> str:
    """A version without `v` and what follows its numbers."""
    return re.sub(r"^[vV]|-.*$", "", version)
