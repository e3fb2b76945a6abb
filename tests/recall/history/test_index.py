"""The index follows the log, and is made anew when in doubt."""

import shutil
import stat
import time
from pathlib import Path

import pytest
import tantivy
from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive
from dejavu.model import Conversation
from dejavu.recall import Recall
from dejavu.recall.history import index as module
from dejavu.recall.history.documents import Passage, to_document, token
from dejavu.recall.history.index import FOLDER, ExchangeIndex
from dejavu.recall.history.skipped import skipped


def count(index: ExchangeIndex, word: str) -> int:
    searcher = index.searcher()
    assert searcher is not None
    fields = (
        tantivy.Query.term_query(index.schema, name, word, index_option="freq")
        for name in ("text", "tools")
    )
    either = tantivy.Query.boolean_query([(tantivy.Occur.Should, field) for field in fields])
    return len(index.find(searcher, either, 50))


def test_it_follows_what_changed(told: Archive) -> None:
    index = ExchangeIndex(told)
    assert (index.searcher(), index.lag().entries) == (None, 4)
    assert index.catch_up() == 4
    assert (index.lag().entries, index.catch_up()) == (0, 0)
    assert count(index, "zebra") == 1
    told.put(session("fresh", (USER, "a zebra again"), (ASSISTANT, "yes")))
    assert index.lag().entries == 1
    index.catch_up()
    assert count(index, "zebra") == 2
    told.put(session("fresh", (USER, "a walrus instead"), (ASSISTANT, "yes")))
    index.catch_up()
    assert (count(index, "zebra"), count(index, "walrus")) == (1, 1)


def test_who_has_no_time_takes_in_a_part_and_the_next_goes_on(told: Archive) -> None:
    for number in range(100):
        told.put(session(f"n{number}", (USER, f"number{number} of many"), (ASSISTANT, "yes")))
    index = ExchangeIndex(told)
    assert index.catch_up(patience=0.0) == 64
    assert (count(index, "number50"), count(index, "number90")) == (1, 0)
    assert index.lag().conversations == 40
    assert Recall(told).ask("number90 of many", patience=60.0).behind == 0
    assert count(index, "number90") == 1


def test_files_are_private_and_rebuilt_when_damaged(told: Archive, root: Path) -> None:
    index = ExchangeIndex(told)
    index.catch_up()
    for path in (root / FOLDER).iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (root / FOLDER / "meta.json").write_text("{}")
    again = ExchangeIndex(told)
    assert again.lag().entries == 4
    again.catch_up()
    assert count(again, "zebra") == 1
    shutil.rmtree(root / FOLDER)
    assert ExchangeIndex(told).catch_up() == 4


def test_an_index_of_another_log_is_not_believed(told: Archive, tmp_path: Path) -> None:
    ExchangeIndex(told).catch_up()
    with Archive.open(tmp_path / "second") as second:
        second.put(session("only", (USER, "nothing of that")))
        shutil.copytree(told.root / FOLDER, second.root / FOLDER)
        index = ExchangeIndex(second)
        assert index.lag().entries == 1
        index.catch_up()
        assert count(index, "zebra") == 0


def test_a_read_only_archive_is_not_written(told: Archive, root: Path) -> None:
    with Archive.open(root, readonly=True) as archive:
        assert ExchangeIndex(archive).catch_up() == 0
    assert not (root / FOLDER).exists()
    assert token("\ud800") == token("?")


def test_a_passage_that_cannot_be_read_costs_itself_alone(
    told: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.put(session("bad", (USER, "an unreadable walrus"), (ASSISTANT, "yes")))
    told.put(session("good", (USER, "a readable walrus"), (ASSISTANT, "yes")))

    def fails(passage: Passage, number: int, summary: Conversation) -> tantivy.Document:
        if "unreadable" in passage.text:
            raise IndexError("list index out of range")
        return to_document(passage, number, summary)

    monkeypatch.setattr(module, "to_document", fails)
    index = ExchangeIndex(told)
    index.catch_up()
    assert (index.lag().entries, count(index, "walrus")) == (0, 1)
    (line,) = skipped(told.root / FOLDER)
    assert "#1 IndexError in test_index.py:" in line
    assert "walrus" not in line


def test_who_comes_second_takes_nothing_away_from_who_writes(told: Archive) -> None:
    first = ExchangeIndex(told).catching_up(1)
    next(first)
    assert ExchangeIndex(told).catch_up() == 0
    assert sum(first) > 0
    index = ExchangeIndex(told)
    assert (index.lag().entries, count(index, "zebra")) == (0, 1)


def test_a_commit_that_the_disk_refuses_is_made_up_for(told: Archive) -> None:
    first = ExchangeIndex(told).catching_up(1)
    for _ in range(3):
        next(first)
    (told.root / FOLDER).rename(told.root / "aside")
    (told.root / FOLDER).write_bytes(b"in its way")
    assert sum(first) >= 0  # nobody is told of a failure, and nothing is lost
    (told.root / FOLDER).unlink()
    index = ExchangeIndex(told)
    assert index.catch_up() == 4
    assert (index.lag().entries, count(index, "zebra")) == (0, 1)


def test_a_writer_whose_thread_the_disk_stopped_is_made_up_for(
    told: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, aside = told.root / FOLDER, told.root / "aside"

    def slowly(passage: Passage, number: int, summary: Conversation) -> tantivy.Document:
        if not aside.exists():  # before the writer's thread opened its first file
            folder.rename(aside)
            folder.write_bytes(b"in its way")
        time.sleep(0.1)  # the thread dies meanwhile
        return to_document(passage, number, summary)

    monkeypatch.setattr(module, "to_document", slowly)
    assert ExchangeIndex(told).catch_up() >= 0
    assert skipped(folder) == []
    monkeypatch.undo()
    folder.unlink()
    index = ExchangeIndex(told)
    assert (index.catch_up(), count(index, "zebra")) == (4, 1)
