"""Drill: ten faults of the system x every command of the program x recordings of seven agents.

Rounds are drawn from that cross, none twice before all were seen; the summary says how many of its
cells that were. A home is made of an agent's own files (a real recording where the shared material
is there, or a made one), in half of them with an archive, and runs some commands, each under a fault.
Then the faults are gone, it is synced and looked at: every command ended with one of its exit codes
and without a traceback, nothing that had been archived is missing, everything is there once, and
the archive is whole. Faults that this system does not allow are counted.
"""

import compileall
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

import dejavu
from dejavu.archive import Archive
from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.model import NotFoundError

from .budget import Budget, Outcome
from .format_changes import homes_of
from .session_files import HOMES

AGENTS = ("claude", "codex", "kimi", "opencode", "gemini", "amp", "pi")
DEJAVU = [sys.executable, "-m", "dejavu.interfaces.cli"]
CODES = {0, 1, 2, 3, 4, 130, 141, -signal.SIGPIPE, -signal.SIGXFSZ}
"""Exit codes of the contract, and what the system itself does to a process under a limit."""
ENDED = {-signal.SIGTERM, 128 + signal.SIGTERM}
STARTING, STARTED = {"wire", "golden", "acp"}, {126, 127}
"""Commands that start a program of the user's, and what a shell says of one that cannot be."""
PATIENCE = 120.0  # seconds for one command on a slow machine


class Row(NamedTuple):
    """One way to call a command; an `endless` one is told to end (SIGTERM) after a while."""

    words: tuple[str, ...]
    given: str = ""
    endless: bool = False


_HOOK = '{"session_id": "s", "hook_event_name": "Stop", "prompt": "the pond"}'
# None writes into an agent's settings: without HOME they would be those of whoever runs the drill.
ROWS: dict[str, tuple[Row, ...]] = {
    "list": (Row(("--json",)), Row(())),
    "show": (Row(("last",)), Row(("last", "--oneline")), Row(("last", "--json", "--provenance"))),
    "search": (Row(("the",)), Row(("--exact", "the"))),
    "stats": (Row(("--json",)),),
    "export": (
        Row(("last", "--format", "html")), Row(("last", "--format", "otel")), Row(("--all", "-o", "OUT")),
        Row(("last", "--format", "agent-trace")),
    ),
    "code blame": (Row(("NOTHING",)), Row(("NOTHING:3", "--json"))),
    "code fix": (Row(("error: pond not found",)), Row(("-",), "fatal: no frog\n"), Row(("--json",))),
    "code how": (Row(("ls",)), Row(("ls", "--json"))),
    "code files": (Row(("the",)),),
    "code recover": (Row(("NOTHING", "--at", "2d")), Row(("NOTHING", "--at", "nothing#3"))),
    "code handoff": (Row(("last", "--to", "claude")), Row(("nothing", "--json"))),
    "code commit": (Row(()), Row(("HEAD", "--json"))),
    "sync": (Row(()), Row(("--final",)), Row(("--homes", "HOME"))),
    "import": (Row(("EXPORT",)), Row(("NOTHING",))),
    "ingest": (
        Row(("--agent", "claude", "-"), '{"type": "system", "session_id": "s"}\n'),
    ),
    "wire": (Row(("true",)), Row(("claude", "--", "--version"))),
    "otlp": (Row(("--port", "0"), endless=True),),
    "memory add": (Row(("the pond is deep",)),),
    "memory find": (Row(("the pond",)),),
    "memory list": (Row(()),),
    "memory confirm": (Row(("nothing",)),),
    "memory reject": (Row(("nothing",)),),
    "memory forget": (Row(("nothing",)),),
    "memory log": (Row(()),),
    "memory why": (Row(("last",)),),
    "status": (Row(("--json",)),),
    "panes": (Row(("--line", "--no-attach")),),
    "wait": (Row(("nothing", "--timeout", "0.1")),),
    "send": (Row(("nothing", "x")), Row(("nothing", "--key", "Escape")),
             Row(("nothing", "--interrupt"))),
    "run": (Row(("true",)), Row(("--detach", "true"))),
    "attach": (Row(("nothing",)),),
    "answer": (Row(("nothing", "1")),),
    "acp": (
        Row(("--tap", "--", "cat"), '{"jsonrpc": "2.0"}\n'), Row(("--tap", "--", "nothing")),
        Row(("nothing",)),
    ),
    "stop": (Row(("nothing",)),),
    "serve": (Row((), endless=True), Row(("--port", "0"), endless=True)),
    "archive verify": (Row(()), Row(("--repair",))),
    "archive backup": (Row(("BACKUP",)),),
    "archive restore": (Row(("BACKUP",)),),
    "archive migrate": (Row(("ARCHIVE", "BACKUP")), Row(("ARCHIVE", "BACKUP", "--replace", "--json"))),
    "archive reparse": (Row(()),),
    "archive prune": (
        Row(("--before", "1990-01-01", "--yes")), Row(("--before", "2100-01-01", "--dry-run")),
    ),
    "archive compact": (Row(()), Row(("--no-compact",)), Row(("--all", "--pack-after", "0"))),
    "secrets list": (Row(("--json",)),),
    "team": (Row(("status",)),),
    "secrets mask": (Row(()), Row(("--native", "--dry-run"))),
    "at": (Row(("2d",)), Row(("2d", "last", "--json"))),
    "desk": (Row(()), Row(("restore", "-y", "--json"))),
    "resume": (Row(("last", "--print")), Row(("nothing", "--print"))),
    "undelete": (Row(("last", "--dry-run")), Row(("nothing", "--dry-run", "--json"))),
    "star": (Row(("last",)), Row(("nothing", "--remove"))),
    "tag": (Row(("last", "bug")), Row(())),
    "rename": (Row(("last", "Mine")), Row(("last", "--reset"))),
    "delete": (Row(("nothing", "-y")), Row(("last", "--dry-run"))),
    "screen": (Row(("nothing",)),),
    "web": (Row(("--no-open",), endless=True),),
    "redact": (Row((), "the key is AKIAIOSFODNN7EXAMPLE"),),
    "init": (Row(("--dry-run",)), Row(("--upgrade", "--dry-run"))),
    "uninstall": (Row(("--dry-run",)),),
    "pick": (Row(()),),
    "shell-init": (Row(("bash", "--keys")), Row(("bash",)), Row(("--undo", "fish")), Row(("--list",))),
    "mcp": (Row(()), Row((), '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')),
    "hook": (
        Row(("capture", "--agent", "claude"), _HOOK), Row(("inject", "--agent", "claude"), _HOOK),
        Row(("guard", "--agent", "claude"), _HOOK), Row(("assist", "--agent", "claude"), _HOOK),
    ),
    "daemon": (Row(("--idle", "1")), Row(("--status",)), Row(("--stop",))),
    "doctor": (Row(("--json",)), Row(()), Row(("--agents",)), Row(("--agents", "--here"))),
    "replay": (Row(("NOTHING",)),),
    "explain": (Row(("NOTHING",)),),
    "packs": (Row(("learn", "claude")),),
    "capture-screen": (Row(("nothing", "pond", "--into", "OUT")),),
    "golden": (Row(("record", "--into", "OUT", "--", "true")),),
}  # fmt: skip
"""Ways to call each command of the program's own list; a command without any fails the drill."""

BREAK = """
import builtins, errno, io, os, random, time
_chance = random.Random(int(os.environ["DRILL_SEED"]))
_home, _kind = os.environ["DRILL_HOME"], os.environ["DRILL_KIND"]
if _kind == "clock":
    _time, _time_ns = time.time, time.time_ns
    time.time = lambda: _time() - 4e8
    time.time_ns = lambda: _time_ns() - 4 * 10**17
if _kind == "eio":
    _open, _os_open, _read = builtins.open, os.open, os.read
    def _fail(path):
        if isinstance(path, (str, bytes, os.PathLike)) and os.fsdecode(path).startswith(_home):
            if "/.local/" not in os.fsdecode(path)[len(_home):] and _chance.random() < 0.5:
                raise OSError(errno.EIO, os.strerror(errno.EIO), os.fsdecode(path))
    def open(path, *args, **kwargs):
        _fail(path)
        return _open(path, *args, **kwargs)
    def os_open(path, *args, **kwargs):
        _fail(path)
        return _os_open(path, *args, **kwargs)
    builtins.open, io.open, os.open = open, open, os_open
"""


def _limit(kind: int, value: int) -> Callable[[], None]:
    """What a child does before it becomes the command: set a limit of its own."""
    return lambda: resource.setrlimit(kind, (value, value))


@dataclass(frozen=True)
class Fault:
    """What is done to a command: limits, variables, code at its start, a mount, signals."""

    name: str
    before: Callable[[], None] | None = None
    environ: dict[str, str | None] = field(default_factory=dict)
    mount: str = ""
    stops: bool = False


FAULTS = (
    Fault("ENOSPC", mount="full"),
    Fault("EIO", environ={"DRILL_KIND": "eio"}),
    Fault("EROFS", mount="ro"),
    Fault("EMFILE", before=_limit(resource.RLIMIT_NOFILE, 14)),
    Fault("RLIMIT_AS", before=_limit(resource.RLIMIT_AS, 220 << 20)),
    Fault("RLIMIT_FSIZE", before=_limit(resource.RLIMIT_FSIZE, 8192)),
    Fault("SIGSTOP", stops=True),
    Fault("clock set back", environ={"DRILL_KIND": "clock"}),
    Fault("locale C", environ={"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    Fault("no HOME", environ={"HOME": None, "XDG_CONFIG_HOME": None}),
)  # fmt: skip


class Cell(NamedTuple):
    """What one round draws."""

    fault: Fault
    command: str
    agent: str

    def __hash__(self) -> int:
        """By name: a fault holds a dict."""
        return hash((self.fault.name, self.command, self.agent))


_A_HOME = 25  # commands in one home before it is looked at


class Place:
    """A throw-away home with an agent's files, and what was archived of them."""

    def __init__(self, root: Path, source: Path) -> None:
        self.home = root / "home"
        ignored = shutil.ignore_patterns("expected.txt", "hooks.jsonl")
        shutil.copytree(source, self.home, ignore=ignored)
        self.data = self.home / ".local" / "share" / "dejavu"
        self.environ = {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "PYTHONPATH": str(root),
            # A limit on the size of files would leave halves of modules in __pycache__.
            "PYTHONDONTWRITEBYTECODE": "1",
            "LANG": "C.UTF-8", "DRILL_HOME": str(self.home), "DRILL_SEED": "1", "DRILL_KIND": "",
            "DEJAVU_DATA_HOME": str(self.data), "DEJAVU_HOOK_LIMIT": "20",
            "DEJAVU_STATE_HOME": str(self.home / ".local/state/dejavu"),
        }  # fmt: skip
        (self.home / "export.json").write_text(
            '{"messages": [{"role": "user", "content": "how deep is the pond?"}, '
            '{"role": "assistant", "content": "two metres"}]}'
        )
        (root / "sitecustomize.py").write_text(BREAK, encoding="utf-8")

    def plain(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a command without a fault."""
        return subprocess.run(
            [*DEJAVU, *words], env=self.environ, capture_output=True, text=True, timeout=PATIENCE,
            cwd=self.home,
        )  # fmt: skip

    def turns(self) -> dict[str, int]:
        """Conversation -> number of turns: what is here was acknowledged."""
        try:
            with Archive.open(self.data / "archive", create=False, readonly=True) as archive:
                return {summary.id: summary.turn_count for summary in archive.scan()}
        except NotFoundError:
            return {}

    def faulty(self, fault: Fault, words: tuple[str, ...], row: Row, seed: int) -> tuple[int, str]:
        """Run a command under a fault: its exit code and what it said."""
        environ = {**self.environ, "DRILL_SEED": str(seed)}
        for name, value in fault.environ.items():
            if value is None:
                environ.pop(name, None)
            else:
                environ[name] = value
        command = [*DEJAVU, *words]
        if fault.mount:
            command = [
                "unshare",
                "-rm",
                "sh",
                "-c",
                _MOUNT[fault.mount],
                "sh",
                str(self.data),
                *command,
            ]
        process = subprocess.Popen(
            command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=self.home, preexec_fn=fault.before,
            start_new_session=True,
        )  # fmt: skip
        try:
            if fault.stops:
                for _ in range(3):
                    time.sleep(0.05 + (seed % 7) / 30)
                    if process.poll() is None:
                        process.send_signal(signal.SIGSTOP)
                        time.sleep(0.1)
                        process.send_signal(signal.SIGCONT)
            if row.endless:
                try:
                    process.wait(1 + (seed % 5) / 2)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGTERM)
            output, _ = process.communicate(row.given.encode(), timeout=PATIENCE)
        finally:
            with contextlib.suppress(ProcessLookupError):  # what it left running
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return process.returncode, output.decode("utf-8", "replace")


_MOUNT = {
    "full": 'd=$1; shift; t=$(mktemp -d); mount -t tmpfs -o size=1m tmpfs "$t" && cp -a "$d/." "$t"; '
    'mount --move "$t" "$d" || exit 99; "$@"; c=$?; exit $c',
    "ro": 'd=$1; shift; mount --bind "$d" "$d" && mount -o remount,bind,ro "$d" || exit 99; "$@"',
}  # fmt: skip


def _mounts_allowed() -> bool:
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0


def _compile() -> None:
    """Compile the program beforehand: under a limit on the size of files Python leaves halves.

    Processes that a command starts with `-I` do not hear of PYTHONDONTWRITEBYTECODE.
    """
    package = Path(dejavu.__file__).parent
    for folder in (package, *package.iterdir()):  # four of them are links, which are not followed
        if folder.is_dir():
            compileall.compile_dir(folder, quiet=2)


def drill(budget: Budget) -> Outcome:
    """Cells of fault x command x agent as they are drawn, none twice before all were seen."""
    outcome = Outcome("faults", unit="commands under a fault", counts={"not allowed here": 0})
    outcome.counts |= {"homes": 0, "real recordings": 0}
    for name in COMMANDS.keys() - ROWS.keys():
        outcome.fail(f"`dejavu {name}` is not drilled: give it a row in {__name__}.ROWS")
    _compile()
    allowed = _mounts_allowed()
    cells = [
        Cell(*cell) for cell in product(FAULTS, [name for name in COMMANDS if name in ROWS], AGENTS)
    ]
    runnable = [cell for cell in cells if allowed or not cell.fault.mount]
    outcome.counts["not allowed here"] = len(cells) - len(runnable)
    seen: set[Cell] = set()
    drawn: list[Cell] = []
    while not outcome.rounds or budget.more():
        drawn = drawn or budget.random.sample(runnable, len(runnable))
        agent = drawn[-1].agent
        here = [cell for cell in drawn if cell.agent == agent][-_A_HOME:]
        outcome.counts["homes"] += 1
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            done = _one_home(outcome, budget, Path(scratch), here)
        seen.update(done)
        drawn = [cell for cell in drawn if cell not in set(here)]
        if len(done) < len(here):
            break
    outcome.note = f"{len(seen):,} of {len(cells):,} cells of fault x command x agent"
    return outcome


def _one_home(outcome: Outcome, budget: Budget, root: Path, cells: list[Cell]) -> list[Cell]:
    """Run the cells of one agent in one home, look at it, and return those that were run."""
    agent = cells[0].agent
    source = budget.random.choice(homes_of(agent))
    outcome.counts["real recordings"] += source.parent != HOMES
    place = Place(root, source)
    if budget.random.random() < 0.5:  # with an archive, or on the first day
        place.plain("sync")
    else:
        place.data.mkdir(parents=True)
    done: list[Cell] = []
    for cell in cells:
        if done and not budget.more():
            break
        row = budget.random.choice(ROWS[cell.command])
        _one_command(outcome, place, cell, row, budget.random.randrange(1000))
        outcome.rounds += 1
        done.append(cell)
    what = f"{agent}, {', '.join(f'{cell.command} under {cell.fault.name}' for cell in done)}"
    place.plain("daemon", "--stop")  # a hook starts it, in a session of its own
    first = place.plain("sync")
    whole = place.turns()
    again = place.plain("sync")
    if first.returncode or again.returncode or not whole:
        outcome.fail(f"{what}: the sync afterwards: {first.stderr[-200:]!r}")
    if place.turns() != whole:
        outcome.fail(f"{what}: a second sync changed the turns")
    verified = place.plain("verify")
    if verified.returncode:
        outcome.fail(f"{what}: verify: {(verified.stdout + verified.stderr)[-200:]!r}")
    return done


def _one_command(outcome: Outcome, place: Place, cell: Cell, row: Row, seed: int) -> None:
    before = place.turns()
    paths = {
        "ARCHIVE": place.data / "archive", "BACKUP": place.home / f"backup-{seed}", "OUT": place.home / "out",
        "HOME": place.home, "NOTHING": place.home / "nothing", "EXPORT": place.home / "export.json",
    }  # fmt: skip
    words = (*cell.command.split(), *(str(paths.get(word, word)) for word in row.words))
    what = f"{cell.fault.name}, {cell.agent}, `dejavu {' '.join(words)}`, seed {seed}"
    codes = (
        CODES | (ENDED if row.endless else set()) | (STARTED if cell.command in STARTING else set())
    )
    try:
        code, output = place.faulty(cell.fault, words, row, seed)
    except subprocess.TimeoutExpired:
        outcome.fail(f"{what}: not done in {PATIENCE:g} s")
        return
    if code not in codes or "Traceback" in output or (words[0] == "hook" and code):
        outcome.fail(f"{what}: exit code {code}: {output.strip()[-300:]!r}")
    after = place.turns()
    if any(after.get(name, 0) < count for name, count in before.items()):
        outcome.fail(f"{what}: something archived is missing")
