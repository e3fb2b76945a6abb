"""One redaction rule. The tables in `vendors_*.py` and `generic_rules.py` consist of these.

Data only; a pattern is compiled when it is first tried.
"""

import re
from collections.abc import Callable

import msgspec

from dejavu.model.late_pattern import late_pattern

__all__ = ["BASE64", "HEX", "Companion", "Rule", "companion", "token"]

BASE64, HEX = "[A-Za-z0-9+/]", "[0-9a-f]"
_TOKEN_HEAD = re.compile(r"[^\s\"'`<>]{6}")


def _always(_match: re.Match[str]) -> bool:
    return True


class Companion(msgspec.Struct, frozen=True):
    """The other half of a pair, which only the half that is known nearby gives away.

    name: part of its replacement; shape: what it looks like, without what may be around it;
    lines: how many lines it may be away, before or after, and reach: how many characters.
    """

    name: str
    shape: re.Pattern[str]
    lines: int = 3
    reach: int = 400


def companion(name: str, body: str, *, lines: int = 3) -> Companion:
    """Return the companion that a pattern describes: a whole run, and no part of a longer one."""
    return Companion(name, late_pattern(rf"{body}(?![A-Za-z0-9+/_=-]|\.[A-Za-z0-9])"), lines)


class Rule(msgspec.Struct, frozen=True):
    """One way a secret is recognised.

    name: part of the replacement `[redacted:<name>:<hmac8>]`; lower case, digits, dashes.
    vendor: who issues it ("" for forms of no single vendor).
    anchors: literals one of which is always in the match; the scan looks for these alone.
    pattern: tried where an anchor is found; its group `secret`, or else all of it, is masked.
    since: the year the form came into use as far as public documentation says ("" unknown).
    source: the documentation it was written from.
    anchored_inside: the anchor may follow a letter or digit (keywords in names, marks in mid token).
    lookbehind: distances to try by which the match begins before the anchor.
    validator: decides whether a match counts, for what a pattern cannot express.
    tail: what is masked with a match as well, however long.
    random: the secret is drawn at random, so a word that follows it is no part of it.
    companions: what goes with a match: the secret that belongs to an id.
    public: the match is no secret, and stays: it only tells where its companion is.
    prefixes: what every match begins with, one of these. head: the same as a pattern that only reads on,
    without an assertion. Where a text has neither, no part of it that ends earlier matches, and none is
    tried.
    reach: characters behind its beginning that the pattern may look at, 0 for no limit.

    Every repetition in a pattern is bounded or possessive at its end, so that a failing attempt
    costs a constant and the scan stays linear.
    """

    name: str
    vendor: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    since: str = ""
    source: str = ""
    anchored_inside: bool = False
    lookbehind: tuple[int, ...] = ()
    validator: Callable[[re.Match[str]], bool] = _always
    tail: re.Pattern[str] | None = None
    random: bool = False
    companions: tuple[Companion, ...] = ()
    public: bool = False
    prefixes: tuple[str, ...] = ()
    head: re.Pattern[str] | None = None
    reach: int = 0

    def may_begin(self, text: str, start: int) -> bool:
        """Whether a match may begin here, wherever the text ends."""
        if self.prefixes and not text.startswith(self.prefixes, start):
            return False
        return self.head is None or self.head.match(text, start) is not None


def token(
    name: str,
    vendor: str,
    prefixes: str,
    body: str,
    since: str,
    source: str,
    *,
    lookbehind: tuple[int, ...] = (),
    companions: tuple[Companion, ...] = (),
    public: bool = False,
) -> Rule:
    """Return the rule of a vendor's token: one of `prefixes` (space separated), then `body`.

    With `lookbehind`, `body` is the whole pattern and the prefix is a mark in its middle.
    """
    anchors = tuple(prefixes.split())
    whole = body if lookbehind else f"(?:{'|'.join(map(re.escape, anchors))}){body}"
    return Rule(
        name,
        vendor,
        anchors,
        late_pattern(whole),
        since,
        source,
        bool(lookbehind),
        lookbehind,
        random=not public,
        companions=companions,
        public=public,
        prefixes=() if lookbehind else anchors,
        head=None if lookbehind else _TOKEN_HEAD,
    )


def phrase_forms(*phrases: str) -> tuple[str, ...]:
    """Return phrases as people write them: in small letters, with capitals, as an abbreviation."""
    return tuple(
        form
        for phrase in phrases
        for form in dict.fromkeys(
            (phrase, phrase.capitalize(), phrase.title(), phrase.upper(), phrase.replace("api", "API"),
             phrase.title().replace("Api", "API"))
        )
    )  # fmt: skip
