"""`dejavu resume` starts the agent's own command, after what it lost was put back."""

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result, conversation
from tests.services.undelete.test_undelete import SESSION, archive_home

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.model import Role, Text, Turn

TURN = Turn(role=Role.USER, parts=(Text("hi"),))


@pytest.fixture
def lost(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A conversation whose home is gone, and an agent that says how it was started."""
    identities = archive_home("claude", home)
    with Archive.open(archive_location()) as archive:
        (identity,) = (one for one in identities if archive.summary(one).native_id == SESSION)
    shutil.rmtree(home / ".claude")
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "started in $PWD with $*"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return identity


def test_print_starts_nothing_and_names_what_is_lost(
    lost: str, home: Path, dejavu: Callable[..., Result]
) -> None:
    done = dejavu("resume", lost, "--print")
    assert (done.code, done.out) == (0, f"cd /work/pond && claude --resume {SESSION}\n")
    assert f"dejavu undelete {lost}" in done.err
    found = dejavu("resume", lost, "--json").json
    assert (found["command"], found["lost"]) == (["claude", "--resume", SESSION], True)
    assert not (home / ".claude").exists()


def test_what_is_not_here_is_named(
    lost: str, home: Path, dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = dejavu("resume", lost, "-y")
    assert (done.code, "--folder /work/pond=NEW" in done.err) == (3, True)
    monkeypatch.setenv("PATH", "/nowhere")
    done = dejavu("resume", lost, "-y")
    assert (done.code, "claude is not on the PATH" in done.err) == (3, True)
    assert not (home / ".claude").exists()


def test_an_agent_without_such_a_command(home: Path, dejavu: Callable[..., Result]) -> None:
    held = conversation("s-3", "aider", "/work", 1.0, TURN)
    with Archive.open(archive_location()) as archive:
        archive.put(held)
    done = dejavu("resume", held.id)
    assert (done.code, f"dejavu code handoff {held.id}" in done.err) == (3, True)


def test_files_that_differ_end_it(lost: str, home: Path, dejavu: Callable[..., Result]) -> None:
    path = home / f".claude/projects/-work-pond/{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"type":"mode"}\n')
    done = dejavu("resume", lost, "-y")
    assert (done.code, "first difference at byte" in done.out) == (1, True)
    assert path.read_text() == '{"type":"mode"}\n'


def test_it_puts_back_asks_and_starts_the_agent_in_its_folder(
    lost: str, home: Path, tmp_path: Path
) -> None:
    work = tmp_path / "pond"
    work.mkdir()
    words = [sys.executable, "-m", "dejavu.interfaces.cli", "resume", lost]
    outer, inner = pty.openpty()
    os.write(outer, b"y\n")
    process = subprocess.Popen(
        [*words, "--folder", f"/work/pond={work}"], stdin=inner, stdout=inner, stderr=inner,
        start_new_session=True,
    )  # fmt: skip
    os.close(inner)
    seen = b""
    while b"started in" not in seen:
        try:
            seen += os.read(outer, 4096)
        except OSError:
            break
    process.wait(60)
    os.close(outer)
    text = seen.decode()
    assert "Make 4 changes?" in text
    assert f"started in {work} with --resume {SESSION}" in text
    encoded = str(work).replace("/", "-").replace("_", "-")
    assert (home / ".claude/projects" / encoded / f"{SESSION}.jsonl").is_file()


def test_a_copy_from_before_the_compaction_is_resumed(
    lost: str, home: Path, tmp_path: Path, dejavu: Callable[..., Result]
) -> None:
    pond = tmp_path / "pond"
    pond.mkdir()
    words = ["resume", lost, "--folder", f"/work/pond={pond}", "--before-compaction"]
    assert dejavu(*words, "--print").code == 2
    command = [sys.executable, "-m", "dejavu.interfaces.cli", *words, "-y"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    (log,) = home.rglob("projects/*/*.jsonl")
    assert log.stem != SESSION
    assert f"started in {pond} with --resume {log.stem}" in done.stdout
    assert "compact_boundary" not in log.read_text()
