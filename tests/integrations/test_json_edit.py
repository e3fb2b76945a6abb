"""Entries in JSON text: put in and taken out without touching another byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.integrations import json_edit as jsontext
from dejavu.integrations.json_edit import UnreadableFileError

from .conftest import JSON

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)
INDENTS = st.sampled_from([None, 1, 2, 3, 4, "\t"])


@given(VALUES, INDENTS)
def test_json_reads_as_json_does(value: Any, indent: Any) -> None:
    assert jsontext.parse(json.dumps(value, indent=indent)).value == value
    assert jsontext.parse(json.dumps(value, indent=indent, ensure_ascii=False)).value == value


@given(OBJECTS, INDENTS, VALUES, st.booleans())
def test_a_member_is_added_and_taken_out_again(
    value: dict[str, Any], indent: Any, new: Any, crlf: bool
) -> None:
    value.pop("ours", None)
    text = json.dumps(value, indent=indent)
    text = text.replace("\n", "\r\n") if crlf else text
    added = jsontext.put(text, ("ours", "dejavu"), new)
    assert jsontext.parse(added).value == {**value, "ours": {"dejavu": new}}
    assert jsontext.put(added, ("ours", "dejavu"), new) == added
    assert jsontext.drop(added, lambda path, _: path == ("ours",)) == text


@given(st.lists(VALUES, max_size=3), INDENTS, VALUES)
def test_an_item_is_added_and_taken_out_again(value: list[Any], indent: Any, new: Any) -> None:
    text = json.dumps({"a": value}, indent=indent)
    added = jsontext.append(text, ("a",), new)
    assert jsontext.parse(added).value == {"a": [*value, new]}
    assert jsontext.drop(added, lambda path, _: path == ("a", len(value))) == text


@pytest.mark.parametrize("name", [name for name in JSON if name != "empty"])
def test_every_kind_of_file_takes_and_gives_back(name: str) -> None:
    text = JSON[name]
    had = jsontext.parse(text).value
    added = jsontext.put(text, ("mcpServers", "dejavu"), {"command": "x"})
    added = jsontext.append(added, ("hooks", "Stop"), {"hooks": [{"command": "ours"}]})
    now = jsontext.parse(added).value
    assert now["mcpServers"] == {"dejavu": {"command": "x"}}
    assert now["hooks"]["Stop"][-1] == {"hooks": [{"command": "ours"}]}
    assert {k: v for k, v in now.items() if k not in ("hooks", "mcpServers")} == {
        k: v for k, v in had.items() if k != "hooks"
    }
    back = jsontext.drop(
        added,
        lambda path, value: path == ("mcpServers",) or value == {"hooks": [{"command": "ours"}]},
    )
    if "hooks" not in had:
        back = jsontext.drop(back, lambda path, _: path == ("hooks",))
    assert jsontext.parse(back).value == had
    if name != "open object":  # an object without entries is closed again
        assert back == text


def test_entries_follow_the_files_own_hand() -> None:
    text = '{\n   "a": 1 // one\n}\n'
    assert jsontext.put(text, ("b",), [2]) == '{\n   "a": 1, // one\n   "b": [\n      2\n   ]\n}\n'
    assert jsontext.put('{"a": 1}', ("b",), [2]) == '{"a": 1, "b": [2]}'
    assert jsontext.put('{\r\n\t"a": 1\r\n}', ("b",), 2) == '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}'


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1, column 1"), ("{", "line 1, column 2"), ('{"a" 1}', "line 1, column 6"),
        ('{\n"a": 1\n"b": 2}', "line 3, column 1"), ("[1 2]", "line 1, column 4"),
        ("{}x", "line 1, column 3"), ("{,}", "line 1, column 2"), ('{"a": nul}', "column 7"),
        ("{a: 1}", "line 1, column 2"), ('"\\x"', "line 1, column 1"), ("/* {}", "column"),
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(UnreadableFileError, match=place):
        jsontext.parse(text)


def test_depth_is_refused_not_crashed_on() -> None:
    with pytest.raises(UnreadableFileError, match="deep"):
        jsontext.parse("[" * 100_000)


def test_what_stands_in_the_way_is_refused() -> None:
    with pytest.raises(UnreadableFileError, match="hooks is not an object"):
        jsontext.append('{"hooks": []}', ("hooks", "Stop"), 1)
    with pytest.raises(UnreadableFileError, match="not an array"):
        jsontext.append('{"hooks": {"Stop": 1}}', ("hooks", "Stop"), 1)
    with pytest.raises(UnreadableFileError, match="document"):
        jsontext.put("[]", ("a",), 1)


@given(st.text(alphabet='{}[]",:/*\\ \n1atrue', max_size=30))
def test_no_text_crashes_the_reader(text: str) -> None:
    try:
        node = jsontext.parse(text)
    except UnreadableFileError:
        return
    assert 0 <= node.start < node.end <= len(text)
