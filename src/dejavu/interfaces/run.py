"""`dejavu-run AGENT`: the agent exactly as if it were started alone, and a copy of what it said.

Takes a command line and this terminal; gives the agent's exit code. Imports the standard library
and the capsule, nothing else: neither the archive nor the command-line framework may delay the
agent. Whatever of ours fails is noted and left out; the agent runs all the same.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from dejavu.capsule import become, find_program
from dejavu.model.errors import SpawnError
from dejavu.providers.agent_names import agent_of, command_of, install_hint
from dejavu.sessions import session_store as sessions

_EPILOG = """\
Options of ours come before AGENT; everything behind it belongs to the agent.
exit code: the agent's own (128+n when signal n ended it, 127 when it was not found).
Without a terminal on stdin and stdout the agent runs with no PTY, so pipes work as ever.

examples:
  dejavu-run claude                       wrap an agent; its own files are what is kept
  dejavu-run --screen amp                 also keep screen text if the agent leaves no files
  dejavu-run --headless --size 120x40 -- codex "fix the tests"
"""


def _size(text: str) -> tuple[int, int]:
    columns, _, lines = text.lower().partition("x")
    if not (
        columns.isdigit()
        and lines.isdigit()
        and 0 < int(columns) < 10000
        and 0 < int(lines) < 10000
    ):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no size; say columns x lines, such as 120x40"
        )
    return int(columns), int(lines)


def parser() -> argparse.ArgumentParser:
    """The options of `dejavu-run`; what follows the agent is the agent's."""
    parser = argparse.ArgumentParser(
        prog="dejavu-run",
        usage="dejavu-run [OPTIONS] [--] AGENT [ARGS ...]",
        description="Run an AI coding agent unchanged and keep the conversation.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--screen",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="keep screen text, redacted, if the agent leaves no trace of its own "
        "(default: config.toml, else no)",
    )
    add(
        "--headless",
        action="store_true",
        help="give the agent a PTY although there is no terminal here",
    )
    add(
        "--size",
        type=_size,
        default=None,
        metavar="CxR",
        help="size of the headless PTY (default 80x24)",
    )
    add("--agent", metavar="A", help="which agent it is, where its command does not tell")
    add("--workspace", metavar="DIR", help="the project it belongs to (default: this folder)")
    add(
        "--instance",
        metavar="I",
        help="name of this machine or container (default: config.toml, else the host's)",
    )
    add("--name", help="a name for this session, for `dejavu status` and `dejavu send`")
    add(
        "--record",
        metavar="FILE",
        type=Path,
        help="also write every byte to FILE as asciicast v2 (unredacted)",
    )
    add("--version", action="store_true", help="show the version")
    add("command", nargs=argparse.REMAINDER, metavar="AGENT [ARGS ...]", help=argparse.SUPPRESS)
    return parser


def _say(sentence: str) -> None:
    # A closed stderr must not change the agent's exit code.
    try:
        sys.stderr.write(f"dejavu-run: {sentence}\n")
        sys.stderr.flush()
    except OSError:
        return


def main() -> None:
    """Entry point of `dejavu-run`."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run `dejavu-run` with `arguments`; gives the exit code."""
    known = parser()
    options = known.parse_args(arguments)
    if options.version:
        from .cli.version import version  # not on the way to an agent

        print(f"dejavu-run {version()}")
        return 0
    argv: list[str] = options.command
    if argv[:1] == ["--"]:
        argv = argv[1:]
    if not argv:
        known.print_usage(sys.stderr)
        _say("name the agent to run, such as `dejavu-run claude`")
        return 2
    command = command_of(argv)
    try:
        if outer := os.environ.get("DEJAVU_SESSION"):
            _say(f"already inside session {outer}: running {argv[0]} without a second wrapper")
            become(command, os.environ)
        if os.environ.get("DEJAVU_CAPTURE", "").lower() in ("off", "0", "no"):
            become(command, os.environ)
        find_program(command[0], os.environ)
    except SpawnError as error:
        _say(f"{error}; {install_hint(argv[0])}")
        return 127
    return _wrap(options, argv, command)


def _describe(options: argparse.Namespace, argv: list[str]) -> sessions.Session:
    now = time.time()
    agent = options.agent or agent_of(argv)
    identity = sessions.new_session_id(now)
    return sessions.Session(
        id=identity,
        agent=agent,
        argv=argv,
        workspace=str(Path(options.workspace or ".").expanduser().absolute()),
        instance=options.instance
        or os.environ.get("DEJAVU_INSTANCE")
        or "",  # the observer asks config.toml
        name=options.name or identity,
        wrapper_pid=os.getpid(),
        wrapper_started=sessions.process_started(os.getpid()) or 0,
        started_at=now,
        screen=bool(options.screen),
    )


def _wrap(options: argparse.Namespace, argv: list[str], command: list[str]) -> int:
    from dejavu.sessions.wrapped_session import wrap

    session = _describe(options, argv)
    notes: list[str] = []
    folder: Path | None = None
    try:
        folder = sessions.create(session)
    except OSError as error:
        notes.append(f"nothing is captured: {error.filename}: {error.strerror}")
    header = {
        **session._asdict(),
        "screen": options.screen,
        "folder": str(folder) if folder else None,
    }
    try:
        code, told = wrap(
            command,
            header=header,
            folder=folder,
            headless=options.headless,
            size=options.size,
            record=options.record,
        )
    except SpawnError as error:
        _say(str(error))
        return 127
    for sentence in [*notes, *told]:
        _say(sentence)
    return code


if __name__ == "__main__":
    main()
