"""Starts an interrupted session again: in a window of tmux where it ran in one, else detached.

The agent resumes its conversation by its own command; what it lost is put back first. A session
without a conversation starts fresh, without its arguments: secrets in them were masked.

Tested in: tests/extensions/desk/test_desk.py
"""

import os
import shutil
import subprocess
import time
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.config.own_program import own_program
from dejavu.model import CaptureError, ConfigError, DejavuError, NotFoundError
from dejavu.providers.registry import agent_of
from dejavu.services.resumption import Resumption, check_place, resumption
from dejavu.services.undelete.carry_out import carry_out
from dejavu.services.undelete.plan import Plan
from dejavu.sessions import session_store, start_session
from dejavu.sessions.delivery import deliver
from dejavu.sessions.reporters import tmux
from dejavu.sessions.session_store import SessionView

from .interrupted import Interrupted, mark_restored

_START = 30.0  # seconds in which a session in a new window must appear
_READY = 20.0  # seconds in which its text field must be free for the draft
_STAYS = 0.5  # seconds that it must live to have started
_POLL = 0.1
_MASK = "[redacted"


class Restart(NamedTuple):
    """What starting a session again would do; `problem` says why it cannot be started."""

    entry: Interrupted
    found: Resumption | None
    problem: str = ""

    @property
    def command(self) -> list[str]:
        """What is run in its folder."""
        return self.found.command if self.found else self.entry.view.session.argv[:1]

    @property
    def folder(self) -> str:
        """Where it is run."""
        return self.found.folder if self.found else self.entry.view.session.workspace

    @property
    def tmux(self) -> tuple[str, str]:
        """The session and the window of tmux; two empty texts where it starts detached."""
        session, _, window = self.entry.view.session.tmux.partition(":")
        return (session, window) if session and shutil.which("tmux") else ("", "")


def plan(archive: Archive | None, entry: Interrupted) -> Restart:
    """How `entry` would be started again. Writes nothing. None: there is no archive."""
    view = entry.view
    conversation = view.status.conversation
    try:
        if archive is None or conversation is None:
            return _fresh(entry)
        found = resumption(archive, archive.resolve(conversation))
        check_place(found)
    except DejavuError as error:
        return Restart(entry, None, str(error))
    if found.plan is not None and found.plan.refused:
        problem = f"its files differ from the archive's: see `dejavu undelete {conversation}`"
        return Restart(entry, found, problem)
    return Restart(entry, found)


def _fresh(entry: Interrupted) -> Restart:
    session = entry.view.session
    if agent_of(session.argv[:1]) != session.agent:
        # Of the command line only the program is run again: an interpreter alone is no agent.
        return Restart(entry, None, f"how {session.agent} was started is not kept")
    if not session.argv or shutil.which(session.argv[0]) is None:
        return Restart(entry, None, f"{(session.argv or ['its command'])[0]} is not on the PATH")
    if not os.path.isdir(session.workspace):  # noqa: PTH112 - a test
        return Restart(entry, None, f"its folder {session.workspace} is not here")
    return Restart(entry, None)


def start(restart: Restart) -> SessionView:
    """Put back what the agent lost, start it, and take the session off the list.

    Raises:
        ConfigError, OSError: something could not be put back.
        CaptureError, InvalidValueError: it could not be started.
    """
    if restart.found is not None and restart.found.plan is not None:
        _put_back(restart.found.plan)
    started = _in_tmux(restart) if restart.tmux[0] else _detached(restart)
    mark_restored(restart.entry.view)
    return started


def _put_back(shown: Plan) -> None:
    """Put back what was listed; the archive was closed meanwhile."""
    with open_archive() as archive:
        now = resumption(archive, shown.conversation.id).plan
        if now is None:
            return
        listed = {step.path for step in shown.needed}
        if not listed.issuperset(step.path for step in now.needed):
            raise ConfigError("the agent lost more of it meanwhile; list it again")
        carry_out(now)


def type_draft(view: SessionView, draft: str) -> str:
    """Type the draft without Enter; why that was not possible, empty where it was."""
    if _MASK in draft:
        return "a secret in it is masked"
    try:
        deliver(view, draft, enter=False, queue=True, timeout=_READY)
    except DejavuError as error:
        return str(error)
    return ""


def _detached(restart: Restart) -> SessionView:
    session = restart.entry.view.session
    return start_session.start(
        restart.command,
        name=session.name,
        workspace=restart.folder or None,
        size=session.size or None,
    )


def _in_tmux(restart: Restart) -> SessionView:
    """Start it in a window of the same name, in a session that is made where there is none."""
    session, window = restart.tmux
    header = restart.entry.view.session
    told = [] if agent_of(restart.command) == header.agent else ["--agent", header.agent]
    words = own_program(
        "dejavu.interfaces.run", *told, "--name", header.name, "--", *restart.command
    )
    made = session.replace("#", "") or "desk"  # tmux expands formats in the names it is given
    # A colon behind the name: the target is the session, not a window of that name.
    targets = (f"={name}:" for name in (session, made))
    there = next((one for one in targets if _tmux("has-session", "-t", one).returncode == 0), None)
    target = (
        ("new-window", "-d", "-t", there)
        if there
        else ("new-session", "-d", "-s", tmux.plain_text(made))
    )
    own = [f"-e{name}={text}" for name, text in os.environ.items() if name.startswith("DEJAVU_")]
    title = tmux.plain_text(window) or header.agent
    since = time.time()
    whole = [tmux.one_word(word) for word in (*own, *words)]
    # No `-c`: tmux expands formats in it, and `#(command)` in a folder's name would run.
    shown = ("-P", "-F", "#{pane_id}")
    done = _tmux(*target, *shown, "-n", title, *whole, folder=restart.folder)
    if done.returncode:
        raise CaptureError(f"tmux: {done.stderr.strip() or 'no window was made'}")
    end, last = time.monotonic() + _START, False
    while time.monotonic() < end and not last:
        last = (
            done.stdout.strip() not in _tmux("list-panes", "-a", "-F", "#{pane_id}").stdout.split()
        )
        for view in session_store.find_all():
            if view.live and view.session.name == header.name and view.session.started_at > since:
                time.sleep(_STAYS)
                if session_store.with_liveness(view).live:
                    return view
                last = True
        time.sleep(_POLL)
    how = "ended at once" if last else f"did not start in {_START:g} s"
    raise CaptureError(
        f"{restart.command[0]} {how} in a window of tmux; `dejavu-run {restart.command[0]}` shows why"
    )


def _tmux(*words: str, folder: str = "") -> subprocess.CompletedProcess[str]:
    """Run tmux, in `folder`: where a new window begins.

    Raises:
        NotFoundError: it cannot be run.
    """
    try:
        return subprocess.run(
            ["tmux", *words], capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=_START, cwd=folder or None,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise NotFoundError(f"tmux: {error}") from error
