"""`init` and its undoing over real-looking homes: byte for byte, or our entries alone."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.integrations import changes
from dejavu.integrations import json_edit as jsontext
from dejavu.integrations import manifest as ledger
from dejavu.integrations.registration import edits, registrable_agents
from dejavu.model import ConfigError
from dejavu.providers import Home

from .conftest import JSON, TOML, YAML

yaml: Any = pytest.importorskip("yaml")  # a parser of its own, which the program has not
AGENTS = registrable_agents()
KINDS = [*dict.fromkeys([*JSON, *TOML, *YAML]), "missing"]
Tree = dict[str, bytes | str | None]


def tree(folder: Path) -> Tree:
    """Everything below `folder`: bytes of files, targets of links, None for folders."""
    return {
        str(path.relative_to(folder)): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in folder.rglob("*")
    }


def register(agent: str, home: Path) -> list[changes.Change]:
    planned = changes.plan_add(agent, edits(agent, Home(home, {})))
    for change in planned:
        changes.apply(change)
    return planned


def unregister(agent: str, home: Path) -> list[changes.Change]:
    planned = changes.plan_remove(agent, edits(agent, Home(home, {})))
    for change in planned:
        if not change.refused:
            changes.revert(change)
    return planned


def _clashes(agent: str, kind: str) -> bool:
    """Whether that content has tables where the agent has a list of them."""
    listed = {"vibe"}
    return agent in listed and "[mcp_servers." in TOML.get(kind, "")


def fill(agent: str, home: Path, kind: str) -> None:
    """Give the agent's files that kind of content; kinds that a form lacks leave it missing."""
    for edit in edits(agent, Home(home, {})):
        texts = {".toml": TOML, ".json": JSON, ".jsonc": JSON, ".yaml": YAML}
        if kind in texts.get(edit.path.suffix, {}) and not _clashes(agent, kind):
            edit.path.parent.mkdir(parents=True, exist_ok=True)
            edit.path.write_bytes(texts[edit.path.suffix][kind].encode())
            edit.path.chmod(0o640)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_byte_comes_back(agent: str, kind: str, state: Path, home: Path) -> None:
    fill(agent, home, kind)
    before = tree(home)
    planned = register(agent, home)
    assert [change.refused for change in planned] == [""] * len(planned)
    assert all(change.needed for change in planned)
    assert not any(change.needed for change in register(agent, home))  # again changes nothing
    for path, data in tree(home).items():
        if path.endswith((".json", ".jsonc")):
            jsontext.parse(data.decode())  # type: ignore[union-attr]
        if path.endswith(".toml"):
            tomllib.loads(data.decode().removeprefix("\ufeff"))  # type: ignore[union-attr]
        if path.endswith(".yaml"):
            yaml.safe_load(data.decode())  # type: ignore[union-attr]
    unregister(agent, home)
    assert tree(home) == before
    assert not ledger.folder().exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_link_stays_a_link(agent: str, state: Path, home: Path) -> None:
    fill(agent, home, "plain")
    for edit in edits(agent, Home(home, {})):
        if edit.path.exists():
            real = home / "dotfiles" / f"{agent}-{edit.path.name}"
            real.parent.mkdir(exist_ok=True)
            edit.path.rename(real)
            edit.path.symlink_to(os.path.relpath(real, edit.path.parent))
    before = tree(home)
    register(agent, home)
    unregister(agent, home)
    assert tree(home) == before


def test_the_mode_stays(state: Path, home: Path) -> None:
    fill("claude", home, "plain")
    (home / ".claude.json").unlink()
    path = home / ".claude/settings.json"
    register("claude", home)
    assert path.stat().st_mode & 0o777 == 0o640
    assert (home / ".claude.json").stat().st_mode & 0o777 == 0o600


@given(st.sampled_from(sorted(JSON)), st.booleans())
def test_what_somebody_added_meanwhile_stays(tmp_path_factory, kind: str, early: bool) -> None:
    home = tmp_path_factory.mktemp("h")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEJAVU_DATA_HOME", str(home / "data"))
        fill("claude", home, kind)
        path = home / ".claude/settings.json"
        before = path.read_text("utf-8")
        register("claude", home)
        text = path.read_bytes().decode()
        theirs = ("env", "EARLY") if early else ("zz",)
        path.write_bytes(jsontext.put(text, theirs, "1").encode())
        register("claude", home)  # and once more, over it
        unregister("claude", home)
        now = jsontext.parse(path.read_bytes().decode()).value
        assert now == {**jsontext.parse(before or "{}").value, theirs[0]: now[theirs[0]]}
        assert not ledger.folder().exists()


@pytest.mark.parametrize("kind", TOML)
def test_tables_that_somebody_added_meanwhile_stay(kind: str, state: Path, home: Path) -> None:
    fill("codex", home, kind)
    path = home / ".codex/config.toml"
    path.parent.mkdir(exist_ok=True)
    before = path.read_bytes()
    register("codex", home)
    with path.open("ab") as file:
        file.write(b'[projects."/y"]\ntrust_level = "trusted"\n')
    unregister("codex", home)
    text = path.read_bytes()
    assert text.startswith(before)
    assert b"dejavu" not in text
    assert tomllib.loads(text.decode())["projects"]["/y"] == {"trust_level": "trusted"}


def test_a_file_that_was_ours_and_is_not_empty_any_more_stays(state: Path, home: Path) -> None:
    register("claude", home)
    path = home / ".claude.json"
    text = jsontext.put(path.read_text(), ("projects",), {"/x": {}})
    path.write_text(text)
    unregister("claude", home)
    assert json.loads(path.read_text()) == {"projects": {"/x": {}}}
    assert not (home / ".claude").exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_what_cannot_be_read_is_left_alone(agent: str, state: Path, home: Path) -> None:
    for edit in edits(agent, Home(home, {})):
        edit.path.parent.mkdir(parents=True, exist_ok=True)
        edit.path.write_bytes(b'{"a": [} = \xff')
    before = tree(home)
    planned = register(agent, home)
    assert all(change.refused for change in planned)
    assert tree(home) == before
    unregister(agent, home)
    assert tree(home) == before


def test_a_file_that_changes_under_our_hands_is_left_alone(state: Path, home: Path) -> None:
    fill("claude", home, "plain")
    [hooks, *_] = changes.plan_add("claude", edits("claude", Home(home, {})))
    hooks.path.write_text("{}")
    with pytest.raises(ConfigError, match="just now"):
        changes.apply(hooks)
    assert hooks.path.read_text() == "{}"


def test_agents_that_share_a_folder_take_it_away_together(state: Path, home: Path) -> None:
    register("opencode", home)
    register("amp", home)
    unregister("opencode", home)
    assert (home / ".config/amp/settings.json").exists()
    unregister("amp", home)
    assert tree(home) == {}


def test_a_diff_shows_what_is_added(state: Path, home: Path) -> None:
    [change] = changes.plan_add("amp", edits("amp", Home(home, {})))
    assert '+  "amp.mcpServers": {' in change.diff()
    assert not change.path.exists()
