"""Wrapped sessions whose observers are forked by a server of this home, and looks at both."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import NotFoundError
from dejavu.sessions import observer_address, session_store

Session = subprocess.Popen[bytes]
LINES = 30
AGENT = """
import sys, time
name, pause = sys.argv[1], float(sys.argv[2])
box = chr(0x2500) * 60 + "\\r\\n\\u276f \\r\\n" + chr(0x2500) * 60 + "\\r\\n  ? for shortcuts"
sys.stdout.write(f"\\u276f {name}?\\r\\n\\r\\n\\u25cf Because of {name}.\\r\\n\\r\\n")
for number in range(30):
    sys.stdout.write(f"  line {number}\\r\\n"); sys.stdout.flush(); time.sleep(pause / 30)
sys.stdout.write("\\r\\n" + box); sys.stdout.flush()
"""


def expected(name: str) -> bytes:
    """What the agent writes, through a terminal that adds nothing."""
    box = "─" * 60 + "\r\n❯ \r\n" + "─" * 60 + "\r\n  ? for shortcuts"
    lines = "".join(f"  line {number}\r\n" for number in range(LINES))
    text = f"❯ {name}?\r\n\r\n● Because of {name}.\r\n\r\n{lines}\r\n{box}"
    return text.replace("\n", "\r\n").replace("\r\r", "\r\r").encode()


def server_pid() -> int | None:
    """The server of this home and kind, if one ever ran."""
    path, _ = observer_address.address()
    with suppress(OSError, ValueError):
        pid = int(Path(f"{path}.lock").read_text())
        return pid if (Path(f"/proc/{pid}/comm").read_text() == "dejavu-observer\n") else None
    return None


def wait_for_server() -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        pid = server_pid()
        if pid is not None and Path(observer_address.address()[0]).exists():
            return pid
        time.sleep(0.05)
    raise AssertionError("no server came")


def start(name: str, pause: float = 0.0, **environment: str) -> Session:
    return subprocess.Popen(
        [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--screen", "--agent", "demo",
         "--name", name, "--", sys.executable, "-c", AGENT, name, str(pause)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )  # fmt: skip


def end(process: Session) -> bytes:
    output, _ = process.communicate(timeout=90)
    assert process.returncode == 0
    return output


def prompts(root: Path) -> list[str]:
    """The first prompt of every conversation in the archive."""
    if not (root / "archive.json").exists():
        return []
    with Archive.open(root, create=False, readonly=True) as archive:
        return sorted(next(iter(archive.turns(summary.id))).text for summary in archive.scan())


def observer_of(name: str, but: int = 0) -> int:
    """The process that observes the session, once there is one, or one that is not `but`."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(NotFoundError):
            view = session_store.find(name)
            if view.status.observer is not None and view.status.observer[0] != but:
                return view.status.observer[0]
        time.sleep(0.02)
    raise AssertionError(f"nothing observes {name}")


def parent_of(pid: int) -> int:
    """The parent of a process; 0 where that is gone."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    return 0


def start_forked(
    server: int, name: str, pause: float = 3.0, **environment: str
) -> tuple[Session, int]:
    """A session that runs for some seconds, and its forked observer.

    On a busy machine the server may be too late for the first.
    """
    for _ in range(10):
        session = start(name, pause, **environment)
        pid = observer_of(name)
        if parent_of(pid) == server:
            return session, pid
        end(session)
    raise AssertionError("the server forks no observer")
