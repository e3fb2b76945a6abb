import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.model import Conversation, Role, Text, Turn


def test_the_copy_is_told_and_can_be_used(
    dejavu: Callable[..., Result], archived: list[Conversation], home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    source = home / ".local/share/dejavu/archive"
    done = dejavu("migrate", str(source), str(home / "two"))
    assert "equal: BLAKE2b" in done.out
    assert f"DEJAVU_ARCHIVE={home / 'two'}" in done.err
    again = dejavu("migrate", str(source), str(home / "two"), "--replace", "--json").json
    assert Path(again["set_aside"]).is_dir()
    assert again["records"] > 0
    before = dejavu("list", "--json").json
    monkeypatch.setenv("DEJAVU_ARCHIVE", str(home / "two"))
    assert dejavu("list", "--json").json == before
    assert dejavu("show", archived[1].id).out


def test_wrong_places_are_named(
    dejavu: Callable[..., Result], archived: list[Conversation], home: Path
) -> None:
    del archived
    source = str(home / ".local/share/dejavu/archive")
    for words, code, said in (
        ((source, source + "/."), 2, "the same archive"),
        ((str(home / "nothing"), str(home / "x")), 3, "no archive"),
    ):
        done = dejavu("migrate", *words)
        assert (done.code, said in done.err) == (code, True)
    assert not (home / "x").exists()
    (home / "notes").mkdir()
    (home / "notes" / "todo.txt").write_text("swim")
    done = dejavu("migrate", source, str(home / "notes"))
    assert (done.code, "holds other things" in done.err) == (2, True)


def test_killed_at_any_moment_it_goes_on(home: Path) -> None:
    with open_archive(write=True) as archive:
        for number in range(300):
            text = os.urandom(20_000).hex()
            turns = (Turn(role=Role.USER, parts=(Text(text),)),)
            archive.put(Conversation(id=f"c{number}", agent="x").with_turns(turns))
    words = [sys.executable, "-m", "dejavu.interfaces.cli", "migrate",
             str(home / ".local/share/dejavu/archive"), str(home / "two")]  # fmt: skip
    data = home / "two" / "data.mdb"
    for _ in range(4):
        size = data.stat().st_blocks if data.exists() else 0
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as it:
            while it.poll() is None and (not data.exists() or data.stat().st_blocks == size):
                time.sleep(0.001)
            it.send_signal(signal.SIGKILL)
        assert not (home / "two" / "archive.json").exists()  # nobody takes it for an archive
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120)
    assert "going on with an earlier call" in done.stdout
    with open_archive() as archive, Archive.open(home / "two") as copy:
        assert [one.id for one in copy.scan()] == [one.id for one in archive.scan()]
        assert copy.maintenance.verify().faults == []
