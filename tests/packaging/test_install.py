"""`install.sh` in a throw-away home: installs, says why not, and leaves nothing behind."""

import hashlib
import os
import shutil
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


def test_help_is_the_head_of_the_file(home: Path) -> None:
    assert "--uninstall" in install(home, "--help").stdout
