"""Our block in a TOML file."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.integrations import toml_edit as tomltext
from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.marked_block import cut_block

from .conftest import TOML

BLOCK = '[mcp_servers.dejavu]\ncommand = "/x/dejavu"\nargs = ["mcp"]\n'


@pytest.mark.parametrize("name", TOML)
def test_a_block_is_added_and_cut_out_again(name: str) -> None:
    text = TOML[name]
    added = tomltext.add(text, BLOCK)
    assert added.startswith(text)
    assert tomllib.loads(added)["mcp_servers"]["dejavu"]["args"] == ["mcp"]
    assert ("\r\n" in added) == ("\r\n" in text)
    assert cut_block(added) == text


@given(st.lists(st.sampled_from(["# c", "a = 1", "", "[t]", "b = '''x", "y'''"]), max_size=4))
def test_whatever_stands_after_it_stays(more: list[str]) -> None:
    for text in TOML.values():
        behind = "".join(f"{line}\n" for line in more)
        newline = "\r\n" if "\r\n" in text else "\n"
        end = newline if behind and text and not text.endswith("\n") else ""
        assert cut_block(tomltext.add(text, BLOCK) + behind) == text + end + behind


def test_what_is_not_toml_is_refused() -> None:
    with pytest.raises(UnreadableFileError, match="not TOML"):
        tomltext.add("a = ", BLOCK)


def test_a_table_that_cannot_be_extended_is_refused() -> None:
    with pytest.raises(UnreadableFileError, match="do not fit"):
        tomltext.add('mcp_servers = { files = { command = "x" } }\n', BLOCK)


def test_without_marks_our_entries_are_found_by_what_they_say() -> None:
    text = TOML["plain"] + '\n[[hooks]]\nevent = "Stop"\ncommand = "/x/dejavu hook"\n' + BLOCK
    assert cut_block(text) == text
    bare = tomltext.rewrite(text, (("mcp_servers", "dejavu"),), lambda c: c == "/x/dejavu hook")
    assert tomllib.loads(bare) == tomllib.loads(TOML["plain"])
    assert "# the good one" in bare
