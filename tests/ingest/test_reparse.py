from pathlib import Path

import pytest
from tests.factories.session_files import claude_session
from tests.ingest.merge.test_arbitrate import ANSWER, ID, Session

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.ingest.channel import load_session_log
from dejavu.ingest.merge.arbitrate import merge_vectors
from dejavu.ingest.reparse import reparse
from dejavu.ingest.sync import sync_homes
from dejavu.model import Role, Text, Turn, Vector
from dejavu.providers import Home


def test_the_archives_own_raw_gives_the_same_turns(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one", "two")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        (before,) = (archive.get(head.id) for head in archive.scan())
        path.unlink()
        result = reparse(archive)
        assert (result.sources, result.changed, result.left) == (1, set(), [])
        assert archive.get(before.id).turns == before.turns


def test_a_better_parser_mends_old_turns(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(home, "one")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        (head,) = archive.scan()
        good = archive.get(head.id)
        archive.put(good.with_turns((Turn(role=Role.USER, parts=(Text("misread"),)),)))
        assert reparse(archive).changed == {head.id}
        assert [turn.text for turn in archive.get(head.id).turns] == ["one", "re: one"]


def test_what_only_the_screen_saw_survives(home: Path, tmp_path: Path) -> None:
    claude_session(home, "one")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        (head,) = archive.scan()
        whole = archive.get(head.id)
        late = Turn(role=Role.USER, parts=(Text("only seen"),), vector=Vector.SCREEN)
        archive.put(whole.with_turns((*whole.turns, late)))
        reparse(archive)
        assert [turn.text for turn in archive.get(head.id).turns] == ["one", "re: one", "only seen"]


def test_sources_are_remembered_when_their_files_are_gone(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own("box")])
        (key,) = archive.sources.all_keys()
        source = load_session_log(archive, key)
        assert source is not None
        assert (source.agent, source.path, source.instance, source.key) == (
            "claude",
            path,
            "box",
            key,
        )
        assert load_session_log(archive, "nobody") is None


def _tell(session: Session, vector: str) -> None:
    if vector == "stream":
        session.stream("Why?", ANSWER)
    elif vector == "hook":
        session.hooks(("Why?", ANSWER), ("And red?", "Less of it."))
    else:
        session.wire("Why?", ANSWER, "And red?")


@pytest.mark.parametrize("vector", ["stream", "hook", "wire"])
def test_what_another_vector_told_alone_is_read_again(vector: str, tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        _tell(Session(archive, tmp_path), vector)
        (good,) = (archive.get(head.id) for head in archive.scan() if head.id == ID)
        result = reparse(archive)
        assert (result.sources, result.changed, result.left) == (1, set(), [])
        assert archive.get(ID).turns == good.turns
        (key,) = archive.sources.all_keys()
        misread = Turn(role=Role.USER, parts=(Text("misread"),), vector=good.turns[0].vector)
        update = TurnUpdate(archive.summary(ID), 0, [misread], key)
        archive.commit(Batch(updates=[update]))
        assert ID in reparse(archive).changed
        assert [turn.text for turn in archive.get(ID).turns] == [turn.text for turn in good.turns]


def test_vectors_that_tell_one_conversation_are_heard_together_again(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        session = Session(archive, tmp_path)
        session.file(("Why?", ANSWER))
        for vector in ("hook", "wire", "stream"):
            _tell(session, vector)
        merge_vectors(archive, ID)
        before = {head.id: archive.get(head.id).turns for head in archive.scan()}
        session.path.unlink()
        result = reparse(archive)
        assert (result.sources, result.changed, result.left) == (4, set(), [])
        assert {head.id: archive.get(head.id).turns for head in archive.scan()} == before
        assert {turn.vector for turn in before[ID]} > {Vector.NATIVE}


def test_raw_that_nobody_is_known_to_have_told_is_left_alone(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        archive.commit(Batch(raw={"x": [RawDelta(0, b"{}")]}))
        assert reparse(archive).left == ["x"]
