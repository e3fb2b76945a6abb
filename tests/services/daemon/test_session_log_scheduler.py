"""From a hook to the agent's own trace."""

import json
import time
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.ingest.source_failures import source_failures
from dejavu.model import Vector, conversation_id, to_iso
from dejavu.providers import PROVIDERS
from dejavu.services.daemon.hook_ingest import HookIngestor, IngestResult, parse_events
from dejavu.services.daemon.session_log_scheduler import SessionLogScheduler

from .conftest import SESSION, START, session

ID = conversation_id("claude", "local", SESSION)


def trace(home: Path, exchanges: int) -> Path:
    """A session file with so many prompts and answers."""
    path = home / ".claude/projects/-work-x" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, up = [], None
    for number in range(exchanges):
        for role, text in (("user", f"Question {number}?"), ("assistant", f"Answer {number}.")):
            content = text if role == "user" else [{"type": "text", "text": text}]
            key = f"{role}-{number}"
            rows.append(
                {
                    "type": role, "uuid": key, "parentUuid": up, "sessionId": SESSION,
                    "cwd": "/work/x", "timestamp": to_iso(START + 10 * number),
                    "message": {"id": key, "role": role, "content": content},
                }
            )  # fmt: skip
            up = key
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def heard(archive: Archive, exchanges: int) -> IngestResult:
    news = [event for one in session(exchanges) for event in parse_events(one)]
    return HookIngestor(archive).ingest("claude", SESSION, "local", news)


def read(archive: Archive, transcript: Path | None, exchanges: int) -> None:
    taken = heard(archive, exchanges)
    pivot = SessionLogScheduler()
    path = str(transcript) if transcript else None
    for state in ("working", "idle"):
        pivot.on_hook(taken, path, state, over=False, at=time.time() + 60)
    assert pivot.due is not None
    while pivot.due is not None:
        pivot.tick(archive, pivot.due)


def vectors(archive: Archive) -> list[tuple[str, str]]:
    return [(turn.text, str(turn.vector)) for turn in archive.get(ID).turns]


def test_the_file_that_the_hook_names_is_read(home: Path, archive: Archive) -> None:
    read(archive, trace(home, 2), 2)
    assert len(vectors(archive)) == 4
    assert {vector for _, vector in vectors(archive)} == {Vector.NATIVE}


def test_a_file_below_another_home_is_read(home: Path, archive: Archive, tmp_path: Path) -> None:
    read(archive, trace(tmp_path / "elsewhere", 2), 2)
    assert {vector for _, vector in vectors(archive)} == {Vector.NATIVE}


def test_without_a_name_the_sessions_id_finds_it(home: Path, archive: Archive) -> None:
    trace(home, 2)
    read(archive, None, 2)
    assert {vector for _, vector in vectors(archive)} == {Vector.NATIVE}


def test_the_traces_of_sub_agents_are_read_with_it(home: Path, archive: Archive) -> None:
    path = trace(home, 1)
    row = json.loads(path.read_text().splitlines()[0])
    row |= {"isSidechain": True, "agentId": "a1", "message": {"role": "user", "content": "Look."}}
    below = path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    below.parent.mkdir(parents=True)
    below.write_text(json.dumps(row) + "\n")
    read(archive, path, 1)
    assert len(list(archive.scan())) == 2


def test_without_a_trace_the_hooks_stand(home: Path, archive: Archive) -> None:
    read(archive, None, 2)
    assert {vector for _, vector in vectors(archive)} == {Vector.HOOK}


def test_a_trace_that_falls_behind_is_completed(home: Path, archive: Archive) -> None:
    path = trace(home, 1)
    read(archive, path, 1)
    path.unlink()  # in the middle of the session
    read(archive, path, 3)
    assert vectors(archive) == [
        ("Question 0?", "native"), ("Answer 0.", "native"),
        ("Question 1?", "hook"), ("Answer 1.", "hook"),
        ("Question 2?", "hook"), ("Answer 2.", "hook"),
    ]  # fmt: skip
    trace(home, 3)  # it is there again
    read(archive, path, 3)
    assert [vector for _, vector in vectors(archive)] == ["native"] * 6


def test_a_trace_that_a_reader_stumbles_over_stops_nothing(
    home: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> None:
        raise ValueError("a fault of ours")

    monkeypatch.setattr(type(PROVIDERS["claude"]), "follow", stumble)
    path = trace(home, 2)
    read(archive, path, 2)
    assert {vector for _, vector in vectors(archive)} == {Vector.HOOK}
    (failure,) = source_failures(archive)
    assert (failure.agent, failure.name) == ("claude", str(path))
    assert "ValueError: a fault of ours" in failure.reason
