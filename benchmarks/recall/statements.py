"""What the weights of reversals are fitted on: statements by subject, and pairs made of them.

`statements.txt` has a subject a paragraph and an attribute a line. ` | ` is between statements that
cannot hold together, ` = ` between two ways to say one thing. Two lines of one subject hold together.
Hand-written by the author of the rules; none of them is in `reversals.toml`.

`made` gives both sentences a qualifier or a modifier. With the same one, they still cannot hold together;
with two, they can.
"""

import random
import re
from itertools import permutations, product
from pathlib import Path

FILE = Path(__file__).with_name("statements.txt")
Pair = tuple[str, str, str]
"""The old text, the new one, and what the new one is to it: conflict, beside or same."""
_IN = (
    ("staging", "production"), ("Europe", "America"), ("development", "production"),
    ("the backend", "the frontend"), ("the orders service", "the users service"), ("Germany", "France"),
    ("Chrome", "Firefox"), ("the docs repo", "the app repo"), ("the north site", "the south site"),
)  # fmt: skip
_ON = (
    ("iOS", "Android"), ("the web client", "the desktop client"), ("the mobile app", "the website"),
    ("weekdays", "weekends"), ("Linux", "Windows"), ("the primary", "the replica"),
)  # fmt: skip
_FOR = (
    ("the free plan", "the paid plan"), ("Python", "Go"), ("the billing team", "the search team"),
    ("tenant A", "tenant B"), ("Alice", "Bob"), ("version 1", "version 2"), ("guests", "members"),
    ("new customers", "old customers"), ("unit tests", "browser tests"), ("admins", "editors"),
    ("interns", "managers"),
)  # fmt: skip


def _pairs(text: str) -> list[list[str]]:
    """Two words of a kind each: `a/b|c/d`."""
    return [pair.split("/") for pair in text.split("|")]


_MODIFIERS = _pairs(
    "mobile/web|daily/weekly|internal/public|old/new|northern/southern|primary/secondary|Android/iOS|"
    "staging/production|paid/free|read/write|French/Italian|billing/search|red/green|login/checkout|"
    "small/large|sales/support|customer/partner|inbound/outbound|local/remote|German/Spanish|"
    "first/second|summer/winter|user/order|audio/video|unit/smoke|Python/TypeScript|legacy/core|"
    "test/release"
)
_SUBJECTS = _pairs(
    "Alice/Bob|Redis/Postgres|The parser/The lexer|The CLI/The daemon|The orders table/The users table|"
    "The API server/The worker|The iOS app/The Android app|Marta/Jonas|The picture service/The weather "
    "service|The header/The footer|Team Red/Team Blue|The importer/The exporter|The cache/The queue|"
    "The nightly job/The hourly job|The intranet/The shop|The door/The gate|The laptop/The phone|"
    "Sofia/Liam|The firewall/The switch|The free plan/The paid plan|The sales report/The tax report"
)
_PREDICATES = _pairs(
    "takes 12 minutes/takes 40 minutes|is at version 3/is at version 5.1|has 12 columns/has 3 columns|"
    "is owned by Kim/is owned by Ravi|is written in Rust/is written in Java|runs on box elm/runs on box "
    "oak|is in the platform team/is in the data team|needs 2 GB of memory/needs 16 GB of memory|is "
    "reviewed weekly/is reviewed daily|is stored in S3/is stored in Azure|may have 100 entries/may have "
    "20 entries|starts at 7/starts at 22:00|uses JSON/uses YAML|is public/is private|is checked with "
    "mypy/is checked with tsc|is kept for a week/is kept for a year|is called falcon/is called robin|is "
    "optional/is mandatory|is enabled/is disabled|is sent by Mailgun/is sent by Twilio|works offline/"
    "needs a connection|is named by date/is named by hash|writes to disk/writes to the network|closes at "
    "18:00/closes at 20:00|is limited to 5 MB/is limited to 1 GB|logs to Loki/logs to a file|is deployed "
    "by hand/is deployed by CI|is tested with pytest/is tested with Jest|is hosted in Paris/is hosted in "
    "Ohio|costs 10 euros/costs 25 euros"
)
_PLURAL = re.compile(
    r"[A-Z][a-z]+s (?:are|must|need|may|can|have|go|stay|come|live|run|get|were|take|use)\b"
)
_KEPT = re.compile(r"[A-Z][A-Z]|I\b|[A-Z][a-z]*[A-Z]")
Subject = list[list[list[str]]]


def subjects() -> list[Subject]:
    """The subjects: attributes, each a list of statements, each a list of ways to say it."""
    return [
        [[one.split(" = ") for one in line.split(" | ")] for line in paragraph.split("\n")]
        for paragraph in FILE.read_text("utf-8").strip().split("\n\n")
    ]


def written(seed: int = 0) -> list[Pair]:
    """The pairs of the statements as they are written, both ways."""
    chance, pairs = random.Random(seed), list[Pair]()
    for subject in subjects():
        for line in subject:
            for ways in line:
                pairs += [(old, new, "same") for old, new in permutations(ways, 2)]
            for first, second in permutations(line, 2):
                pairs += [(old, new, "conflict") for old, new in product(first, second)]
        for line, other in permutations(subject, 2):
            for old in (way for ways in line for way in ways):
                pairs.append((old, chance.choice(chance.choice(other)), "beside"))
    return pairs


def made(count: int = 600, seed: int = 1) -> list[Pair]:
    """So many triples of pairs with qualifiers, and a third as many of whole subjects."""
    chance = random.Random(seed)
    lines = [line for subject in subjects() for line in subject if len(line) > 1]
    pairs: list[Pair] = []
    while len(pairs) < 3 * count:
        ways, others = chance.sample(chance.choice(lines), 2)
        old, new = chance.choice(ways), chance.choice(others)
        pairs += (
            _qualified(old, new, chance) if chance.random() < 0.5 else _modified(old, new, chance)
        )
    for _ in range(count // 3):
        one, two = chance.sample(chance.choice(_SUBJECTS), 2)
        is_this, is_that = chance.sample(chance.choice(_PREDICATES), 2)
        pairs += [
            (f"{one} {is_this}", f"{two} {is_that}", "beside"),
            (f"{one} {is_this}", f"{two} {is_this}", "beside"),
            (f"{one} {is_this}", f"{one} {is_that}", "conflict"),
        ]
    return pairs


def _qualified(old: str, new: str, chance: random.Random) -> list[Pair]:
    word, choices = chance.choice((("in", _IN), ("on", _ON), ("for", _FOR)))
    here, there = chance.sample(chance.choice(choices), 2)

    def said(text: str, where: str, *, first: bool) -> str:
        return f"{word.capitalize()} {where}, {_small(text)}" if first else f"{text} {word} {where}"

    first, again = chance.random() < 0.5, chance.random() < 0.5
    left = said(old, here, first=first)
    return [
        (left, said(new, there, first=first if chance.random() < 0.7 else again), "beside"),
        (left, said(old, there, first=first), "beside"),
        (left, said(new, here, first=again), "conflict"),
    ]


def _modified(old: str, new: str, chance: random.Random) -> list[Pair]:
    one, other = chance.sample(chance.choice(_MODIFIERS), 2)
    left, right, twin, same = (
        _with(text, word) for text, word in ((old, one), (new, other), (old, other), (new, one))
    )
    if not (left and right and twin and same):
        return []
    return [(left, right, "beside"), (left, twin, "beside"), (left, same, "conflict")]


def _with(text: str, word: str) -> str:
    """A text whose subject has a word before it; empty where its subject is not seen."""
    first, _, rest = text.partition(" ")
    if first in {"The", "Our", "Each", "Every", "A", "All"}:
        return f"{first} {word} {rest}"
    return f"{word[0].upper()}{word[1:]} {_small(text)}" if _PLURAL.match(text) else ""


def _small(text: str) -> str:
    return text if _KEPT.match(text) else text[0].lower() + text[1:]
