"""What happens to a session when a vector fails in its middle: it goes on, and the next carries.

A stand-in for Claude Code that writes its session file and calls hooks runs inside the wrapper;
after half of it something breaks. Afterwards everything is in the archive once, and the doctor
names what broke. For the other agents: their recorded hooks, and no file of their own at all.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.interfaces.doctor import run_checks
from dejavu.model import NotFoundError, Role, Text, conversation_id
from dejavu.providers import HOOKS
from dejavu.services.daemon import instance_lock as single
from dejavu.services.daemon.daemon import session_key
from dejavu.services.daemon.hook_ingest import HookIngestor, parse_events
from dejavu.services.daemon.session_log_scheduler import SessionLogScheduler
from dejavu.services.daemon.spool import SpoolEntry

SESSION = "0d1c6f6e-0000-4000-8000-00000000000a"
ID = conversation_id("claude", "local", SESSION)
DATA = Path(__file__).resolve().parents[1] / "factories" / "data" / "hooks"
AGENT = r"""
import json, os, resource, shutil, signal, subprocess, sys, time
from pathlib import Path
fault, session, python = sys.argv[1:]
home = Path.home()
file = home / ".claude/projects/-work-x" / (session + ".jsonl")
hooks = home / ".local/state/dejavu/hooks"
broken = False
def hook(event, **fields):
    told = {"session_id": session, "transcript_path": str(file), "cwd": os.getcwd(),
            "hook_event_name": event, **fields}
    full = broken and fault == "disk full"
    limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))) if full else None
    done = subprocess.run([python, "-m", "dejavu.interfaces.cli", "hook", "capture"],
                          input=json.dumps(told).encode(), preexec_fn=limit)
    assert done.returncode == 0
def write(kind, text, number):
    if broken and fault in ("deleted", "unreadable"):
        return
    content = text if kind == "user" else [{"type": "text", "text": text}]
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    row = {"type": kind, "uuid": f"{kind}-{number}", "sessionId": session, "cwd": os.getcwd(),
           "timestamp": at, "message": {"id": f"m{number}", "role": kind, "content": content}}
    if broken and fault == "format changed":
        row = {"kind": "turn." + kind, "body": row["message"]}
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as out:
        out.write(json.dumps(row) + "\n")
def wait(what):
    end = time.monotonic() + 30
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
def breaks():
    if fault in ("deleted", "unreadable"):
        shutil.rmtree(home / ".claude/projects")
    if fault == "unreadable":
        file.mkdir(parents=True)
    if fault == "daemon killed":
        wait(lambda: (hooks / "socket").exists())
        os.kill(int((hooks / "lock").read_text()), signal.SIGKILL)
    if fault == "socket gone":
        wait(lambda: (hooks / "socket").exists())
        (hooks / "socket").unlink()
    if fault == "disk full":
        wait(lambda: (hooks / "socket").exists())
for number in range(4):
    hook("UserPromptSubmit", prompt=f"Question {number}?")
    write("user", f"Question {number}?", number)
    write("assistant", f"Answer {number}.", number)
    hook("Stop", last_assistant_message=f"Answer {number}.")
    print("said", number, flush=True)
    if number == 1:
        time.sleep(1.5)
        breaks()
        broken = True
sys.exit(7)
"""
FAULTS = {
    "deleted": "claude native",
    "unreadable": "claude native",
    "format changed": "claude format",
    "daemon killed": "",
    "socket gone": "",
    "disk full": "",
}


@pytest.fixture
def away(home: Path) -> Iterator[Path]:
    """A home whose daemon is told to leave at the end."""
    yield home
    assert single.stop(30)


def texts() -> list[str]:
    try:
        with open_archive() as archive:
            said = (Role.USER, Role.ASSISTANT)  # beside what is kept of types that are not known
            return [turn.text for turn in archive.get(ID).turns if turn.role in said]
    except NotFoundError:
        return []


def named() -> dict[str, str]:
    return {
        finding.subject: finding.message for finding in run_checks() if finding.severity != "ok"
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_the_session_goes_on_and_nothing_is_lost_or_doubled(fault: str, away: Path) -> None:
    program = away / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{AGENT}")
    program.chmod(0o700)
    project = away / "project"
    project.mkdir()
    wrapped = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--size", "80x24"]
    done = subprocess.run(
        [*wrapped, "--", str(program), fault, SESSION, sys.executable],
        cwd=project, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    assert done.returncode == 7, done.stderr
    wanted = [text for n in range(4) for text in (f"Question {n}?", f"Answer {n}.")]
    cause = FAULTS[fault]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (texts() != wanted or (cause and cause not in named())):
        time.sleep(0.2)
    assert texts() == wanted
    with open_archive() as archive:
        mains = [summary for summary in archive.scan() if summary.parent is None]
        assert [summary.id for summary in mains] == [ID]
        assert archive.maintenance.verify().clean
    if cause:
        assert cause in named()


@pytest.mark.parametrize("agent", sorted(HOOKS))
def test_without_any_file_of_the_agents_own_its_hooks_carry(
    agent: str, home: Path, tmp_path: Path
) -> None:
    rows = [json.loads(row) for row in (DATA / f"{agent}.jsonl").read_bytes().splitlines()]
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        intake, pivot = HookIngestor(archive), SessionLogScheduler()
        for row in rows:
            letter = SpoolEntry(agent, row["t"], None, None, json.dumps(row["payload"]).encode())
            for event in parse_events(letter):
                if key := session_key(event):
                    taken = intake.ingest(*key, [event])
                    status = HOOKS[agent].status_of(event.payload)
                    pivot.on_hook(taken, None, status, over=False, at=row["t"])
        while pivot.due is not None:
            pivot.tick(archive, pivot.due)
        (summary,) = [summary for summary in archive.scan() if summary.parent is None]
        asked = [turn for turn in archive.get(summary.id).turns if turn.role is Role.USER]
        assert asked
        assert all(isinstance(part, Text) for part in asked[0].parts)
    assert f"{agent} native" in named()
