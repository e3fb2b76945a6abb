import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.redact.sanitise import DROPPED, sanitise

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
HIDDEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

hostile = st.lists(
    st.one_of(
        st.characters(codec=None),
        st.sampled_from(
            [
                *("\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b\\", "\x07", "\x9b", "\x9d", "\x9c"),
                *("\x18", "0;31", "m", "a", "\n", "\t", "👩", "\u200d", "💻", "\ufe0f", "1"),
                *("\u20e3", "\u202e", "\u200c", "ن", "字", "\U000e0100", "\U0001f3f4"),
                *("\U000e0067", "\U000e007f"),
            ]
        ),
    ),
    max_size=40,
).map("".join)


@given(hostile)
@settings(max_examples=300)
def test_no_control_survives_and_twice_is_once(text: str) -> None:
    clean = sanitise(text)
    assert not CONTROLS.search(clean)
    assert not HIDDEN.search(clean)
    assert sanitise(clean) == clean


@given(hostile, st.booleans(), st.integers(1, 20))
@settings(max_examples=200)
def test_limit_and_single_line_hold_and_are_idempotent(text: str, newlines: bool, n: int) -> None:
    once = sanitise(text, newlines=newlines, limit=n)
    assert len(once) <= n
    assert newlines or "\n" not in once
    assert sanitise(once, newlines=newlines, limit=n) == once


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"])))
def test_honest_text_is_the_same_object(text: str) -> None:
    assert sanitise(text) is text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x1b[31mred\x1b[0m b", "ared b"),
        ("a\x9b31mred", "ared"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]52;c;Zm9v\x1b\\after", "after"),
        ("\x1bPq#0;2\nsixel\x1b\\after", "after"),
        ("\x9dpayload\x9cafter", "after"),
        ("\x1b_apc\x18after", "after"),
        ("\x1b]0;never closed\nhonest line", "\nhonest line"),
        ("\x1b]0;aborted\x1b[1mbold", "bold"),
        ("a\x1b(Bb\x1b=c\x1b", "abc"),
        ("over\b\b\rwrite\r\n", "overwrite\n"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("abc\u202egnp.exe", "abc<U+202E>gnp.exe"),
        ("zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"),
        ("\U000e0069\U000e0067", "<U+E0069><U+E0067>"),
        ("lone \udc80", "lone <U+DC80>"),
        ("soft\u00adhyphen\u2028", "soft<U+00AD>hyphen<U+2028>"),
    ],
)
def test_each_kind(raw: str, shown: str) -> None:
    assert sanitise(raw) == shown


@pytest.mark.parametrize(
    "text",
    [
        "👩\u200d💻",
        "❤\ufe0f\u200d🔥",
        "👍🏽",
        "1\ufe0f\u20e3",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष",
        "葛\U000e0100",
    ],
)
def test_sequences_that_spell_something_are_kept(text: str) -> None:
    assert sanitise(text) == text


@pytest.mark.parametrize("text", ["👩\u200d", "a\u200db", "👩\x07\u200d💻", "a\ufe0f"])
def test_stray_joiners_and_selectors_are_shown(text: str) -> None:
    assert "<U+" in sanitise(text)


@pytest.mark.parametrize("opener", ["\x1b]", "\x1bP", "\x9d", "\x1b[1;", "\x1b(", "👩\u200d"])
def test_repeated_openers_cost_no_more_than_their_length(opener: str) -> None:
    # Quadratic work on this many openers would take minutes; linear is instant.
    assert "\x1b" not in sanitise(opener * 200_000)


@pytest.mark.fault("33.H2")
def test_a_run_of_controls_is_dropped_in_one_step() -> None:
    """Sixty megabytes of them were sixty million steps."""
    assert [found.span() for found in DROPPED.finditer("a" + "\0" * 9_000 + "b")] == [(1, 9_001)]
    assert sanitise("\0\0\x1b[31mred\x1b[0m\0\x07") == "red"
