"""`verify --repair` on a server: what a hostile writer forged is repaired, and rights stay."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.postgres import Server
from tests.team_rights import Site, conversation, made_site

from dejavu.archive import Archive, conversations
from dejavu.archive.backends.transaction import wrap
from dejavu.archive.keys import META, TABLES
from dejavu.archive.records import Meta, pack
from dejavu.extensions.teams.postgres_retention import release_statement
from dejavu.extensions.teams.postgres_team import Team
from dejavu.ingest.repair import repair
from dejavu.model import LegalHoldError, NotFoundError


@pytest.fixture
def site(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    assert home
    url = server.url(schema=server.new_schema())
    with made_site(server, url) as made:
        monkeypatch.setenv("DEJAVU_ARCHIVE", url)
        yield made


def _forge(site: Site, key: bytes, value: bytes) -> None:
    site.psql(
        site.logins["writer"],
        f"update dejavu_records set value = '\\x{wrap(key, value).hex()}' where key = '\\x{key.hex()}'",
    )


def _texts(archive: Archive, name: str) -> list[str]:
    return [turn.text for turn in archive.turns(name)]


def test_a_forged_number_and_forged_counters_are_mended(site: Site) -> None:
    with Archive.open(site.url) as keeper:
        keeper.put(conversation("forged", 2, "writer@box"))
        [theirs] = keeper.backend.read(lambda txn: [conversations.find(txn, "others")])
        [own] = keeper.backend.read(lambda txn: [conversations.find(txn, "forged")])
    assert theirs is not None
    assert own is not None
    changed = msgspec.structs.replace(own, number=theirs.number)
    _forge(site, TABLES["summaries"] + b"forged", pack(changed))
    _forge(site, TABLES["meta"] + META, pack(Meta(archive_id=b"x" * 16, created_at=1.0)))
    with pytest.raises(LegalHoldError):
        repair()
    team = Team(site.url)
    team.apply(release_statement("kept", None))
    team.close()
    result = repair()
    assert result.is_whole
    assert result.brought_back == ("forged",)
    with Archive.open(site.url) as keeper:
        assert keeper.maintenance.verify().faults == []
        assert _texts(keeper, "forged") == ["forged 0", "forged 1"]
        assert _texts(keeper, "others") == ["others 0", "others 1"]
        keeper.maintenance.prune(only=("forged",))
        assert _texts(keeper, "others") == ["others 0", "others 1"]
    with site.archive(site.logins["reader"]) as reader:
        assert _texts(reader, "others") == ["others 0", "others 1"]
        with pytest.raises(NotFoundError):
            _texts(reader, "hidden")
    with site.archive(site.logins["writer"]) as writer:
        writer.put(conversation("later", 2, "writer@box"))


def test_a_whole_archive_is_left_as_it_is(site: Site) -> None:
    assert repair().aside is None
