"""Run an agent in its own terminal, unchanged, and hand out what passed.

`Session.run` returns the agent's exit code; sinks get the session's events. Nothing here reads
meaning into the bytes or makes the agent wait for a listener, and of ours only `model`'s errors are
imported.

    from dejavu.capsule import ObserverProcess, Session

    observer = ObserverProcess([sys.executable, "-m", "dejavu.sessions.observer"])
    session = Session(["claude"], env, sinks=[observer], control=folder + "/control",
                      header={"session": "01J..", "agent": "claude"})
    code = session.run()          # 128+n on signal n; SpawnError when it cannot start
    observer.report               # bytes it reported in time, b"" otherwise
    session.notes                 # sentences about what went wrong around the agent

`Session(..., mode=)` is `TERMINAL`, `HEADLESS` (with `size=Size(100, 30)` and `echo=1` to see the
output) or `PIPE` (no PTY); by default whatever stdin and stdout are. `exec_agent(argv, env)` replaces
this process by the agent (nested wrapping). `StdioRelay(argv, env, sinks=[...]).run()` runs
between a program that speaks over stdin and stdout and its caller. The observer's side:
`for event in read_events(0)`, then its report to `REPORT_FD`. An `Exit` that never came means that
the wrapper was killed.
`CastWriter(path)` is a sink that records; `read_recording(path)` gives its events again. `control`
has `send(path, data)` and `size(path)` for other processes.

A sink is anything with `event(event)` and `close()` (`events.Sink`, for type checkers).

Names load on first use: nothing is imported before the agent runs that it does not need. So say
`except capsule.SpawnError` rather than import that one (the errors bring all of `model` along).
"""

from __future__ import annotations

from dejavu import names_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dejavu.model.errors import SpawnError

    from .cast import CastWriter
    from .events import Event, Exit, Gap, Header, Input, Keys, Output, Resize
    from .frames import Decoder, encode, read_events
    from .observer_process import REPORT_FD, ObserverProcess
    from .observer_supervisor import ObserverSupervisor
    from .process import exec_agent, find_program, set_process_title
    from .recording import Recording, read_recording
    from .session import Session
    from .stdio import HEADLESS, PIPE, TERMINAL, mode_of
    from .stdio_relay import StdioRelay
    from .tty import RawTty, Size

_MODULES = {
    "CastWriter": ".cast",
    "PIPE": ".stdio",
    "Decoder": ".frames",
    "Event": ".events",
    "Exit": ".events",
    "Gap": ".events",
    "HEADLESS": ".stdio",
    "Header": ".events",
    "ObserverProcess": ".observer_process",
    "ObserverSupervisor": ".observer_supervisor",
    "Input": ".events",
    "Keys": ".events",
    "Output": ".events",
    "REPORT_FD": ".observer_process",
    "RawTty": ".tty",
    "Recording": ".recording",
    "Resize": ".events",
    "Session": ".session",
    "Size": ".tty",
    "StdioRelay": ".stdio_relay",
    "SpawnError": "dejavu.model.errors",
    "TERMINAL": ".stdio",
    "exec_agent": ".process",
    "encode": ".frames",
    "find_program": ".process",
    "mode_of": ".stdio",
    "set_process_title": ".process",
    "read_events": ".frames",
    "read_recording": ".recording",
}

__all__ = [
    "HEADLESS",
    "PIPE",
    "REPORT_FD",
    "TERMINAL",
    "CastWriter",
    "Decoder",
    "Event",
    "Exit",
    "Gap",
    "Header",
    "Input",
    "Keys",
    "ObserverProcess",
    "ObserverSupervisor",
    "Output",
    "RawTty",
    "Recording",
    "Resize",
    "Session",
    "Size",
    "SpawnError",
    "StdioRelay",
    "encode",
    "exec_agent",
    "find_program",
    "mode_of",
    "read_events",
    "read_recording",
    "set_process_title",
]


__getattr__ = names_on_first_use(__name__, _MODULES)
