"""`dejavu memories`: the newest first, paged; a chain by its id; the switch of injection."""

from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result


def test_listed_and_paged(dejavu: Callable[..., Result]) -> None:
    for text in ("alpha cats sleep", "beta dogs bark", "gamma birds sing"):
        dejavu("remember", text)
    listed = dejavu("memories", "--limit", "2", "--json").json["memories"]
    assert [one["text"].split()[0] for one in listed] == ["gamma", "beta"]
    rest = dejavu("memories", "--offset", "2", "--jsonl").out.splitlines()
    assert len(rest) == 1
    assert "alpha" in rest[0]
    assert "gamma" in dejavu("memories").out


def test_the_chain_of_one(dejavu: Callable[..., Result]) -> None:
    old = dejavu("remember", "The API listens on port 8080", "--json").json
    new = dejavu("remember", "The API listens on port 9090", "--json").json
    dejavu("remember", "something else entirely")
    chain = dejavu("memories", new["id"], "--json").json["memories"]
    assert [one["id"] for one in chain] == [old["id"], new["id"]]
    assert f"superseded by {new['id']}" in dejavu("memories").out
    assert len(dejavu("memories", "--current", "--json").json["memories"]) == 2
    assert dejavu("memories", "nobody").code == 3


def test_a_row_says_where_it_applies(dejavu: Callable[..., Result]) -> None:
    dejavu("remember", "Use tabs", "--everywhere", "--tag", "style")
    dejavu("remember", "Only here", "-w", "/w")
    rows = dejavu("memories").out.splitlines()
    assert "confidence 0.5  /w" in rows[0]
    assert rows[2].endswith("confidence 0.5  every project #style")
    dejavu("forget", rows[2].split()[0])
    assert "no memories yet for /x" in dejavu("memories", "-w", "/x").err


def test_injection_is_switched(dejavu: Callable[..., Result]) -> None:
    assert "off in /w" in dejavu("memories", "--no-inject", "-w", "/w").err
    assert f"off in {Path.cwd() / 'here'}" in dejavu("memories", "--no-inject", "-w", "here").err
    here = str(Path.cwd() / "here")
    below = dejavu("memories", "--inject", "-w", "/w/deeper").err
    assert "off in /w/deeper, because it is off in /w" in below
    assert f"on, except in {here}" in dejavu("memories", "--inject").err
    assert "on, except in /w" in dejavu("memories").err
    for folder in ("/w", "here"):
        assert "injection is on in " in dejavu("memories", "--inject", "-w", folder).err
    assert "on in every workspace" in dejavu("memories", "--inject").err
    assert "off in every workspace" in dejavu("memories", "--no-inject").err


def test_before_anything(dejavu: Callable[..., Result]) -> None:
    result = dejavu("memories")
    assert (result.code, result.out) == (0, "")
    assert "no memories yet" in result.err


def test_memories_of_a_folder_without_conversations(dejavu: Callable[..., Result]) -> None:
    kept = dejavu("remember", "The port is 8080", "-w", "here", "--json").json
    dejavu("remember", "The host is walrus", "-w", "there")
    for command in ("memories", "recall"):
        words = ["port", "host"] if command == "recall" else []
        told = dejavu(command, *words, "-w", "here", "--json").json["memories"]
        assert [one["id"] for one in told] == [kept["id"]]
