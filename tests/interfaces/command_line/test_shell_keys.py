"""The shell key in real shells on a real terminal, with a program in the place of the picker."""

import os
import select
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import ptyprocess
import pytest

from dejavu.interfaces.command_line.shell_keys import binding, parse_key, unbinding
from dejavu.model import InvalidValueError

SHELLS = [
    pytest.param(shell, marks=pytest.mark.skipif(not shutil.which(shell), reason=f"needs {shell}"))
    for shell in ("bash", "zsh", "fish")
]
START = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}
each_shell = pytest.mark.parametrize("shell", SHELLS)
PRESSED = {"alt-j": "\x1bj", "ctrl-r": "\x12"}


class Typed:
    """A shell on a terminal: what is typed, and what is shown."""

    def __init__(self, shell: str, folder: Path) -> None:
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "xterm", "PS1": "$ ",
            "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder),
        }  # fmt: skip
        words = [shutil.which(shell) or shell, *START[shell], "-i"]
        self.process = ptyprocess.PtyProcess.spawn(words, env=environment, dimensions=(24, 200))
        self.fd = int(self.process.fd)
        self.shown = b""
        self.said = ""

    def type(self, text: str) -> None:
        self.process.write(text.encode())

    def until(self, wanted: str, seconds: float = 20) -> str:
        end = time.monotonic() + seconds
        while wanted.encode() not in self.shown:
            if time.monotonic() > end:
                raise AssertionError(f"{wanted!r} never came: {self.shown!r}")
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    break
                self.shown += data
                if b"\x1b[c" in data or b"\x1b[0c" in data:  # fish asks what terminal this is
                    self.type("\x1b[?1;2c")
        before, _, rest = self.shown.partition(wanted.encode())
        self.shown = rest
        return before.decode(errors="replace")

    def close(self) -> None:
        self.process.terminate(force=True)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """What stands in the place of `dejavu`; its path must survive quoting."""
    path = tmp_path / "it's a b" / "dejavu"
    path.parent.mkdir()
    path.write_text('#!/bin/sh\n[ "$1" = pick ] && [ -t 0 ] && echo "echo cho""sen-$((40+2))"\n')
    path.chmod(0o700)
    return path


@pytest.fixture
def sourced(program: Path, tmp_path: Path) -> Iterator[Callable[..., Typed]]:
    """A shell that ran some lines, then those that bind a key."""
    shells: list[Typed] = []

    def start(shell: str, key: str, *before: str, force: bool = False, undo: bool = False) -> Typed:
        lines = [*before, *binding(shell, parse_key(key), str(program), force=force)]
        if undo:
            lines += unbinding(shell, parse_key(key))
        script = tmp_path / "keys"
        script.write_text("\n".join([*lines, "echo sett''led"]) + "\n")
        typed = Typed(shell, tmp_path)
        shells.append(typed)
        typed.type(f" . {script}\r")
        typed.said = typed.until("settled")
        time.sleep(0.3)
        return typed

    yield start
    for typed in shells:
        typed.close()


@each_shell
@pytest.mark.parametrize("key", ["alt-j", "ctrl-r"])
def test_the_choice_comes_to_the_command_line(
    shell: str, key: str, sourced: Callable[..., Typed]
) -> None:
    typed = sourced(shell, key)
    assert "bound already" not in typed.said
    typed.type(PRESSED[key])
    typed.until("chosen-42")
    typed.type("\r")
    typed.until("chosen-42")  # the line ran


_OWN = {
    "bash": "mine() { :; }; bind -x '\"\\ej\": mine'",
    "zsh": "mine() { : }; zle -N mine; bindkey '^[j' mine",
    "fish": "function mine; end; bind \\ej mine",
}


@each_shell
def test_a_key_of_the_users_own_stays(shell: str, sourced: Callable[..., Typed]) -> None:
    typed = sourced(shell, "alt-j", _OWN[shell])
    assert "dejavu: Alt-J is bound already" in typed.said
    typed.type(PRESSED["alt-j"])
    time.sleep(1)
    typed.type("\recho e''nd\r")
    assert "chosen" not in typed.until("end")


@each_shell
def test_force_takes_it(shell: str, sourced: Callable[..., Typed]) -> None:
    typed = sourced(shell, "alt-j", _OWN[shell], force=True)
    assert "bound already" not in typed.said
    typed.type(PRESSED["alt-j"])
    typed.until("chosen-42")


@each_shell
def test_undone_it_is_no_key(shell: str, sourced: Callable[..., Typed]) -> None:
    typed = sourced(shell, "alt-j", undo=True)
    typed.type(PRESSED["alt-j"])
    time.sleep(1)
    typed.type("\recho e''nd\r")
    assert "chosen" not in typed.until("end")


@pytest.mark.parametrize("key", ["", "j", "ctrl-c", "ctrl-m", "alt-jj", "super-j", "alt-;"])
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(InvalidValueError):
        parse_key(key)
