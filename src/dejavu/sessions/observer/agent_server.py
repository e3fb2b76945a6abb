"""The server that an agent opens next to its screen, followed while the session runs.

Where a session's command line names the port of a server that can be followed, starts `dejavu
ingest --from` for it, a separate process, and ends it with the session. What that one receives
goes into the archive, and to `hook_status_reader`.
"""

import contextlib
import signal
import subprocess

from dejavu.config.own_program import own_program
from dejavu.providers.registry import event_servers

from ..session_store import SessionHeader

_OPTION = "--port"
_LAST_WORD = 10.0  # seconds that it may take to write what it holds


def port_of(argv: list[str]) -> int:
    """The port that a command line asks for; 0 where it names none."""
    values = [
        word.partition("=")[2] if "=" in word else following
        for word, following in zip(argv, [*argv[1:], ""], strict=True)
        if word.partition("=")[0] == _OPTION
    ]
    number = values[-1] if values else ""
    return int(number) if number.isdecimal() and 0 < int(number) < 1 << 16 else 0


class ServerFollower:
    """One session's server, if it has one."""

    def __init__(self, header: SessionHeader) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        agent, port = header.agent, port_of(header.argv)
        if port and agent in _followed():
            self._process = subprocess.Popen(
                own_program(
                    "dejavu.interfaces.cli", "ingest",
                    "--agent", agent, "--from", f"http://127.0.0.1:{port}",
                    "--session", header.id, "--instance", header.instance,
                ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # what the terminal sends its group is not for it
            )  # fmt: skip

    @property
    def runs(self) -> bool:
        """Whether there is one."""
        return self._process is not None

    def end(self) -> None:
        """Have everything written that was heard."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # TERM is ignored here, and so by children
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_LAST_WORD)  # else it ends on its own


def _followed() -> frozenset[str]:
    return frozenset(event_servers())
