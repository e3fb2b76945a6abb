"""`dejavu-run AGENT`: the agent exactly as if it were started alone, and a copy of what it said.

The agent starts whatever happens to us: what fails before that, even the import of our own
modules, ends in exec of the agent with one line on stderr; what fails later is noted and left out.
So only the standard library is imported here at the top, and on the way to the agent the capsule
and the session's files: neither the archive nor the command-line framework may delay it.
Arguments and paths are bytes for the system, kept as Python keeps them (surrogateescape).
"""

import argparse
import contextlib
import errno
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dejavu.sessions.session_store import SessionHeader
    from dejavu.sessions.wrapped_session import WrappedSession

_SHORT = (None, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
"""What the system is short of when the agent cannot start below us; alone it may. None: not told."""

_EPILOG = """\
Options of ours come before AGENT; everything behind it belongs to the agent.
exit code: the agent's own (128+n when signal n ended it, 127 when it was not found,
126 when it may not be run).
Without a terminal on stdin and stdout the agent runs with no PTY, so pipes work as ever.

examples:
  dejavu-run claude                       wrap an agent; its own files are what is kept
  dejavu-run --screen amp                 also keep screen text if the agent leaves no files
  dejavu-run --headless --size 120x40 -- codex "fix the tests"
  dejavu-run --detach --name api claude   in the background; `dejavu attach api` shows it
"""


def _size(text: str) -> tuple[int, int]:
    columns, _, lines = text.lower().partition("x")
    if not (columns.isdecimal() and lines.isdecimal()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size; write columns x lines, such as 120x40"
        )
    if not all(len(number) < 5 and int(number) for number in (columns, lines)):
        raise argparse.ArgumentTypeError(f"{text!r}: columns and lines are from 1 to 9999")
    return int(columns), int(lines)


def _name(text: str) -> str:
    """A name that is no path and shows as it is."""
    if not text or len(text) > 64 or text.startswith((".", "-")) or "/" in text:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a name; use up to 64 characters without '/', not beginning with . or -"
        )
    if not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r} is not a name: it has control characters")
    return text


def _fixed_width(prog: str) -> argparse.HelpFormatter:
    # Each added option is formatted once to check it; asking for the terminal's width would load
    # shutil and every compression of the library on the way to the agent.
    return argparse.HelpFormatter(prog, width=80)


def parser() -> argparse.ArgumentParser:
    """The options of `dejavu-run`; what follows the agent is the agent's."""
    parser = argparse.ArgumentParser(
        prog="dejavu-run",
        usage="dejavu-run [OPTIONS] [--] AGENT [ARGS ...]",
        description="Run an AI coding agent unchanged and keep the conversation.",
        epilog=_EPILOG,
        formatter_class=_fixed_width,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--screen",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="keep screen text, redacted, if the agent saves no session file "
        "(default: config.toml, else no)",
    )
    add(
        "--headless",
        action="store_true",
        help="give the agent a PTY although there is no terminal here",
    )
    add(
        "--detach",
        action="store_true",
        help="run it in the background, headless; `dejavu attach` and `dejavu stop` reach it",
    )
    add(
        "--size",
        type=_size,
        default=None,
        metavar="CxR",
        help="size of the headless PTY (default 80x24)",
    )
    add(
        "--agent",
        type=_name,
        metavar="A",
        help="which agent it is, if its command doesn't say",
    )
    add("--workspace", metavar="DIR", help="the project it belongs to (default: this folder)")
    add(
        "--instance",
        metavar="I",
        help="name of this machine or container (default: config.toml, else `local`)",
    )
    add("--name", type=_name, help="a name for this session, for `dejavu status` and `dejavu send`")
    add(
        "--record",
        metavar="FILE",
        type=Path,
        help="also write every byte to FILE as asciicast v2 (unredacted)",
    )
    add(
        "--prove",
        action="store_true",
        help="at the end, show that no byte between the agent and this terminal changed",
    )
    add("--version", action="store_true", help="show the version")
    add("command", nargs=argparse.REMAINDER, metavar="AGENT [ARGS ...]", help=argparse.SUPPRESS)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    return parser


def _say(sentence: str) -> None:
    # A closed stderr must not change the agent's exit code.
    try:
        sys.stderr.write(f"dejavu-run: {sentence}\n")
        sys.stderr.flush()
    except (OSError, AttributeError):
        return


def main() -> None:
    """Entry point of `dejavu-run`."""
    open_missing_descriptors()
    code = run(sys.argv[1:])
    gc.freeze()  # or the interpreter looks for cycles in all of it before it ends
    sys.exit(leave(code))


def leave(code: int) -> int:
    """The exit code for what `run` returned; where a signal ended the agent, it ends us too."""
    if code >= 0:
        return code
    from dejavu.capsule.signals import die_of

    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    die_of(-code)
    return 128 - code


def open_missing_descriptors() -> None:
    """Put /dev/null where stdin, stdout or stderr is closed: a pipe of ours must not get there."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one


def run(arguments: Sequence[str]) -> int:
    """Run `dejavu-run` with `arguments`; the exit code, -n where signal n ended the agent (see `leave`).

    Whatever of ours fails before the agent has started, the agent runs, unwrapped.
    """
    argument_parser = parser()
    options = argument_parser.parse_args(arguments)
    if options.version:
        from .command_line.version import version  # not on the way to an agent

        print(f"dejavu-run {version()}")
        return 0
    argv: list[str] = options.command
    if argv[:1] == ["--"]:
        argv = argv[1:]
    if not argv:
        argument_parser.print_usage(sys.stderr)
        _say("name the agent to run, such as `dejavu-run claude`")
        return 2
    if options.agent and (refusal := _refusal_of(options.agent)):
        _say(refusal)
        return 2
    if options.prove:
        from .prove import prove_agent

        return prove_agent(options, argv, _say, is_known=lambda agent: _refusal_of(agent) is None)
    if options.detach:
        from .detach import detach

        return detach(lambda started: _run_detached(options, argv, started), say=_say)
    try:
        session = _prepare(options, argv)
    except Exception as error:
        return _run_unwrapped(argv, error)
    return session if isinstance(session, int) else _run(session, argv)


def _refusal_of(agent: str) -> str | None:
    """Why `--agent` cannot be meant so: that agent is unknown; None where it is known."""
    try:
        from dejavu.providers.registry import find_agent

        if find_agent(agent) is not None:
            return None
        from dejavu.sessions.user_packs import (
            operator_packs,
        )  # only for a name that is none of ours

        from .filters import did_you_mean, known_agents

        packs = operator_packs()
        if agent in packs:
            return None
        near = did_you_mean(agent, {*known_agents(), *packs.agents})
    except Exception:  # it is no reason to keep the agent from running
        return None
    return (
        f"--agent: unknown agent {agent!r}{near or '; `dejavu doctor --agents` lists those known'}"
    )


def _run_detached(
    options: argparse.Namespace, argv: list[str], started: "Callable[[str, str], None]"
) -> int:
    """Run the session in a separate process that has no terminal; its exit code.

    It is never run without being captured: no one would find it again.
    """
    from dejavu.capsule import SpawnError
    from dejavu.model import CaptureError

    for name in ("DEJAVU_SESSION", "DEJAVU_CAPTURE"):  # those of the session that started us
        os.environ.pop(name, None)
    try:
        session = _prepare(options, argv, started)
        if isinstance(session, int):
            return session
        return session.run()
    except SpawnError as error:
        _say(str(error))
        return error.code
    except (CaptureError, OSError) as error:
        _say(f"nothing is started: {error}")
        return 1


def _prepare(
    options: argparse.Namespace,
    argv: list[str],
    started: "Callable[[str, str], None] | None" = None,
) -> "WrappedSession | int":
    """The session, ready to start; an exit code where there is no such agent."""
    from dejavu.capsule import SpawnError, exec_agent, find_program
    from dejavu.providers.registry import command_of, install_hint

    command = command_of(argv)
    try:
        if outer := os.environ.get("DEJAVU_SESSION"):
            _say(f"already inside session {outer}: running {argv[0]} without a second wrapper")
            exec_agent(command, os.environ)
        if os.environ.get("DEJAVU_CAPTURE", "").lower() in ("off", "0", "no"):
            exec_agent(command, os.environ)
        find_program(command[0], os.environ)
    except SpawnError as error:
        _say(f"{error}; {install_hint(argv[0])}")
        return error.code
    from dejavu.sessions.wrapped_session import WrappedSession

    if options.screen is None and argv[0] == "demo":
        options.screen = True  # our own script: it writes no session file and holds no secret
    return WrappedSession(
        command,
        _describe(options, argv),
        screen=options.screen,
        headless=options.headless or options.detach,
        size=options.size,
        record=options.record,
        started=started,
    )


def _run(session: "WrappedSession", argv: list[str]) -> int:
    from dejavu.capsule import SpawnError

    try:
        code = session.run()
    except SpawnError as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in _SHORT:
            return _run_unwrapped(argv, error)
        _say(str(error))
        return error.code
    except Exception as error:
        if session.spawned:  # it must not run twice
            raise
        return _run_unwrapped(argv, error)
    for sentence in session.notes:
        _say(sentence)
    return -session.died_of or code


def _run_unwrapped(argv: list[str], error: Exception) -> int:
    """Become the agent although we failed; returns (126, 127) only where it cannot be started either."""
    _say(f"nothing is captured, {type(error).__name__}: {error}")
    try:
        from dejavu.providers.registry import command_of

        argv = command_of(argv)
    except Exception:
        _say("the agents' names cannot be read: running the command as it is")
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, and so across exec
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - no shell: the program, exactly
    except OSError as reason:
        _say(f"cannot start {argv[0]!r}: {reason.strerror}")
        return 126 if isinstance(reason, PermissionError) else 127


def _describe(options: argparse.Namespace, argv: list[str]) -> "SessionHeader":
    from dejavu.providers.registry import agent_of
    from dejavu.sessions import session_store

    now = time.time()
    identity = session_store.new_session_id(now)
    return session_store.SessionHeader(
        id=identity,
        agent=options.agent or agent_of(argv),
        argv=argv,
        workspace=_workspace(options.workspace),
        instance=options.instance
        or os.environ.get("DEJAVU_INSTANCE")
        or "",  # the observer asks config.toml
        name=_free_name(options.name) if options.name else identity,
        wrapper_pid=os.getpid(),
        wrapper_started=session_store.process_started(os.getpid()) or 0,
        started_at=now,
        screen=bool(options.screen),
    )


def _free_name(wanted: str) -> str:
    """The name, or with a number where a session that runs has it: `send` must find one."""
    from dejavu.sessions import session_store

    taken = {view.session.name for view in session_store.find_all() if view.live}
    name = next(
        name
        for number in range(1, len(taken) + 2)
        if (name := wanted if number == 1 else f"{wanted}-{number}") not in taken
    )
    if name != wanted:
        _say(f"a session called {wanted} runs already: this one is called {name}")
    return name


def _workspace(named: str | None) -> str:
    """The project's folder; where this folder is deleted, what it was called."""
    try:
        folder = Path(named or ".").expanduser().absolute()
    except (OSError, RuntimeError):
        return named or os.environ.get("PWD", "")
    if named and not folder.is_dir():
        _say(
            f"--workspace: {folder} is not a folder here; the conversation is kept under that name"
        )
    return str(folder)


if __name__ == "__main__":
    main()
