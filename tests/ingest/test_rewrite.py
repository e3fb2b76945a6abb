"""A rewritten source loses nothing: as the merge alone, and through `sync` on real files."""

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.reparse import reparse
from dejavu.ingest.rewrite import (
    RetainedTurn,
    decode_state,
    encode_state,
    is_retained,
    merge,
    position,
)
from dejavu.ingest.sync import sync_homes
from dejavu.model import Conversation, Role, Text, Turn
from dejavu.providers import Home, TurnUpdate

HEAD = Conversation(id="c", agent="claude")


def turn(name: str, seq: int = 0) -> Turn:
    return Turn(seq=seq, role=Role.USER, parts=(Text(f"says {name}"),), native_id=name)


def names(turns: object) -> str:
    assert isinstance(turns, list | tuple)
    return "".join(one.native_id for one in turns)


def every(_: Turn) -> bool:
    return True


def test_missing_turns_stand_where_they_stood() -> None:
    turns, kept = merge([turn(n) for n in "abcde"], [turn(n) for n in "acef"], every)
    assert names(turns) == "abcdef"
    assert kept == (RetainedTurn(1, "b"), RetainedTurn(2, "d"))
    assert [one.native_id for one in turns if is_retained(one)] == ["b", "d"]


def test_a_turn_with_a_new_id_that_says_the_same_is_the_same() -> None:
    renamed = [Turn(role=Role.USER, parts=(Text("says a"),), native_id="z"), turn("b")]
    turns, kept = merge([turn("a"), turn("b")], renamed, every)
    assert (names(turns), kept) == ("zb", ())


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_appended_afterwards_stands_behind_its_own(data: st.DataObject) -> None:
    letters = "abcdefghij"
    old = data.draw(st.lists(st.sampled_from(letters), unique=True, max_size=8))
    fresh = data.draw(st.lists(st.sampled_from(letters), unique=True, max_size=8))
    held, kept = merge([turn(n) for n in old], [turn(n) for n in fresh], every)
    parser = [turn(n) for n in fresh]
    for _ in range(3):
        start = data.draw(st.integers(0, len(parser)))
        taken = [n for n in letters if n not in names(parser[:start])]
        more = data.draw(st.lists(st.sampled_from(taken), unique=True, max_size=4)) if taken else []
        parser[start:] = [turn(n) for n in more]
        change, kept = position(
            TurnUpdate(HEAD, start, tuple(turn(n) for n in more)), "s", kept, lambda seq: held[seq:]
        )
        held[change.start :] = change.turns
        assert [t.native_id for t in held if not is_retained(t)] == [t.native_id for t in parser]
        assert [held[one.at + i].native_id for i, one in enumerate(kept)] == [
            one.native_id for one in kept
        ]


def test_state_round_trip() -> None:
    assert decode_state(encode_state(b"\x93state", {"c": ()})) == (b"\x93state", {}, False)
    assert decode_state(None) == (None, {}, False)
    places = {"c": (RetainedTurn(3, "x"),)}
    assert decode_state(encode_state(b"\x93state", places)) == (b"\x93state", places, False)


def rows(path: Path) -> list[str]:
    return path.read_text().splitlines(keepends=True)


def texts(archive: Archive) -> list[str]:
    (head,) = archive.scan()
    return [one.text for one in archive.get(head.id).turns]


def test_turns_cut_out_of_a_session_stay(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one", "two", "three")
    whole = ["one", "re: one", "two", "re: two", "three", "re: three"]
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        lines = rows(path)
        path.write_text("".join(lines[2:]))
        sync_homes(archive, [Home.own()])
        assert texts(archive) == whole
        claude_session(home, "one", "two", "three", "four")
        grown = "".join(rows(path)[2:])
        path.write_text(grown)
        sync_homes(archive, [Home.own()])
        assert texts(archive) == [*whole, "four", "re: four"]
        assert reparse(archive).changed == set()
        path.write_text(grown.replace("four", "FOUR"))  # edited: the same ids, other words
        sync_homes(archive, [Home.own()])
        assert texts(archive) == [*whole, "FOUR", "re: FOUR"]
        with path.open("a") as file:  # and goes on
            record = {**json.loads(lines[0]), "uuid": "u9", "timestamp": "2026-11-21T11:00:00Z"}
            file.write(
                json.dumps({**record, "message": {"role": "user", "content": "five"}}) + "\n"
            )
        sync_homes(archive, [Home.own()])
        assert texts(archive) == [*whole, "FOUR", "re: FOUR", "five"]
        assert reparse(archive).changed == set()
        assert archive.maintenance.verify().clean


def test_a_renamed_folder_is_no_duplicate_and_two_homes_are_two(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one")
    claude_session(tmp_path / "box", "one")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own(), Home(tmp_path / "box", {}, "box")])
        assert sorted(head.instance for head in archive.scan()) == ["box", "local"]
        path.parent.rename(path.parent.with_name("-work-renamed"))
        (tmp_path / "box").rename(tmp_path / "moved")
        sync_homes(archive, [Home.own(), Home(tmp_path / "moved", {}, "box")])
        assert sorted(head.turn_count for head in archive.scan()) == [2, 2]
