"""Run an agent in a terminal of its own, unchanged, and hand out what passed.

Takes an agent's command line; gives its exit code and, to sinks, the session's events. Never reads
meaning into the bytes, never makes the agent wait for a listener, imports nothing of ours but the
errors of `record`.

    from dejavu.capsule import Observer, Session

    observer = Observer([sys.executable, "-m", "dejavu.sessions.observer"])
    session = Session(["claude"], env, sinks=[observer], control=folder + "/control",
                      header={"session": "01J..", "agent": "claude"})
    code = session.run()          # 128+n on signal n; SpawnError when it cannot start (127)
    observer.report               # bytes it reported in time, b"" otherwise
    session.notes                 # sentences about what went wrong beside the agent

`Session(..., mode=)` is `TERMINAL`, `HEADLESS` (with `size=Size(100, 30)` and `echo=1` to see the
output) or `DIRECT` (no PTY); by default whatever stdin and stdout are. `become(argv, env)` replaces
this process by the agent (nested wrapping). The observer's side: `for event in read_events(0)`,
then its report to `REPORT_FD`. An `Exit` that never came means that the wrapper was killed.
`CastWriter(path)` is a sink that records; `read_recording(path)` gives its events again. `control`
has `send(path, data)` and `size(path)` for other processes.

A sink is anything with `event(event)` and `close()` (`events.Sink`, for type checkers).

Names load on first use: nothing is imported before the agent runs that it does not need. So say
`except capsule.SpawnError` rather than import that one (the errors bring all of `model` along).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dejavu.model.errors import SpawnError

    from .cast import CastWriter
    from .events import Event, Exit, Gap, Header, Output, Resize
    from .exec_program import become, find_program
    from .frames import Decoder, encode, read_events
    from .observer_process import REPORT_FD, Observer
    from .recording import Recording, read_recording
    from .session import Session
    from .stdio import DIRECT, HEADLESS, TERMINAL, mode_of
    from .tty import RawTty, Size

_PLACES = {
    "CastWriter": ".cast",
    "DIRECT": ".stdio",
    "Decoder": ".frames",
    "Event": ".events",
    "Exit": ".events",
    "Gap": ".events",
    "HEADLESS": ".stdio",
    "Header": ".events",
    "Observer": ".observer_process",
    "Output": ".events",
    "REPORT_FD": ".observer_process",
    "RawTty": ".tty",
    "Recording": ".recording",
    "Resize": ".events",
    "Session": ".session",
    "Size": ".tty",
    "SpawnError": "dejavu.model.errors",
    "TERMINAL": ".stdio",
    "become": ".exec_program",
    "encode": ".frames",
    "find_program": ".exec_program",
    "mode_of": ".stdio",
    "read_events": ".frames",
    "read_recording": ".recording",
}

__all__ = [
    "DIRECT",
    "HEADLESS",
    "REPORT_FD",
    "TERMINAL",
    "CastWriter",
    "Decoder",
    "Event",
    "Exit",
    "Gap",
    "Header",
    "Observer",
    "Output",
    "RawTty",
    "Recording",
    "Resize",
    "Session",
    "Size",
    "SpawnError",
    "become",
    "encode",
    "find_program",
    "mode_of",
    "read_events",
    "read_recording",
]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name], __name__), name)
