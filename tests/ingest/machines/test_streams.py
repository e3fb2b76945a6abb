"""A machine that sends anything but an honest archive costs what it damaged, and bounded time."""

import os
from pathlib import Path
from random import Random

import pytest
from tests.drills.budget import Budget
from tests.drills.trust.remote_streams import attempt
from tests.factories import hostile_streams as hostile

from dejavu.ingest.machines import ssh, streams
from dejavu.ingest.machines.address import Address
from dejavu.ingest.machines.ssh import SshMachine
from dejavu.ingest.machines.streams import EndlessStreamError, RemoteProgram
from dejavu.model import ProviderError


@pytest.mark.fault("H6")
@pytest.mark.parametrize("way", ["docker", "ssh"])
@pytest.mark.parametrize("name", sorted(hostile.ATTACKS))
def test_the_honest_files_around_an_attack_are_archived_and_it_is_named(
    name: str, way: str, tmp_path: Path
) -> None:
    assert not attempt(name, way, Budget(60.0, 1, 11), tmp_path)


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SshMachine:
    """A machine whose listing is what LISTING and LISTED say."""
    monkeypatch.setenv("DEJAVU_SSH", str(hostile.stand_in(tmp_path / "bin")))
    monkeypatch.setenv("LISTING", str(tmp_path / "listing"))
    (tmp_path / "listing").write_bytes(hostile.listing([".claude/a.jsonl"]))
    monkeypatch.setattr(streams, "SILENCE", 0.5)
    monkeypatch.setattr(ssh, "_LONGEST_LISTING", 1 << 20)
    return SshMachine(Address("ssh", "box"))


@pytest.mark.fault("H6")
@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("hang", "sent nothing for 0.5 s"),
        ("noise", "sent more than 1,048,576 bytes"),
        ("lines", "sent more than 1,048,576 bytes"),
    ],
)
def test_a_listing_without_an_end_is_ended(
    ending: str, words: str, there: SshMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LISTED", ending)
    with pytest.raises(ProviderError, match=words):
        there.read_listing([".claude"])


def test_a_listing_with_numbers_that_are_none_is_read(
    there: SshMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LISTED", "end")
    (tmp_path / "listing").write_bytes(b"tar\n" + b"9" * 5000 + b" 1 ./a\n5 6 ./b\n")
    listing = there.read_listing([".claude"])
    assert list(listing.files) == ["b"]
    assert len(listing.unreadable) == 1


def test_a_program_that_is_too_slow_or_takes_too_long_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = ["sh", "-c", "while :; do echo x; sleep 0.05; done"]
    monkeypatch.setattr(streams, "SLOW_SECONDS", 0.4)
    with (
        RemoteProgram(slow, "box") as program,
        pytest.raises(EndlessStreamError, match=r"box: it sent \d+ bytes in 0.4 s"),
    ):
        program.read(1 << 20)
    monkeypatch.setattr(streams, "SLOW_SECONDS", 600.0)
    monkeypatch.setattr(streams, "LONGEST", 0.4)
    with (
        RemoteProgram(slow, "box") as program,
        pytest.raises(EndlessStreamError, match="took more than"),
    ):
        program.read(1 << 20)


def test_output_complaints_and_exit_code_arrive_whole() -> None:
    script = "head -c 300000 /dev/zero; echo sorry >&2; exit 3"
    with RemoteProgram(["sh", "-c", script], "box") as program:
        assert len(program.read(1 << 20)) == 300_000
        assert (program.end(), program.complaints()) == (3, ["sorry"])


def test_names_go_to_the_program_and_it_is_gone_afterwards() -> None:
    names = Random(1).randbytes(300_000)
    with RemoteProgram(["sh", "-c", "cat; exec sleep 60"], "box", names) as program:
        assert program.read(300_000) == names
        pid = program._program.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
