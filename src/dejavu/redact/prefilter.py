"""Prefilter: one compiled alternation of all rules' anchors; rules are tried only where one is found.

Cost: one regex pass of a trie (ten times as fast as a flat alternation: `benchmarks/redact/redactor.py`), and
a bounded attempt for each anchor found. What the pass costs is set by how often it has to look
closer, so it begins with a character that is rare: behind a sign where a word must begin, else the
rarest of each anchor. The tries take 60 ms to compile, so the first texts are looked through by a loose
pattern, with a look into the set of anchors at each of its matches. Both find the same.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from dejavu.model.late_pattern import late_pattern

from .joined_text import NO_JOINTS, Evidence, Joints, uncut
from .random_runs import has_odd_letter_pairs, is_words
from .rule import Rule

__all__ = ["AnchorScanner", "trie"]

_Tree = dict[str, "_Tree"]
# Characters of source, prose and JSON, the most frequent first; those that are not here are rare.
_FREQUENT = " etaonirslcdup\"m,f:h.g-_1(0)2=b/y'v>w3;xk45S"
_ROWS_TRIED = 32  # rows that a token which ends at a joint may span: 256 characters at 8 cells
_INDENT = 20  # characters that a line end and the indent behind it may take
_WORTH_COMPILING = 50_000  # characters read from which the exact pattern has paid for itself
_LONGEST_WORD = 9  # characters; what is longer may be a part of a passphrase
_NEXT_WORD = re.compile("(?![A-Fa-f]*$)[A-Z]?[a-z]{3,}")  # not one in hexadecimal
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
    lookbehind: int
    validator: Callable[[re.Match[str]], bool]
    rule: Rule

    def at(self, text: str, anchor: int, end: int) -> re.Match[str] | None:
        """Return the match around the anchor that ends before `end`, if it counts."""
        if anchor < self.lookbehind:
            return None
        match = self.rule.pattern.match(text, anchor - self.lookbehind, end)
        return match if match is not None and self.validator(match) else None

    def may_begin(self, text: str, anchor: int) -> bool:
        """Whether the rule may match around the anchor in a text that ends earlier."""
        start = anchor - self.lookbehind
        return start >= 0 and self.rule.may_begin(text, start)


def _rarest(anchor: str) -> int:
    """Return the index of the rarest character of an anchor."""
    rarity = [_FREQUENT.find(char) % (len(_FREQUENT) + 1) for char in anchor]
    return rarity.index(max(rarity))


def _around_rarest(anchors: Iterable[str]) -> str:
    """Return a pattern that matches the rarest character of an anchor inside that anchor."""
    tree: dict[str, dict[str, list[str]]] = {}
    for anchor in anchors:
        at = _rarest(anchor)
        before = tree.setdefault(anchor[at], {})
        before.setdefault(anchor[:at], []).append(anchor[at + 1 :])
    return "|".join(
        f"{re.escape(char)}(?:"
        + "|".join(
            f"(?<={re.escape(head + char)})(?={trie(tails)})" for head, tails in heads.items()
        )
        + ")"
        for char, heads in tree.items()
    )


class AnchorScanner:
    """Scans for rules anchored at the start of a word (`bounded`), or anywhere."""

    def __init__(self, rules: Iterable[Rule], *, bounded: bool) -> None:
        rules = list(rules)
        self._anchors = frozenset(anchor for rule in rules for anchor in rule.anchors)
        self._lengths: dict[
            str, list[int]
        ] = {}  # of the anchors with the same first two characters
        for anchor in sorted(self._anchors, key=len):
            lengths = self._lengths.setdefault(anchor[:2], [])
            if len(anchor) not in lengths:
                lengths.append(len(anchor))
        self._attempts: dict[str, list[_Attempt]] = {}
        for rule in rules:
            for anchor in {self._at(anchor, 0) for anchor in rule.anchors}:
                self._attempts.setdefault(anchor, []).extend(
                    _Attempt(lookbehind, rule.validator, rule)
                    for lookbehind in rule.lookbehind or (0,)
                )
        self._public = {rule.name for rule in rules if rule.public}
        self._bounded = bounded
        self._distances: dict[str, list[int]] = {}
        if bounded:
            first = "".join(sorted(map(re.escape, {anchor[0] for anchor in self._attempts})))
            self._loose = re.compile(f"[^A-Za-z0-9](?=[{first}])")
            self._exact = late_pattern(
                lambda: f"[^A-Za-z0-9](?=[{first}])(?={trie(self._attempts)})"
            )
        else:
            for anchor in self._attempts:
                at = _rarest(anchor)
                distances = self._distances.setdefault(anchor[at], [])
                if at not in distances:
                    distances.append(at)
            self._loose = re.compile(f"[{re.escape(''.join(self._distances))}]")
            self._exact = late_pattern(lambda: _around_rarest(self._attempts))
        # An escaped line end may be between a backslash and a word: \\nghp_...
        self._escaped = late_pattern(lambda: rf"\\[nrt](?={trie(self._attempts)})")
        self._read = 0

    def hits(self, text: str, joints: Joints = NO_JOINTS) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and rule name of every hit.

        joints: where rows were joined. A word may begin or end at each, whatever is on its
        other side: the space that parted them may have been lost at the row's edge.
        """
        position = 0
        for hit in self._hits_at(text, 0, joints) if self._bounded else ():
            yield hit
            position = self._behind(hit, position)
        self._read += len(text)
        exact = self._read > _WORTH_COMPILING
        search = (self._exact if exact else self._loose).search
        while (mark := search(text, position)) is not None:
            position = mark.end()
            if not exact and not self._is_exact(text, mark):
                continue
            for start in self._starts(mark):
                if text[start : start + 2] not in self._lengths:
                    continue
                for hit in self._hits_at(text, start, joints):
                    yield hit
                    position = self._behind(hit, position)
        after_escapes = (
            [mark.end() for mark in self._escaped.finditer(text)]
            if self._bounded and "\\" in text
            else []
        )
        for joint in (*joints.offsets, *after_escapes):
            if text[joint : joint + 2] in self._lengths:
                yield from self._hits_at(text, joint, joints)

    def _behind(self, hit: tuple[int, int, str], position: int) -> int:
        """Return where the scan continues: what only tells of others may have a secret in it."""
        return position if hit[2] in self._public else max(position, hit[1] - 1)

    def _at(self, text: str, start: int) -> str:
        """Return the shortest anchor at a place; empty where none does."""
        for length in self._lengths.get(text[start : start + 2], ()):
            if (anchor := text[start : start + length]) in self._anchors:
                return anchor
        return ""

    def _is_exact(self, text: str, mark: re.Match[str]) -> bool:
        """Whether the exact pattern would match where the loose one did."""
        if self._bounded:
            return bool(self._at(text, mark.end()))
        found = ((start, self._at(text, start)) for start in self._starts(mark))
        return any(anchor and start + _rarest(anchor) == mark.start() for start, anchor in found)

    def _starts(self, mark: re.Match[str]) -> list[int]:
        """Return where anchors may begin that have a rare character here, or follow this sign."""
        if self._bounded:
            return [mark.end()]
        return [
            mark.start() - distance
            for distance in self._distances[mark[0]]
            if distance <= mark.start()
        ]

    def _hits_at(self, text: str, start: int, joints: Joints) -> Iterator[tuple[int, int, str]]:
        """Yield the first secret whose anchor is here, and before it what only tells of others."""
        if not (anchor := self._at(text, start)):
            return
        told = set[str]()
        for hit in self._matches(text, start, anchor, joints):
            if hit[2] not in self._public:
                yield hit
                return
            if hit[2] not in told:
                told.add(hit[2])
                yield hit
        if not told and not joints.offsets:
            over_lines = self._hit_over_lines(text, start, self._attempts[anchor])
            if over_lines is not None:
                yield over_lines

    def _matches(
        self, text: str, start: int, anchor: str, joints: Joints
    ) -> Iterator[tuple[int, int, str]]:
        ends: list[int] = [len(text)]
        if joints.offsets:
            after = bisect_right(joints.offsets, start)
            ends += joints.offsets[after : after + _ROWS_TRIED]
        attempts = self._attempts[anchor]
        for nth, end in enumerate(ends):
            if nth == 1:  # the rest are parts of the text that end at a joint
                attempts = [attempt for attempt in attempts if attempt.may_begin(text, start)]
            for attempt in attempts:
                if nth and 0 < attempt.rule.reach < end - start:
                    continue  # as in the whole text
                if attempt.lookbehind and _is_joint(joints, begin := start - attempt.lookbehind):
                    alone = attempt.at(text[begin:end], attempt.lookbehind, end - begin)
                    if alone is not None:
                        inside = joints.within(begin, end - begin)
                        alone = _without_next_words(attempt, alone, attempt.lookbehind, inside)
                        first, last = _masked(alone, attempt.rule)
                        yield begin + first, begin + last, attempt.rule.name
                match = attempt.at(text, start, end)
                if match is not None and joints.offsets:
                    match = _without_next_words(attempt, match, start, joints)
                    if _ends_with_next_word(attempt, match, joints):
                        continue
                if match is not None:
                    first, last = _masked(match, attempt.rule)
                    is_id = (
                        attempt.rule.public or attempt.rule.companions
                    )  # its secret may be below
                    if not joints.offsets and not is_id:
                        over_lines = self._hit_over_lines(text, start, [attempt], last)
                        last = over_lines[1] if over_lines is not None else last
                    yield first, last, attempt.rule.name

    def _hit_over_lines(
        self, text: str, start: int, attempts: Sequence[_Attempt], known: int = 0
    ) -> tuple[int, int, str] | None:
        """Return the hit on a secret that line ends have cut, around an anchor; O(the secret).

        known: where a hit ends that more may follow, 0 for none. What follows one then has to look
        drawn, and so where only a name tells of the secret: there it ends with its line or quote, too.
        """
        before = max(attempt.lookbehind for attempt in attempts)
        whole = uncut(text, start, before + _INDENT if before else 0)
        if whole is None:
            return None
        below = [cut for cut in whole.cuts if cut > whole.at and self._at(whole.text, cut)]
        for attempt in attempts:
            rule = attempt.rule
            for end in whole.ends():
                match = attempt.at(whole.text, whole.at, end)
                if match is None or rule.public:
                    continue
                first, last = _masked(match, rule)
                strictly = bool(known) or not rule.random
                if not whole.is_cut(first, last, strictly=strictly):
                    continue
                if known and any(first < cut < last for cut in below):
                    continue
                if rule.random or match.end() > last or whole.is_ended(last):
                    stop = whole.place(last - 1) + 1
                    if stop > known:
                        return whole.place(first), stop, rule.name
        return None


def _without_next_words(
    attempt: _Attempt, match: re.Match[str], start: int, joints: Joints
) -> re.Match[str]:
    """Return the match that ends where the words of the next rows begin.

    Behind a joint a match continues if the terminal wrapped there, if the row was full (except for
    words behind a token drawn at random), if what follows is no word, or if it is a long one and
    the rows of the match before it are of one length, as an agent breaks what has no blank.
    """
    for _ in range(_WORDS_DROPPED):
        last = bisect_left(joints.offsets, match.end()) - 1
        if last < 0 or joints.offsets[last] <= start:
            break
        evidence, joint = joints.evidence[last], joints.offsets[last]
        rest = match.string[joint : match.end()]
        if evidence is Evidence.CERTAIN or not is_words(rest):
            break
        if len(rest) > _LONGEST_WORD and _was_broken_evenly(joints.offsets, last, start):
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


def _ends_with_next_word(attempt: _Attempt, match: re.Match[str], joints: Joints) -> bool:
    """Whether what makes a token long enough is a word of a row that nothing says to be its next."""
    last = bisect_left(joints.offsets, match.end()) - 1
    if last < 0 or joints.offsets[last] <= match.start() or not attempt.rule.random:
        return False
    rest = match.string[joints.offsets[last] : match.end()]
    return (
        joints.evidence[last] is Evidence.NONE
        and _NEXT_WORD.fullmatch(rest) is not None
        and is_words(rest)
        and not has_odd_letter_pairs(rest)
    )


def _is_joint(joints: Joints, at: int) -> bool:
    """Whether rows were joined at an offset."""
    index = bisect_left(joints.offsets, at)
    return index < len(joints.offsets) and joints.offsets[index] == at


def _was_broken_evenly(offsets: Sequence[int], last: int, start: int) -> bool:
    """Whether two rows before the joint `last`, all of the second in the match, are as long."""
    before = offsets[last - 2] if last > 1 else 0
    lengths = offsets[last] - offsets[last - 1], offsets[last - 1] - before
    return last > 0 and offsets[last - 1] >= start and lengths[0] == lengths[1]


def _masked(match: re.Match[str], rule: Rule) -> tuple[int, int]:
    start, end = match.span("secret" if "secret" in match.re.groupindex else 0)
    tail = rule.tail.match(match.string, end, match.endpos) if rule.tail else None
    return start, end if tail is None else tail.end()
