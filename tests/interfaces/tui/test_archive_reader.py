from pathlib import Path

import pytest

from dejavu.archive.search import direct
from dejavu.archive.search.engine import SearchEngine
from dejavu.interfaces.search_answer import NOTHING
from dejavu.interfaces.tui.archive_reader import ArchiveReader, OriginCount
from dejavu.model import Conversation


def test_what_is_there_is_found(archived: list[Conversation]) -> None:
    complaints: list[Exception] = []
    reader = ArchiveReader(complaints.append)
    reader.open()
    assert [summary.id for summary in reader.summaries({})] == [one.id for one in archived]
    assert [summary.id for summary in reader.summaries({"agent": "claude"})] == [archived[1].id]
    assert {(one.project, one.agent, one.conversations) for one in reader.origins()} == {
        ("/work/other", "amp", 1), ("/work/retry", "claude", 1)
    }  # fmt: skip
    [(summary, hit)] = reader.search("never call", {}).shown
    assert (summary.title, hit.seq) == (archived[1].title, 1)
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
    assert reader.search("x", {}) == NOTHING
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
    hits = reader.search("never call", {}).hits
    assert (list(hits), hits.behind) == ([], 2)
    reader.close()
