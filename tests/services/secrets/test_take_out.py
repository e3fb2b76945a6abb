"""Secrets taken out of the archive for good: everything agrees, nothing comes back."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.factories.archive import START, Result, conversation

from dejavu.archive import Archive
from dejavu.archive.backends.transaction import Writer
from dejavu.model import Role, Text, Turn, Vector

GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Xk9pQ2z7"
NAME = "0d1c6f6e-0000-4000-8000-00000000000"


def record(number: int, content: Any, session: str, role: str = "user") -> str:
    message: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        message |= {"id": f"m{number}", "type": "message", "model": "x", "stop_reason": "end_turn"}
    return json.dumps(
        {
            "type": role, "uuid": f"u{session[-1]}{number}", "cwd": "/w", "version": "2.1.330",
            "parentUuid": f"u{session[-1]}{number - 1}" if number else None, "sessionId": session,
            "timestamp": f"2026-11-20T10:00:{number:02}.000Z", "message": message,
        }
    ) + "\n"  # fmt: skip


@pytest.fixture
def session(home: Path) -> Path:
    """A session of Claude's with a token in prompt, title, call, result and answer."""
    path = home / f".claude/projects/-w/{NAME}1.jsonl"
    path.parent.mkdir(parents=True)
    call = [{"type": "tool_use", "id": "c1", "name": "db", "input": {"password": PASSWORD}}]
    result = [{"type": "tool_result", "tool_use_id": "c1", "content": f"line\nTOKEN={GITHUB}\nend"}]
    prompt = f"deploy the zeppelin to the staging machine, please, with this token: {GITHUB}"
    path.write_text(
        record(0, prompt, path.stem)
        + record(1, call, path.stem, "assistant")
        + record(2, result, path.stem)
        + record(3, [{"type": "text", "text": f"Used {GITHUB} there."}], path.stem, "assistant")
    )
    return path


def everything(home: Path) -> Iterator[bytes]:
    """Whatever an archive holds, decompressed, and the bytes of every file of ours."""
    folder = home / ".local/share/dejavu"
    with Archive.open(folder / "archive") as archive:
        for summary in archive.scan():
            yield msgspec.json.encode(summary)
            yield archive.first_prompt(summary.id).encode()
            for turn in archive.turns(summary.id):
                yield msgspec.json.encode(turn)
        for key in archive.sources.all_keys():
            for generation in range(archive.sources.raw_extent(key)[0] + 1):
                yield b"".join(archive.sources.raw(key, generation))
            yield archive.sources.state(key) or b""
            yield archive.sources.cursor(key) or b""
        for name in ("secrets", "withheld", "sources"):
            for item in archive.namespace(name).items():
                yield b"".join(item)
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.read_bytes()


def assert_gone(home: Path, *secrets: str) -> None:
    held = list(everything(home))
    assert len(held) > 5
    for secret in secrets or (GITHUB, PASSWORD):
        for start in range(len(secret) - 7):
            piece = secret[start : start + 8].encode()
            assert not [one[:60] for one in held if piece in one], piece


def test_everything_agrees_and_nothing_comes_back(
    dejavu: Callable[..., Result], home: Path, session: Path
) -> None:
    assert dejavu("sync").code == 0
    assert dejavu("search", "zeppelin", "--json").json["hits"]
    assert dejavu("recall", "deploy the zeppelin").code == 0  # its index is made
    assert dejavu("secrets", "--json").json["total"] == 2
    [listed] = dejavu("list", "--json").rows
    refused = dejavu("redact", "--retro", "--native")
    assert refused.code == 2
    assert "2 secrets" in dejavu("redact", "--retro", "--native", "--dry-run").err
    done = dejavu("redact", "--retro", "--native", "--yes")
    assert done.code == 0
    assert "2 secrets masked in 1 source and 1 conversation;" in done.err
    assert_gone(home)
    assert dejavu("verify").code == 0
    assert dejavu("secrets", "--json").json == {"total": 0, "secrets": [], "next": None}
    before = dejavu("show", listed["id"], "--json").json
    assert [turn["role"] for turn in before["turns"]] == ["user", "assistant", "tool", "assistant"]
    assert "[redacted:github:" in json.dumps(before)
    assert "0 conversations changed" in (again := dejavu("reparse")).out + again.err
    assert dejavu("show", listed["id"], "--json").json == before
    assert dejavu("search", GITHUB, "--json").json["hits"] == []
    assert dejavu("search", "zeppelin", "--json").json["hits"]
    assert_gone(home)
    # The agent's file is still there: it grows, is written anew, and is copied by another session.
    assert dejavu("sync").code == 0
    with session.open("a") as file:
        file.write(record(4, f"and again {GITHUB}", session.stem))
    assert dejavu("sync").code == 0
    assert_gone(home)
    assert "and again [redacted:github:" in json.dumps(dejavu("show", listed["id"], "--json").json)
    text = session.read_text()
    session.unlink()
    session.write_text(record(9, "first", session.stem) + text)
    assert dejavu("sync").code == 0
    other = session.with_name(f"{NAME}2.jsonl")
    other.write_text(text.replace(session.stem, other.stem).replace('"u1', '"u2'))
    assert dejavu("sync").code == 0
    assert len(dejavu("list", "--json").rows) == 2
    assert_gone(home)
    assert dejavu("verify").code == 0
    assert GITHUB in session.read_text()  # the agent's own file is the agent's


def test_a_file_written_anew_is_masked_in_every_generation(
    dejavu: Callable[..., Result], home: Path, session: Path
) -> None:
    assert dejavu("sync").code == 0
    for count in range(3):
        text = session.read_text()
        session.unlink()
        session.write_text(record(20 + count, f"new {count}", session.stem) + text)
        os.utime(session, (count, count))
        assert dejavu("sync").code == 0
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        [key] = [key for key in archive.sources.all_keys() if archive.sources.raw_length(key)]
        generation = archive.sources.raw_extent(key)[0]
        lengths = [len(b"".join(archive.sources.raw(key, g))) for g in range(generation + 1)]
    assert generation > 0
    assert dejavu("redact", "--retro", "--native", "--yes").code == 0
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert [
            len(b"".join(archive.sources.raw(key, g))) for g in range(generation + 1)
        ] == lengths
    assert_gone(home)
    assert dejavu("verify").code == 0
    assert dejavu("reparse").code == 0
    assert_gone(home)


def test_turns_without_raw_are_masked_too(dejavu: Callable[..., Result], home: Path) -> None:
    folder = home / ".local/share/dejavu"
    folder.mkdir(parents=True, mode=0o700)
    turns = (
        Turn(role=Role.USER, parts=(Text(f"use {GITHUB}"),), at=START),
        Turn(role=Role.ASSISTANT, parts=(Text("ok"),), at=START, vector=Vector.STREAM),
    )
    one = conversation("a", "claude", "/w", START, *turns)
    with Archive.open(folder / "archive") as archive:
        archive.put(one)
    assert dejavu("redact", "--retro", "--native", "--yes").code == 0
    assert_gone(home, GITHUB)
    with Archive.open(folder / "archive") as archive:
        archive.put(one)  # somebody puts it back
    assert_gone(home, GITHUB)
    assert dejavu("verify").code == 0


def test_without_native_it_says_what_stays(
    dejavu: Callable[..., Result], home: Path, session: Path
) -> None:
    assert dejavu("sync").code == 0
    assert "what agents wrote themselves stays" in dejavu("redact", "--retro").err
    assert any(GITHUB.encode() in one for one in everything(home))
    assert dejavu("redact", "--native").code == 2


@pytest.mark.parametrize("lost", [b"v", b"d", b"s"])
def test_a_repair_masks_again_what_it_reads_from_agents_files(
    lost: bytes, dejavu: Callable[..., Result], home: Path, session: Path
) -> None:
    """Whichever record of the masks is damaged along with the conversation."""
    assert dejavu("sync").code == 0
    assert dejavu("redact", "--retro", "--native", "--yes").code == 0

    def damage(txn: Writer) -> None:
        for key in list(txn.keys("raw")):
            txn.put_stored("raw", key, b"?")
        for key in [key for key in txn.keys("namespaces") if key.startswith(b"withheld\0" + lost)]:
            txn.put_stored("namespaces", key, b"?")

    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.backend.write(damage)
    repaired = dejavu("verify", "--repair")
    assert "masked may be back" not in repaired.err  # no page is lost: all of it is known
    assert dejavu("sync").code == 0
    [listed] = dejavu("list", "--json").rows
    shown = json.dumps(dejavu("show", listed["id"], "--json").json)
    assert "[redacted:github:" in shown
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        [key] = [key for key in archive.sources.all_keys() if archive.sources.raw_length(key)]
        raw = b"".join(archive.sources.raw(key))
    for secret in (GITHUB, PASSWORD):
        assert secret not in shown
        assert secret.encode() not in raw
    assert dejavu("verify").code == 0


def test_a_repair_of_lost_pages_says_that_secrets_may_be_back(
    dejavu: Callable[..., Result], home: Path, session: Path
) -> None:
    assert dejavu("sync").code == 0
    assert dejavu("redact", "--retro", "--native", "--yes").code == 0
    data = home / ".local/share/dejavu/archive/data.mdb"
    os.truncate(data, data.stat().st_size // 2)
    assert "dejavu secrets mask --native" in dejavu("verify", "--repair").err
