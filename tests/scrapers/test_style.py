import pytest

from dejavu.model import RulePackError
from dejavu.scrapers.packs import parse_style, rgb_of
from dejavu.screen import Style


@pytest.mark.parametrize(
    ("words", "style", "matches"),
    [
        ("bold", Style(bold=True), True),
        ("bold !dim", Style(bold=True, dim=True), False),
        ("bg", Style(bg="#343541"), True),
        ("!bg", Style(), True),
        ("grey", Style(fg=246), True),
        ("grey", Style(fg="#808080"), True),
        ("grey", Style(fg=231), False),
        ("grey", Style(fg=210), False),
        ("grey", Style(), False),
        ("red", Style(fg=168), True),
        ("red", Style(fg=9), True),
        ("red", Style(fg=75), False),
        ("red", Style(fg="#cc6666"), True),
        ("sunk", Style(fg=232, bg=233), True),
        ("sunk", Style(fg=75, bg=232), False),
        ("fg italic", Style(fg=1, italic=True), True),
    ],
)
def test_words_ask_for_attributes(words: str, style: Style, matches: bool):
    assert parse_style(words)(style) is matches


def test_an_unknown_word_is_refused():
    with pytest.raises(RulePackError, match="'purple'"):
        parse_style("bold purple")


def test_palette_colours_have_their_xterm_values():
    assert rgb_of(16) == (0, 0, 0)
    assert rgb_of(231) == (255, 255, 255)
    assert rgb_of(244) == (128, 128, 128)
    assert rgb_of(7) is None
    assert rgb_of("#010203") == (1, 2, 3)
