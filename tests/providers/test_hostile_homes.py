"""Homes whose files are cut off, damaged, links or written twice: nothing but a refusal is raised."""

import random
import shutil
from pathlib import Path

import pytest

from dejavu.model import UnreadableSessionError
from dejavu.providers import PROVIDERS, Home


def _damaged(data: bytes, how: str, chance: random.Random) -> bytes:
    if how == "cut":
        return data[: chance.randrange(len(data) + 1)]
    if how == "twice":
        return data + data
    torn = bytearray(data)
    for _ in range(5):
        torn[chance.randrange(len(torn))] = chance.randrange(256)
    return bytes(torn)


@pytest.mark.parametrize("how", ["cut", "flipped", "twice", "linked"])
@pytest.mark.parametrize("agent", sorted(PROVIDERS))
def test_damage_costs_what_it_damaged_and_raises_nothing(
    agent: str, how: str, data: Path, tmp_path: Path
) -> None:
    home, chance = tmp_path / "home", random.Random(f"{agent} {how}")
    shutil.copytree(data / agent, home)
    files = [path for path in home.rglob("*") if path.is_file() and path.name != "expected.txt"]
    for path in files:
        if how == "linked":
            outside = tmp_path / "outside" / path.relative_to(home)
            outside.parent.mkdir(parents=True, exist_ok=True)
            path.rename(outside)
            path.symlink_to(outside)
        else:
            path.write_bytes(_damaged(path.read_bytes(), how, chance))
    provider, read = PROVIDERS[agent], 0
    for source in provider.discover(Home(home, {}, "box")):
        parser = provider.parser(source)
        try:
            for delta in provider.follow(source):
                parser.feed(delta.data, delta.offset)
                read += sum(bool(turn.text) for update in parser.take() for turn in update.turns)
        except (OSError, UnreadableSessionError):
            continue
        provider.parser(source, parser.state())
    assert how != "linked" or not read, "nothing outside of the home is read"
