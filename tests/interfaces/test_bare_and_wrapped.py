"""`dejavu-run AGENT` against the agent alone: the same in a real terminal, kind by kind.

A kind is a row of `CASES`. What the bare run shows is the truth; nothing here says what it should be,
but for a word that proves that the case happened.
"""

# ruff: noqa: E501 - a row a kind

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.bare_and_wrapped import Case, Terminal, shown

pytestmark = pytest.mark.skipif(
    not Path("/bin/bash").exists(), reason="bash is the shell of the cases"
)


def sees(text: str) -> Callable[[Terminal], None]:
    return lambda terminal: void(terminal.read_until(text.encode()))


def types(data: bytes) -> Callable[[Terminal], None]:
    return lambda terminal: terminal.type(data)


def sizes(columns: int, lines: int) -> Callable[[Terminal], None]:
    return lambda terminal: terminal.resize(columns, lines)


def rests(seconds: float) -> Callable[[Terminal], None]:
    return lambda _terminal: time.sleep(seconds)


def void(_value: object) -> None:
    """For a step, which gives nothing."""


def state(*names: str) -> Callable[[Path], None]:
    """FIFOs in place of our files, and a folder where a name ends in `/`."""

    def prepare(home: Path) -> None:
        for name in names:
            path = home / name.rstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir() if name.endswith("/") else os.mkfifo(path)

    return prepare


def modules(**texts: str) -> Callable[[Path], None]:
    def prepare(home: Path) -> None:
        for name, text in texts.items():
            path = home / "theirs" / (name + ".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    return prepare


LOG, CONFIG = ".local/state/dejavu/observer.log", ".config/dejavu/config.toml"
CASES = [
    *(Case(f"exit {code}", (f"RUN sh -c 'echo it; exit {code}'; echo rc=$?",), f"rc={code}")
      for code in (0, 7, 126, 127, 130, 143, 255)),
    *(Case(f"signal {name}", (f"RUN sh -c 'kill -{name} $$'",), f"={128 + number}")
      for name, number in (("INT", 2), ("TERM", 15), ("KILL", 9), ("HUP", 1), ("USR1", 10), ("PIPE", 13))),
    Case("a handled ^C", ("RUN bash -c 'trap \"echo got it; exit 4\" INT; echo ready; while :; do sleep .1; done'; echo rc=$?",
                          sees("ready"), types(b"\x03")), "rc=4"),
    Case("^C ends a shell's loop", ("while :; do RUN sh -c 'echo ready; sleep 9'; done", sees("ready"), types(b"\x03")), "ready"),
    Case("^C ends a script's loop", ("sh -c 'while :; do RUN sh -c \"echo ready; exec sleep 9\"; done'",
                                     sees("ready"), types(b"\x03")), "=130"),
    Case("^C reaches a script's trap", ("bash -c 'trap \"echo caught\" INT; RUN sh -c \"echo ready; exec sleep 9\"; echo after'",
                                        sees("ready"), types(b"\x03"), sees("after")), "caught"),
    Case("^\\", ("RUN sh -c 'echo ready; ulimit -c 0; exec sleep 9'; echo rc=$?", sees("ready"), types(b"\x1c")), "rc=131"),
    Case("^Z and fg", ("RUN sh -c 'echo ready; read x; echo got $x'", sees("ready"), rests(.5), types(b"\x1a"), sees("Stopped"),
                       "fg >/dev/null; echo rc=$?", rests(1), "word", sees("got word")), "rc=0"),
    Case("^Z and bg", ("RUN sh -c 'echo ready; sleep 2; echo late'", sees("ready"), rests(.5), types(b"\x1a"), sees("Stopped"),
                       "bg >/dev/null", sees("late"), "wait; echo rc=$?"), "rc=0"),
    Case("background", ("RUN sh -c 'sleep .5; echo from behind; exit 3' & wait $!; echo rc=$?", sees("rc=")), "from behind"),
    Case("background and fg", ("RUN sh -c 'sleep 2; read x; echo got $x' &", rests(.5), "fg >/dev/null; echo rc=$?",
                               rests(3), "word", sees("got word")), "rc=0"),
    Case("the size", ("RUN sh -c 'stty size; echo ready; read x; stty size'", sees("ready"), sizes(77, 33), rests(.5), "go"), "33 77"),
    Case("the terminal's modes", ("stty -ixon intr ^G; RUN stty -a; stty sane -echo",), "intr = ^G"),
    Case("the environment", ("RUN env | grep -v -e ^DEJAVU_SESSION -e ^_= -e ^SHLVL | sort",), "ODD=a b"),
    Case("arguments", ("RUN printf '<%s>' a '' 'b c' $'\\n' '*' --screen --; echo",), "<b c>"),
    Case("the end of stdin", ("RUN cat; echo rc=$?", "one", sees("one"), types(b"\x04")), "rc=0"),
    Case("stdin from a pipe", ("printf 'a\\nb' | RUN wc -c; echo rc=$?",), "3"),
    Case("stdout to a pipe", ("RUN sh -c 'test -t 1; echo tty=$?' | cat",), "tty=1"),
    Case("closed descriptors", ("RUN sh -c 'echo fine' <&-; RUN sh -c 'echo fine >&2' >&-",), "fine"),
    Case("a reader that goes", ("RUN sh -c 'yes' | head -1; echo ${PIPESTATUS[0]}",), "141"),
    Case("a child that outlives the agent", ("RUN sh -c '(sleep 5; echo late) & echo early'; echo rc=$?", sees("late")), "late"),
    Case("a child that outlives it in a pipe", ("x=$(RUN sh -c '(sleep 5; echo late) & echo early'); echo $x",), "early late"),
    # 33.W1, 33.W3, 33.W4
    Case("a closed stdout", ("(RUN sh -c 'echo x; echo $? >&2' >&-) 2>&1; echo rc=$?",), "rc=0"),
    Case("the signals that are ignored", ("RUN grep SigIgn /proc/self/status | cut -c1-17; echo rc=$?",), "rc=0"),
    Case("not executable", ("RUN /etc/passwd 2>/dev/null; echo rc=$?",), "rc=126"),
    Case("a folder", ("RUN /etc 2>/dev/null; echo rc=$?",), "rc=126"),
    Case("not found", ("RUN nowhere-to-be-found 2>/dev/null; echo rc=$?",), "rc=127"),
    *(Case(f"{', '.join(names)} in the place of files", ("RUN sh -c 'echo fine; exit 3'; echo rc=$?",), "rc=3", state(*names))
      for names in ((LOG,), (CONFIG,), (CONFIG + "/",), (LOG + "/",), (LOG, CONFIG, ".claude/settings.json"),
                    (".local/state/dejavu",), (".local/share/dejavu",))),
    Case("a query for program status where config.toml is a pipe", (
        "RUN sh -c 'printf \"\\033]7501;?\\033\\\\\"; echo fine; exit 3'; echo rc=$?",), "rc=3", state(CONFIG)),
    Case("few descriptors", ("(ulimit -n 8; RUN /bin/echo fine; echo rc=$?)",), "rc=0"),
    Case("a full file system", ("RUN sh -c 'echo x; exit 2' >/dev/full 2>/dev/null; echo rc=$?",), "rc=2"),
    Case("modules of others", ("PYTHONPATH=$HOME/theirs RUN sh -c 'echo $PYTHONPATH; exit 3'; echo rc=$?",), "rc=3",
         modules(enum="import nowhere", argparse="raise SystemExit(9)", msgpack="version = 0", dejavu="x")),
    Case("another PYTHONHOME", ("PYTHONHOME=/nonexistent RUN sh -c 'echo $PYTHONHOME; exit 3'; echo rc=$?",), "rc=3"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_wrapped_run_shows_what_the_bare_one_shows(case: Case, tmp_path: Path) -> None:
    bare = shown(case, tmp_path / "a", wrapped=False).replace(str(tmp_path / "a"), "HOME")
    assert case.shows in bare
    assert shown(case, tmp_path / "b", wrapped=True).replace(str(tmp_path / "b"), "HOME") == bare
