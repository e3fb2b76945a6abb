"""What docs/guides/teams.md tells an administrator to rely on: a point in time, and another server.

Real servers: a base backup with archived WAL is recovered to before a mistake, and a standby takes
over from a server that is killed.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.postgres import Missing, Server
from tests.team_rights import conversation

from dejavu.archive import Archive
from dejavu.model import ArchiveError

ALL = {f"c{number}" for number in range(4)}


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    """Servers that a test starts; all are ended after it."""
    started: list[Server] = []
    yield started
    for server in started:
        server.stop()


def start(servers: list[Server], settings: dict[str, str], base: Path | None = None) -> Server:
    try:
        servers.append(Server(settings, base=base))
    except Missing as why:
        pytest.skip(str(why))
    return servers[-1]


def wait_until(server: Server, question: str) -> None:
    """Ask until the answer is true."""
    deadline = time.monotonic() + 30
    while not (rows := server.run(question)) or not rows[0][0]:
        assert time.monotonic() < deadline, question
        time.sleep(0.05)


def held(archive: Archive) -> set[str]:
    return {one.id for one in archive.scan()}


def test_an_archive_is_recovered_to_before_a_mistake(servers: list[Server]) -> None:
    server = start(servers, {"archive_mode": "on", "archive_command": "cp %p ../wal_%f"})
    with Archive.open(server.url()) as archive:
        for name in ("c0", "c1"):
            archive.put(conversation(name, 3, "ann@box"))
        base = server.base_backup()
        for name in ("c2", "c3"):  # after the backup: in the WAL alone
            archive.put(conversation(name, 70, "ann@box"))
        [[before]] = server.run("select clock_timestamp()::text")
        archive.maintenance.prune(workspace="/w")
        assert held(archive) == set()
    [[last]] = server.run("select pg_walfile_name(pg_switch_wal())")
    wait_until(server, f"select last_archived_wal >= '{last}' from pg_stat_archiver")
    (base / "recovery.signal").touch()
    owner = base.stat()
    shutil.chown(base / "recovery.signal", owner.st_uid, owner.st_gid)
    settings = {
        "restore_command": f"cp {server.folder}/wal_%f %p", "recovery_target_action": "promote",
        "recovery_target_time": str(before), "archive_mode": "off",
    }  # fmt: skip
    recovered = start(servers, settings, base)
    wait_until(recovered, "select not pg_is_in_recovery()")
    with Archive.open(recovered.url()) as archive:
        assert held(archive) == ALL
        assert archive.get("c3").turn_count == 70
        assert archive.maintenance.verify().faults == []
        archive.put(conversation("later", 1, "ann@box"))


def test_a_standby_takes_over_and_the_program_goes_on(servers: list[Server]) -> None:
    first = start(servers, {})
    second = start(servers, {"synchronous_standby_names": ""}, first.base_backup(standby=True))
    first.run("alter system set synchronous_standby_names = '*'")  # commits wait for it
    first.run("select pg_reload_conf()")
    wait_until(first, "select bool_or(sync_state = 'sync') from pg_stat_replication")
    hosts = ",".join(quote(str(one.folder), safe="") for one in (first, second))
    url = (
        f"postgresql://keeper@/postgres?host={hosts}&port={first.port},{second.port}"
        "&target_session_attrs=read-write"
    )
    with Archive.open(url) as archive:
        for name in ("c0", "c1"):
            archive.put(conversation(name, 70, "ann@box"))
        with (  # opening it may write already, where it lags behind
            pytest.raises(ArchiveError, match="name the one that may be written"),
            Archive.open(second.url()) as copy,
        ):
            copy.put(conversation("c2", 1, "ann@box"))
        first.kill()
        second.run("select pg_promote(wait => false)")
        for name in ("c2", "c3"):
            archive.put(conversation(name, 3, "ann@box"))
        assert held(archive) == ALL
        assert archive.get("c1").turn_count == 70
        assert archive.maintenance.verify().faults == []
