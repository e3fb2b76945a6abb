"""Conversations come with their folder's project; those archived before get it once."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.config.test_projects import repository

from dejavu.archive import Archive, Batch
from dejavu.config.projects import ProjectNames
from dejavu.ingest.sync import name_projects, sync_homes
from dejavu.model import (
    AT_END,
    Conversation,
    ConversationFilter,
    Role,
    Text,
    Turn,
    TurnUpdate,
    conversation_id,
)
from dejavu.providers import Home


@pytest.fixture
def archive(home: Path, tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


def conversation(name: str, *texts: str) -> Conversation:
    turns = (Turn(role=Role.USER, parts=(Text(text),), at=1.8e9) for text in texts)
    identity = conversation_id("amp", "local", name)
    return Conversation(id=identity, agent="amp", native_id=name).with_turns(tuple(turns))


def _claude(home: Path, workspace: Path, name: str, text: str) -> None:
    folder = home / ".claude" / "projects" / str(workspace).replace("/", "-")
    folder.mkdir(parents=True)
    rows = [
        {"type": "user", "uuid": "u1", "sessionId": name, "cwd": str(workspace),
         "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": text}},
    ]  # fmt: skip
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_synced_session_has_its_project(archive: Archive, home: Path, tmp_path: Path) -> None:
    first = repository(tmp_path / "a", "git@github.com:acme/shop.git")
    second = repository(tmp_path / "b", "https://github.com/acme/shop.git")
    _claude(home, first, "11111111-1111-4111-8111-111111111111", "one")
    _claude(home, second, "22222222-2222-4222-8222-222222222222", "two")
    _claude(home, tmp_path / "c", "33333333-3333-4333-8333-333333333333", "three")
    sync_homes(archive, [Home(home, {})])
    projects = {summary.title: summary.project for summary in archive.scan()}
    assert projects == {"one": "github.com/acme/shop", "two": "github.com/acme/shop", "three": ""}
    found = archive.select(ConversationFilter(project="acme/shop"))
    assert {summary.title for summary in found} == {"one", "two"}
    hits = archive.search("one OR two OR three project:shop")
    assert {archive.summary(hit.conversation).title for hit in hits} <= {"one", "two"}
    assert hits


def test_other_instances_are_named_by_the_settings_alone(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "a", "git@github.com:acme/shop.git")
    there = msgspec.structs.replace(
        conversation("s", "x"), workspace=str(root), instance="elsewhere"
    )
    assert ProjectNames().of(there) == ""
    assert ProjectNames().of(msgspec.structs.replace(there, instance="local")) != ""


def test_what_was_archived_before_is_named_once_and_loses_no_turn(
    archive: Archive, home: Path, tmp_path: Path
) -> None:
    root = repository(tmp_path / "a", "git@github.com:acme/shop.git")
    old = msgspec.structs.replace(conversation("s", "x", "y", "z"), workspace=str(root))
    archive.put(old)
    assert name_projects(archive) == 1
    assert archive.get(old.id).project == "github.com/acme/shop"
    assert archive.get(old.id).turns == old.turns
    assert name_projects(archive) == 0


def test_an_update_at_the_end_changes_no_turn_whatever_is_held(archive: Archive) -> None:
    held = conversation("s", "x", "y", "z")
    archive.put(held)
    summary = archive.summary(held.id)
    longer = conversation("s", "x", "y", "z", "later")
    archive.put(longer)  # another process, between the look and the change
    named = msgspec.structs.replace(summary, title="named")
    archive.commit(Batch(updates=[TurnUpdate(named, AT_END, ())]))
    assert archive.get(held.id).turns == longer.turns
    assert archive.summary(held.id).title == "named"
