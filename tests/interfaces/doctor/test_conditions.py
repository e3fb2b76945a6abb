"""`doctor` names each thing that can go wrong with capture, while it lasts and no longer."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.archive.backends.transaction import Writer
from dejavu.config.paths import archive_location, data_home, private_folder, state_home
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.spool import recover, save_lines, spool_folder
from dejavu.ingest.sync import sync_homes
from dejavu.interfaces.doctor import Severity, run_checks
from dejavu.model import Conversation, Role, Text, Turn, Vector
from dejavu.providers import Home

DOCTOR = [sys.executable, "-m", "dejavu.interfaces.cli", "doctor", "--json"]


def problems() -> dict[str, str]:
    """Subject -> message of all that is not well."""
    return {
        finding.subject: finding.message
        for finding in run_checks()
        if finding.severity is not Severity.OK
    }


def test_a_damaged_value_is_named_until_it_is_repaired(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert "archive damage" not in problems()

    def damage(txn: Writer) -> None:
        key = next(txn.keys("turns"))
        txn.put_stored("turns", key, (txn.stored("turns", key) or b"")[:-1] + b"?")

    with open_archive(write=True) as archive:
        archive.backend.write(damage)
    assert dejavu("verify").code == 4
    assert "found" in problems()["archive damage"]
    dejavu("verify", "--repair")
    assert dejavu("verify").code == 0
    left = problems()
    assert "archive damage" not in left
    assert "1 next to it" in left["older archives"]


def test_a_damaged_summary_is_named_before_anybody_verified(archived: list[Conversation]) -> None:
    hurt = archived[0].id

    def damage(txn: Writer) -> None:
        stored = txn.stored("summaries", hurt.encode()) or b""
        txn.put_stored("summaries", hurt.encode(), stored[:-1] + b"?")

    with open_archive(write=True) as archive:
        archive.backend.write(damage)
    assert "verify --repair" in problems()["archive"]


def test_an_index_that_is_behind_is_named(archived: list[Conversation]) -> None:
    with open_archive(write=True) as archive:
        archive.update_index()
        assert archive.search_engine.lag() == (0, 0, 0)
        turns = tuple(Turn(role=Role.USER, parts=(Text(f"turn {n}"),)) for n in range(2_500))
        archive.put(Conversation(id="long", agent="a").with_turns(turns))
    assert "1 conversation behind (2,500 turns)" in problems()["search index"]
    with open_archive(write=True) as archive:
        archive.search("turn")
    assert "search index" not in problems()


def test_stores_that_nobody_reads_are_named(home: Path) -> None:
    assert "unread stores" not in problems()
    folder = home / ".codeium" / "windsurf" / "cascade"
    folder.mkdir(parents=True)
    (folder / "a.pb").write_bytes(b"x")
    assert "Windsurf" in problems()["unread stores"]


def test_lines_that_the_archive_would_not_take_are_named(home: Path) -> None:
    channel = Channel(Vector.OTLP, pushed_source("claude", "otlp:s", "local"))
    save_lines(spool_folder(), channel, [b"{}\n"])
    assert "1 files" in problems()["spool"]
    recover(open_archive)
    assert "spool" not in problems()


def test_a_source_that_fails_is_named(home: Path) -> None:
    path = claude_session(home, "one")
    root = Path(archive_location())
    root.parent.mkdir(parents=True, exist_ok=True)
    path.unlink()
    os.mkfifo(path)
    with Archive.open(root) as archive:
        sync_homes(archive, [Home.own()])
    assert str(path) in problems()["claude source"]
    path.unlink()
    claude_session(home, "one")
    with Archive.open(root) as archive:
        sync_homes(archive, [Home.own()])
    assert "claude source" not in problems()


def _under(mount: str) -> dict[str, Any]:
    """What `doctor` says with another file system at the data folder."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("this system allows no mounts")
    data = private_folder(data_home())
    private_folder(state_home())
    command = ["unshare", "-rm", "sh", "-c", f'd=$1; shift; {mount} && exec "$@"', "sh", str(data)]
    done = subprocess.run([*command, *DOCTOR], capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    assert (done.returncode, document["healthy"]) == (1, False)
    return {finding["subject"]: finding for finding in document["findings"]}


def test_a_read_only_data_folder_is_named(archived: list[Conversation]) -> None:
    found = _under('mount --bind "$d" "$d" && mount -o remount,bind,ro "$d"')
    assert "read-only" in found["data"]["message"]
    assert found["data"]["severity"] == "error"


def test_a_full_disk_is_named(home: Path) -> None:
    found = _under('mount -t tmpfs -o size=1m,mode=700 tmpfs "$d"')
    assert "the disk is full" in found["data"]["message"]
