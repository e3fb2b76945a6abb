"""`dejavu remember`: kept, already known, superseding; from arguments, stdin or another's file."""

import io
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from tests.factories.archive import Result

from dejavu.recall.memory import memory_changes


def test_kept_once_and_superseded(dejavu: Callable[..., Result]) -> None:
    first = dejavu("remember", "The API listens on port 8080", "--json").json
    assert (first["known"], first["confidence"], first["supersedes"]) == (False, 0.5, [])
    again = dejavu("remember", "the API listens on port 8080.", "--json").json
    assert (again["known"], again["id"]) == (True, first["id"])
    assert "already known" in dejavu("remember", "The API listens on port 8080").out
    newer = dejavu("remember", "The", "API", "listens", "on", "port", "9090")
    assert f"supersedes {first['id']}" in newer.out


def test_from_stdin(dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("said on stdin\n"))
    assert dejavu("remember", "-", "--json").json["text"] == "said on stdin"
    monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
    assert dejavu("remember").code == 2


def test_takes_over_a_deja_local_file(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    file = tmp_path / "deja.db"
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE memories (id, text, confidence, created_at)")
    database.execute("INSERT INTO memories VALUES ('1', 'an old fact', 0.7, '2026-01-01')")
    database.commit()
    database.close()
    assert dejavu("remember", "--import", str(file), "--json").json == {"imported": 1}
    assert dejavu("memories", "--json").json["memories"][0]["confidence"] == 0.7
    assert dejavu("remember", "--import", str(tmp_path / "missing.db")).code == 2


def test_hostile_text_is_disarmed(dejavu: Callable[..., Result]) -> None:
    dejavu("remember", "clear \x1b[2J the screen")
    assert "\x1b" not in dejavu("memories").out


def test_an_embedding_command(
    dejavu: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "embed.py"
    program.write_text(
        "import json, sys\n"
        "texts = json.load(sys.stdin)['texts']\n"
        "print(json.dumps({'vectors': [[float('car' in t or 'auto' in t), 1.0] for t in texts]}))\n"
    )
    monkeypatch.setenv("DEJAVU_EMBED_COMMAND", f"{sys.executable} {program}")
    dejavu("remember", "the car is red")
    found = dejavu("recall", "automobile", "--json").json["memories"]
    assert [one["text"] for one in found] == ["the car is red"]
    monkeypatch.setenv("DEJAVU_EMBED_COMMAND", "/nonexistent")
    assert dejavu("remember", "another fact").code == 2


@pytest.mark.fault("m21")
def test_a_secret_is_not_stored_and_it_is_said(dejavu: Callable[..., Result]) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    done = dejavu("remember", f"deploy with {token}", "--tag", token, "--source", token)
    assert "secrets left out, as agents read memories: 3 github" in done.err
    stored = dejavu("memories", "--json").out
    assert token not in stored
    assert "deploy with [redacted:github:" in stored
    assert dejavu("remember", "the API listens on port 8080").err == ""


def test_what_it_may_replace_is_named_and_stays(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    older = dejavu("remember", "Maps are drawn with Leaflet", "--json").json
    monkeypatch.setattr(memory_changes, "reversal_chance", Mock(return_value=0.62))
    done = dejavu("remember", "MapLibre draws the maps")
    assert f"may replace {older['id']} (62% likely): Maps are drawn with Leaflet" in done.out
    assert "both stay" in done.err
    told = dejavu("remember", "maps come from a shop", "--json").json["may_replace"]
    assert {"id": older["id"], "text": older["text"], "probability": 0.62} in told
