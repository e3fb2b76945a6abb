"""Our entry in a YAML file, held against a YAML parser that the program itself has not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.yaml_edit import yaml_server

from .conftest import YAML

yaml: Any = pytest.importorskip("yaml")
ENTRY = {"name": "dejavu", "cmd": "/x y/bin/dejavu", "args": ["mcp"], "enabled": True}
EDIT = yaml_server("extensions", ENTRY)
PIECES = (
    "a: 1", "b:\n  c: 2\n  - not", "# c", "", "extensions:", "extensions:\n  one: {a: 1}",
    "extensions:\n    two:\n        cmd: x\n", "extensions: {}", "extensions: # none\n  # yet\n",
    "t: |\n  extensions:\n\n  more", "s: 'x\n  y: z'", "l:\n- 1\n- extensions: 2", "---", "...",
    '"q": 1', "  other: 1", "extensions:\n- 1",
)  # fmt: skip


@pytest.mark.parametrize("name", YAML)
def test_the_entry_is_added_and_cut_out_again(name: str) -> None:
    before = yaml.safe_load(YAML[name]) or {}
    added = EDIT.add(YAML[name])
    after = yaml.safe_load(added)
    assert after["extensions"].pop("dejavu") == ENTRY
    assert {**before, "extensions": before.get("extensions", {})} == after
    assert ("\r\n" in added) == ("\r\n" in YAML[name])
    assert EDIT.add(added) == added
    assert EDIT.remove(added, YAML[name]) == YAML[name]


@given(st.lists(st.sampled_from(PIECES), max_size=5), st.booleans())
def test_any_file_gets_the_entry_and_nothing_else_or_is_refused(
    pieces: list[str], end: bool
) -> None:
    text = "\n".join(pieces) + ("\n" if end else "")
    try:
        added = EDIT.add(text)
    except UnreadableFileError:
        return
    assert EDIT.remove(added, text) == text
    try:
        # A text of lines that ends the file gets its line end where the entry goes behind it.
        whole = [yaml.safe_load(one) or {} for one in (text, f"{text}\n")]
    except yaml.YAMLError:
        return  # what was broken stays so
    after = yaml.safe_load(added)
    ours = after["extensions"].pop("dejavu")
    assert ours == ENTRY
    assert after in [{**one, "extensions": one.get("extensions") or {}} for one in whole]


@pytest.mark.parametrize("name", YAML)
def test_an_entry_that_a_program_rewrote_is_found_by_its_command(name: str) -> None:
    before = yaml.safe_load(YAML[name]) or {}
    rewritten = yaml.safe_dump(yaml.safe_load(EDIT.add(YAML[name])))
    assert "# >>>" not in rewritten
    assert EDIT.add(rewritten) == rewritten
    assert (yaml.safe_load(EDIT.remove(rewritten, "")) or {}) == before


def test_what_somebody_added_below_our_block_keeps_its_key() -> None:
    added = EDIT.add("a: 1\n") + "  theirs:\n    cmd: x\n"
    assert yaml.safe_load(EDIT.remove(added, "")) == {
        "a": 1,
        "extensions": {"theirs": {"cmd": "x"}},
    }


def test_anothers_entry_of_that_name_is_left_alone() -> None:
    text = "extensions:\n  dejavu:\n    cmd: other\n"
    assert EDIT.add(text) == text == EDIT.remove(text, "")


@pytest.mark.parametrize(
    "text",
    [
        "- a\n",
        "{a: 1}\n",
        "extensions: {}\n",
        "extensions:\n- a\n",
        "a: 1\na: 2\n",
        "a: 1\n---\nb: 2\n",
    ],
)
def test_what_is_not_sure_is_refused(text: str) -> None:
    with pytest.raises(UnreadableFileError):
        EDIT.add(text)
