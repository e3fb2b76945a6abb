"""A team's archive on a server with TimescaleDB: it works, and what it would need of TimescaleDB is refused."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.postgres import Missing
from tests.team_rights import conversation
from tests.timescale import InMemory

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_team import Team
from dejavu.extensions.teams.server_finding import server as check
from dejavu.recall import Recall

COMPRESS = "set (timescaledb.compress, timescaledb.compress_segmentby = 'workspace')"
TURNS = (
    "create table {0} (conversation bigint, seq int, month date not null, workspace int, said text, "
    "primary key (conversation, seq, month)); select create_hypertable('{0}', 'month')"
)


@pytest.fixture(scope="module")
def timescale() -> Iterator[InMemory]:
    """A server with TimescaleDB, or the reason why there is none."""
    try:
        started = InMemory()
    except Missing as why:
        pytest.skip(str(why))
    yield started
    started.stop()


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "data"))


def test_an_archive_works_beside_it(timescale: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    with Archive.open(timescale.url()) as archive:
        archive.put(conversation("walrus", 4, "bob@box"))
        archive.put(conversation("tusks", 2, "bob@box", "/secret"))
    team = Team(timescale.url())
    team.init()
    team.invite("ann", "reader", None, None)
    team.invite("bob", "writer", None, "bob@box")
    team.set_private("/secret", hidden=True)
    team.close()
    with Archive.open(timescale.url("bob")) as archive:
        archive.put(conversation("otter", 3, "bob@box"))
        archive.maintenance.verify()
    with Archive.open(timescale.url("ann")) as archive:
        assert {one.id for one in archive.scan()} == {"walrus", "otter"}
        assert [hit.conversation for hit in archive.search("otter")][:1] == ["otter"]
        assert not archive.search("tusks")
        assert Recall(archive).search("what about the walrus?")[0].conversation == "walrus"
    for number, login in ((9, "keeper"), (7, "ann")):
        assert timescale.run("select sum(turns)::int from dejavu.daily", login) == [(number,)]
    monkeypatch.setenv("DEJAVU_ARCHIVE", timescale.url())
    [finding] = check()
    assert "timescaledb installed and not used" in finding.message
    with Archive.open(timescale.url()) as archive:
        archive.maintenance.delete(("otter",))
    assert timescale.run("select sum(turns)::int from dejavu.daily", "keeper") == [(6,)]


REFUSED = {
    "partitions": (
        "create table a (month date not null) partition by range (month)",
        "select create_hypertable('a', 'month')",
        "already partitioned",
    ),
    "rights": (
        f"{TURNS.format('b')}; alter table b enable row level security",
        f"alter table b {COMPRESS}",
        "row security",
    ),
    "rights later": (
        f"{TURNS.format('c')}; alter table c {COMPRESS}",
        "alter table c enable row level security",
        "columnstore enabled",
    ),
    "sums": (
        f"{TURNS.format('d')}; alter table d {COMPRESS}",
        """create trigger t after delete on d referencing old table as gone
           for each statement execute function suppress_redundant_updates_trigger()""",
        "transition tables not supported",
    ),
    "daily": (
        f"{TURNS.format('e')}; alter table e enable row level security",
        """create materialized view m with (timescaledb.continuous) as
           select workspace, time_bucket('1 day', month) as day, count(*) from e group by 1, 2 with no data""",
        "row security",
    ),
}


@pytest.mark.parametrize("need", REFUSED)
def test_what_an_archive_needs_is_refused(timescale: InMemory, need: str) -> None:
    before, refused, said = REFUSED[need]
    timescale.run(before)
    with pytest.raises(psycopg.Error, match=said):
        timescale.run(refused)


def test_a_compressed_turn_may_survive_its_deletion(timescale: InMemory) -> None:
    timescale.run(TURNS.format("f"))
    timescale.run(
        "insert into f select c, s, '2025-01-01', c % 3, 'x' "
        "from generate_series(1, 9) c, generate_series(1, 3) s"
    )
    timescale.run(
        f"alter table f {COMPRESS[:-1]}, timescaledb.compress_orderby = 'conversation, seq')"
    )
    timescale.run("select compress_chunk(c) from show_chunks('f') c")
    timescale.run("delete from f where conversation = 8")
    assert timescale.run("select count(*) from f where conversation = 8") == [(3,)]
    timescale.run("delete from f where conversation = 8::bigint")
    assert timescale.run("select count(*) from f where conversation = 8") == [(0,)]


def test_its_retention_heeds_no_hold(timescale: InMemory) -> None:
    timescale.run(TURNS.format("g"))
    timescale.run("insert into g values (1, 1, '2025-01-01', 1, 'held')")
    timescale.run(
        "create function refuse() returns trigger language plpgsql as "
        "$$ begin raise exception 'under legal hold'; end $$; "
        "create trigger held before delete on g for each row execute function refuse()"
    )
    with pytest.raises(psycopg.Error, match="under legal hold"):
        timescale.run("delete from g where conversation = 1::bigint")
    timescale.run("select drop_chunks('g', older_than => date '2026-01-01')")
    assert timescale.run("select count(*) from g") == [(0,)]
