"""What the settings make of memory and recall."""

from pathlib import Path

import pytest
from tests.recall.conftest import USER, session

from dejavu.archive.access import open_archive
from dejavu.model import ConfigError, Conversation
from dejavu.recall.factory import command, open_memory, open_recall


def configured(home: Path, text: str) -> None:
    folder = home / ".config" / "dejavu"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(f"[recall]\n{text}\n")


def test_the_commands_of_the_settings_are_asked(archived: list[Conversation], home: Path) -> None:
    program, seen = home / "say", home / "seen"
    program.write_text(f'#!/bin/sh\nhead -c 30 >> "{seen}"; echo "{{\\"order\\": [2, 1]}}"\n')
    program.chmod(0o700)
    with open_archive(write=True) as archive:
        archive.put(session("another", (USER, "the retry_budget of the tick")))
        plain = open_recall(archive).search("retry_budget tick", floor=0.0)
        assert not seen.exists()
        configured(home, f'rerank = "{program}"\nclassify = "{program}"\npatience = 30')
        other = open_recall(archive).search("retry_budget tick", floor=0.0)
    assert [h.event for h in other] == [h.event for h in (*plain[1:2], *plain[:1], *plain[2:])]
    told = seen.read_text()
    assert "[dejavu:classify]" in told
    assert "[dejavu:rerank]" in told


def test_an_embedding_of_the_operators(archived: list[Conversation], home: Path) -> None:
    configured(home, 'embed = "/nowhere/embed"')
    with open_archive(write=True) as archive, pytest.raises(ConfigError, match="/nowhere/embed"):
        open_memory(archive).remember("a fact")


def test_what_cannot_be_is_named(archived: list[Conversation], home: Path) -> None:
    configured(home, 'neo4j = "bolt://x"')
    with open_archive(write=True) as archive, pytest.raises(ConfigError, match="neo4j"):
        open_recall(archive)
    with pytest.raises(ConfigError, match="rerank"):
        command("rerank", "say 'it")
