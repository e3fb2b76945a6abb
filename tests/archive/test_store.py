"""The archive as a whole: what goes in comes out, across processes, kills and clocks."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.model import (
    Blob,
    ConfigError,
    Conversation,
    Extension,
    NotFoundError,
    Reasoning,
    Relation,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    Vector,
)

texts = st.text(max_size=30)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
parts = st.one_of(
    st.builds(Text, texts),
    st.builds(Reasoning, texts),
    st.builds(ToolCall, st.none() | texts, texts, json_values),
    st.builds(ToolCallResponse, st.none() | texts, json_values, st.booleans()),
    st.builds(Blob, st.none() | texts, texts, texts),
    st.builds(Extension, texts, st.dictionaries(texts, json_values, max_size=3)),
)
moments = st.none() | st.floats(-1e9, 1e10)
counts = st.none() | st.integers(0, 2**53)
turns = st.builds(
    Turn,
    role=st.sampled_from(Role),
    parts=st.lists(parts, max_size=3).map(tuple),
    at=moments,
    vector=st.sampled_from(Vector),
    model=st.none() | texts,
    usage=st.none() | st.builds(Usage, input_tokens=counts, output_tokens=counts),
    native_id=st.none() | texts,
    parent=st.none() | texts,
    spans=st.lists(st.builds(Span, st.integers(0, 9_999), st.integers(0, 999)), max_size=2).map(
        tuple
    ),
    meta=st.dictionaries(
        texts, st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts, max_size=2
    ),
)
conversations = st.builds(
    Conversation,
    id=st.text("abcdefghij234567", min_size=16, max_size=16),
    workspace=texts,
    instance=texts,
    agent=texts,
    native_id=texts,
    title=texts,
    started_at=moments,
    ended_at=moments,
    captured_at=moments,
    parent=st.none() | texts,
    relation=st.none() | st.sampled_from(Relation),
    source=st.none() | texts,
    agent_version=st.none() | texts,
)


@settings(max_examples=40)
@given(conversations, st.lists(turns, max_size=5))
def test_what_is_put_is_got(
    tmp_path_factory: pytest.TempPathFactory, summary: Conversation, said: list[Turn]
) -> None:
    whole = summary.with_turns(tuple(said))
    root = tmp_path_factory.mktemp("store") / "archive"
    with Archive.open(root) as archive:
        assert archive.put(whole)
        assert not archive.put(whole)
    with Archive.open(root) as archive:
        assert archive.get(whole.id) == whole
        assert [*archive.scan()] == [archive.summary(whole.id)]
        assert tuple(archive.turns(whole.id)) == whole.turns
        assert archive.maintenance.verify().faults == []
        archive.search(summary.title)


def test_a_url_of_another_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="no archive can stand behind mysql"):
        Archive.open("mysql://host/name")


def test_the_home_is_understood(home: Path) -> None:
    with Archive.open("~/deep/archive") as archive:
        assert archive.root == home / "deep" / "archive"
    assert (home / "deep").stat().st_mode & 0o077 == 0


def test_counts_of_an_empty_archive(archive: Archive) -> None:
    assert archive.counts()[:4] == (0, 0, 0, 0)
    assert list(archive.scan()) == list(archive.log()) == []
    for ask in (
        archive.get,
        archive.summary,
        archive.resolve,
        archive.sources.of,
        archive.first_prompt,
    ):
        with pytest.raises(NotFoundError, match="dejavu list"):
            ask("none")
    with pytest.raises(NotFoundError):
        list(archive.turns("none"))


WRITE = """
import os, sys, itertools
from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.model import Conversation, Role, Span, Text, Turn
root, name = sys.argv[1:]
with Archive.open(root) as archive:
    source = f"/{name}"
    start = archive.summary(name).turn_count if any(c.id == name for c in archive.scan()) else 0
    offset = archive.sources.raw_length(source)
    for n in itertools.count(start):
        line = b'{"n":%d,"who":"%s"}\\n' % (n, name.encode())
        turn = Turn(role=Role.USER, parts=(Text(f"{name} {n}"),), spans=(Span(offset, len(line)),))
        offset += len(line)
        batch = Batch({source: [RawDelta(offset - len(line), line)]},
                      [TurnUpdate(Conversation(id=name, agent="x"), n, [turn], source)],
                      {source: b"%d" % offset})
        archive.commit(batch)
        os.write(1, b"%d\\n" % n)
"""


def kill_drill(root: Path, kills: int) -> None:
    """Two writers at once, each killed at random moments: nothing acknowledged is lost."""
    chance = random.Random(kills)
    acknowledged = {"a": -1, "b": -1}
    running: dict[str, subprocess.Popen[bytes]] = {}
    for n in range(kills):
        for name in acknowledged:
            if name not in running:
                running[name] = subprocess.Popen(
                    [sys.executable, "-c", WRITE, str(root), name], stdout=subprocess.PIPE
                )
        name = chance.choice("ab")
        child = running.pop(name)
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(chance.random() * 0.02)
        os.kill(child.pid, signal.SIGKILL)
        lines = (first + child.stdout.read()).split(b"\n")[:-1]
        child.stdout.close()
        child.wait()
        assert first, f"writer {name} died by itself in round {n}"
        acknowledged[name] = max(acknowledged[name], int(lines[-1]))
    for name, child in running.items():
        os.kill(child.pid, signal.SIGKILL)
        assert child.stdout is not None
        if lines := child.stdout.read().split(b"\n")[:-1]:
            acknowledged[name] = max(acknowledged[name], int(lines[-1]))
        child.stdout.close()
        child.wait()
    with Archive.open(root) as archive:
        assert archive.maintenance.verify().faults == []
        assert {c.id for c in archive.scan()} == set(acknowledged)
        for name, last in acknowledged.items():
            said = [turn.text for turn in archive.get(name).turns]
            assert said == [f"{name} {n}" for n in range(len(said))]
            assert len(said) > last >= 0
            raw = b"".join(archive.sources.raw(f"/{name}"))
            assert archive.sources.cursor(f"/{name}") == b"%d" % len(raw)
            assert raw.count(b"\n") == len(said)
        assert archive.search(f"a {acknowledged['a']}")


def test_kill_minus_nine_loses_nothing_acknowledged(root: Path) -> None:
    kill_drill(root, 60)


@pytest.mark.soak
def test_a_thousand_kills(root: Path) -> None:
    kill_drill(root, 1_000)
