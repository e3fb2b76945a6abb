"""A session whose log changes its form is followed: nothing doubled, nothing lost, nothing stopped."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.factories.session_files import claude_session
from tests.providers.codex.test_history import database

from dejavu.archive import Archive, Batch
from dejavu.ingest.merge.arbitrate import merge_vectors
from dejavu.ingest.reparse import reparse
from dejavu.ingest.sync import sync_homes
from dejavu.ingest.watch import Watcher
from dejavu.model import to_iso
from dejavu.providers import Home

AT = 1_795_000_000.0
THREAD = "0199aaaa-0000-7000-8000-000000000001"


def message(number: int) -> dict[str, Any]:
    """A message of Gemini CLI: prompts and answers by turns."""
    kind = ("user", "gemini")[number % 2]
    return {
        "id": f"m{number}", "timestamp": to_iso(AT + number), "type": kind,
        "content": f"{kind} {number}",
    }  # fmt: skip


class Gemini:
    """A session of Gemini CLI, in the form it has: a document, or a log."""

    def __init__(self, home: Path) -> None:
        self.folder = home / ".gemini" / "tmp" / "p" / "chats"
        self.folder.mkdir(parents=True)

    def write(self, form: str, count: int) -> None:
        """So many messages in one form; the other form is gone."""
        header = {"sessionId": "s-1", "startTime": to_iso(AT), "projectHash": "p"}
        document, log = self.folder / "session-1.json", self.folder / "session-1.jsonl"
        messages = [message(number) for number in range(count)]
        if form == "document":
            log.unlink(missing_ok=True)
            document.write_text(json.dumps({**header, "messages": messages}))
        else:
            document.unlink(missing_ok=True)
            log.write_text("".join(json.dumps(row) + "\n" for row in [header, *messages]))

    @staticmethod
    def texts(count: int) -> list[str]:
        return [str(message(number)["content"]) for number in range(count)]


class Codex:
    """A thread of Codex, in a rollout or in its database."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.rollout = (
            home / ".codex/sessions/2026/11/20" / f"rollout-2026-11-20T10-00-00-{THREAD}.jsonl"
        )
        self.rollout.parent.mkdir(parents=True)
        self.stored = 0

    def write(self, form: str, count: int) -> None:
        """So many messages; the database keeps what it has, and the rollout comes and goes."""
        rows = []
        for number in range(self.stored, count):
            kind = ("userMessage", "agentMessage")[number % 2]
            text = self.texts(number + 1)[-1]
            said = (
                {"content": [{"type": "text", "text": text}]} if number % 2 == 0 else {"text": text}
            )
            rows.append((THREAD, number + 1, {"id": f"i{number}", "type": kind, **said}))
        database(self.home, rows)
        self.stored = count
        if form == "document":
            self.rollout.unlink(missing_ok=True)
            return
        meta = {"id": THREAD, "cwd": "/w", "cli_version": "0.146"}
        lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": meta}]
        for text in self.texts(count):
            asked = text.startswith("prompt")
            content = [{"type": "input_text" if asked else "output_text", "text": text}]
            payload = {"type": "message", "role": "user" if asked else "assistant"}
            lines.append({"type": "response_item", "payload": {**payload, "content": content}})
        # The database's items are a second apart, from second 1 on.
        stamped = [{"timestamp": to_iso(n), **line} for n, line in enumerate(lines)]
        self.rollout.write_text("".join(json.dumps(line) + "\n" for line in stamped))

    @staticmethod
    def texts(count: int) -> list[str]:
        return [f"{('prompt', 'answer')[number % 2]} {number}" for number in range(count)]


def texts(archive: Archive, agent: str) -> list[str]:
    """What the one conversation of an agent says."""
    (summary,) = archive.scan(agent=agent)
    return [turn.text for turn in archive.get(summary.id).turns if turn.text]


@pytest.mark.parametrize("make", [Gemini, Codex])
@pytest.mark.parametrize("forms", [("document", "log"), ("log", "document"),
                                   ("document", "log", "document"), ("log", "document", "log")])  # fmt: skip
@pytest.mark.parametrize("grows", [True, False])
@pytest.mark.fault("1.3")
def test_a_session_that_changes_its_form_is_followed(
    make: Callable[[Path], Any], forms: tuple[str, ...], grows: bool, home: Path, tmp_path: Path
) -> None:
    session = make(home)
    agent = make.__name__.lower()  # type: ignore[attr-defined]
    claude_session(home, "another agent")
    with Archive.open(tmp_path / "archive") as archive:
        for number, form in enumerate(forms, 1):
            count = 4 * number if grows else 8
            session.write(form, count)
            for _ in range(2):
                report = sync_homes(archive, [Home.own()])
                assert report.unreadable == []
            assert texts(archive, agent) == session.texts(count), (number, form)
        session.write(forms[-1], count + 2)
        sync_homes(archive, [Home.own()])
        whole = session.texts(count + 2)
        assert texts(archive, agent) == whole
        (summary,) = archive.scan(agent=agent)
        merge_vectors(archive, summary.id)
        assert reparse(archive).left == []
        assert texts(archive, agent) == whole
        assert len(list(archive.scan())) == 2
        assert archive.maintenance.verify().clean


@pytest.mark.parametrize("make", [Gemini, Codex])
def test_a_watch_follows_the_change(
    make: Callable[[Path], Any], home: Path, tmp_path: Path
) -> None:
    session = make(home)
    with Archive.open(tmp_path / "archive") as archive:
        watcher = Watcher(archive, [Home.own()])
        for number, form in enumerate(("document", "log", "document"), 1):
            session.write(form, 2 * number)
            watcher.look()
        assert texts(archive, make.__name__.lower()) == session.texts(6)  # type: ignore[attr-defined]


def test_a_cursor_of_an_older_version_is_known_by_its_shape(home: Path, tmp_path: Path) -> None:
    session = Gemini(home)
    with Archive.open(tmp_path / "archive") as archive:
        session.write("document", 2)
        sync_homes(archive, [Home.own()])
        (key,) = archive.sources.all_keys()
        stored = archive.sources.cursor(key) or b""
        archive.commit(Batch(cursors={key: stored[1:]}))  # without the kind, as it was once
        assert sync_homes(archive, [Home.own()]).read == 0
        session.write("log", 4)
        sync_homes(archive, [Home.own()])
        assert texts(archive, "gemini") == session.texts(4)
