"""`dejavu recall`: memories and past turns, logged; filters; nothing found is no failure."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.config.test_projects import repository
from tests.factories.archive import Result, conversation

from dejavu.archive import Archive, Batch
from dejavu.archive.access import open_archive
from dejavu.config.paths import data_home
from dejavu.interfaces.mcp.tools import Tools
from dejavu.model import AT_END, Conversation, Role, Text, Turn, TurnUpdate


def test_memories_and_history(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    dejavu("remember", "The retry budget is 10 per minute")
    found = dejavu("recall", "what is the retry budget?", "--json").json
    assert found["memories"][0]["text"] == "The retry budget is 10 per minute"
    assert {"conversation", "seq", "role", "score", "excerpt", "tiers"} <= set(found["hits"][0])
    assert found["hits"][0]["conversation"] == archived[1].id
    only = dejavu("recall", "retry budget", "--no-history", "--json").json
    assert only["hits"] == []
    shown = dejavu("recall", "retry", "budget").out
    assert "10 per minute" in shown
    assert archived[1].id in shown


def test_what_is_not_sure_is_said_to_be_so(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    words = ("recall", "the budget of the zoo's new aquarium building and its opening hours")
    found = dejavu(*words, "--json").json
    assert found["hits"] == found["uncertain"]
    assert found["uncertain"][0]["conversation"] == archived[1].id
    assert not found["hits"][0]["sure"]
    shown = dejavu(*words)
    assert "no certain answer to" in shown.err
    assert archived[1].id in shown.out


def test_a_misspelt_word_is_found_by_trigrams_unless_they_are_off(
    dejavu: Callable[..., Result], archived: list[Conversation], home: Path
) -> None:
    (hit, *_) = dejavu("recall", "budgget", "--json").json["hits"]
    assert (hit["conversation"], hit["tiers"]) == (archived[1].id, ["trigram"])
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[recall]\nretrievers = ["lexical"]\n')
    assert dejavu("recall", "budgget", "--json").json["hits"] == []


def test_strategy_and_weights(
    dejavu: Callable[..., Result], archived: list[Conversation], home: Path
) -> None:
    def tiers(*options: str) -> set[str]:
        found = dejavu("recall", "`RetryBudget.tick` retry budget", "--json", *options).json
        return {tier for hit in found["hits"] for tier in hit["tiers"]}

    assert tiers() == {"lexical"}
    assert tiers("--weight", "entity=0.5", "--strategy", "union") == {"lexical", "entity"}
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[recall]\nstrategy = "union"\nretrievers = ["lexical", "entity"]\n')
    assert tiers() == {"lexical", "entity"}
    config.write_text('[recall]\nretrievers = ["lexical", "entity"]\nweights = {lexical = 0.0}\n')
    weighed = dejavu("recall", "`RetryBudget.tick` retry budget", "--json").json["hits"][0]
    assert weighed["tiers"][0] == "entity"  # the strongest first
    config.unlink()
    for option, value, fault in (
        ("--weight", "lexical", "NAME=N"),
        ("--weight", "words=1", "unknown retriever 'words'"),
        ("--weight", "lexical=-1", "weight of lexical"),
        ("--strategy", "best", "unknown strategy 'best'"),
    ):
        refused = dejavu("recall", "retry", option, value)
        assert (refused.code, fault in refused.err) == (2, True), refused.err


def test_it_looks_in_the_workspace_of_this_folder(
    dejavu: Callable[..., Result], archived: list[Conversation],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    words = ("recall", "what is the retry budget?", "--json")
    elsewhere = dejavu(*words)
    assert elsewhere.json["hits"]
    assert "all projects" in elsewhere.err
    here = tmp_path / "project"
    (here / "src").mkdir(parents=True)
    with Archive.open(data_home() / "archive") as archive:
        said = Turn(role=Role.USER, parts=(Text("Paint the fence"),), at=1.0)
        archive.put(conversation("s-9", "claude", str(here), 1.0, said))
    monkeypatch.chdir(here / "src")
    assert {hit["workspace"] for hit in dejavu(*words).json["hits"]} <= {str(here)}
    assert dejavu(*words, "--everywhere").json["hits"] == elsewhere.json["hits"]
    assert dejavu(*words, "--everywhere", "-w", ".").code == 2


def test_a_new_worktree_has_the_history_of_its_project(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with open_archive(write=True) as archive:
        named = msgspec.structs.replace(archive.summary(archived[1].id), project="github.com/a/b")
        archive.commit(Batch(updates=[TurnUpdate(named, AT_END, ())]))
    monkeypatch.chdir(repository(tmp_path / "clone", "git@github.com:a/b.git"))
    found = dejavu("recall", "what is the retry budget?", "--json")
    assert {hit["conversation"] for hit in found.json["hits"]} == {archived[1].id}
    assert "searched all" not in found.err
    monkeypatch.chdir(repository(tmp_path / "other", "git@github.com:a/other.git"))
    assert "searched all" in dejavu("recall", "what is the retry budget?", "--json").err


def test_filters(dejavu: Callable[..., Result]) -> None:
    kept = dejavu("remember", "The retry budget is 10 per minute", "--json").json
    dejavu("reject", kept["id"])
    dejavu("remember", "The retry budget is 20 per minute")
    context = ("recall", "retry budget", "--json")
    assert len(dejavu(*context).json["memories"]) == 1
    assert len(dejavu(*context, "--superseded").json["memories"]) == 2
    assert dejavu(*context, "--min-confidence", "0.9").json["memories"] == []
    assert dejavu(*context, "--limit", "0").code == 2


def test_before_anything_was_captured(dejavu: Callable[..., Result]) -> None:
    result = dejavu("recall", "xylophone", "--json")
    assert (result.code, result.json["memories"], result.json["hits"]) == (0, [], [])
    assert "nothing recalled" in dejavu("recall", "xylophone").err


def test_words_and_folders_that_are_not_utf8(dejavu: Callable[..., Any], home: Path) -> None:
    odd = "caf\udce9"
    stored = dejavu(
        "remember", odd, "opens", "at nine", "-w", f"/work/{odd}", "--tag", odd, "--json"
    )
    assert stored.json["text"] == "caf\ufffd opens at nine"
    assert stored.json["workspace"] == "/work/caf\ufffd"
    for options in ((), ("-w", f"/work/{odd}"), ("--no-history",)):
        result = dejavu("recall", odd, "opens", *options, "--json")
        assert [memory["text"] for memory in result.json["memories"]] == ["caf\ufffd opens at nine"]


def test_nothing_in_this_project_names_the_way_to_all(
    dejavu: Callable[..., Result],
    archived: list[Conversation],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    with open_archive(write=True) as archive:
        archive.put(conversation("here", "claude", str(tmp_path), 1.0))
    monkeypatch.chdir(tmp_path)
    assert "in this project; --everywhere searches all" in dejavu("recall", "zebra crossing").err
    assert "--everywhere" not in dejavu("recall", "zebra crossing", "--everywhere").err


def test_a_replaced_answer_is_listed_with_what_replaced_it(
    dejavu: Callable[..., Result], home: Path
) -> None:
    names: list[str] = []
    with open_archive(write=True) as archive:
        for day, asked, said in (
            (1.0, "What does a membership cost?", "Membership costs 60 euros a year."),
            (2.0, "Note the vote on membership", "For membership it is 75 euros a year now."),
        ):
            at = 86_400.0 * day
            turns = (Turn(role=Role.USER, parts=(Text(asked),), at=at),
                     Turn(role=Role.ASSISTANT, parts=(Text(said),), at=at + 1))  # fmt: skip
            held = conversation(f"s{day}", "claude", "/w/club", at, *turns)
            archive.put(held)
            names.append(held.id)
    shown = dejavu("recall", "what does the membership cost?", "--everywhere").out
    assert shown.index("75 euros") < shown.index("60 euros")
    assert f"    replaces {names[0]}#" in shown
    assert f"    replaced by {names[1]}#" in shown
    tools = Tools("/w/club").search_memory("what does the membership cost?")
    rows = [*tools["hits"], *tools["uncertain"]]
    assert [row.get("replaced_by", "").partition("#")[0] for row in rows] == ["", names[1]]
