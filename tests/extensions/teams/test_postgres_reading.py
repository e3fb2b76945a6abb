"""Reading needs no writing: every answer is given where a write is refused, would wait, or cannot happen.

A member who may only read, a real standby, a schema that only the keeper may bring up, and a writer's place
that another session holds.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from tests.drills.test_teams import Member
from tests.extensions.teams.test_postgres_recovery import start, wait_until
from tests.postgres import Server
from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive
from dejavu.extensions.teams import postgres_schema as schema
from dejavu.extensions.teams.postgres_migrations import OLDEST_WRITTEN
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import ArchiveUnavailableError
from dejavu.recall import Memory, Recall, inject
from dejavu.recall.injection_log import audit, carry_notes

PROMPT = "why does the retry budget of the gateway run dry?"
FAST = 8.0
"""Seconds: below the ten that a writer waits."""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEJAVU_STATE_HOME", str(tmp_path / "state"))


def filled(url: str) -> None:
    with Archive.open(url) as archive:
        archive.put(
            session(
                "retry",
                (USER, "Why does the retry_budget run dry in the gateway?"),
                (ASSISTANT, "Because `RetryBudget.tick` is never called; we add a timer for it."),
            )
        )
        Memory(archive).remember("walruses sleep in the water")


@pytest.fixture
def joined(server: Server, url: str) -> Iterator[Callable[[str], str]]:
    """`joined(right)` is the URL of a login with that right."""
    filled(url)
    name = url.rpartition("%3D")[2]
    team = Team(url)
    team.init()
    logins: list[str] = []

    def join(right: str) -> str:
        login = f"{right}_{name}"
        team.invite(login, right, None, None)
        logins.append(login)
        return url.replace("//keeper@", f"//{login}@")

    yield join
    team.close()
    for login in logins:
        server.run(f"drop owned by {login}; drop role {login}")


@contextmanager
def writing(url: str) -> Generator[None]:
    """Another session holds the writer's place."""
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.cursor(binary=True)
        place = schema.find(cursor, "here", [url.rpartition("%3D")[2]])
        assert place is not None
        schema.begin_writing(cursor, place, 1.0, "here")
        yield


def answers(archive: Archive, session: str = "s") -> None:
    """Every way of reading gives what is there, at once."""
    began = time.monotonic()
    assert "RetryBudget.tick" in inject(archive, PROMPT, session=session, workspace="/w")
    assert "RetryBudget.tick" not in inject(archive, PROMPT, session=session, workspace="/w")
    assert Recall(archive).search(PROMPT)[0].sure
    assert Memory(archive).recall("where do walruses sleep")
    assert archive.search("gateway")
    [one] = archive.scan()
    assert archive.get(one.id).turn_count == 2
    assert archive.counts().turns == 2
    assert time.monotonic() - began < FAST


def test_a_reader(joined: Callable[[str], str]) -> None:
    with Archive.open(joined("reader"), create=False) as archive:
        answers(archive)
        assert carry_notes(archive) == 0
        assert [(one.session, one.sequence) for one in audit(archive)] == [("s", 0)]


def test_while_another_writes(joined: Callable[[str], str], url: str) -> None:
    with Archive.open(joined("writer"), create=False) as archive:
        with writing(url):
            answers(archive)
        assert carry_notes(archive) == 1
        assert [(one.session, one.sequence) for one in audit(archive)] == [("s", 1)]
        assert inject(archive, PROMPT, session="s", workspace="/w") == ""


def test_in_an_older_schema(server: Server, joined: Callable[[str], str], url: str) -> None:
    member, name = joined("writer"), url.rpartition("%3D")[2]
    server.run(f"comment on table {name}.dejavu_records is 'dejavu schema {OLDEST_WRITTEN - 1}'")
    with Archive.open(member, create=False) as archive:
        answers(archive)
        with pytest.raises(ArchiveUnavailableError):
            Memory(archive).remember("too early")
        assert carry_notes(archive) == 0
        assert len(audit(archive)) == 1


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    started: list[Server] = []
    yield started
    for one in started:
        one.stop()


def test_on_a_standby(
    servers: list[Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "data"))
    first = start(servers, {})
    filled(first.url())
    second = start(servers, {}, first.base_backup(standby=True))
    with Archive.open(first.url()) as archive:  # after the copy: what a standby follows
        archive.namespace("test").put(b"k", b"\xc3")
    [[end]] = first.run("select pg_current_wal_lsn()::text")
    wait_until(second, f"select pg_last_wal_replay_lsn() >= '{end}'")
    with Archive.open(second.url(), create=False) as copy:
        assert not copy.writable
        answers(copy)
        assert len(audit(copy)) == 1
    ann = Member(tmp_path / "ann", second.url())
    for command in ("list", "search gateway", "stats", "recall walruses", "show last", "memories"):
        ann.run(*command.split())
    assert "not in the log" in ann.run("recall", "where do walruses sleep")
    assert "waiting" in ann.run("remember", "seals sleep on land")
    [found] = [one for one in findings(ann) if one["subject"] == "waiting notes"]
    assert found["facts"] == {"memories": 1, "injections": 0}


def findings(member: Member) -> list[dict[str, object]]:
    command = member.start("doctor", "--all", "--json")
    said, _ = command.communicate(timeout=120)
    found: list[dict[str, object]] = json.loads(said[said.index("{") :])["findings"]
    return found


def test_a_memory_waits_for_the_writer_and_can_be_forgotten(
    joined: Callable[[str], str], url: str, tmp_path: Path
) -> None:
    ann = Member(tmp_path / "ann", joined("writer"))
    with writing(url):
        commands = [ann.start("remember", text, "--json") for text in ("seals sleep", "crows nest")]
        said = [ann.end(command) for command in commands]
    assert all("is being written by" in one and "waits on this machine" in one for one in said)
    seals, crows = (json.loads(one[one.index("{") :]) for one in said)
    assert f"{crows['id']} forgotten" in ann.run("forget", crows["id"])
    ann.run("sync")
    listed = json.loads(ann.run("memories", "--json"))["memories"]
    assert {one["text"]: one["id"] for one in listed} == {
        "seals sleep": seals["id"],
        "walruses sleep in the water": listed[-1]["id"],
    }


def test_a_memory_waits_for_a_server_that_is_away(tmp_path: Path) -> None:
    ann = Member(tmp_path / "ann", "postgresql://ann:s3cret@127.0.0.1:1/x")
    said = ann.run("remember", "seals sleep on land")
    assert "postgresql://ann@127.0.0.1:1/x cannot be reached" in said
    assert "waits on this machine" in said
    assert [one["facts"] for one in findings(ann) if one["subject"] == "waiting notes"]


def test_a_reader_is_refused_a_memory(joined: Callable[[str], str], tmp_path: Path) -> None:
    ann = Member(tmp_path / "ann", joined("reader"))
    assert "may only read the archive" in ann.run("remember", "seals sleep", code=4)
    assert "walruses" in ann.run("recall", "where do walruses sleep")
