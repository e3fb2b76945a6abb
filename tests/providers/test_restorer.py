"""Bytes that go back changed in one place only: a copy's id, a folder's name."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers import PROVIDERS, RESTORERS, Home
from dejavu.providers.restorer import StoredSession, replaced, with_field


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
