"""Drill: ten faults of the system, under every command, over recordings of seven agents.

Each round makes a home with an agent's own files (a real recording where the shared material is
there, or a made one) and, in half of them, an archive of it, runs one command under one fault, takes
the fault away, syncs, and looks: the command ended with one of its exit codes and without a
traceback, nothing that had been archived is missing, everything is there once after the sync, and
the archive is whole. Faults that this system does not allow are counted as skipped.
"""

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
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import NotFoundError

from .budget import Budget, Outcome
from .format_changes import homes_of
from .session_files import HOMES

AGENTS = ("claude", "codex", "kimi", "opencode", "gemini", "amp", "pi")
DEJAVU = [sys.executable, "-m", "dejavu.interfaces.cli"]
CODES = {0, 1, 2, 3, 4, 130, 141, -signal.SIGPIPE, -signal.SIGXFSZ}
"""Exit codes of the contract, and what the system itself does to a process under a limit."""
PATIENCE = 120.0  # seconds for one command on a slow machine
COMMANDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("sync",), ""), (("sync", "--final"), ""), (("list", "--json"), ""), (("show", "last"), ""),
    (("search", "the"), ""), (("search", "--exact", "the"), ""), (("timeline", "last"), ""),
    (("export", "last", "--format", "html"), ""), (("export", "last", "--format", "otel"), ""),
    (("stats", "--json"), ""), (("status", "--json"), ""), (("recall", "the pond"), ""),
    (("remember", "the pond is deep"), ""), (("memories",), ""), (("doctor", "--json"), ""),
    (("verify",), ""), (("gc",), ""), (("reparse",), ""), (("backup", "BACKUP"), ""),
    (("list",), ""), (("export", "--all", "-o", "OUT"), ""), (("gc", "--compact"), ""),
    (("verify", "--repair"), ""), (("restore", "BACKUP"), ""), (("rescue", "HOME"), ""),
    (("prune", "--before", "1990-01-01", "--yes"), ""), (("forget", "nothing"), ""),
    (("prune", "--before", "2100-01-01", "--dry-run"), ""), (("confirm", "nothing"), ""),
    (("reject", "nothing"), ""), (("recall-log",), ""), (("rationale", "last"), ""),
    (("wait", "nothing", "--timeout", "0.1"), ""), (("send", "nothing", "x"), ""), (("mcp",), ""),
    (("init", "--dry-run"), ""), (("uninstall", "--dry-run"), ""), (("replay", "NOTHING"), ""),
    (("explain", "NOTHING"), ""), (("secrets", "--json"), ""), (("redact",), "the key is AKIAIOSFODNN7EXAMPLE"),
    (("ingest", "--agent", "claude", "-"), '{"type": "system", "session_id": "s"}\n'),
    (("hook", "capture", "--agent", "claude"), '{"session_id": "s", "hook_event_name": "Stop"}'),
    (("hook", "inject", "--agent", "claude"), '{"session_id": "s", "prompt": "the pond"}'),
)  # fmt: skip

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

    def faulty(
        self, fault: Fault, words: tuple[str, ...], given: str, seed: int
    ) -> tuple[int, str]:
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
        )  # fmt: skip
        if fault.stops:
            for _ in range(3):
                time.sleep(0.05 + (seed % 7) / 30)
                if process.poll() is None:
                    process.send_signal(signal.SIGSTOP)
                    time.sleep(0.1)
                    process.send_signal(signal.SIGCONT)
        output, _ = process.communicate(given.encode(), timeout=PATIENCE)
        return process.returncode, output.decode("utf-8", "replace")


_MOUNT = {
    "full": 'd=$1; shift; t=$(mktemp -d); mount -t tmpfs -o size=1m tmpfs "$t" && cp -a "$d/." "$t"; '
    'mount --move "$t" "$d" || exit 99; "$@"; c=$?; exit $c',
    "ro": 'd=$1; shift; mount --bind "$d" "$d" && mount -o remount,bind,ro "$d" || exit 99; "$@"',
}  # fmt: skip


def _mounts_allowed() -> bool:
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0


def drill(budget: Budget) -> Outcome:
    """Every fault under every command for every agent, in an order of the seed's."""
    outcome = Outcome("faults", unit="commands under a fault", counts={"not allowed here": 0})
    outcome.counts |= {"homes": 0, "real recordings": 0}
    pairs = [(fault, agent) for fault in FAULTS for agent in AGENTS]
    budget.random.shuffle(pairs)
    allowed = _mounts_allowed()
    for fault, agent in pairs:
        if fault.mount and not allowed:
            outcome.counts["not allowed here"] += len(COMMANDS)
            continue
        outcome.counts["homes"] += 1
        with tempfile.TemporaryDirectory() as scratch:
            if not _one_home(outcome, budget, Path(scratch), fault, agent):
                break
    return outcome


def _one_home(outcome: Outcome, budget: Budget, root: Path, fault: Fault, agent: str) -> bool:
    """All commands under one fault in one home; False once the budget is spent."""
    source = budget.random.choice(homes_of(agent))
    outcome.counts["real recordings"] += source.parent != HOMES
    place = Place(root, source)
    what = f"{fault.name}, {agent}"
    if budget.random.random() < 0.5:  # with an archive, or on the first day
        place.plain("sync")
    else:
        place.data.mkdir(parents=True)
    commands = list(COMMANDS)
    budget.random.shuffle(commands)
    for words, given in commands:
        if not budget.more():
            return False
        _one_command(outcome, place, fault, words, given, budget.random.randrange(1000), what)
        outcome.rounds += 1
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
    return True


def _one_command(
    outcome: Outcome,
    place: Place,
    fault: Fault,
    words: tuple[str, ...],
    given: str,
    seed: int,
    what: str,
) -> None:
    before = place.turns()
    what = f"{what}, `dejavu {' '.join(words)}`, seed {seed}"
    paths = {
        "BACKUP": place.home / f"backup-{seed}", "OUT": place.home / "out",
        "HOME": place.home, "NOTHING": place.home / "nothing",
    }  # fmt: skip
    words = tuple(str(paths.get(word, word)) for word in words)
    try:
        code, output = place.faulty(fault, words, given, seed)
    except subprocess.TimeoutExpired:
        outcome.fail(f"{what}: not done in {PATIENCE:g} s")
        return
    if code not in CODES or "Traceback" in output or (words[0] == "hook" and code):
        outcome.fail(f"{what}: exit code {code}: {output.strip()[-300:]!r}")
    after = place.turns()
    if any(after.get(name, 0) < count for name, count in before.items()):
        outcome.fail(f"{what}: something archived is missing")
