from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.ingest.reparse import reparse
from dejavu.ingest.sync import sync_homes
from dejavu.providers import PROVIDERS, Home, agents
from dejavu.providers.agent import Agent, Store
from dejavu.providers.unread_stores import known_unread, unread_stores


@pytest.mark.parametrize("agent", known_unread(), ids=lambda agent: agent.name)
@pytest.mark.fault("1.16")
def test_every_store_is_named_and_its_bytes_are_kept(
    agent: Agent, data: Path, tmp_path: Path
) -> None:
    home = Home(data / agent.name, {}, "box")
    (found,) = unread_stores(home)
    assert found[0] == agent
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_homes(archive, [home])
        assert not report.unreadable
        kept = {b"".join(archive.sources.raw(key)) for key in archive.sources.all_keys()}
        stored = {source.path.read_bytes() for source in PROVIDERS[agent.name].discover(home)}
        assert kept == stored
        assert sync_homes(archive, [home]).bytes == 0
        assert not list(archive.scan())


def test_what_was_kept_is_read_by_a_version_that_knows_how(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The raw of a document that nobody read, parsed once the agent has a form."""
    home = tmp_path / "home"
    file = home / ".plandex-home-v2" / "p" / "chat.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"messages": [{"role": "user", "content": "Count the frogs."}]}')
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home(home, {})], agent="plandex")
        file.unlink()
        provider = PROVIDERS["plandex"]
        store = Store(form="entry_parsers:DocumentEntries")
        monkeypatch.setattr(provider, "store", store)
        reparse(archive)
        (summary,) = archive.scan()
        assert archive.get(summary.id).turns[0].text == "Count the frogs."


def test_an_empty_home_has_none(tmp_path: Path) -> None:
    assert not list(unread_stores(Home(tmp_path, {})))


def test_forty_five_stores_and_more_are_read() -> None:
    read = {agent.name for agent in agents().values() if agent.name in PROVIDERS}
    assert len(read - {agent.name for agent in known_unread()}) >= 60
