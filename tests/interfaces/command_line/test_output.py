import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from dejavu.interfaces.command_line.output import json_text, one_line, print_jsonl, style


@given(st.dictionaries(st.text(max_size=5), st.text(st.characters(), max_size=30), max_size=3))
def test_json_is_exact_and_harmless(value: dict[str, str]) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or 0x202A <= ord(c) <= 0x202E for c in text)
    text.encode()  # no lone surrogates either


@given(st.text(), st.integers(2, 40))
def test_a_line_fits_and_is_one_line(text: str, width: int) -> None:
    cut = one_line(text, width)
    assert "\n" not in cut
    assert "\x1b" not in cut
    assert wcswidth(cut) <= width


def test_wide_characters_count_twice() -> None:
    assert one_line("日本語のテキスト", 7) == "日本語…"


def test_no_colour_without_a_terminal() -> None:
    assert style("x", "31") == "x"


def test_jsonl_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_jsonl([{"a": "1\n2"}, {"b": 2}])
    assert [json.loads(row) for row in capsys.readouterr().out.splitlines()] == [
        {"a": "1\n2"},
        {"b": 2},
    ]
