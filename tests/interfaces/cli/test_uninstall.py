"""`dejavu uninstall`: as if it had never been there; the data only by a typed word."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dejavu.archive.access import open_archive
from dejavu.extensions.web.server import token_file
from dejavu.model import Conversation
from dejavu.recall.update_indexes import update_indexes
from dejavu.services.bearer_token import bearer_token
from dejavu.sessions.observer.capture_policy import first_screen_notice


def test_it_leaves_no_trace(dejavu: Callable[..., Any], home: Path) -> None:
    dejavu("init", "claude", "kimi", "opencode", "--yes")
    assert (home / ".kimi-code/config.toml").exists()
    assert dejavu("uninstall", "kimi").code == 0
    assert not (home / ".kimi-code").exists()
    assert (home / ".claude").exists()
    assert dejavu("uninstall").code == 0
    left = [path for path in home.rglob("*") if not path.is_dir()]
    assert left == []
    assert sorted(path.name for path in home.iterdir()) == [".local"]
    assert "nothing was registered" in dejavu("uninstall").out


def test_a_dry_run_changes_nothing(dejavu: Callable[..., Any], home: Path) -> None:
    dejavu("init", "amp", "--yes")
    done = dejavu("uninstall", "--dry-run")
    assert '-  "amp.mcpServers": {' in done.out
    assert (home / ".config/amp/settings.json").exists()


def test_the_archive_goes_by_a_typed_word_only(
    dejavu: Callable[..., Any],
    archived: list[Conversation],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = home / ".local/share/dejavu"
    (data / "mine.txt").write_text("mine")
    (home / ".config/dejavu").mkdir(parents=True)
    (home / ".bashrc").write_text("source ~/.bash_completions/dejavu.sh\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    assert dejavu("uninstall", "--purge").code == 2
    assert (data / "archive/data.mdb").exists()
    monkeypatch.setattr("sys.stdin", io.StringIO("delete my archive\n"))
    done = dejavu("uninstall", "--purge")
    assert done.code == 0
    assert [path.name for path in data.iterdir()] == ["mine.txt"]
    assert "mine.txt" in done.err
    assert f"deleted  {data}/archive and everything captured" in done.out
    assert f"stays    {home}/.bashrc (completion" in done.out
    assert f"stays    {home}/.config/dejavu (your settings)" in done.out
    assert ".zshrc" not in done.out


def test_purge_leaves_nothing_of_ours_in_the_state_folder(
    dejavu: Callable[..., Any], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_archive(write=True) as archive:
        update_indexes(archive)
    first_screen_notice("amp")
    bearer_token(token_file())
    state = home / ".local/state/dejavu"
    for name in ("observer.log", "dejavu.log", "dejavu.log.1", "panes.lock", "vectors-offered"):
        (state / name).touch()
    for folder in (state / "observers", state / "notes", home / ".local/share/dejavu/undeleted"):
        folder.mkdir(mode=0o700)
    assert {path.name: path.stat().st_mode & 0o077 for path in state.iterdir()}[
        "indexing.lock"
    ] == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("delete my archive\n"))
    done = dejavu("uninstall", "--purge")
    assert (done.code, state.exists(), "not deleted" in done.err) == (0, False, False)


def test_it_says_what_it_did_with_each_file(dejavu: Callable[..., Any], home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude.json").write_text('{"a": 1}')
    dejavu("init", "claude", "--yes")
    done = dejavu("uninstall").out
    assert f"\ndeleted  {home}/.claude/settings.json\n" in done
    assert f"\nrestored {home}/.claude.json\n" in done
    assert "`dejavu uninstall --purge` deletes it" in done


def test_a_file_that_was_edited_since_is_changed_not_restored(
    dejavu: Callable[..., Any], home: Path
) -> None:
    (home / ".claude.json").write_text('{"a": 1}')
    dejavu("init", "claude", "--yes")
    path = home / ".claude.json"
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    assert f"\nchanged  {path}\n" in dejavu("uninstall").out
