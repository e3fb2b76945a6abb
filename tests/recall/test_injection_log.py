"""What waits on this machine: durable, in order, carried once, bounded, and gone for good when discarded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.archive.backends.lock import WriterLock
from dejavu.model import ArchiveUnavailableError
from dejavu.recall import Memory, inject, injection_log
from dejavu.recall.injection_log import (
    INJECTION,
    WaitingInjection,
    WaitingNotes,
    audit,
    carry_notes,
    keep_memory,
    store_injection,
    waiting_memories,
)

PROMPT = "why does the retry budget of the gateway run dry?"
NOTE = WaitingInjection(at=1.0, session="s", workspace="/w", size=9, items=(("c#1", 0.5),))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEJAVU_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def locked(told: Archive, root: Path) -> Iterator[Archive]:
    """The archive, while another writer holds its place."""
    inject(told, PROMPT, session="first", workspace="/w")  # the index is up to date
    lock = WriterLock(root)
    with lock.hold():
        yield told
    lock.close()


def test_an_answer_never_waits_for_a_writer(locked: Archive) -> None:
    text = inject(locked, PROMPT, session="s", workspace="/w", clock=lambda: 5.0)
    assert "RetryBudget.tick" in text
    assert "RetryBudget.tick" not in inject(locked, PROMPT, session="s", workspace="/w")
    first, second = audit(locked)
    assert {(one.session, one.sequence) for one in (first, second)} == {("first", 1), ("s", 0)}
    memory = Memory(locked)
    assert memory.recall("anything") == []
    assert memory.unlogged


def test_notes_are_carried_once(told: Archive) -> None:
    notes = WaitingNotes(told.name)
    notes.save(INJECTION, NOTE, "a")
    kept = keep_memory(
        told.name, "deploys are on Friday", source="", tags=(), folder="/w/sub", scope=None
    )
    assert carry_notes(told) == 2
    store_injection(told, NOTE)  # killed between the commit and the removal of the file
    assert [(one.at, one.sequence) for one in audit(told)] == [(1.0, 1)]
    [memory] = Memory(told).list()
    assert (memory.id, memory.text, memory.workspace) == (kept.id, "deploys are on Friday", "/w")
    assert (memory.created_at, memory.source) == (kept.created_at, "")
    assert carry_notes(told) == 0
    assert waiting_memories(told.name) == []


def test_a_refused_note_holds_up_no_other(told: Archive) -> None:
    notes = WaitingNotes(told.name)
    for at in (1.0, 2.0, 3.0):
        notes.save(
            INJECTION, WaitingInjection(at=at, session="", workspace="", size=0, items=()), "x"
        )
    taken: list[float] = []

    def store(_archive: Archive, note: WaitingInjection) -> None:
        if note.at == 2.0:
            raise ValueError("no")
        taken.append(note.at)

    assert notes.carry(told, INJECTION, WaitingInjection, store) == 2
    assert taken == [1.0, 3.0]
    assert notes.count(INJECTION) == 1

    def away(_archive: Archive, _note: WaitingInjection) -> None:
        raise ArchiveUnavailableError("away")

    with pytest.raises(ArchiveUnavailableError):
        notes.carry(told, INJECTION, WaitingInjection, away)
    assert notes.count(INJECTION) == 1


def test_injections_that_can_never_be_carried_are_bounded(
    told: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(injection_log, "MOST", 3)
    notes = WaitingNotes(told.name)
    kept = keep_memory(told.name, "kept", source="", tags=(), folder="/w", scope="")
    for at in range(5):
        notes.save(
            INJECTION, WaitingInjection(at=at, session="", workspace="", size=0, items=()), "x"
        )
    assert [note.value.at for note in notes.entries(INJECTION, WaitingInjection)] == [2, 3, 4]
    [waiting] = waiting_memories(told.name)
    assert waiting.identity == kept.id
    notes.discard(waiting)
    assert waiting_memories(told.name) == []
    assert oct(notes.folder.stat().st_mode & 0o777) == "0o700"


def test_an_address_finds_its_notes_whatever_the_password() -> None:
    named = {WaitingNotes(f"postgresql://ann{word}@h/d").folder for word in ("", ":one", ":two")}
    assert len(named) == 1
    assert WaitingNotes("postgresql://bob@h/d").folder not in named
