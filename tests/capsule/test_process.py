"""Finding and becoming a program."""

import os
import subprocess
import sys

import pytest

from dejavu.capsule import SpawnError, find_program, process
from dejavu.capsule.process import exit_code, inheritable_fds


@pytest.fixture
def folders(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "agent").write_text("not yet\n")
    (tmp_path / "one" / "folder").mkdir()
    for name in ("agent", "folder"):
        program = tmp_path / "two" / name
        program.write_text("#!/bin/sh\necho two\n")
        program.chmod(0o755)
    return tmp_path


def test_it_searches_the_agents_path_as_a_shell_does(folders):
    env = {"PATH": f"{folders}/one:{folders}/none:{folders}/two"}
    assert find_program("agent", env) == f"{folders}/two/agent"
    assert find_program("folder", env) == f"{folders}/two/folder"
    assert find_program(f"{folders}/two/agent", {}) == f"{folders}/two/agent"
    assert find_program("sh", {}).endswith("/sh")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nothing", "cannot start 'nothing': not found in PATH"),
        ("", "cannot start '': not found in PATH"),
        ("./nothing", "cannot start './nothing': no such file"),
        ("/usr", "cannot start '/usr': it is a folder"),
        ("agent", "one/agent is not executable"),
    ],
)
def test_it_says_why_not(folders, name, reason):
    with pytest.raises(SpawnError, match=reason):
        find_program(name, {"PATH": f"{folders}/one"})


def run(script, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


BECOME = (
    "import os, sys; from dejavu.capsule import exec_agent; "
    "exec_agent(sys.argv[1:], dict(os.environ))"
)


def test_becoming_leaves_nothing_of_us():
    script = 'test "$PPID" = "$1" && kill -s PIPE $$'
    done = run(BECOME, "sh", "-c", script, "sh", str(os.getpid()))
    assert done.returncode == -13  # SIGPIPE is not ignored, as it is in Python


def test_a_script_without_its_first_line_runs_in_a_shell(folders):
    script = folders / "script"
    script.write_text('echo "$1"; exit 6\n')
    script.chmod(0o755)
    done = run(BECOME, str(script), "given")
    assert (done.stdout, done.returncode) == ("given\n", 6)


def test_what_cannot_be_run_is_a_spawn_failure(folders):
    broken = folders / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    done = run(BECOME, str(broken))
    assert "SpawnError: cannot start" in done.stderr


def test_exit_codes_are_a_shells():
    for command, code in (("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)):
        pid = os.posix_spawn("/bin/sh", ["sh", "-c", command], os.environ)
        assert exit_code(os.waitpid(pid, 0)[1]) == code


@pytest.mark.parametrize("descriptors", ["/dev/fd", "/nowhere"])  # the second as without /proc
def test_only_what_was_handed_to_us_is_handed_on(monkeypatch, descriptors):
    monkeypatch.setattr(process, "_DESCRIPTORS", descriptors)
    ours, its = os.pipe()
    assert not {ours, its} & set(inheritable_fds())
    os.set_inheritable(its, True)
    assert its in inheritable_fds()
    assert ours not in inheritable_fds()
    os.close(ours)
    os.close(its)
