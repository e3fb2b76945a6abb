from hypothesis import given
from hypothesis import strategies as st

from dejavu.screen.tokens import TOKEN, UNFINISHED


def test_a_styled_word_is_one_token() -> None:
    tokens = TOKEN.findall("\x1b[2;5H\x1b[0m\x1b[1mword\r\n")
    assert tokens[0] == ("2;5H", "\x1b[0m\x1b[1m", "word", "\r\n", "")
    assert TOKEN.findall("a日b")[:2] == [("", "", "a", "", "日"), ("", "", "b", "", "")]


@given(st.text(max_size=40))
def test_every_character_is_in_a_token(text: str) -> None:
    whole = text
    cut = whole.rfind("\x1b")
    if cut >= 0 and UNFINISHED.fullmatch(whole, cut):
        whole = whole[:cut]
    rebuilt = "".join(
        ("\x1b[" + csi if csi else "") + sgr + narrow + controls + other
        for csi, sgr, narrow, controls, other in TOKEN.findall(whole)
    )
    # An aborted sequence without a parameter leaves nothing to look up but its introducer.
    assert rebuilt.replace("\x1b[", "") == whole.replace("\x1b[", "")


@given(st.text("\x1b[];0aé\x18\x07m\x00 ", max_size=30))
def test_every_character_of_sequences_is_in_a_token(text: str) -> None:
    test_every_character_is_in_a_token.hypothesis.inner_test(text)


def test_unfinished_sequences() -> None:
    for text in ("\x1b", "\x1b[", "\x1b[1;", "\x1b]0;t", "\x1bP", "\x1b(", "\x1b[\n1"):
        assert UNFINISHED.fullmatch(text), repr(text)
    for text in ("\x1b[m", "\x1bM", "\x1b]0;t\x07", "\x1b(B", "\x1b[1é"):
        assert not UNFINISHED.fullmatch(text), repr(text)
