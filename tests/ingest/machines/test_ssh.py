"""A home over a real SSH server on loopback, copied with rsync and with tar."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.factories import sshd
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.ingest.machines import parse_address, sync_machine
from dejavu.ingest.machines.mirror import Mirror, mirrors
from dejavu.model import ArchiveLockedError, ProviderError
from dejavu.services.erase import erase_traces

pytestmark = pytest.mark.skipif(
    not (sshd.PROGRAM and shutil.which("ssh")), reason=sshd.MISSING
)  # fmt: skip
_TOOLS = ("sh", "find", "xargs", "stat", "tar", "cat", "env")


@pytest.fixture(params=["rsync", "tar"])
def server(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[sshd.Server]:
    """A server with rsync, and one of a machine that has none."""
    path = None
    if request.param == "tar":
        path = str(tmp_path / "bin")
        Path(path).mkdir()
        for tool in _TOOLS:
            Path(path, tool).symlink_to(shutil.which(tool) or "")
    elif shutil.which("rsync") is None:
        pytest.skip("needs rsync")
    keys = tmp_path / "keys"
    keys.mkdir(mode=0o700)
    with sshd.sshd(keys, path) as running:
        monkeypatch.setenv("DEJAVU_SSH", running.command)
        yield running


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A home on the other machine."""
    return tmp_path / "a home there"


def _sync(archive: Archive, server: sshd.Server, there: Path, copied: list[str]) -> set[str]:
    address = parse_address(f"ssh://127.0.0.1:{server.port}{str(there).replace(' ', '%20')}")
    report = sync_machine(
        archive, address, instance="build1", copied=lambda name, _size: copied.append(name)
    )
    assert not report.unreadable
    return report.conversations


def test_what_is_new_there_is_copied_and_archived_once(
    home: Path, server: sshd.Server, there: Path
) -> None:
    path = claude_session(there, "why?")
    claude_session(there, "unchanged", name="s2")
    copied: list[str] = []
    with open_archive(write=True) as archive:
        assert len(_sync(archive, server, there, copied)) == 2
        assert len(copied) == 2
        copied.clear()
        assert not _sync(archive, server, there, copied)
        assert not copied
        os.utime(path, (1, 1))  # a change within one second is told by the size, at the latest
        claude_session(there, "why?", "and then?")
        assert len(_sync(archive, server, there, copied)) == 1
        assert copied == [".claude/projects/-work-x/s1.jsonl"]
        (summary,) = archive.scan(until=float("inf"), limit=1, instance="build1")
        assert [turn.text for turn in archive.get(summary.id).turns][-1] == "re: and then?"
        kept = next(mirrors().rglob("s1.jsonl"))
        assert kept.read_bytes() == path.read_bytes()
        assert kept.stat().st_mode & 0o777 == 0o600
        path.unlink()
        _sync(archive, server, there, copied)
        assert not kept.exists()
        assert len(archive.get(summary.id).turns) == 4  # it outlives its source


def test_nothing_is_written_there_and_no_login_is_taken(
    home: Path, server: sshd.Server, there: Path
) -> None:
    session = claude_session(there, "why?")
    (there / ".claude/.credentials.json").write_text('{"token": "t"}')
    (there / ".codex").mkdir()
    (there / ".codex/auth.json").write_text('{"token": "t"}')
    (there / ".claude/projects/link.jsonl").symlink_to(session)
    before = _tree(there)
    with open_archive(write=True) as archive:
        _sync(archive, server, there, [])
    assert _tree(there) == before
    files = [path.name for path in mirrors().rglob("*") if path.is_file()]
    assert sorted(files) == ["lock", "s1.jsonl"]


def _tree(folder: Path) -> dict[str, tuple[int, int]]:
    paths = folder.rglob("*")
    return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_size) for p in paths}


def test_odd_names_are_said_and_stop_nothing(home: Path, server: sshd.Server, there: Path) -> None:
    folder = claude_session(there, "why?").parent
    (folder / "new\nline.jsonl").write_text("{}\n")
    (folder / "back\\slash.jsonl").write_text("{}\n")
    (folder / "$(touch x) 'quoted' é.jsonl").write_text("{}\n")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).mkdir()
    address = parse_address(f"ssh://127.0.0.1:{server.port}{str(there).replace(' ', '%20')}")
    with open_archive(write=True) as archive:
        report = sync_machine(archive, address, instance="b")
    assert len(report.conversations) == 2  # s1 and the quoted one
    assert any("backslash" in reason for _, reason in report.unreadable)
    assert list(mirrors().rglob("*quoted*"))


def test_a_machine_that_does_not_answer_is_named(home: Path, server: sshd.Server) -> None:
    with open_archive(write=True) as archive:
        missing = parse_address(f"ssh://127.0.0.1:{server.port}/no/such/folder")
        with pytest.raises(ProviderError, match="there is no folder /no/such/folder"):
            sync_machine(archive, missing, instance="b")
        server.process.terminate()
        server.process.wait()
        with pytest.raises(ProviderError, match=r"127\.0\.0\.1.*DEJAVU_SSH"):
            sync_machine(archive, missing, instance="b")


def test_a_home_without_agents_is_empty(home: Path, server: sshd.Server, there: Path) -> None:
    there.mkdir()
    with open_archive(write=True) as archive:
        assert _sync(archive, server, there, []) == set()


def test_two_syncs_of_one_machine_do_not_mix(home: Path, server: sshd.Server, there: Path) -> None:
    claude_session(there, "why?")
    address = parse_address(f"ssh://127.0.0.1:{server.port}{str(there).replace(' ', '%20')}")
    mirror = Mirror(str(address).replace("://", "-"))
    with (
        open_archive(write=True) as archive,
        mirror.locked(),
        pytest.raises(ArchiveLockedError, match="another sync"),
    ):
        sync_machine(archive, address, instance="b")


def test_the_command_reads_all_machines_and_names_the_one_that_failed(
    home: Path, server: sshd.Server, there: Path
) -> None:
    claude_session(there, "why?")
    config = home / ".config/dejavu"
    config.mkdir(parents=True)
    good = f"ssh://127.0.0.1:{server.port}{str(there).replace(' ', '%20')}"
    (config / "config.toml").write_text(
        '[[machines]]\naddress = "ssh://127.0.0.1:1"\n\n'
        f'[[machines]]\naddress = "{good}"\ninstance = "build1"\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "dejavu", "sync", "--machines", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    first, second = json.loads(done.stdout)["machines"]
    assert first["unreadable"][0]["path"] == "ssh://127.0.0.1:1"
    assert (second["instance"], len(second["conversations"])) == ("build1", 1)
    with open_archive(write=True) as archive:
        removed = erase_traces(second["conversations"], ["s1"])
        assert archive.get(second["conversations"][0])
    assert removed == 1
    assert not list(mirrors().rglob("*.jsonl"))
