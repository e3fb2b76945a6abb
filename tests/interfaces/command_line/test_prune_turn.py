"""`prune --turn`: one turn goes for good; every other stays, under its number."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.drills.test_deletion import places_of
from tests.factories.archive import START, Result, conversation
from tests.factories.session_files import claude_session

from dejavu.archive.access import open_archive
from dejavu.archive.backends.transaction import Writer
from dejavu.model import Role, Text, Turn, Vector

SECRET = "the badger lives at 12 Elm Street"


@pytest.fixture
def name(home: Path, dejavu: Callable[..., Result]) -> str:
    claude_session(home, "the first thing", SECRET, "yes", "yes")
    assert dejavu("sync").code == 0
    (listed,) = dejavu("list", "--json").rows
    return listed["id"]


def texts(dejavu: Callable[..., Result], name: str) -> list[str]:
    document = dejavu("show", name, "--json").json
    return [
        part["content"] for turn in document["turns"] for part in turn["parts"]
    ]  # fmt: skip


def test_a_turn_stays_away_when_its_file_is_written_anew(
    home: Path, dejavu: Callable[..., Result], name: str
) -> None:
    before = texts(dejavu, name)
    assert dejavu("remember", f"note: {SECRET}, says the user").code == 0
    assert dejavu("backup", str(home / "copy")).code == 0
    assert dejavu("restore", str(home / "copy")).code == 0  # an older archive stays beside it
    done = dejavu("prune", "--turn", f"{name}#3-4", "--yes", "--json").json
    assert [(one["turns"], len(one["memories"])) for one in done["pruned"]] == [([2, 3], 1)]
    folders = [home / ".local/share/dejavu", home / ".local/state/dejavu"]
    assert texts(dejavu, name) == [*before[:2], "[pruned]", "[pruned]", *before[4:]]
    assert places_of(*folders, needles=(b"badger",)) == []
    assert dejavu("memories", "--json").json["memories"] == []
    claude_session(home, "a new beginning", "the first thing", SECRET, "yes", "yes", "and more")
    assert dejavu("sync").code == 0
    assert dejavu("reparse").code == 0
    assert "and more" in texts(dejavu, name)
    claude_session(home, SECRET, name="s2")  # nor in a copy of the session
    assert dejavu("sync").code == 0
    assert places_of(*folders, needles=(b"badger",)) == []
    assert dejavu("search", "badger", "--json").json["hits"] == []
    assert dejavu("verify").code == 0


def test_a_word_that_records_are_made_of_goes_from_its_turn_alone(
    home: Path, dejavu: Callable[..., Result]
) -> None:
    claude_session(home, "first", "user", "last")
    assert dejavu("sync").code == 0
    (listed,) = dejavu("list", "--json").rows
    name = listed["id"]
    assert dejavu("prune", "--turn", f"{name}#3", "--yes").code == 0
    assert dejavu("reparse").code == 0
    assert texts(dejavu, name) == ["first", "re: first", "****", "re: user", "last", "re: last"]


def test_looking_and_asking_change_nothing(dejavu: Callable[..., Result], name: str) -> None:
    looked = dejavu("prune", "--turn", f"{name}#3", "--dry-run")
    assert (looked.code, looked.out) == (0, f"{name}  3\n")
    assert "1 turn would be taken out" in looked.err
    assert "repeat some of it and are kept: 4" in looked.err  # its answer quotes it
    several = dejavu("prune", "--turn", f"{name}#1,3", "--dry-run")
    assert (several.code, several.out) == (0, f"{name}  1, 3\n")
    assert dejavu("prune", "--turn", f"{name}#3").code == 2
    assert SECRET in texts(dejavu, name)


@pytest.mark.parametrize(
    ("turns", "options", "code", "message"),
    [
        ("#99", (), 3, "has the turns 1 to 8"),
        ("#5", (), 2, "turns 5 and 7 share text and go only together: --turn "),
        ("", (), 2, "is not a turn"),
        ("#x", (), 2, "are no turns"),
        ("#2", ("--agent", "claude"), 2, "the other conditions"),
    ],
)
def test_what_cannot_go_is_said(
    dejavu: Callable[..., Result],
    name: str,
    turns: str,
    options: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    refused = dejavu("prune", "--turn", name + turns, "--yes", *options)
    assert (refused.code, message in refused.err) == (code, True)
    assert SECRET in texts(dejavu, name)


def test_turns_of_a_screen_go_without_raw(home: Path, dejavu: Callable[..., Result]) -> None:
    said = [(Role.USER, "hi"), (Role.ASSISTANT, SECRET), (Role.USER, "thanks")]
    turns = [
        Turn(seq=seq, role=role, parts=(Text(text),), vector=Vector.SCREEN)
        for seq, (role, text) in enumerate(said)
    ]
    whole = conversation("screen", "claude", "/w", START, *turns)
    with open_archive(write=True) as archive:
        archive.put(whole)
    assert dejavu("prune", "--turn", f"{whole.id}#2", "--yes").code == 0
    with open_archive(write=True) as archive:
        archive.put(whole)  # the observer says it again
    assert texts(dejavu, whole.id) == ["hi", "[pruned]", "thanks"]
    assert places_of(home / ".local/share/dejavu", needles=(b"badger",)) == []


@pytest.mark.parametrize("lost", [b"v", b"t"])
def test_a_repair_keeps_a_turn_away(
    lost: bytes, home: Path, dejavu: Callable[..., Result], name: str
) -> None:
    """What is read again from the agent's file is masked again, whichever record is damaged."""
    assert dejavu("prune", "--turn", f"{name}#3-4", "--yes").code == 0

    def damage(txn: Writer) -> None:
        for key in list(txn.keys("raw")):
            txn.put_stored("raw", key, b"?")
        for key in [key for key in txn.keys("namespaces") if key.startswith(b"withheld\0" + lost)]:
            txn.put_stored("namespaces", key, b"?")

    with open_archive(write=True) as archive:
        archive.backend.write(damage)
    assert "masked may be back" not in dejavu("verify", "--repair").err
    assert dejavu("sync").code == 0
    (listed,) = dejavu("list", "--json").rows
    assert texts(dejavu, listed["id"])[2:4] == ["[pruned]", "[pruned]"]
    assert dejavu("verify").code == 0


def test_the_last_turn_has_a_name(home: Path, dejavu: Callable[..., Result]) -> None:
    claude_session(home, "one", "two", "three")
    assert dejavu("sync").code == 0
    (listed,) = dejavu("list", "--json").rows
    name, count = listed["id"], listed["turn_count"]
    told = dejavu("prune", "--turn", f"{name}#last", "--dry-run", "--json").json["pruned"]
    assert [one["turns"] for one in told] == [[count - 1]]
    assert "last for the last turn" in dejavu("prune", "--turn", f"{name}#-1", "--dry-run").err
