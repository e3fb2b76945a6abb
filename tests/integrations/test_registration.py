"""Our entries in files, as the shapes agents share."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.integrations import registration as api
from dejavu.integrations.json_edit import UnreadableFileError, parse
from dejavu.integrations.launcher import hook_command, is_ours

from .conftest import JSON, TOML

ADD = api.json_hooks("claude", "UserPromptSubmit", {"timeout": 5})
SERVER = api.json_server("mcpServers", api.server_entry())
BLOCK = api.toml_block(
    f'[[hooks]]\nevent = "Stop"\ncommand = {json.dumps(hook_command("capture", "kimi"))}\n'
)


@pytest.mark.parametrize("name", JSON)
def test_hooks_are_added_once_and_taken_out(name: str) -> None:
    text = JSON[name]
    added = ADD(text)
    assert ADD(added) == added
    hooks = parse(added).value["hooks"]
    assert all(
        sum(is_ours(one["command"]) for group in hooks[event] for one in group["hooks"])
        == (2 if event == "UserPromptSubmit" else 1)
        for event in hooks
    )
    back = api.drop_hooks(added, text)
    assert parse(back).value == parse(text if text.strip() else "{}").value


def test_entries_of_an_older_version_are_replaced() -> None:
    old = ADD("{}").replace('"timeout": 5', '"timeout": 9').replace("SubagentStart", "OldEvent")
    now = json.loads(ADD(old))
    assert "OldEvent" in old
    assert now == json.loads(ADD("{}"))


def test_our_hook_in_somebody_elses_group_leaves_the_group() -> None:
    ours, other = hook_command("capture", "claude"), "say done"
    group = {"matcher": "x", "hooks": [{"command": other}, {"command": ours}]}
    text = json.dumps({"hooks": {"Stop": [group]}}, indent=2)
    assert json.loads(api.drop_hooks(text, "")) == {
        "hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": other}]}]}
    }


def test_a_server_of_our_name_that_is_not_ours_stays() -> None:
    add, remove = SERVER
    text = '{"mcpServers": {"dejavu": {"command": "somebody-else"}}}'
    assert add(text) == text
    assert remove(text, "") == text


def test_containers_that_were_there_stay() -> None:
    add, remove = SERVER
    text = '{\n  "mcpServers": {}\n}\n'
    assert remove(add(text), text) == text
    assert remove(add("{}\n"), "") == "{}\n"


@pytest.mark.parametrize("name", TOML)
def test_tables_are_added_once_and_taken_out(name: str) -> None:
    add, remove = BLOCK
    added = add(TOML[name])
    assert add(added) == added
    assert remove(added, TOML[name]) == TOML[name]


@pytest.mark.parametrize("name", TOML)
def test_a_file_that_was_rewritten_loses_our_tables_only(name: str) -> None:
    import tomlkit

    add, remove = BLOCK
    rewritten = tomlkit.dumps(tomllib.loads(add(TOML[name])))
    assert "# >>>" not in rewritten
    had = tomllib.loads(TOML[name])
    assert tomllib.loads(remove(rewritten, "")) == had


@given(st.text(max_size=40))
def test_no_text_is_edited_that_cannot_be_read(text: str) -> None:
    for edit in (ADD, SERVER[0], BLOCK[0]):
        try:
            after = edit(text)
        except UnreadableFileError:
            continue
        assert after.strip()
