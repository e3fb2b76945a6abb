"""Prefilter: one compiled alternation of all rules' anchors; rules are tried only where one stands.

Cost: one regex pass of a trie (ten times as fast as a flat alternation: `benchmarks/redact.py`), and
a bounded attempt for each anchor found.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .cut_runs import is_words
from .joined_text import NO_JOINTS, Evidence, Joints
from .rule import Rule

__all__ = ["AnchorScanner", "trie"]

_Tree = dict[str, "_Tree"]
_ROWS_TRIED = 32  # rows that a token which ends at a joint may span: 256 characters at 8 cells
_LONGEST_WORD = 9  # characters; what is longer may be a part of a passphrase
_WORDS_DROPPED = 8  # rows behind a match that are given up, one word each, as no part of it


def trie(words: Iterable[str]) -> str:
    """Return a pattern, as a tree of characters, for the shortest of `words` at a position."""
    root: _Tree = {}
    for word in words:
        node = root
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _pattern(root)


def _pattern(node: _Tree) -> str:
    if "" in node:
        return ""
    branches = [re.escape(char) + _pattern(child) for char, child in node.items()]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


class _Attempt(NamedTuple):
    match: Callable[[str, int, int], re.Match[str] | None]
    lookbehind: int
    validator: Callable[[re.Match[str]], bool]
    rule: Rule

    def at(self, text: str, anchor: int, end: int) -> re.Match[str] | None:
        """Return the match around the anchor that ends before `end`, if it counts."""
        if anchor < self.lookbehind:
            return None
        match = self.match(text, anchor - self.lookbehind, end)
        return match if match is not None and self.validator(match) else None


class AnchorScanner:
    """Scans for rules anchored at the start of a word (`bounded`), or anywhere."""

    def __init__(self, rules: Iterable[Rule], *, bounded: bool) -> None:
        rules = list(rules)
        tree = trie(anchor for rule in rules for anchor in rule.anchors)
        self._search = re.compile(("(?<![A-Za-z0-9])" if bounded else "") + tree).search
        self._at = match_anchor = re.compile(tree).match
        self._attempts: dict[str, list[_Attempt]] = {}
        for rule in rules:
            shortest = {match[0] for anchor in rule.anchors if (match := match_anchor(anchor))}
            for anchor in shortest:
                self._attempts.setdefault(anchor, []).extend(
                    _Attempt(rule.pattern.match, lookbehind, rule.validator, rule)
                    for lookbehind in rule.lookbehind or (0,)
                )

    def hits(self, text: str, joints: Joints = NO_JOINTS) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and rule name of every hit.

        joints: where rows were joined. A word may begin or end at each, whatever stands on its
        other side: the space that parted them may have been lost at the row's edge.
        """
        search, position = self._search, 0
        while (anchor := search(text, position)) is not None:
            hit = self._hit(text, anchor.start(), anchor[0], joints)
            position = anchor.start() + 1
            if hit is not None:
                yield hit
                position = max(position, hit[1])
        for joint in joints.offsets:
            if (anchor := self._at(text, joint)) is not None:
                hit = self._hit(text, joint, anchor[0], joints)
                if hit is not None:
                    yield hit

    def _hit(
        self, text: str, start: int, anchor: str, joints: Joints
    ) -> tuple[int, int, str] | None:
        ends: list[int] = [len(text)]
        if joints.offsets:
            after = bisect_right(joints.offsets, start)
            ends += joints.offsets[after : after + _ROWS_TRIED]
        for end in ends:
            for attempt in self._attempts[anchor]:
                match = attempt.at(text, start, end)
                if match is not None:
                    if joints.offsets:
                        match = _without_next_words(attempt, match, start, joints)
                    return *_masked(match, attempt.rule), attempt.rule.name
        return None


def _without_next_words(
    attempt: _Attempt, match: re.Match[str], start: int, joints: Joints
) -> re.Match[str]:
    """Return the match that ends where the words of the next rows begin.

    Behind a joint a match goes on if the terminal wrapped there, if the row was full (but for the
    words behind a token drawn at random), or if what follows is no word.
    """
    for _ in range(_WORDS_DROPPED):
        last = bisect_left(joints.offsets, match.end()) - 1
        if last < 0 or joints.offsets[last] <= start:
            break
        evidence, joint = joints.evidence[last], joints.offsets[last]
        rest = match.string[joint : match.end()]
        if evidence is Evidence.CERTAIN or not is_words(rest):
            break
        if len(rest) > _LONGEST_WORD and rest.isdigit():
            break
        if not attempt.rule.random and (
            evidence is Evidence.LIKELY or match.end() - joint > _LONGEST_WORD
        ):
            break
        shorter = attempt.at(match.string, start, joint)
        if shorter is None or shorter.end() < joint:  # else the words are not all that goes
            break
        match = shorter
    return match


def _masked(match: re.Match[str], rule: Rule) -> tuple[int, int]:
    start, end = match.span("secret" if "secret" in match.re.groupindex else 0)
    tail = rule.tail.match(match.string, end, match.endpos) if rule.tail else None
    return start, end if tail is None else tail.end()
