"""The memory of secrets: everything found once, nothing forgotten, no value kept."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.factories.archive import START, Result, conversation

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.model import Conversation, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.redact import Redactor
from dejavu.services.secrets import Scan, listed
from dejavu.services.secrets.find import hits_in, last_characters, raw_hits
from dejavu.services.secrets.scan import NAMESPACE

REDACTOR = Redactor(b"k" * 32)
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AWS = "AKIA" + "Q3EGRTZ5XWV7MNB2"
PASSWORD = "Xk9pQ2z7"


@pytest.fixture
def archive(home: Path) -> Iterator[Archive]:
    folder = home / ".local/share/dejavu"
    folder.mkdir(parents=True, mode=0o700)
    with Archive.open(folder / "archive") as it:
        yield it


def said(name: str, *texts: str, agent: str = "claude") -> Conversation:
    turns = (Turn(role=Role.USER, parts=(Text(t),), at=START + i) for i, t in enumerate(texts))
    return conversation(name, agent, "/w", START, *turns)


def scanned(archive: Archive) -> Scan:
    scan = Scan(archive, REDACTOR)
    scan.catch_up()
    return scan


def kinds(archive: Archive) -> list[tuple[str, list[int | None]]]:
    found = listed(archive, scanned(archive))
    return [(secret.kind, [place.seq for place in secret.places]) for secret in found]


def test_every_place_of_a_secret_is_one_entry_and_vendors_come_first(archive: Archive) -> None:
    archive.put(said("a", f"password: {PASSWORD}", f"use {GITHUB}", f"{GITHUB} {GITHUB}"))
    archive.put(said("b", f"again {GITHUB}"))
    found = listed(archive, scanned(archive))
    assert [secret.kind for secret in found] == ["github", "password"]
    assert found[0].last == "q7R8"
    assert found[0].vendor
    assert sorted(place.seq for place in found[0].places if place.seq is not None) == [0, 1, 2]
    assert {place.count for place in found[0].places} == {1, 2}
    assert found[1].last == "z7"  # of eight characters no more than two


def test_a_second_scan_reads_only_what_is_new(archive: Archive) -> None:
    archive.put(said("a", GITHUB, "x", "y"))
    assert scanned(archive).read == 3
    assert scanned(archive).read == 0
    archive.put(said("a", GITHUB, "x", "y", AWS))
    scan = scanned(archive)
    assert scan.read == 1
    assert len(listed(archive, scan)) == 2
    archive.put(said("a", "clean", "x", "y", AWS))
    assert kinds(archive) == [("aws-key-id", [3])]


def test_what_is_pruned_is_forgotten(archive: Archive) -> None:
    archive.put(said("a", GITHUB))
    archive.put(said("b", AWS, agent="codex"))
    scanned(archive)
    archive.maintenance.prune(agent="claude")
    assert kinds(archive) == [("aws-key-id", [0])]


def test_the_memory_holds_no_secret(archive: Archive) -> None:
    raw = json.dumps({"text": f"x\n{AWS}\n{PASSWORD}"}).encode() + b"\n"
    one = said("a", GITHUB, f"DB_PASSWORD={PASSWORD}")
    update = TurnUpdate(one, 0, one.turns, "s")
    archive.commit(Batch(raw={"s": [RawDelta(0, raw)]}, updates=[update]))
    scanned(archive)
    kept = b"".join(key + value for key, value in archive.namespace(NAMESPACE).items())
    assert b"github" in kept
    for secret in (GITHUB, AWS, PASSWORD):
        assert secret[:6].encode() not in kept
        assert secret[-6:].encode() not in kept
    folder = Path(str(archive.root))
    assert (folder / "data.mdb").stat().st_mode & 0o077 == 0


def test_raw_alone_is_found_behind_an_escape_and_grows(archive: Archive) -> None:
    line = json.dumps({"text": f"a\n{AWS}"}).encode() + b"\n"
    one = said("a", "nothing here")
    archive.commit(
        Batch(raw={"s": [RawDelta(0, line)]}, updates=[TurnUpdate(one, 0, one.turns, "s")])
    )
    assert kinds(archive) == [("aws-key-id", [None])]
    half = json.dumps({"text": GITHUB}).encode()
    archive.commit(Batch(raw={"s": [RawDelta(len(line), half[:20])]}))
    assert kinds(archive) == [("aws-key-id", [None])]
    archive.commit(Batch(raw={"s": [RawDelta(len(line) + 20, half[20:] + b"\n")]}))
    assert sorted(kinds(archive)) == [("aws-key-id", [None]), ("github", [None])]
    again = RawDelta(0, b"{}\n", reset=True)
    archive.commit(Batch(raw={"s": [again]}))
    assert sorted(kinds(archive)) == [("aws-key-id", [None]), ("github", [None])]  # kept: it is


def test_a_document_over_many_lines_is_read_as_one() -> None:
    document = json.dumps({"messages": [{"text": f"x\n{AWS}"}]}, indent=2).encode()
    assert [hit.kind for hit in raw_hits(REDACTOR, [document[:30], document[30:]])] == [
        "aws-key-id"
    ]
    assert [hit.kind for hit in raw_hits(REDACTOR, [b"plain ", AWS.encode(), b"\n"])] == [
        "aws-key-id"
    ]
    assert raw_hits(REDACTOR, []) == []


@pytest.mark.parametrize(
    "turn",
    [
        Turn(role=Role.ASSISTANT, parts=(ToolCall("c", "db", {"password": PASSWORD}),)),
        Turn(role=Role.TOOL, parts=(ToolCallResponse("c", [{"name": "DB_PASSWORD", "value": PASSWORD}]),)),
        Turn(role=Role.TOOL, parts=(), meta={"password": PASSWORD}),
    ],
)  # fmt: skip
def test_named_values_are_found_in_any_part(archive: Archive, turn: Turn) -> None:
    archive.put(conversation("a", "claude", "/w", START, turn))
    assert [seqs for _, seqs in kinds(archive)] == [[0]]


def test_the_end_of_a_key_is_the_end_of_its_body() -> None:
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 3
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n{body}wXyZ\n-----END PRIVATE KEY-----\n"
    assert [hit.last for hit in hits_in(REDACTOR, [key])] == ["wXyZ"]
    assert last_characters("sesame") == "e"
    assert last_characters("abc") == ""


def put_session(home: Path, text: str) -> Path:
    """A session file of Claude's, as it writes one."""
    path = home / ".claude/projects/-w/0d1c6f6e-0000-4000-8000-000000000001.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {
        "type": "user", "uuid": "u1", "parentUuid": None, "cwd": "/w", "version": "2.1.330",
        "sessionId": path.stem, "timestamp": "2026-11-20T10:00:00.000Z",
        "message": {"role": "user", "content": text},
    }  # fmt: skip
    path.write_text(json.dumps(record) + "\n")
    return path


def test_it_says_whether_the_agents_file_still_holds_it(
    dejavu: Callable[..., Result], home: Path
) -> None:
    path = put_session(home, f"use {GITHUB} please")
    assert dejavu("sync").code == 0
    [secret] = dejavu("secrets", "--json").json["secrets"]
    assert (secret["kind"], secret["in_file"], secret["rank"]) == ("github", True, 1)
    [place] = secret["places"]
    assert (place["seq"], place["role"], place["source"]) == (0, "user", str(path))
    assert GITHUB[:12] not in json.dumps(secret)
    os.utime(path, (1, 1))
    path.write_text(path.read_text().replace(GITHUB, "x" * 40))
    assert dejavu("secrets", "--json").json["secrets"][0]["in_file"] is False
    path.unlink()
    assert dejavu("secrets", "--json").json["secrets"][0]["in_file"] is None
    shown = dejavu("secrets")
    assert "github" in shown.out
    assert "…q7R8" in shown.out
    assert "no file" in shown.out
    assert GITHUB[:12] not in shown.out + shown.err


def test_nothing_is_said_plainly(dejavu: Callable[..., Result], home: Path) -> None:
    assert dejavu("secrets", "--json").json == {"total": 0, "secrets": [], "next": None}
    assert "no secrets" in dejavu("secrets").err


def test_the_next_process_knows_the_rules_again(
    dejavu: Callable[..., Result], archive: Archive
) -> None:
    code = "from dejavu.archive.redactor import rules_digest; print(rules_digest())"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, check=True, timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(digests) == 1


def test_a_secret_that_two_readings_have_counts_once() -> None:
    inner = json.dumps({"password": PASSWORD, "text": f"x\n{GITHUB}"})
    assert {hit.count for hit in hits_in(REDACTOR, [{"arguments": inner}, f"{{{inner}"])} == {2}
    assert {hit.count for hit in hits_in(REDACTOR, [{"arguments": inner}])} == {1}


def test_a_secret_in_a_line_of_many_megabytes_is_found_at_any_place() -> None:
    line = bytearray(b"x " * (9 << 20))
    for at in (100, 4 << 20, (8 << 20) - 20, (16 << 20) + (1 << 17) - 9):
        line[at : at + 41] = b" " + GITHUB.encode()
        pieces = (bytes(line[i : i + (1 << 20)]) for i in range(0, len(line), 1 << 20))
        assert [hit.kind for hit in raw_hits(REDACTOR, pieces)] == ["github"]
        line[at : at + 41] = b"x" * 41
