import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.testing.strategies import keys as key_names
from dejavu.screen import keys


@pytest.mark.parametrize(
    ("key", "data"),
    [
        ("a", b"a"), ("é", "é".encode()), ("+", b"+"), ("Ctrl++", None), ("Enter", b"\r"),
        ("enter", b"\r"), ("Esc", b"\x1b"), ("Space", b" "), ("Ctrl+Space", b"\0"),
        ("Ctrl+C", b"\x03"), ("ctrl+c", b"\x03"), ("Ctrl+[", b"\x1b"), ("Alt+x", b"\x1bx"),
        ("Ctrl+Alt+a", b"\x1b\x01"), ("Shift+a", b"A"), ("Shift+Tab", b"\x1b[Z"),
        ("Up", b"\x1b[A"), ("Shift+Up", b"\x1b[1;2A"), ("Ctrl+Alt+Left", b"\x1b[1;7D"),
        ("Home", b"\x1b[H"), ("PgUp", b"\x1b[5~"), ("Ctrl+Delete", b"\x1b[3;5~"),
        ("F1", b"\x1bOP"), ("Shift+F1", b"\x1b[1;2P"), ("F5", b"\x1b[15~"), ("F12", b"\x1b[24~"),
        ("Backspace", b"\x7f"), ("Ctrl+Backspace", b"\x08"), ("Alt+Enter", b"\x1b\r"),
        ("Entr", None), ("", None), ("hello", None), ("Ctrl+é", None),
    ],
)  # fmt: skip
def test_a_key_is_what_xterm_sends(key: str, data: bytes | None) -> None:
    if data is None:
        with pytest.raises(ValueError, match=r"key|control"):
            keys.encode(key)
    else:
        assert keys.encode(key) == data


def test_modes_change_keys() -> None:
    assert keys.encode("Up", application=True) == b"\x1bOA"
    assert keys.encode("Ctrl+Up", application=True) == b"\x1b[1;5A"
    assert keys.encode("Esc", kitty=1) == b"\x1b[27u"
    assert keys.encode("Ctrl+c", kitty=1) == b"\x1b[99;5u"
    assert keys.encode("Shift+Enter", kitty=1) == b"\x1b[13;2u"
    assert keys.encode("Enter", kitty=1) == b"\r"
    assert keys.encode("a", kitty=1) == b"a"


def test_a_program_that_wants_every_key_as_a_sequence_gets_it() -> None:
    assert keys.encode("Enter", kitty=9) == b"\x1b[13u"
    assert keys.encode("a", kitty=25) == b"\x1b[97;;97u"
    assert keys.encode("A", kitty=25) == keys.encode("Shift+a", kitty=25) == b"\x1b[97;2;65u"
    assert keys.encode("Ctrl+Shift+q", kitty=25) == b"\x1b[113;6u"
    assert keys.encode("Ctrl+C", kitty=25) == b"\x1b[99;5u"
    assert keys.encode_text("é\n", kitty=25) == b"\x1b[233;;233u\x1b[13u"
    assert keys.encode_text("é\r\n") == "é\r".encode()


def test_a_wrong_name_is_told_the_right_one() -> None:
    with pytest.raises(ValueError, match="'PageDown'"):
        keys.encode("PageDwon")


def test_a_paste_cannot_be_left() -> None:
    assert keys.paste("a\nb", bracketed=False) == b"a\rb"
    assert keys.paste("a\x1b[201~b", bracketed=True) == b"\x1b[200~ab\x1b[201~"


@given(st.lists(key_names(), max_size=6))
def test_what_is_pressed_is_read_back(names: list[str]) -> None:
    data = b"".join(map(keys.encode, names))
    again = b"".join(
        keys.encode(value) if kind == "press" else value.encode()
        for kind, value in keys.decode(data.decode())
    )
    assert again == data


def test_answers_of_the_terminal_are_no_keys() -> None:
    replies = (
        "\x1b[?1;2c\x1b[>0;276;0c\x1b[5;7R\x1b]11;rgb:0/0/0\x1b\\\x1bP1+r544e\x1b\\\x1b[?2026;2$y"
    )
    assert {kind for kind, _ in keys.decode(replies)} == {"reply"}
    assert list(keys.decode("\x1b[200~one\rtwo\x1b[201~x\x1b[<0;1;2M")) == [
        ("paste", "one\ntwo"), ("type", "x"), ("mouse", "\x1b[<0;1;2M"),
    ]  # fmt: skip
