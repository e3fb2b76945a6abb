import json
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import msgspec
import pytest
from tests.factories.ingest import push
from tests.ingest.test_ingestor import line

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel
from dejavu.ingest.importer import Importer
from dejavu.ingest.merge.arbitrate import (
    all_merge_statistics,
    merge_statistics,
    merge_vectors,
    merged_channels,
)
from dejavu.ingest.merge.parts import SOURCE
from dejavu.ingest.stream import ingest
from dejavu.model import Role, Vector, conversation_id, to_iso
from dejavu.providers import PROVIDERS, Kind, Source
from dejavu.providers.formats.hooks import encode_entry as hook_line

ID = conversation_id("claude", "local", "s-1")
AT = 1.8e9
ANSWER = "Rayleigh scattering."


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


class Session:
    """A session that a file, hooks, the wire and a stream tell."""

    def __init__(self, archive: Archive, home: Path) -> None:
        self.archive = archive
        self.path = home / "s-1.jsonl"
        self.native: list[tuple[str, str]] = []

    def file(self, *said: tuple[str, str]) -> None:
        """Append prompts and answers to the session file, and read it."""
        with self.path.open("a") as file:
            for prompt, answer in said:
                at = AT + 10 * len(self.native)
                for role, text in (("user", prompt), ("assistant", answer)):
                    key = f"{role}-{prompt}"
                    content = text if role == "user" else [{"type": "text", "text": text}]
                    row = {
                        "type": role, "uuid": key, "sessionId": "s-1", "cwd": "/w",
                        "timestamp": to_iso(at),
                        "message": {"id": key, "role": role, "content": content},
                    }  # fmt: skip
                    file.write(json.dumps(row) + "\n")
                self.native.append((prompt, answer))
        source = Source("claude", self.path, "local", Kind.APPEND, native_id="s-1")
        with Importer(self.archive, [source.key]) as importer:
            importer.read(PROVIDERS["claude"], source)

    def wire(self, *said: str) -> None:
        """One exchange with the model, which repeats all that was said before."""
        source = Source("claude", Path("wire:r"), "local", Kind.APPEND, name="wire:r")
        push(self.archive, Channel(Vector.WIRE, source), line(*said, at=AT + 1))

    def hooks(self, *said: tuple[str, str], at: float = AT) -> None:
        """A prompt and the last message, as hooks tell them."""
        source = Source("claude", Path("hook:s-1"), "local", Kind.APPEND, "s-1", name="hook:s-1")
        feed = Channel(Vector.HOOK, source)
        for number, (prompt, answer) in enumerate(said):
            for event, fields in (
                ("UserPromptSubmit", {"prompt": prompt}),
                ("Stop", {"last_assistant_message": answer}),
            ):
                told = {"session_id": "s-1", "cwd": "/w", "hook_event_name": event, **fields}
                push(self.archive, feed, hook_line(told, at + 10 * number + 0.5))

    def stream(self, prompt: str | None, answer: str) -> None:
        """What a headless run printed; it does not say what was asked."""
        content = [{"type": "text", "text": answer}]
        rows = [
            {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": "/w"},
            {"type": "assistant", "session_id": "s-1", "message": {"id": "m", "content": content}},
        ]
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        ingest(self.archive, "claude", [data], instance="local", workspace="/w", prompt=prompt)

    def said(self) -> list[tuple[str, str]]:
        return [(turn.text, str(turn.vector)) for turn in self.archive.get(ID).turns]


@pytest.fixture
def session(archive: Archive, tmp_path: Path) -> Session:
    return Session(archive, tmp_path)


def test_whatever_comes_first_the_turns_are_the_same(tmp_path: Path) -> None:
    found = set()
    for number, order in enumerate(permutations(("file", "wire", "hooks"))):
        home = tmp_path / str(number)
        home.mkdir()
        with Archive.open(home / "archive") as archive:
            session = Session(archive, home)
            for name in order:
                if name == "file":
                    session.file(("Why?", ANSWER))
                elif name == "wire":
                    session.wire("Why?")
                else:
                    session.hooks(("Why?", ANSWER), ("And red?", "Less so."))
            merge_vectors(archive, ID)
            assert merge_vectors(archive, ID) >= 0
            found.add(tuple(session.said()))
            assert archive.maintenance.verify().clean
    assert found == {
        (("Why?", "native"), (ANSWER, "native"), ("And red?", "hook"), ("Less so.", "hook"))
    }


def test_a_file_that_grows_beside_another_vectors_turns_loses_none(session: Session) -> None:
    session.file(("Why?", ANSWER), ("And green?", "No."))
    session.hooks(("Why?", ANSWER), at=AT)
    session.hooks(("Between?", "Lost by the file."), at=AT + 5)
    merge_vectors(session.archive, ID)
    assert [text for text, _ in session.said()][2:4] == ["Between?", "Lost by the file."]
    session.file(("And red?", "Less so."))
    assert session.said() == [
        ("Why?", "native"), (ANSWER, "native"),
        ("Between?", "hook"), ("Lost by the file.", "hook"),
        ("And green?", "native"), ("No.", "native"),
        ("And red?", "native"), ("Less so.", "native"),
    ]  # fmt: skip
    (source,) = {turn.meta[SOURCE] for turn in session.archive.get(ID).turns if SOURCE in turn.meta}
    assert source in session.archive.sources.of(ID)


def test_a_late_file_upgrades_what_weaker_vectors_had(session: Session) -> None:
    session.hooks(("Why?", ANSWER), ("And red?", "Less so."))
    assert {vector for _, vector in session.said()} == {"hook"}
    session.file(("Why?", ANSWER))
    assert [vector for _, vector in session.said()] == ["native", "native", "hook", "hook"]
    session.file(("And red?", "Less so."))
    assert [vector for _, vector in session.said()] == ["native"] * 4


def test_a_file_written_anew_keeps_what_others_told(session: Session) -> None:
    session.file(("Why?", ANSWER))
    session.hooks(("Why?", ANSWER), ("And red?", "Less so."))
    merge_vectors(session.archive, ID)
    session.path.write_text("")
    session.native.clear()
    session.file(("Why, now?", "Because."))
    texts = [text for text, _ in session.said()]
    assert [texts.count(text) for text in ("Why?", "And red?", "Why, now?")] == [1, 1, 1]


def test_two_runs_of_one_session_printed_two_streams(session: Session) -> None:
    session.stream("Why?", ANSWER)
    session.stream("And red?", "Less so.")
    assert [text for text, _ in session.said()] == ["Why?", ANSWER, "And red?", "Less so."]


def test_a_stream_without_its_prompt_gets_it_from_a_hook(session: Session) -> None:
    session.stream(None, ANSWER)
    session.hooks(("Why?", ANSWER))
    merge_vectors(session.archive, ID)
    assert session.said() == [("Why?", "hook"), (ANSWER, "stream")]


def test_the_system_prompt_as_sent_stands_below(session: Session) -> None:
    session.wire("Why?")
    assert session.archive.get(ID).turns[0].role is Role.SYSTEM
    session.file(("Why?", ANSWER))
    merge_vectors(session.archive, ID)
    assert session.said() == [("Why?", "native"), (ANSWER, "native")]
    (below,) = [head for head in session.archive.scan() if head.parent == ID]
    assert session.archive.get(below.id).turns[0].text == "You help."


def test_what_vectors_do_not_agree_on_is_counted(session: Session) -> None:
    session.file(("Why?", ANSWER))
    session.hooks(("Why?", "Something else."), ("And red?", "Less so."))
    assert merge_statistics(session.archive, ID) == {}
    merge_vectors(session.archive, ID)
    wanted = {"native": {}, "hook": {"differs answer": 1, "lacked exchange": 1}}
    assert merge_statistics(session.archive, ID) == wanted
    assert all_merge_statistics(session.archive) == {ID: wanted}
    (telling,) = merged_channels(session.archive, ID)
    assert telling.vector is Vector.HOOK


def test_what_was_put_without_a_source_stays(session: Session) -> None:
    session.file(("Why?", ANSWER))
    whole = session.archive.get(ID)
    seen = [msgspec.structs.replace(turn, vector=Vector.SCREEN) for turn in whole.turns[:1]]
    drawn = msgspec.structs.replace(seen[0], parts=whole.turns[1].parts, role=Role.ASSISTANT)
    session.archive.put(whole.with_turns((*whole.turns, *seen, drawn)))
    session.hooks(("Why?", ANSWER))
    merge_vectors(session.archive, ID)
    assert [vector for _, vector in session.said()] == ["native", "native", "screen", "screen"]


def test_a_conversation_that_is_not_there_is_nothing(archive: Archive) -> None:
    assert merge_vectors(archive, "a" * 16) == 0
