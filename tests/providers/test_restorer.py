"""Bytes that go back changed in one place only: a copy's id, a folder's name."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers import PROVIDERS, RESTORERS, Home
from dejavu.providers.restorer import FileItem, StoredFile, StoredSession, replaced, with_field


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({min(place, len(data)) for place in places} | {0, len(data)})
    return [data[a:b] for a, b in pairwise(ends)]


@given(
    st.lists(st.sampled_from([b"old-id", b"old", b"-id", b"x", b"\n"])),
    st.lists(st.integers(0, 80)),
)
def test_a_replacement_does_not_depend_on_the_cuts(words: list[bytes], places: list[int]) -> None:
    data = b"".join(words)
    pieces = replaced(cut(data, places), [(b"old-id", b"new-id")])
    assert b"".join(pieces) == data.replace(b"old-id", b"new-id")


_VALUES = st.sampled_from(["/a", "/a/b", "/ab", 'q"uo\\te', "snow ☃"])


@given(
    st.lists(st.dictionaries(st.sampled_from(["cwd", "x", "message"]), _VALUES | st.dictionaries(
        st.sampled_from(["cwd", "y"]), _VALUES)), max_size=6),
    st.lists(st.integers(0, 400)),
    st.booleans(),
)  # fmt: skip
def test_only_the_objects_own_field_changes(
    records: list[dict[str, object]], places: list[int], ends: bool
) -> None:
    data = b"\n".join(json.dumps(one, ensure_ascii=False).encode() for one in records)
    data += b"\n" if ends and records else b""
    edited = b"".join(
        with_field(cut(data, places), "cwd", lambda was: "/new" if was == "/a" else was)
    )
    lines = edited.split(b"\n")
    for before, after, record in zip(data.split(b"\n"), lines, records, strict=False):
        wanted = {**record, "cwd": "/new"} if record.get("cwd") == "/a" else record
        assert json.loads(after) == wanted
        if wanted == record:
            assert after == before
    assert edited.count(b"\n") == data.count(b"\n")


@pytest.mark.parametrize(
    ("folder", "here"),
    [("/a/b", "/n/b"), ("/a", "/n"), ("/ab", "/ab"), ("/", "/"), ("/a/b/c d", "/n/b/c d")],
)
def test_folders_map_by_whole_names(folder: str, here: str) -> None:
    session = StoredSession("s", folder, (), (("/a", "/n"),))
    assert session.folder == here


@pytest.mark.parametrize("agent", RESTORERS)
def test_every_restorer_says_what_it_puts_back(agent: str) -> None:
    restorer = RESTORERS[agent]
    assert restorer.needs
    assert PROVIDERS[agent].roots(Home(Path("/h"), {}))[restorer.root].is_relative_to("/h")


def test_what_goes_with_a_session_of_claude_code(tmp_path: Path) -> None:
    session = tmp_path / "projects" / "-w" / "s1.jsonl"
    companions = RESTORERS["claude"].companions
    assert list(companions(session)) == []  # nothing next to it, nor the folders
    wanted = (
        "todos/s1-agent-s1.json", "todos/s1-agent-x.json", "tasks/s1/1.json", "file-history/s1/a@v1",
        "projects/-w/s1/tool-results/b.txt",
    )  # fmt: skip
    for name in (*wanted, "todos/s2-agent-s1.json", "todos/s1-agent-x.txt", "tasks/s1/lock"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = sorted(str(one.relative_to(tmp_path)) for one in companions(session))
    assert found == sorted(wanted)
    (tmp_path / "todos/s1-agent-y.json").touch()
    assert len(list(companions(session))) == len(wanted) + 1


def put_back(agent: str, path: str, data: bytes, **more: Any) -> dict[str, bytes]:
    """The files below the agent's folder, of a session with one file that went to another folder."""
    file = StoredFile(Path(path), lambda: iter((data[:20], data[20:])))
    session = StoredSession("s", "/u/ann/pond", (file,), (("/u/ann", "/u/bob"),), **more)
    items = RESTORERS[agent].items(session, Path("/r"))
    return {str(one.path): b"".join(one.read()) for one in items if isinstance(one, FileItem)}


def test_copilots_description_names_the_folder_here() -> None:
    path = "/u/ann/.copilot/session-state/s/workspace.yaml"
    data = b"id: s\ncwd: /u/ann/pond\nname: cwd is fine\n"
    found = put_back("copilot", path, data)
    assert found == {"/r/session-state/s/workspace.yaml": data.replace(b"/u/ann", b"/u/bob")}
    file = StoredFile(Path(path), lambda: iter((data,)))
    session = StoredSession("s", "/u/ann/pond", (file,), (("/u/ann/pond", "/a b: c"),))
    (item,) = RESTORERS["copilot"].items(session, Path("/r"))
    assert isinstance(item, FileItem)
    assert b'\ncwd: "/a b: c"\n' in b"".join(item.read())


def test_clines_description_names_the_folder_and_the_messages_here() -> None:
    path = "/u/ann/.cline/data/sessions/s/s.json"
    told = {
        "cwd": "/u/ann/pond", "workspace_root": "/u/ann",
        "messages_path": f"{path[:-5]}.messages.json",
    }  # fmt: skip
    found = put_back("cline", path, json.dumps(told, indent=2).encode() + b"\n")
    assert found == {
        "/r/data/sessions/s/s.json": json.dumps(
            {"cwd": "/u/bob/pond", "workspace_root": "/u/bob",
             "messages_path": "/r/data/sessions/s/s.messages.json"}, indent=2,
        ).encode() + b"\n"
    }  # fmt: skip
    messages = b'{"messages": "/u/ann/pond"}'
    (kept,) = put_back("cline", f"{path[:-5]}.messages.json", messages).values()
    assert kept == messages


def test_amps_thread_names_the_folder_here_and_keeps_what_was_said() -> None:
    path = "/u/ann/.local/share/amp/threads/T-1.json"
    tree = {"displayName": "pond", "uri": "file:///u/ann/pond%20two"}
    thread = {"v": 1, "messages": [tree], "env": {"initial": {"trees": [tree], "platform": {}}}}
    data = json.dumps(thread, separators=(",", ":")).encode()
    (found,) = put_back("amp", path, data).values()
    assert json.loads(found)["env"]["initial"]["trees"][0]["uri"] == "file:///u/bob/pond%20two"
    assert json.loads(found)["messages"] == [tree]
    for other in (b"not json", b'{"v":1}'):
        assert list(put_back("amp", path, other).values()) == [other]


def test_pis_session_names_the_folder_here() -> None:
    path = "/u/ann/.pi/agent/sessions/--u-ann-pond--/1_s.jsonl"
    data = b'{"type":"session","id":"s","cwd":"/u/ann/pond"}\n{"type":"message","text":"/u/ann"}\n'
    found = put_back("pi", path, data)
    wanted = data.replace(b'"cwd":"/u/ann/pond"', b'"cwd":"/u/bob/pond"')
    assert found == {"/r/sessions/--u-bob-pond--/1_s.jsonl": wanted}
