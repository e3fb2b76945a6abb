import random
import re

import msgspec
import pytest
from benchmarks.redact.formats import FORMATS, draw
from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact import RULES
from dejavu.redact.joined_text import Evidence, Joints
from dejavu.redact.prefilter import AnchorScanner, trie
from dejavu.redact.rule import token

KEY = token("acme", "Acme", "ak_ akx_", r"[a-z0-9]{8}(?![a-z0-9])", "2020", "made up")
MARKED = token("mid", "Acme", ".mark.", r"[a-z]{4}\.mark\.[0-9]{4}", "", "made up", lookbehind=(4,))

TAIL = token("tail", "Acme", "k_ akx", r"[a-z0-9]{4}", "2020", "made up")
SIGN = token("sign", "Acme", "k.", r"[a-z]{1}k\.mark", "", "made up", lookbehind=(1,))


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1), st.text("abc", max_size=12))
def test_a_trie_finds_what_a_flat_alternation_finds(words: list[str], text: str) -> None:
    flat = re.compile("|".join(map(re.escape, sorted(words, key=len))))
    assert [m.span() for m in re.finditer(trie(words), text)] == [
        m.span() for m in flat.finditer(text)
    ]


def test_bounded_anchors_start_words_only() -> None:
    anchors = AnchorScanner([KEY], bounded=True)
    assert list(anchors.hits("ak_12345678 (akx_abcdefgh)")) == [(0, 11, "acme"), (13, 25, "acme")]
    assert list(anchors.hits("weak_12345678")) == []


def test_a_match_may_begin_before_its_anchor() -> None:
    assert list(AnchorScanner([MARKED], bounded=False).hits("xabcd.mark.1234")) == [(1, 15, "mid")]
    assert list(AnchorScanner([MARKED], bounded=False).hits(".mark.1234")) == []


def test_a_word_may_begin_and_end_at_a_joint() -> None:
    anchors = AnchorScanner([KEY], bounded=True)
    text = "usedak_12345678next"
    assert list(anchors.hits(text)) == []
    joints = Joints([4, 15], [Evidence.LIKELY, Evidence.LIKELY])
    assert list(anchors.hits(text, joints)) == [(4, 15, "acme")]


OPEN = token("open", "Acme", "op_", r"[A-Za-z0-9]{8,}+", "2020", "made up")


@pytest.mark.parametrize(
    ("rest", "evidence", "end"),
    [
        ("which", Evidence.NONE, 13), ("which", Evidence.LIKELY, 13), ("which", Evidence.CERTAIN, 18),
        ("x7Kq", Evidence.NONE, 17), ("x7Kq is", Evidence.LIKELY, 17),
    ],
)  # fmt: skip
def test_a_match_goes_on_behind_a_joint_unless_a_word_follows(
    rest: str, evidence: Evidence, end: int
) -> None:
    anchors = AnchorScanner([OPEN], bounded=True)
    text = "a op_12345678" + rest
    assert list(anchors.hits(text, Joints([13], [evidence]))) == [(2, end, "open")]


_PIECES = st.sampled_from(
    [
        "ak_",
        "akx_",
        "12345678",
        ".mark.",
        "abcd",
        "1234",
        " ",
        "\n",
        "\\n",
        "_",
        "k.mark.",
        "ak",
        "x",
    ]
)


@given(st.lists(_PIECES, max_size=24), st.booleans())
def test_short_texts_are_found_as_long_ones_are(pieces: list[str], bounded: bool) -> None:
    """Before there is enough to read for the tries to pay, and after."""
    rules = [KEY, TAIL] if bounded else [MARKED, SIGN]
    early, late = (AnchorScanner(rules, bounded=bounded) for _ in range(2))
    list(late.hits(" " * 60_000))
    text = "".join(pieces)
    assert list(early.hits(text)) == list(late.hits(text))


@pytest.mark.parametrize("seed", range(3))
def test_heads_and_reaches_leave_out_only_what_does_not_match(seed: int) -> None:
    chance = random.Random(seed)
    plain = [msgspec.structs.replace(rule, prefixes=(), head=None, reach=0) for rule in RULES]
    scanners = [
        [AnchorScanner([rule for rule in rules if rule.anchored_inside is inside], bounded=not inside)
         for inside in (False, True)]
        for rules in (RULES, plain)
    ]  # fmt: skip
    for _, template in FORMATS:
        text, start, end = draw(template, chance)
        text = f"{text[: start + 3]} {text} https://host.test/a:b password token {text[end - 9 :]}"
        count = min(len(text) - 1, chance.choice((1, 3, 9, 40)))
        offsets = sorted(chance.sample(range(1, len(text)), count))
        joints = Joints(offsets, chance.choices([*Evidence], k=count))
        found, wanted = ([[*scanner.hits(text, joints)] for scanner in both] for both in scanners)
        assert found == wanted, text
