"""The functions in real shells, with a program in the place of the agent."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SHELLS = [
    pytest.param(shell, marks=pytest.mark.skipif(not shutil.which(shell), reason=f"needs {shell}"))
    for shell in ("bash", "zsh", "fish")
]
START = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}
each_shell = pytest.mark.parametrize("shell", SHELLS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Programs on the PATH: an agent, a wrapper that says what it was given, and dejavu.

    The folder's name must survive quoting.
    """
    folder = tmp_path / 'it\'s "$HOME" a\\b'
    folder.mkdir()
    _program(folder / "claude", 'printf "agent:"; printf " <%s>" "$@"; echo')
    _program(folder / "dejavu-run", 'printf "wrapped:"; printf " <%s>" "$@"; echo')
    _program(folder / "dejavu", f'exec "{sys.executable}" "{tmp_path}/dejavu" "$@"')
    main = "import sys; from dejavu.interfaces.cli import main; main()"
    (tmp_path / "dejavu").write_text(
        f"import sys; sys.argv[0] = {str(folder / 'dejavu')!r}\n{main}"
    )
    return folder


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)


def _run(
    shell: str, folder: Path, text: str, *, interactive: bool = True, **more: str
) -> list[str]:
    environment = {
        "PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb", **more,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }  # fmt: skip
    done = subprocess.run(
        [shell, *START[shell], *["-i"] * interactive, "-c", text],
        env=environment, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
        start_new_session=True, # an interactive bash would take the terminal of the tests
    )  # fmt: skip
    assert "rror" not in done.stderr, done.stderr
    return done.stdout.splitlines()


def _evaluated(shell: str, *words: str) -> str:
    line = f"dejavu shell-init {' '.join(words)} {shell}"
    return f"{line} | source" if shell == "fish" else f'eval "$({line})"'


@each_shell
def test_the_agent_is_wrapped_and_words_stay_whole_until_it_is_undone(
    shell: str, folder: Path
) -> None:
    lines = [
        _evaluated(shell), _evaluated(shell), "claude 'a  b' '$x' '*' ''", "command claude 1",
        _evaluated(shell, "--undo"), _evaluated(shell, "--undo"), "claude 2",
    ]  # fmt: skip
    assert _run(shell, folder, "\n".join(lines)) == [
        "wrapped: <--> <claude> <a  b> <$x> <*> <>", "agent: <1>", "agent: <2>",
    ]  # fmt: skip


@each_shell
def test_nothing_is_wrapped_twice_where_capture_is_off_or_in_a_script(
    shell: str, folder: Path
) -> None:
    text = f"{_evaluated(shell)}\nclaude 1"
    assert _run(shell, folder, text, DEJAVU_SESSION="s") == ["agent: <1>"]
    assert _run(shell, folder, text, DEJAVU_CAPTURE="off") == ["agent: <1>"]
    assert _run(shell, folder, text, interactive=False) == ["agent: <1>"]
    gone = f'{_evaluated(shell)}\nrm "$PATHOF"/dejavu-run\nclaude 1'
    assert _run(shell, folder, gone, PATHOF=str(folder)) == ["agent: <1>"]


@each_shell
def test_an_alias_keeps_its_options_and_a_function_of_the_user_stays(
    shell: str, folder: Path
) -> None:
    alias = "alias claude='claude --model opus'"
    if shell != "fish":  # where an alias is a function
        prefix = "shopt -s expand_aliases\n" if shell == "bash" else ""
        text = f"{prefix}{alias}\n{_evaluated(shell)}\neval 'claude 1'"
        assert _run(shell, folder, text) == ["wrapped: <--> <claude> <--model> <opus> <1>"]
    own = "function claude; echo mine; end" if shell == "fish" else "claude() { echo mine; }"
    text = "\n".join([own, _evaluated(shell), _evaluated(shell, "--undo"), "claude 1"])
    assert _run(shell, folder, text) == ["mine"]


def test_names_that_other_programs_have_need_the_agents_own_trace(folder: Path) -> None:
    _program(folder / "goose", "true")
    assert _run("bash", folder, "dejavu shell-init --list") == ["claude"]
    sessions = folder / ".local" / "share" / "goose" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "sessions.db").write_bytes(b"x")
    assert _run("bash", folder, "dejavu shell-init --list") == ["claude", "goose"]
    assert _run("bash", folder, "dejavu shell-init --list --agents codex,q") == ["codex", "q"]


def test_what_is_no_shell_and_no_agent_is_refused(folder: Path) -> None:
    for words in ("tcsh", "bash --agents 'claude;id'", "bash --agents cluade"):
        assert _run("bash", folder, f"dejavu shell-init {words} 2>/dev/null; echo $?") == ["2"]
