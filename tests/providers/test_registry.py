"""Every provider against a home of its agent: what stands in expected.txt, however it is cut."""

import importlib
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dejavu import providers
from dejavu.model import UnreadableSessionError
from dejavu.providers import PROVIDERS, Home, Kind, Parser, Provider, Source
from dejavu.providers.registry import find_agent
from dejavu.providers.unread_stores import known_unread

HOMES = sorted(
    path.name
    for path in (Path(__file__).parents[1] / "factories" / "data" / "homes").iterdir()
    if path.is_dir()
)


KEPT = {agent.name for agent in known_unread()}
"""Agents whose files are archived as they are: no turns come of them."""


def test_lists_each_provider_under_its_own_name() -> None:
    for name, provider in PROVIDERS.items():
        assert provider.agent == name
        assert isinstance(provider, Provider)


def test_a_folder_of_which_an_update_left_caches_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "omp" / "__pycache__").mkdir(parents=True)
    monkeypatch.setattr(providers, "__path__", [*providers.__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    importlib.invalidate_caches()
    agent = find_agent("omp")
    assert agent is not None
    assert (agent.name, agent.observed) == ("omp", False)


def test_every_provider_has_a_home_to_prove_itself_on() -> None:
    assert sorted(PROVIDERS) == HOMES


def test_an_empty_home_has_nothing(tmp_path: Path) -> None:
    for provider in PROVIDERS.values():
        assert list(provider.discover(Home(tmp_path, {}))) == []


@pytest.mark.parametrize("agent", HOMES)
def test_reads_its_home_as_expected(agent: str, data: Path, read_home: Callable[..., Any]) -> None:
    """`DEJAVU_EXPECT=1 pytest ...` writes what is read into expected.txt, to be looked at."""
    home = data / agent
    said = "\n".join(read_home(agent, home).shown()).replace(str(home), "~")
    if os.environ.get("DEJAVU_EXPECT") and not os.environ.get("CI"):
        (home / "expected.txt").write_text(f"{said}\n" if said else "", "utf-8")
    assert said.splitlines() == (home / "expected.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("agent", HOMES)
def test_keys_are_stable_and_apart(agent: str, data: Path) -> None:
    here = list(PROVIDERS[agent].discover(Home(data / agent, {}, "one")))
    there = list(PROVIDERS[agent].discover(Home(data / agent, {}, "other")))
    keys = [source.key for source in here]
    assert keys == [
        source.key for source in PROVIDERS[agent].discover(Home(data / agent, {}, "one"))
    ]
    assert len(set(keys)) == len(keys)
    assert not {source.key for source in there} & set(keys)
    assert all(len(key) <= 60 for key in keys)


@pytest.mark.parametrize("agent", HOMES)
def test_nothing_is_written_into_the_home(agent: str, data: Path, read_home: Any) -> None:
    def listing() -> dict[str, tuple[int, int]]:
        files = (path for path in (data / agent).rglob("*"))
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}

    before = listing()
    read_home(agent, data / agent)
    assert listing() == before


def raw_of(agent: str, home: Path) -> Iterator[tuple[Source, bytes]]:
    provider = PROVIDERS[agent]
    for source in provider.discover(Home(home, {}, "test")):
        yield source, b"".join(delta.data for delta in provider.follow(source))


def replayed(source: Source, pieces: list[bytes], resume: bool, book: Any) -> Counter[str]:
    provider = PROVIDERS[source.agent]
    parser: Parser = provider.parser(source)
    drift: Counter[str] = Counter()
    offset = 0
    for piece in pieces:
        parser.feed(piece, offset)
        offset += len(piece)
        book.take(parser)
        if resume:
            drift += parser.drift
            parser = provider.parser(source, parser.state())
    return drift + parser.drift


def cut(raw: bytes, seed: int) -> list[bytes]:
    chance = random.Random(seed)
    places = sorted(chance.choices(range(len(raw) + 1), k=12))
    return [raw[a:b] for a, b in zip([0, *places], [*places, len(raw)], strict=True)]


@pytest.mark.parametrize("agent", HOMES)
@pytest.mark.parametrize("seed", range(3))
def test_cutting_the_bytes_anywhere_changes_nothing(
    agent: str, seed: int, data: Path, make_book: Callable[[], Any]
) -> None:
    for source, raw in raw_of(agent, data / agent):
        whole, pieces = make_book(), make_book()
        drift = replayed(source, [raw], False, whole)
        again = replayed(source, cut(raw, seed), False, pieces)
        assert pieces.turns == whole.turns
        assert pieces.heads == whole.heads
        assert source.kind is Kind.WHOLE or again == drift


@pytest.mark.parametrize("agent", HOMES)
def test_a_parser_goes_on_from_its_state_after_every_line(
    agent: str, data: Path, make_book: Callable[[], Any]
) -> None:
    for source, raw in raw_of(agent, data / agent):
        if source.kind is Kind.WHOLE:
            continue
        whole, resumed = make_book(), make_book()
        drift = replayed(source, [raw], False, whole)
        again = replayed(source, raw.splitlines(keepends=True), True, resumed)
        assert resumed.turns == whole.turns
        assert resumed.heads == whole.heads
        assert again == drift


@pytest.mark.parametrize("agent", HOMES)
def test_parsing_again_from_the_raw_gives_the_same(
    agent: str, data: Path, make_book: Callable[[], Any]
) -> None:
    for source, raw in raw_of(agent, data / agent):
        first, again = make_book(), make_book()
        parser = PROVIDERS[agent].parser(source)
        parser.feed(raw, 0)
        first.take(parser)
        gone = Source(
            agent,
            Path("/nowhere/a/b", *source.path.parts[-2:]),
            "test",
            source.kind,
            source.native_id,
            source.workspace,
            source.name,
        )
        fresh = PROVIDERS[agent].parser(gone, parser.state(), restart=True)
        fresh.feed(raw, 0)
        again.take(fresh)
        assert again.turns == first.turns


@pytest.mark.parametrize("agent", HOMES)
@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes_never_raise(
    agent: str, seed: int, data: Path, make_book: Callable[[], Any]
) -> None:
    chance = random.Random(seed)
    for source, raw in raw_of(agent, data / agent):
        torn = bytearray(raw)
        for _ in range(max(3, len(torn) // 200)):
            torn[chance.randrange(len(torn))] = chance.randrange(256)
        del torn[chance.randrange(len(torn)) :]
        replayed(source, [bytes(torn)], False, make_book())


@pytest.mark.parametrize("agent", sorted({*HOMES} - KEPT))
def test_one_bad_record_stops_nothing(agent: str, data: Path, make_book: Callable[[], Any]) -> None:
    """Between any two lines something that is no record: everything else is told all the same."""
    for source, raw in raw_of(agent, data / agent):
        if source.kind is Kind.WHOLE or agent == "aider":
            continue
        whole, dirty = make_book(), make_book()
        replayed(source, [raw], False, whole)
        bad = b'{"torn": \n\xff\xfe\n"a text"\n17\n[]\n'
        lines = raw.splitlines(keepends=True)
        drift = replayed(source, [lines[0], *(bad + line for line in lines[1:])], False, dirty)

        def said(book: Any) -> dict[str, list[Any]]:
            return {name: [turn.parts for turn in kept] for name, kept in book.turns.items()}

        assert said(dirty) == said(whole)
        assert drift["(unreadable)"] >= len(lines) - 1


@pytest.mark.parametrize("agent", HOMES)
def test_pipes_in_a_home_that_is_not_trusted_hold_nothing_up(
    agent: str, data: Path, tmp_path: Path
) -> None:
    """Every file of a restored home is a pipe nobody writes to."""
    for path in (data / agent).rglob("*"):
        place = tmp_path / path.relative_to(data / agent)
        if path.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            os.mkfifo(place)
    for source in PROVIDERS[agent].discover(Home(tmp_path, {})):
        PROVIDERS[agent].parser(source)
        with pytest.raises((OSError, UnreadableSessionError)):
            list(PROVIDERS[agent].follow(source))
