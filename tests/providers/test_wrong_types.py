"""A field of any type anywhere in a record: parsers never raise, and say what they can.

Every field of every kind of record that the small homes, streams and hooks hold gets each wrong type
in turn. O(fields x types) parses of one session each.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dejavu.model import Role, conversation_to_dict, turn_to_dict
from dejavu.providers import HOOKS, PROVIDERS, STREAMS, Home, Kind, Source, TurnUpdate
from dejavu.providers.unread_stores import known_unread

DATA = Path(__file__).parents[1] / "factories" / "data"
WRONG: tuple[Any, ...] = (
    [],
    {},
    [[]],
    [{}],
    {"a": 1},
    7,
    -1.5,
    10**30,
    10**400,
    True,
    None,
    "",
    "x",
)
BEFORE = 40
"""Records that stand before the changed one, at most."""

Path_ = tuple[str | int, ...]


def fields(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The path of every field; of a list, of its first three items."""
    entries: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value[:3]))
    for key, item in entries:
        yield (*path, key)
        yield from fields(item, (*path, key))


def changed(value: Any, path: Path_, wrong: Any) -> Any:
    """A copy with `wrong` at `path`."""
    if not path:
        return wrong
    if isinstance(value, dict):
        return {k: changed(v, path[1:], wrong) if k == path[0] else v for k, v in value.items()}
    return [changed(v, path[1:], wrong) if i == path[0] else v for i, v in enumerate(value)]


def kind_of(value: Any) -> str:
    """What kind of record it is; one of each kind is enough."""
    words = [str(value.get(k)) for k in ("type", "event", "role", "source")] if value else []
    inner = value.get("payload") or value.get("message") or value.get("data") or value.get("item")
    if isinstance(inner, dict):
        words += [str(inner.get(k)) for k in ("type", "role", "hook_event_name")]
        words += [str(sorted(inner))]
    return " ".join([*words, *sorted(value)])


def mutations(raw: bytes, *, document: bool) -> Iterator[bytes]:
    """The stream with one field of one record of each kind changed."""
    if document:
        value = json.loads(raw)
        paths = {tuple("[]" if isinstance(k, int) else k for k in p): p for p in fields(value)}
        for path in paths.values():
            for wrong in WRONG:
                yield json.dumps(changed(value, path, wrong)).encode()
        return
    lines = raw.splitlines(keepends=True)
    seen: set[str] = set()
    for place, line in enumerate(lines):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if not isinstance(value, dict) or kind_of(value) in seen:
            continue
        seen.add(kind_of(value))
        before = b"".join(lines[max(0, place - BEFORE) : place])
        after = b"".join(lines[place + 1 : place + 4])
        for path in fields(value):
            for wrong in WRONG:
                line = json.dumps(changed(value, path, wrong)).encode() + b"\n"
                yield before + line + after


def parse(make: Callable[[bytes | None], Any], data: bytes) -> int:
    """Parse the bytes; return how many turns came of them, each of which can be stored and shown."""
    parser = make(None)
    parser.feed(data, 0)
    updates = parser.take()
    resumed = make(parser.state())
    if hasattr(resumed, "close"):
        resumed.close()
    updates += resumed.take()
    resumed.state()
    assert all(isinstance(update, TurnUpdate) for update in updates)
    for update in updates:
        assert update.start >= 0
        json.dumps([conversation_to_dict(update.conversation), *map(turn_to_dict, update.turns)])
        assert all(turn.role in Role and isinstance(turn.text, str) for turn in update.turns)
    return sum(len(update.turns) for update in updates)


KEPT = {agent.name for agent in known_unread()}


@pytest.mark.parametrize("agent", sorted(PROVIDERS))
def test_session_files(agent: str) -> None:
    """Every provider: nothing is raised, and some of the changed files still have turns."""
    provider, turns = PROVIDERS[agent], 0
    home = Home(DATA / "homes" / agent, {}, "test")
    for source in provider.discover(home):
        raw = b"".join(delta.data for delta in provider.follow(source))
        document = source.kind is Kind.WHOLE and _is_json(raw)
        for data in [raw, *mutations(raw, document=document)]:
            turns += parse(lambda state, source=source: provider.parser(source, state), data)  # type: ignore[misc]
    assert turns or agent in KEPT


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


def _source(agent: str) -> Source:
    return Source(agent, Path("/x/y"), "test", Kind.APPEND, None, None, "x")


@pytest.mark.parametrize("path", sorted((DATA / "streams").glob("*.jsonl")), ids=lambda p: p.stem)
def test_streams(path: Path) -> None:
    agent = path.stem.partition("-")[0]
    for data in mutations(path.read_bytes(), document=False):
        parse(lambda state: STREAMS[agent].parser(_source(agent), state), data)


@pytest.mark.parametrize("path", sorted((DATA / "hooks").glob("*.jsonl")), ids=lambda p: p.stem)
def test_hooks(path: Path) -> None:
    agent = path.stem.partition("-")[0]
    for data in mutations(path.read_bytes(), document=False):
        parse(lambda state: HOOKS[agent].parser(_source(agent), state), data)
        for line in data.splitlines():
            payload = json.loads(line).get("payload")
            if isinstance(payload, dict):
                HOOKS[agent].status_of(payload)
                HOOKS[agent].session_of(payload)
                HOOKS[agent].transcript_of(payload)
