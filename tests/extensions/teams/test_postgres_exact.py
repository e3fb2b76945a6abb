"""Exact search by the server: what it finds is what reading everything finds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.far import Far
from tests.postgres import Server

from dejavu.archive import Archive, Batch
from dejavu.archive.search import remote
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import (
    Conversation,
    Part,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    TurnUpdate,
)

TEXTS = (
    "plain words, and 100% of them_all", 'say "yes"\nor C:\\temp\\new', "über Straße 你好 🙂",
    "%", "_", "\\", "a\tb", "{\"key\": [1, 'x']}", "x" * 70_000 + " the end of it",
)  # fmt: skip


def updates(texts: tuple[str, ...] = TEXTS) -> list[TurnUpdate]:
    """Every text as it was said, given to a tool, and given by one."""
    found: list[TurnUpdate] = []
    for number, text in enumerate(texts):
        parts: tuple[Part, ...] = (
            Text(text),
            ToolCall(id=f"call_{number}", name="Bash", arguments={"command": text, "n": [number]}),
            ToolCallResponse(id=f"call_{number}", response={"out": [text, None]}),
        )
        said = [
            Turn(role=role, parts=(part,), at=1.7e9 + 3e6 * number)
            for role, part in zip((Role.USER, Role.ASSISTANT, Role.TOOL), parts, strict=True)
        ]
        summary = Conversation(
            id=f"c{number:02}", agent="xy"[number % 2], native_id=str(number),
            workspace=f"/srv/w{number % 3}", instance="a@b",
        )  # fmt: skip
        found.append(TurnUpdate(summary, 0, said))
    return found


@pytest.fixture(params=["trigrams", "none"])
def both(
    request: pytest.FixtureRequest, server: Server, url: str, tmp_path: Path
) -> Iterator[tuple[Archive, Archive]]:
    """The same archive on a server and in a folder; no index of exact text in either."""
    trigrams = request.param == "trigrams"
    schema = url.rpartition("%3D")[2]
    if trigrams:
        try:
            server.run("create extension pg_trgm")
        except Exception as error:
            pytest.skip(f"needs pg_trgm: {error}")
    try:
        with Archive.open(url) as there, Archive.open(tmp_path / "archive") as here:
            team = Team(url)
            team.init()
            assert team.status().trigrams is trigrams
            team.close()
            for archive in (there, here):
                archive.commit(Batch(updates=updates()))
            made = "select count(*) from pg_indexes where indexdef like '%gin_trgm_ops%' and "
            [(count,)] = server.run(f"{made} schemaname = '{schema}'")
            assert bool(count) is trigrams
            yield there, here
    finally:
        server.run("drop extension if exists pg_trgm cascade")


def places(archive: Archive, text: str, **wanted: Any) -> set[tuple[str, int]]:
    found = archive.search(text, exact=True, limit=1000, **wanted)
    return {(hit.conversation, hit.seq) for hit in found}


@pytest.mark.parametrize(
    "text",
    [
        "plain", "100%", "them_all", "them-all", "PLAIN", '"yes"\nor', "C:\\temp", "\\", "%", "_",
        "über", "你", "🙂", "call_1", "Bash", "command", "a\tb", '{"key": [1', "end of it", "no such",
        "x" * 60_000, "\0",
    ],
)  # fmt: skip
def test_the_server_finds_what_reading_everything_finds(
    both: tuple[Archive, Archive], text: str
) -> None:
    there, here = both
    assert places(there, text) == places(here, text)


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(number=st.integers(0, len(TEXTS) - 1), start=st.integers(0, 70), length=st.integers(1, 9))
def test_any_piece_of_a_text_is_found(
    both: tuple[Archive, Archive], number: int, start: int, length: int
) -> None:
    there, here = both
    text = TEXTS[number][start : start + length] or TEXTS[number][:1]
    assert places(there, text) == places(here, text) != set()


def test_filters_are_those_of_reading_everything(both: tuple[Archive, Archive]) -> None:
    there, here = both
    for wanted in (
        {"workspace": "/srv/w1"}, {"agent": "y"}, {"instance": "a@b"}, {"instance": "other"},
        {"role": "tool"}, {"tool": "bash"}, {"since": 1.7e9 + 6e6}, {"until": 1.7e9 + 6e6},
        {"agent": "x", "role": "user", "since": 1.7e9 + 1},
    ):  # fmt: skip
        assert places(there, "a", **wanted) == places(here, "a", **wanted), wanted


def test_it_is_said_who_looked_and_what_was_left_out(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_LONG_CHARACTERS", 150_000)
    with Archive.open(url) as archive:
        archive.commit(Batch(updates=updates(tuple("x" * 70_000 + f" end {n}" for n in range(3)))))
        found = archive.search(" end ", exact=True)
        assert 0 < len(found) < 9
        assert "looked for by the server" in found.notes[0]
        assert "only the first 65,536 characters" in found.notes[1]


def test_far_away_it_is_a_few_statements_whatever_the_archive_holds(
    server: Server, url: str
) -> None:
    with Archive.open(url) as archive:
        archive.commit(Batch(updates=updates(tuple(f"word {n}." for n in range(400)))))
    proxy = Far(server, 0.02)
    try:
        with Archive.open(proxy.url(url.rpartition("%3D")[2])) as archive:
            list(archive.scan(limit=1))  # connects
            before = proxy.trips
            assert [hit.conversation for hit in archive.search("word 7.", exact=True)] == [
                "c07"
            ] * 3
            assert proxy.trips - before <= 10
    finally:
        proxy.close()
