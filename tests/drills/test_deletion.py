"""What was deleted is nowhere: the whole data and state tree is searched for it, decompressed.

A text is planted by every way into the archive, into an older copy of it, and into what killed
processes left. After each command that deletes, no file of ours holds it: not in a free page, not
in a compressed value, not as a term of an index.
"""

import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tantivy
from backports.zstd import ZstdDecompressor, ZstdError
from tests.drills.faults import AGENTS
from tests.drills.session_files import HOMES
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive.access import open_archive
from dejavu.archive.search.exact_index import ExactIndex
from dejavu.archive.search.index import SearchIndex, schema
from dejavu.ingest.channel import load_session_log
from dejavu.ingest.rewrite import decode_state
from dejavu.providers import PROVIDERS
from dejavu.recall.factory import open_recall
from dejavu.recall.history.documents import schema as recall_schema
from dejavu.sessions import session_store

PLANTED = "xylophagous"
NEEDLES = (PLANTED.encode(),)
MAGIC = b"\x28\xb5\x2f\xfd"


def frames(data: bytes) -> Iterator[bytes]:
    """What every zstd frame in some bytes holds, wherever it begins, as far as it can be read."""
    at = data.find(MAGIC)
    while at >= 0:
        with contextlib.suppress(ZstdError):
            yield ZstdDecompressor().decompress(data[at : at + 200_000], 10_000_000)
        at = data.find(MAGIC, at + 1)


def terms(folder: Path) -> Iterator[str]:
    """Indexes of ours below a folder that have a term of the planted text, deleted documents too."""
    for meta in folder.rglob("meta.json"):
        index_folder = meta.parent
        kinds = [
            (schema(), SearchIndex, PLANTED), (ExactIndex.fields(), ExactIndex, PLANTED[:3]),
            (recall_schema(), None, PLANTED[:7]),
        ]  # fmt: skip
        for fields, kind, term in kinds:
            try:
                index = tantivy.Index(fields, path=str(index_folder))
            except ValueError:
                continue
            if kind is not None:
                kind.register(index)
            found = index.searcher().terms_with_prefix("text", term, limit=5)
            if found:
                yield f"{index_folder}: the terms {found}"
            known = {
                segment["segment_id"].replace("-", "")
                for segment in json.loads(meta.read_text())["segments"]
            }
            for file in index_folder.iterdir():
                if len(file.stem) == 32 and file.stem not in known:
                    yield f"{file}: a segment that nothing uses"


def places_of(*folders: Path, needles: tuple[bytes, ...] = NEEDLES) -> list[str]:
    """Where the planted text stands."""
    found: list[str] = []
    for folder in folders:
        for path in folder.rglob("*"):
            if not path.is_file():
                continue
            data = path.read_bytes()
            if any(needle in data for needle in needles):
                found.append(f"{path}: as it is")
            if any(needle in text for text in frames(data) for needle in needles):
                found.append(f"{path}: compressed")
        found += terms(folder)
    return found


@pytest.fixture
def planted(home: Path, dejavu: Callable[..., Result]) -> list[Path]:
    """The data and the state folder with the text in every place it can be in."""
    data, state = home / ".local/share/dejavu", home / ".local/state/dejavu"
    prompts = [f"why is the {PLANTED} beetle here, {n}?" for n in range(30)]
    path = claude_session(home, *prompts)
    other = claude_session(home, *(f"the harmless question {n}" for n in range(40)), name="s2")
    assert dejavu("sync").code == 0
    assert dejavu("remember", f"the {PLANTED} beetle eats wood").code == 0
    index_all()
    assert dejavu("backup", str(home / "copy")).code == 0
    assert dejavu("restore", str(home / "copy")).code == 0
    shutil.rmtree(home / "copy")
    index_all()
    (name,) = (s.id for s in opened() if s.native_id == "s1")
    for number, complete in enumerate((False, True)):
        staging = data / f".archive.{4_190_000 + number}.new"
        shutil.copytree(data / "archive", staging)
        if not complete:
            (staging / "archive.json").unlink()
    letter = (
        b"dejavu-hook/1 1795000000000000000 claude - -\n"
        + json.dumps(
            {"session_id": "s1", "hook_event_name": "Stop", "last_assistant_message": PLANTED}
        ).encode()
    )
    for folder in ("hooks/refused", "gateway"):
        (state / folder).mkdir(parents=True, exist_ok=True)
        (state / folder / "letter.jsonl").write_bytes(letter)
    session = session_store.SessionHeader(
        "20261122-000000-aaaa", "claude", ["claude", PLANTED], "/w", "local", "", 1, 1, 1.0, False
    )
    folder = session_store.create(session)
    session_store.set_status(folder, session_store.Status(conversation=name, message=PLANTED))
    path.unlink()
    other.unlink()
    assert places_of(data / "archive")
    return [data, state]


def opened() -> list[Any]:
    with open_archive() as archive:
        return list(archive.scan())


def index_all() -> None:
    """The indexes of words, of exact text and of recall."""
    with open_archive(write=True) as archive:
        archive.update_index()
        open_recall(archive).catch_up()


def forget(dejavu: Callable[..., Result]) -> None:
    memories = dejavu("memories", "--json").json["memories"]
    assert dejavu("forget", *(memory["id"] for memory in memories)).code == 0


@pytest.mark.fault("1.10")
def test_prune_and_forget_leave_nothing(planted: list[Path], dejavu: Callable[..., Result]) -> None:
    forget(dejavu)
    done = dejavu("prune", "--pattern", PLANTED, "--yes", "--json")
    assert (done.code, len(done.json["conversations"]), done.json["left"]) == (0, 1, [])
    assert places_of(*planted) == []
    assert dejavu("search", "harmless").out
    assert dejavu("verify").code == 0


@pytest.mark.fault("1.10")
def test_what_was_pruned_before_is_cleaned_by_gc(
    planted: list[Path], dejavu: Callable[..., Result]
) -> None:
    """A restore brings nothing back that is said to be gone: its copy is cleaned later."""
    forget(dejavu)
    data = planted[0]
    with open_archive(write=True) as archive:
        (name,) = (s.id for s in archive.scan() if s.native_id == "s1")
        archive.maintenance.discard(name)
        session = next(s for s in session_store.find_all())
        shutil.rmtree(session.folder)
    for folder in ("hooks/refused", "gateway"):
        shutil.rmtree(planted[1] / folder)
    assert places_of(data)
    assert dejavu("gc", "--compact").code == 0
    assert places_of(*planted) == []


def test_a_copy_that_cannot_be_cleaned_is_named(
    planted: list[Path], dejavu: Callable[..., Result]
) -> None:
    copy = next(planted[0].glob("archive.replaced-*"))
    os.truncate(copy / "data.mdb", 9_000)
    done = dejavu("prune", "--pattern", PLANTED, "--yes")
    assert done.code == 0
    assert f"may still stand in {copy}" in done.err


@pytest.mark.fault("1.10")
def test_purge_leaves_nothing(
    planted: list[Path], dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("delete my archive\n"))
    assert dejavu("uninstall", "--purge").code == 0
    assert [folder for folder in planted if folder.exists()] == []


@pytest.mark.parametrize("agent", AGENTS)
def test_no_parser_keeps_what_was_pruned(
    agent: str, home: Path, dejavu: Callable[..., Result]
) -> None:
    """Nor does the next sync bring it back, though the agent's own files are still there."""
    shutil.copytree(HOMES / agent, home, dirs_exist_ok=True)
    data = home / ".local/share/dejavu"
    assert dejavu("sync").code == 0
    assert dejavu("list", "--json").rows
    assert places_of(data, needles=(b"frog",))
    assert dejavu("prune", "--before", "2100-01-01", "--yes").code == 0
    assert places_of(data, needles=(b"frog",)) == []
    with open_archive() as archive:
        for key in archive.sources.all_keys():
            source, state = load_session_log(archive, key), decode_state(archive.sources.state(key))
            assert source is not None
            PROVIDERS[agent].parser(source, state.parser)  # it still goes on from there
    assert dejavu("sync").code == 0
    assert dejavu("list", "--json").rows == []
    assert dejavu("verify").code == 0
