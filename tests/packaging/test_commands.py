"""The commands as they are installed, started in environments that are bad for Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = Path(__file__).parents[2] / "packaging" / "bin"
SHEBANG = f"#!{sys.executable}\n"


class Installed:
    """A folder of commands as an installer leaves it; `run` has an environment of its own."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.bin = folder
        self.home = home
        for name in ("dejavu", "dejavu-run"):
            shutil.copy(COMMANDS / name, folder / name)
        self.entry_point(SHEBANG)

    def entry_point(self, first_lines: str) -> None:
        (self.bin / "dejavu-capture").write_text(
            first_lines + "from dejavu.interfaces import cli\n"
        )

    def run(
        self, command: str, *words: str, name: str = "", **environ: str
    ) -> subprocess.CompletedProcess[str]:
        base = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        return subprocess.run(
            [name or str(self.bin / command), *words],
            env={**base, **environ}, capture_output=True, text=True, timeout=60,
        )  # fmt: skip


@pytest.fixture
def installed(tmp_path: Path, home: Path) -> Installed:
    folder = tmp_path / "a folder" / "bin"
    folder.mkdir(parents=True)
    return Installed(folder, home)


def _complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What was said, but for the sentence that such an agent leaves no trace."""
    return [line for line in done.stderr.splitlines() if "nothing was kept" not in line]


BROKEN = {
    "dejavu/__init__.py": "raise RuntimeError('not this one')",
    "msgpack/__init__.py": "version = (0, 5, 0)",
    "msgpack/exceptions.py": "class UnpackException(Exception): pass",
    "enum.py": "import nowhere",
    "argparse.py": "raise SystemExit(9)",
    "sitecustomize.py": "raise SystemExit(9)",
    "re.py": "raise KeyboardInterrupt",
}


@pytest.mark.parametrize("module", BROKEN)
@pytest.mark.parametrize("variable", ["PYTHONPATH", "cwd"])
def test_modules_of_others_are_not_imported(
    installed: Installed,
    tmp_path: Path,
    module: str,
    variable: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "theirs" / module
    path.parent.mkdir(parents=True)
    path.write_text(BROKEN[module])
    theirs = str(tmp_path / "theirs")
    monkeypatch.chdir(theirs)
    environ = {"PYTHONPATH": theirs} if variable == "PYTHONPATH" else {}
    done = installed.run("dejavu-run", "sh", "-c", 'echo "[$PYTHONPATH]"; exit 7', **environ)
    assert (done.returncode, done.stdout) == (7, f"[{environ.get('PYTHONPATH', '')}]\n")
    assert not _complaints(done)
    assert installed.run("dejavu", "list", **environ).returncode == 0


def test_settings_for_another_python_are_the_agents_alone(
    installed: Installed, tmp_path: Path
) -> None:
    started = tmp_path / "startup.py"
    started.write_text("raise SystemExit(9)")
    environ = {
        "PYTHONHOME": "/nonexistent", "PYTHONSTARTUP": str(started), "PYTHONINSPECT": "1",
        "PYTHONWARNINGS": "error", "PYTHONUTF8": "nonsense", "PYTHONSAFEPATH": "", "PYTHONUSERBASE": "/x",
    }  # fmt: skip
    done = installed.run("dejavu-run", "env", **environ)
    assert (done.returncode, _complaints(done)) == (0, [])
    assert environ.items() <= dict(line.split("=", 1) for line in done.stdout.splitlines()).items()
    assert installed.run("dejavu", "list", **environ).returncode == 0


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="the shell's word is all there is"
)
def test_the_agents_environment_is_the_same_byte_for_byte(
    installed: Installed, tmp_path: Path
) -> None:
    """Shells drop names they do not like and add some of their own."""
    environ = {
        b"HOME": os.fsencode(installed.home), b"PATH": b"/usr/bin:/bin", b"BASH_FUNC_x%%": b"() { :; }",
        b"a.b": b"1\n2", b"latin": b"\xff\xfe", b"empty": b"", b"DEJAVU_CAPTURE": b"off",
        b"LD_LIBRARY_PATH": b"", b"IFS": b"e/", b"PS4": b"x", b"before": b"3", b"python": b"/bin/false",
        b"name": b"x", b"word": b"y", b"value": b"1", b"started": b"z", b"large": b"x" * 50_000,
    }  # fmt: skip
    agent = tmp_path / "agent"
    agent.write_text(f"#!{sys.executable} -ES\nimport os\nprint(sorted(os.environb.items()))\n")
    agent.chmod(0o755)
    alone, wrapped = (
        subprocess.run([*words, str(agent)], env=environ, capture_output=True, timeout=60)
        for words in ([], [str(installed.bin / "dejavu-run")])
    )
    assert wrapped.stdout == alone.stdout
    assert wrapped.stderr == b""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["sh", "-c", "echo it; exit 3"], 3, "it\n"),
        (
            ["--name", "sh", "--size=80x24", "--screen", "--", "sh", "-c", "echo it; exit 3"],
            3,
            "it\n",
        ),
        (["--name=x", "nowhere-to-be-found"], 127, ""),
        (["--version"], 1, ""),
        ([], 1, ""),
        (["--detach", "sh", "-c", "echo it"], 1, ""),  # nobody would find it again
    ],
)
@pytest.mark.parametrize("fault", ["python is gone", "the package is gone"])
def test_without_dejavu_the_agent_runs_alone(
    installed: Installed, words: list[str], code: int, said: str, fault: str
) -> None:
    if fault == "python is gone":
        installed.entry_point("#!/nonexistent/python\n")
    else:
        python = "/usr/bin/python3"
        if not os.access(python, os.X_OK):
            pytest.skip("no other Python here")
        installed.entry_point(f"#!{python}\n")
    done = installed.run("dejavu-run", *words)
    assert (done.returncode, done.stdout) == (code, said)
    assert done.stderr
    if code == 3:
        assert done.stderr.count("\n") == 1
        assert "nothing is captured" in done.stderr
        again = installed.run("dejavu", "run", *words)
        assert (again.returncode, again.stdout) == (code, said)


def test_a_python_that_this_user_may_not_run_is_not_called_gone(
    installed: Installed, tmp_path: Path
) -> None:
    """Another user of the machine, for whom the folder of the install is closed."""
    closed = tmp_path / "python"
    closed.write_text("")
    closed.chmod(0o644)
    installed.entry_point(f"#!{closed}\n")
    done = installed.run("dejavu-run", "sh", "-c", "echo it; exit 3")
    assert (done.returncode, done.stdout) == (3, "it\n")
    assert done.stderr.endswith(
        f"this user may not run the Python it was installed with, {closed}\n"
    )
    assert "may not run" in installed.run("dejavu", "--version").stderr


@pytest.mark.parametrize("quote", ['"', "'"])
def test_an_interpreter_with_a_long_path_is_found(installed: Installed, quote: str) -> None:
    python = f"{quote}{sys.executable}{quote}"
    installed.entry_point(f"#!/bin/sh\n'''exec' {python} \"$0\" \"$@\"\n' '''\n")
    assert installed.run("dejavu", "--version").stdout.startswith("dejavu ")


def test_a_link_to_the_command_is_followed(installed: Installed, tmp_path: Path) -> None:
    link = tmp_path / "dejavu-run"
    link.symlink_to(installed.bin / "dejavu-run")
    again = tmp_path / "links" / "dejavu-run"
    again.parent.mkdir()
    again.symlink_to("../dejavu-run")
    done = installed.run("dejavu-run", "sh", "-c", "exit 6", name=str(again))
    assert (done.returncode, _complaints(done)) == (6, [])


def test_a_package_beside_the_commands_is_found(installed: Installed, tmp_path: Path) -> None:
    """As `pip install --target` leaves it, where it is found through PYTHONPATH."""
    python = "/usr/bin/python3"
    asked = [python, "-c", "import sys; print(sys.version_info[:2] >= (3, 11))"]
    if not os.access(python, os.X_OK) or b"True" not in subprocess.check_output(asked):
        pytest.skip("no other Python here that could run it")
    (installed.bin.parent / "dejavu").symlink_to(COMMANDS.parents[1] / "src" / "dejavu")
    installed.entry_point(f"#!{python}\n")
    assert installed.run("dejavu-run", "--version").stdout.startswith("dejavu-run")


def test_a_package_that_only_the_environment_names_is_found(installed: Installed) -> None:
    python = "/usr/bin/python3"
    asked = [python, "-c", "import sys; print(sys.version_info[:2] >= (3, 11))"]
    if not os.access(python, os.X_OK) or b"True" not in subprocess.check_output(asked):
        pytest.skip("no other Python here that could run it")
    installed.entry_point(f"#!{python}\n")
    source = str(COMMANDS.parents[1] / "src")
    assert installed.run("dejavu-run", "--version", PYTHONPATH=source).returncode == 0
