"""`dejavu packs learn`: a proposal, its trial, and its acceptance."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.scrapers.test_labelled_screens import labelled

from dejavu.interfaces.command_line.app import run
from dejavu.redact import Redactor
from dejavu.scrapers.labelled_screens import evaluate
from dejavu.sessions.aligned_screens import FILE, load, save
from dejavu.sessions.session_store import sessions_folder
from dejavu.sessions.user_packs import operator_packs

_SIGNS = {"user": "▶", "text": "◇", "work": "▚"}


def _session(name: str, screens: list[Any], version: str = "2.2.0") -> Path:
    folder = sessions_folder() / name
    folder.mkdir(parents=True)
    save(folder, "claude", version, screens, Redactor(b"k" * 32))
    return folder / FILE


def test_without_aligned_sessions_it_says_where_they_come_from(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["packs", "learn", "claude"]) == 3
    assert "--screen" in capsys.readouterr().err
    assert run(["packs", "learn", "nobody-knows-it"]) == 2
    assert run(["packs", "teach", "claude"]) == 2


def test_rules_are_proposed_tried_and_accepted(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(2):
        path = _session(f"2026-{number}", labelled(4, **_SIGNS))
        assert path.stat().st_mode & 0o777 == 0o600
    assert run(["packs", "learn", "claude"]) == 0
    shown = capsys.readouterr().out
    assert "text 0.00 -> 1.00" in shown
    assert not (home / ".config/dejavu/packs").exists()
    assert run(["packs", "learn", "claude", "--accept", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["holds"]
    assert Path(told["accepted"]).name == "claude.learnt.toml"
    agreement = evaluate(operator_packs()["claude"], labelled(5, **_SIGNS))
    assert (agreement.of_text, agreement.of_states) == (1.0, 1.0)
    # What reads well now gets no further proposal, and the file stays as it is.
    assert run(["packs", "learn", "claude", "--accept"]) == 1


def test_what_does_not_hold_is_not_accepted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _session("2026-1", labelled(4))
    _session("2026-2", labelled(4, **_SIGNS))
    assert run(["packs", "learn", "claude", "--accept"]) == 1
    assert "does not hold" in capsys.readouterr().err
    assert not (home / ".config/dejavu/packs").exists()


def test_damaged_files_and_older_versions_are_passed_over(home: Path) -> None:
    _session("2026-1", labelled(1), version="2.1.0")
    _session("2026-3", labelled(2), version="2.2.0")
    for number, text in enumerate(("", "{}", '{"agent": "claude", "screens": [{"columns": "x"}]}')):
        folder = sessions_folder() / f"2026-4-{number}"
        folder.mkdir()
        (folder / FILE).write_text(text)
    assert [(entry.session, len(entry.screens)) for entry in load("claude")] == [("2026-3", 4)]


def test_learnt_rules_without_a_pack_are_named(home: Path) -> None:
    folder = home / ".config/dejavu/packs"
    folder.mkdir(parents=True)
    (folder / "nobody.learnt.toml").write_text("")
    assert run(["explain", "/dev/null", "--agent", "claude"]) != 0
