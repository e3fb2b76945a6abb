"""Eighty milliseconds away: a screen is one statement, and a first search needs no index."""

import os
import time
from collections.abc import Iterator

import msgspec
import pytest
from tests.far import Far
from tests.postgres import Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.search import remote
from dejavu.model import Conversation, Role, Span, Text, Turn, TurnUpdate

COUNT = 300


def update(number: int) -> TurnUpdate:
    turn = Turn(
        role=Role.USER,
        parts=(Text(f"the RetryBudget of café {number} in src/net/retry.py; word{number}"),),
        at=1.7e9 + number,
    )
    summary = Conversation(
        id=f"c{number:04}", agent="x", native_id=str(number), workspace=f"/srv/w{number % 3}",
        instance="a@b",
    )  # fmt: skip
    return TurnUpdate(summary, 0, (turn,))


@pytest.fixture
def far(server: Server, url: str) -> Iterator[tuple[Far, Archive]]:
    with Archive.open(url) as archive:
        archive.commit(Batch(updates=[update(n) for n in range(COUNT)]))
    proxy = Far(server, 0.08)
    with Archive.open(proxy.url(url.rpartition("%3D")[2])) as archive:
        yield proxy, archive
    proxy.close()


def test_a_list_is_one_statement(far: tuple[Far, Archive]) -> None:
    proxy, archive = far
    list(archive.scan(limit=1))  # connects
    for workspace, count in ((None, 50), ("/srv/w1", 50)):
        spent: list[float] = []
        for _ in range(3):
            before, start = proxy.trips, time.monotonic()
            listed = [one.id for one in archive.scan(limit=count, workspace=workspace)]
            spent.append(time.monotonic() - start)
            assert len(listed) == count
            assert listed == sorted(listed, reverse=True)
            # One for the statement, and the end of the reading before; a busy machine's pieces.
            assert proxy.trips - before <= 4
        assert min(spent) < 0.3
    assert len(list(archive.scan())) == COUNT  # by pages


def test_a_conversation_from_its_first_turn_is_two_statements_and_the_end(
    far: tuple[Far, Archive],
) -> None:
    proxy, archive = far
    list(archive.scan(limit=1))  # connects
    spent: list[int] = []
    for _ in range(3):
        before = proxy.trips
        assert len(archive.get("c0123").turns) == 1
        spent.append(proxy.trips - before)
    # Its summary and its blocks; the third is the end of the reading before.
    assert min(spent) <= 3


def test_a_first_search_needs_no_index(far: tuple[Far, Archive]) -> None:
    proxy, archive = far
    before, start = proxy.trips, time.monotonic()
    result = archive.search("retry budget", limit=7)
    assert time.monotonic() - start < 2.0
    assert proxy.trips - before <= 8
    assert len(result) == 7
    assert [hit.conversation for hit in result] == [f"c{COUNT - 1 - n:04}" for n in range(7)]
    assert "RetryBudget" in result[0].excerpt
    assert result.notes == []
    assert not list(archive.root.iterdir())
    found = archive.search("word123")
    assert [hit.conversation for hit in found] == ["c0123"]


ANSWERS = {
    "cafe": 20, "word12*": 11, '"retry budget"': 20, '"budget retry"': 0, "word7 nothing": 1,
    "word7 -retry": 0, "word7 in:w1": 1, "word7 in:w2": 0, "word7 role:assistant": 0,
    "word7 agent:y": 0, "word7 since:2030-01-01": 0, "'; drop table x; -- \\ & | !": 0,
    "word7 tool:bash": 0, "net/retry.py word9": 20,
}  # fmt: skip


def test_the_server_answers_as_the_index_would(url: str) -> None:
    """Beside an index of the same archive; another URL has an index of its own, here none."""
    with Archive.open(url) as near, Archive.open(f"{url}&application_name=x") as archive:
        near.commit(Batch(updates=[update(n) for n in range(COUNT)]))
        near.update_index()
        for query, count in ANSWERS.items():
            result, local = archive.search(query), near.search(query)
            assert len(result) == count, query
            assert not list(archive.root.iterdir())  # no index: the server answered
            if count in (0, 20):  # respelling is the index's alone
                assert len(local) >= count, query
            else:
                ours = {hit.conversation for hit in local}
                assert {hit.conversation for hit in result} <= ours, query


MISTYPED = {
    "retyr": "retry", "rety": "retry", "erty": "", "budgte": "budget", "cfae": "cafe", "buget": "budget",
    "budg": "words that start", "retryy nothing": "retry", "word12": "", "walrus": "", "retry": "",
}  # fmt: skip


@pytest.mark.parametrize(("query", "meant"), MISTYPED.items())
def test_the_server_finds_words_that_were_meant(url: str, query: str, meant: str) -> None:
    with Archive.open(url) as archive:
        archive.commit(Batch(updates=[update(n) for n in range(9)]))
        result = archive.search(query)
        assert bool(result) is (bool(meant) or query == "retry")
        assert [note for note in result.notes if meant and meant in note] == result.notes
        assert len(result.notes) == bool(meant)
        if meant in ("retry", "budget"):
            assert result[0].marks


def test_of_a_frequent_word_the_newest_months_are_found(url: str) -> None:
    """More turns of an old month hold it than are looked at in one."""

    def said(start: float, count: int) -> list[Turn]:
        return [
            Turn(role=Role.USER, parts=(Text("walruses again"),), at=start + n)
            for n in range(count)
        ]

    with Archive.open(url) as archive:
        old, new = update(1).conversation, update(2).conversation
        updates = [TurnUpdate(old, 0, said(1.7e9, 2_100)), TurnUpdate(new, 0, said(1.72e9, 7))]
        archive.commit(Batch(updates=updates))
        found = archive.search("walruses", limit=5)
        assert [hit.conversation for hit in found] == [new.id] * 5
        until = archive.search("walruses until:2024-01-01", limit=5)
        assert [hit.conversation for hit in until] == [old.id] * 5
        assert len(archive.search("walruses since:2024-01-01", limit=20)) == 7


def test_an_own_index_that_lacks_little_is_searched(url: str) -> None:
    with Archive.open(url) as archive:
        archive.update_index()
        archive.commit(Batch(updates=[update(n) for n in range(remote.MOST_TURNS)]))
        assert archive.search("retry").notes == []
        turn = Turn(role=Role.USER, parts=(Text(os.urandom(1 << 20).hex()),))
        archive.commit(Batch(updates=[TurnUpdate(update(0).conversation, 1, (turn,))]))
        assert "lacks 1 changes" in archive.search("retry").notes[0]  # one, of two megabytes


def test_what_a_search_found_is_read_at_once(far: tuple[Far, Archive]) -> None:
    proxy, archive = far
    raw = {f"s{n}": [RawDelta(0, f"line {n} of walruses\n".encode() * 50)] for n in range(40)}
    spans = (Span(0, 900),)
    turns = {n: Turn(role=Role.USER, parts=(Text(f"walrus {n}"),), spans=spans) for n in range(40)}
    updates = [
        TurnUpdate(msgspec.structs.replace(update(n).conversation, id=f"w{n}"), 0, (turns[n],), f"s{n}")
        for n in range(40)
    ]  # fmt: skip
    archive.commit(Batch(raw, updates))
    archive.update_index()
    before = proxy.trips
    assert len(archive.search("walrus", limit=30)) == 30
    assert proxy.trips - before <= 7  # 33 places; what the records before cost included
    before = proxy.trips
    with archive.views.shared():
        archive.views.expect_summaries(f"c{n:04}" for n in range(COUNT))
        assert [archive.summary(f"c{n:04}").id for n in range(COUNT)][-1] == f"c{COUNT - 1:04}"
    assert proxy.trips - before <= 3


def test_a_view_is_one_moment_and_sees_what_is_written_in_it(url: str) -> None:
    with Archive.open(url) as archive, Archive.open(f"{url}&application_name=x") as other:
        archive.commit(Batch(updates=[update(0)]))
        with archive.views.shared():
            assert len(list(archive.scan())) == 1
            other.commit(Batch(updates=[update(1)]))
            assert len(list(archive.scan())) == 1
            archive.commit(Batch(updates=[update(2)]))
            assert len(list(archive.scan())) == 3


def test_a_view_outlives_its_connection(server: Server, url: str) -> None:
    with Archive.open(url) as archive:
        archive.commit(Batch(updates=[update(0)]))
        with archive.views.shared():
            assert len(list(archive.scan())) == 1
            server.run(
                "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
            )
            assert archive.summary("c0000").id == "c0000"
            assert len(archive.get("c0000").turns) == 1
