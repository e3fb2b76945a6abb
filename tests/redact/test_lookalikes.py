import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact import Redactor
from dejavu.redact.lookalikes import fold_lookalikes
from dejavu.redact.sanitise import sanitise

REDACTOR = Redactor(b"key", secrets=["correct-horse-battery-staple-9"])
TOKEN = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
CLEAN = REDACTOR.redact(f"a {TOKEN} b")


@given(
    st.integers(1, len(TOKEN) - 1),
    st.sampled_from("\u200b\u200d\u2060\ufeff\u00ad\u202e\U000e0041\ufe0f\u0301\u2800\ue0b0\ud83d"),
)
def test_a_character_nobody_sees_hides_no_key(place: int, invisible: str) -> None:
    text = f"a {TOKEN[:place]}{invisible}{TOKEN[place:]} b"
    assert REDACTOR.redact(text) == CLEAN


@given(
    st.integers(0, len(TOKEN)),
    st.sampled_from(
        [
            "\x1b[01;31m\x1b[K",
            "\x1b[m",
            "\x1b]8;;http://x\x1b\\",
            "\x9b31m",
            "\0",
            "\b",
            "\x7f",
            "\r",
        ]
    ),
)
def test_a_colour_that_begins_inside_of_it_hides_no_key(place: int, control: str) -> None:
    """`grep --color ghp_`, and whatever else is taken out before a text is shown or copied."""
    text = REDACTOR.redact(f"a {TOKEN[:place]}{control}{TOKEN[place:]} b")
    assert sanitise(text) == CLEAN
    assert REDACTOR.redact(text) == text


def test_colours_beside_words_stay() -> None:
    text = "\x1b[1mdef\x1b[0m key(\x1b[31mself\x1b[0m):\r\n    return \x1b[2Kself._key\r"
    assert REDACTOR.redact(text) == text


def test_between_all_its_letters() -> None:
    assert REDACTOR.redact(f"a {chr(0x200B).join(TOKEN)} b") == CLEAN


@pytest.mark.parametrize(("letter", "twin"), [("p", "р"), ("g", "ｇ"), ("h", "𝗵"), ("_", "＿")])
def test_a_letter_that_looks_the_same_hides_no_key(letter: str, twin: str) -> None:
    assert TOKEN[:4] not in REDACTOR.redact(f"a {TOKEN.replace(letter, twin, 1)} b")
    assert TOKEN[10:20] not in REDACTOR.redact(f"a {TOKEN.replace(letter, twin, 1)} b")


def test_a_known_value_with_a_soft_hyphen() -> None:
    assert "staple" not in REDACTOR.redact("it is correct-horse-batt\u00adery-staple-9")


@pytest.mark.parametrize(
    "text",
    [
        "Привет, мир: это не секрет",
        "👩\u200d💻 and ☺\ufe0f",
        "αβγ Ωμέγα",
        "ＡＢＣ１２３",
        "naïve café",
    ],
)
def test_other_scripts_and_emoji_stay(text: str) -> None:
    assert REDACTOR.redact(text) == text


@given(st.text(max_size=200))
def test_offsets_lead_back(text: str) -> None:
    read = fold_lookalikes(text)
    if read is not None:
        letters, offsets = read
        assert len(letters) == len(offsets)
        assert offsets == sorted(set(offsets))
        assert all(0 <= offset < len(text) for offset in offsets)


@given(st.text(max_size=200))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = REDACTOR.redact(text)
    assert REDACTOR.redact(once) == once


BODY = "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize(
    "written",
    [
        f"ghp\\_{BODY}",
        f"ghp&lowbar;{BODY}",
        f"ghp&#95;{BODY}",
        f"ghp&#x5f;{BODY}",
        f"ghp%5F{BODY}",
        f"ghp\\u005f{BODY}",
        "".join(f"&#{ord(char)};" for char in f"ghp_{BODY}"),
    ],
)
def test_a_token_is_read_through_the_escapes_of_markdown_pages_and_urls(written: str) -> None:
    plain = REDACTOR.redact(f"use ghp_{BODY} now")
    assert REDACTOR.redact(f"use {written} now") == plain
    assert REDACTOR.redact(plain) == plain


def test_escapes_in_source_stay() -> None:
    source = r"re.compile(r'\w\-\d\_[a-z]') # &#95; %2D \u005f"
    assert REDACTOR.redact(source) == source
