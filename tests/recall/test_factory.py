"""What the settings make of memory and recall."""

from pathlib import Path
from typing import get_args

import pytest
from tests.recall.conftest import USER, session

from dejavu.archive.access import open_archive
from dejavu.config.settings import Recalling, RetrieverName
from dejavu.model import ConfigError, Conversation
from dejavu.recall.factory import command, open_memory, open_recall
from dejavu.recall.history.retrievers import DEFAULT, RETRIEVERS
from dejavu.recall.history.score_fusion import Merging


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


def test_retrievers_strategy_and_weights_are_the_operators(
    archived: list[Conversation], home: Path
) -> None:
    assert get_args(RetrieverName) == tuple(retriever.name for retriever in RETRIEVERS)
    assert Recalling().retrievers == DEFAULT
    with open_archive(write=True) as archive:
        archive.put(session("another", (USER, "the retry_budget of the tick")))
        configured(home, 'retrievers = ["entity"]')
        tiers = {hit.tiers for hit in open_recall(archive).search("retry_budget tick")}
        assert tiers == {("entity",)}
        asked = open_recall(archive, Merging("union", {"lexical": 1.0})).search("retry_budget tick")
        assert {tier for hit in asked for tier in hit.tiers} == {"entity", "lexical"}
        configured(home, 'strategy = "best"')
        with pytest.raises(ConfigError, match="strategy"):
            open_recall(archive)
        configured(home, "weights = {words = 1.0}")
        with pytest.raises(ConfigError, match="weights"):
            open_recall(archive)


def test_what_cannot_be_is_named(archived: list[Conversation], home: Path) -> None:
    configured(home, 'neo4j = "bolt://x"')
    with open_archive(write=True) as archive, pytest.raises(ConfigError, match="neo4j"):
        open_recall(archive)
    with pytest.raises(ConfigError, match="rerank"):
        command("rerank", "say 'it")
