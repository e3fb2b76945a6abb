"""`install.sh` in a throw-away home: installs, says why not, and leaves nothing behind."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
SCRIPT = REPO / "install.sh"
PIP = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
NO_DEPS = {"PIP_NO_DEPS": "1"}
"""`dejavu --version`, which the script tries, needs none of them."""


def install(home: Path, *words: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
    base = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    return subprocess.run(
        ["sh", SCRIPT, *words], env={**PIP, **base, **environ}, cwd="/", text=True, timeout=400,
        capture_output=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def tree(folder: Path) -> dict[str, bytes | str | None]:
    return {
        str(path.relative_to(folder)): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in folder.rglob("*")
        if "venv" not in path.parts
    }


def release(folder: Path, wheel: Path) -> Path:
    folder.mkdir()
    shutil.copy(wheel, folder)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (folder / "SHA256SUMS").write_text(f"{'0' * 64}  other.whl\n{digest}  {wheel.name}\n")
    return folder


def test_a_release_is_installed_and_removed_without_a_rest(
    wheel: Path, tmp_path: Path, home: Path
) -> None:
    folder = release(tmp_path / "a release", wheel)
    prefix = home / "my tools"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "other").write_text("theirs")
    before = tree(home)
    words = ("--prefix", prefix, "--with", "none", "--python", sys.executable)
    done = install(home, *words, folder, **NO_DEPS)
    assert done.returncode == 0, done.stderr
    assert "checksum" in done.stdout
    shown = subprocess.run(
        [prefix / "bin" / "dejavu", "--version"], text=True, capture_output=True, check=True
    )
    assert shown.stdout.startswith("dejavu ")
    assert (prefix / "share/man/man1/dejavu.1").is_symlink()
    done = install(home, "--uninstall", "--prefix", prefix)
    assert done.returncode == 0, done.stderr
    assert tree(home) == before
    assert install(home, "--uninstall", "--prefix", prefix).returncode == 1


@pytest.mark.e2e
def test_an_extra_that_does_not_exist_is_refused(wheel: Path, tmp_path: Path, home: Path) -> None:
    folder = release(tmp_path / "a release", wheel)
    done = install(home, "--with", "nonsense", "--python", sys.executable, folder, **NO_DEPS)
    assert done.returncode == 1
    assert "there is no extra nonsense; the extras are " in done.stderr
    assert tree(home) == {}


def test_a_clone_with_all_it_needs_takes_hooks_out_again(home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{ "model": "opus" }')
    before = tree(home)
    done = install(home, "--with", "none", "--python", sys.executable)
    if "No matching distribution" in done.stderr or "Could not fetch" in done.stderr:
        pytest.skip("no package index is in reach")
    assert done.returncode == 0, done.stderr
    program = home / ".local/bin/dejavu"
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run(
        [program, "init", "claude", "--yes"], env=environ, check=True, capture_output=True
    )
    assert "hook capture" in (home / ".claude/settings.json").read_text()
    assert install(home, "--uninstall").returncode == 0
    assert tree(home) == before


def test_another_file_than_the_sums_name_is_refused(
    wheel: Path, tmp_path: Path, home: Path
) -> None:
    folder = release(tmp_path / "release", wheel)
    with (folder / wheel.name).open("ab") as file:
        file.write(b"x")
    done = install(home, folder)
    assert done.returncode == 1
    assert "is not the file that SHA256SUMS names" in done.stderr
    (folder / "SHA256SUMS").write_text("")
    assert "does not name" in install(home, folder).stderr
    assert tree(home) == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--frobnicate",), "no option is called"),
        (("--prefix",), "wants a value"),
        (("/nowhere",), "there is no /nowhere"),
        (("/usr/bin",), "neither a clone nor a folder with a wheel"),
        (("--python", "/bin/false"), "is not Python 3.11 or newer"),
        (("--uninstall",), "nothing is installed below"),
    ],
)
def test_it_says_why_not(words: tuple[str, ...], said: str, home: Path) -> None:
    done = install(home, *words)
    assert done.returncode == 1
    assert said in done.stderr
    assert tree(home) == {}


def test_what_cannot_be_installed_leaves_nothing(tmp_path: Path, home: Path) -> None:
    broken = tmp_path / "dejavu_capture-1.0.0-py3-none-any.whl"
    broken.write_text("no wheel")
    done = install(home, "--with", "none", "--python", sys.executable, broken)
    assert done.returncode == 1
    assert "Nothing was left behind" in done.stderr
    assert tree(home) == {}


def test_an_update_that_fails_keeps_the_version_before(
    wheel: Path, tmp_path: Path, home: Path
) -> None:
    folder = release(tmp_path / "a release", wheel)
    prefix = home / "a tool "  # the blank at the end belongs to the name
    words = ("--prefix", prefix, "--with", "none", "--python", sys.executable)
    before = tree(home)
    assert install(home, *words, folder, **NO_DEPS).returncode == 0
    first = tree(home)
    broken = tmp_path / "dejavu_capture-1.0.0-py3-none-any.whl"
    broken.write_text("no wheel")
    done = install(home, *words, broken)
    assert done.returncode == 1
    assert "The version that was here stays" in done.stderr
    assert tree(home) == first
    subprocess.run([prefix / "bin" / "dejavu", "--version"], capture_output=True, check=True)
    assert install(home, *words, folder, **NO_DEPS).returncode == 0
    assert tree(home).keys() == first.keys()
    assert install(home, "--uninstall", "--prefix", prefix).returncode == 0
    assert tree(home) == before


STOPPING = r"""#!/bin/sh
# a Python whose pip says that it runs, then waits for a signal
case "$*" in
*venv\ /*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
-m\ pip*) printf x >"$FIFO"; exec sleep 60 ;;
esac
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("update", [False, True])
def test_a_stopped_installation_keeps_what_was_there(
    number: signal.Signals, update: bool, tmp_path: Path, home: Path
) -> None:
    lib = home / ".local/lib/dejavu"
    if update:
        lib.mkdir(parents=True)
        (lib / "installed").write_text(f"folder {home}/.local\nfolder {home}/.local/lib\n")
        (lib / "program").write_text("the version before")
    before = tree(home)
    python, fifo = tmp_path / "python", tmp_path / "fifo"
    python.write_text(STOPPING)
    python.chmod(0o755)
    os.mkfifo(fifo)
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "FIFO": str(fifo)}
    environ["TMPDIR"] = str(tmp_path)
    with subprocess.Popen(
        ["sh", SCRIPT, "--python", python, REPO], env=environ, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as running:  # fmt: skip
        assert fifo.read_bytes() == b"x"  # pip runs
        os.killpg(running.pid, number)
        assert running.wait(60) != 0
    if number == signal.SIGKILL:  # the next run puts back what the killed one left
        assert tree(home) != before
        assert install(home, "--python", "/bin/false").returncode == 1
    if update or number != signal.SIGKILL:
        assert tree(home) == before
    done = install(home, "--uninstall")
    assert done.returncode == (0 if update or number == signal.SIGKILL else 1)
    assert tree(home) == {}


def test_without_a_home_it_asks_for_a_prefix(tmp_path: Path) -> None:
    done = install(tmp_path, HOME="")
    assert done.returncode == 1
    assert "HOME is not set; name a place with --prefix" in done.stderr


def test_help_is_the_head_of_the_file(home: Path) -> None:
    assert "--uninstall" in install(home, "--help").stdout
