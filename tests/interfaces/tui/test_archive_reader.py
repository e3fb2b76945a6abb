from pathlib import Path

import pytest

from dejavu.archive.access import open_archive
from dejavu.archive.search import direct
from dejavu.archive.search.engine import SearchEngine
from dejavu.interfaces.tui.archive_reader import ArchiveReader, OriginCount
from dejavu.model import Conversation


def test_what_is_there_is_found(archived: list[Conversation]) -> None:
    complaints: list[Exception] = []
    reader = ArchiveReader(complaints.append)
    reader.open()
    assert [summary.id for summary in reader.summaries({})] == [one.id for one in archived]
    assert [summary.id for summary in reader.summaries({"agent": "claude"})] == [archived[1].id]
    assert {(one.workspace, one.agent, one.conversations) for one in reader.origins()} == {
        ("/work/other", "amp", 1), ("/work/retry", "claude", 1)
    }  # fmt: skip
    hits, summaries = reader.search("never call", {})
    assert [hit.seq for hit in hits] == [1]
    assert summaries[hits[0].conversation].title == archived[1].title
    assert len(reader.turns(archived[1].id, 1, 3)) == 2
    whole = reader.whole(archived[1].id)
    assert whole is not None
    assert len(whole.turns) == 4
    reader.close()
    assert not reader.there
    assert complaints == []


def test_a_thing_that_is_missing_is_a_word_and_nothing(archived: list[Conversation]) -> None:
    complaints: list[Exception] = []
    reader = ArchiveReader(complaints.append)
    reader.open()
    assert reader.summary("nothing") is None
    assert reader.whole("nothing") is None
    assert len(complaints) == 2
    reader.close()


def test_without_an_archive_there_is_nothing_to_complain_of(home: Path) -> None:
    complaints: list[Exception] = []
    reader = ArchiveReader(complaints.append)
    reader.open()
    assert not reader.there
    assert list(reader.summaries({})) == []
    assert reader.search("x", {}) == ([], {})
    assert reader.counts() is None
    assert complaints == []
    assert OriginCount("/w", "local", "amp", 1, 0.0).conversations == 1


def test_what_could_not_be_searched_is_counted(
    archived: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody may write the index, and no turn may be read directly: all is behind."""
    monkeypatch.setattr(direct, "MOST_TURNS", 0)
    monkeypatch.setattr(SearchEngine, "_catch_up_if_possible", lambda _: -1)
    reader = ArchiveReader(lambda error: None)
    reader.open()
    hits, _ = reader.search("never call", {})
    assert (list(hits), hits.behind) == ([], 2)
    reader.close()


def test_a_misspelt_word_finds_what_the_command_finds(archived: list[Conversation]) -> None:
    reader = ArchiveReader(lambda error: None)
    reader.open()
    with open_archive() as archive:
        for query in ("bugdet", "retyr bugdet", "budge", "budget", "xylophone", "nevre called"):
            typed, _ = reader.search(query, {})
            asked = archive.search(query)
            assert {hit[:2] for hit in typed} == {hit[:2] for hit in asked}, query
            assert bool(typed.notes) == (query.split()[0] in ("bugdet", "retyr", "nevre")), query
    reader.close()
