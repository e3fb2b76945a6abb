"""Our entries in files, as the shapes agents share."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.integrations.json_edit import UnreadableFileError, parse
from dejavu.integrations.json_entries import (
    flat_hooks,
    hook_groups,
    json_server,
    remove_hook_groups,
)
from dejavu.integrations.launcher import hook_command, is_ours
from dejavu.integrations.toml_entries import hooks_block, server_block, toml_block
from dejavu.providers import HOOKS

from .conftest import JSON, TOML

COMMANDS = [(event, hook_command("capture", "claude")) for event in HOOKS["claude"].events]
COMMANDS.append(("UserPromptSubmit", hook_command("inject", "claude")))
ADD = hook_groups(COMMANDS, {"timeout": 5}).add
SERVER = json_server("mcpServers", {"command": "/x/bin/dejavu", "args": ["mcp"]})
BLOCK = toml_block(hooks_block([("Stop", hook_command("capture", "kimi"))], 5))


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
    back = remove_hook_groups(added, text)
    assert parse(back).value == parse(text if text.strip() else "{}").value


def test_entries_of_an_older_version_are_replaced() -> None:
    old = ADD("{}").replace('"timeout": 5', '"timeout": 9').replace("SubagentStart", "OldEvent")
    now = json.loads(ADD(old))
    assert "OldEvent" in old
    assert now == json.loads(ADD("{}"))


def test_hooks_of_one_event_have_names_of_their_own() -> None:
    add = hook_groups(COMMANDS, {"name": "dejavu"}).add
    hooks = json.loads(add("{}"))["hooks"]["UserPromptSubmit"]
    assert [hook["name"] for group in hooks for hook in group["hooks"]] == [
        "dejavu capture",
        "dejavu inject",
    ]
    older = add("{}").replace("dejavu capture", "dejavu").replace("dejavu inject", "dejavu")
    assert json.loads(add(older.replace("hook dejavu", "hook capture"))) == json.loads(add("{}"))


def test_our_hook_in_somebody_elses_group_leaves_the_group() -> None:
    ours, other = hook_command("capture", "claude"), "say done"
    group = {"matcher": "x", "hooks": [{"command": other}, {"command": ours}]}
    text = json.dumps({"hooks": {"Stop": [group]}}, indent=2)
    assert json.loads(remove_hook_groups(text, "")) == {
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


ENTRY = {"command": hook_command("capture", "cursor")}
OTHER = {"command": "./lint.sh"}


@pytest.fixture
def edit() -> Any:
    return flat_hooks({"stop": [ENTRY], "sessionEnd": [ENTRY]}, "command")


def test_into_nothing_and_out_again(edit: Any) -> None:
    add, remove = edit
    text = add("")
    assert json.loads(text) == {"version": 1, "hooks": {"stop": [ENTRY], "sessionEnd": [ENTRY]}}
    assert add(text) == text
    assert json.loads(remove(text, "")) == {}


@pytest.mark.parametrize(
    "before",
    [
        '{"version":1,"hooks":{"stop":[{"command":"./lint.sh"}]}}',
        '// mine\n{\r\n   "hooks": {"stop": [], /* none */ },\r\n}\r\n',
        '{"hooks": {}}',
        "{}",
    ],
)
def test_what_was_there_stays(edit: Any, before: str) -> None:
    add, remove = edit
    text = add(before)
    assert text != before
    assert remove(text, before).count("./lint.sh") == before.count("./lint.sh")
    assert "dejavu" not in remove(text, before)
    assert remove(before, before) == before


def test_an_entry_of_an_older_form_is_replaced(edit: Any) -> None:
    add, _ = edit
    old = {"version": 1, "hooks": {"stop": [OTHER, {**ENTRY, "timeout": 9}], "gone": [ENTRY]}}
    hooks = json.loads(add(json.dumps(old)))["hooks"]
    assert hooks["stop"] == [OTHER, ENTRY]
    assert not hooks.get("gone")


@pytest.mark.parametrize(
    "own", ["mcp_servers = []\n", "hooks = []\n", "[mcp_servers]\n", "[hooks]\n"]
)
def test_an_empty_table_or_list_of_the_users_stays(own: str) -> None:
    text = f'model = "x"\n{own}'
    edit = toml_block(server_block())
    assert edit.remove(text, text) == text
    if own != "mcp_servers = []\n":  # that one cannot take a server
        assert edit.remove(edit.add(text) + "[later]\n", text) == f"{text}[later]\n"
