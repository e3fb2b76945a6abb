"""`dejavu hook inject`: what an agent calls with its prompt, before the model sees it.

The agent's own JSON comes on stdin; a block of past records in the agent's own form is printed, or
nothing. The exit code is 0 whatever happens, within the time limit; stderr stays empty. The daemon
is asked first: it has everything in memory, so this program only carries bytes. Where there is
none, or it is too slow, or it has another archive, the answer is made here (`hook_answer`), which
is the first time that anything but built-in modules is imported.

Switches: `DEJAVU_INJECT=off`, `dejavu memory list --no-inject`, `[no-memory]` in a prompt, `[recall]`
in `config.toml`; `DEJAVU_INJECT=everywhere` searches all workspaces, `DEJAVU_INJECT_LIMIT` is 1 to
10 records, `DEJAVU_HOOK_LIMIT` the seconds it may take (1.5).
"""

import os
import sys
import time

from dejavu.services.hook_protocol import (
    ANSWERED,
    PROMPT,
    PROMPT_LARGEST,
    PROMPT_SOCKET,
    below_home,
    encode_request,
    folder,
)

from . import program
from .program import exchange

LIMIT = 1.5  # seconds, all in all
DAEMON_TIMEOUT = 0.5
"""Seconds to wait for the daemon; enough is left to answer here."""
_SECRET = ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL")
_MIN_SECRET = 8  # characters; shorter values are no secrets


def main(arguments: list[str] | None = None) -> int:
    """Answer one prompt and return 0. `arguments` may hold `--agent NAME`."""
    try:
        limit = program.seconds(LIMIT)
        program.set_alarm(limit)
        program.end_after(limit)
        data = program.read_stdin(PROMPT_LARGEST)
        if data and os.environ.get("DEJAVU_INJECT", "").lower() not in ("off", "0", "no"):
            header = request_header(arguments or [])
            answer = ask_daemon(header, data)
            if answer is None:
                _answer_locally(header, data)
            else:
                program.write_stdout(answer)
    except BaseException:  # noqa: S110 - a hook never blocks the prompt
        pass
    finally:
        program.stop_alarm()
    program.leave()
    return 0


def location() -> str:
    """Where the archive is: as `paths.archive_location()`, without pathlib."""
    own = os.environ.get("DEJAVU_ARCHIVE")
    if own:
        whole = own.startswith(("/", "~")) or "://" in own
        return own if whole else os.path.abspath(own)  # noqa: PTH100 - without pathlib
    data = os.environ.get("DEJAVU_DATA_HOME")
    if data:
        return os.path.abspath(os.path.expanduser(data)) + "/archive"  # noqa: PTH100, PTH111 - see above
    base = os.environ.get("XDG_DATA_HOME", "")
    return (base if base.startswith("/") else below_home(".local/share")) + "/dejavu/archive"


def request_header(arguments: list[str]) -> dict[str, str]:
    """What the answer depends on besides the payload: the fields of `HookRequest`."""
    return {
        "agent": program.agent_in(arguments),
        "mode": os.environ.get("DEJAVU_INJECT", ""),
        "limit": os.environ.get("DEJAVU_INJECT_LIMIT", ""),
        "folder": os.getcwd(),  # noqa: PTH109 - without pathlib
        "location": location(),
    }


def ask_daemon(header: dict[str, str], data: bytes, kind: bytes = PROMPT) -> bytes | None:
    """The daemon's answer; None where it has none (in time)."""
    deadline = time.monotonic() + DAEMON_TIMEOUT
    try:
        answer = exchange(PROMPT_SOCKET, encode_request(kind, deadline, header, data), deadline)
    except OSError:
        return None
    if answer[:1] != ANSWERED:
        return None
    return b"" if _leaks_secret(answer) else answer[1:]


def _leaks_secret(answer: bytes) -> bool:
    """Whether a secret of the agent's environment, which the daemon does not know, is in it."""
    return any(
        len(value) >= _MIN_SECRET and value.encode("utf-8", "replace") in answer
        for name, value in os.environ.items()
        if any(word in name.upper() for word in _SECRET)
    )


def _answer_locally(header: dict[str, str], data: bytes) -> None:
    """Make the answer in this process, and write it."""
    program.load_site()
    patterns = None
    if program.is_launched():
        from .kept_patterns import KeptPatterns

        patterns = KeptPatterns(folder())
        patterns.use()
    from dejavu.services.hook_answer import HookRequest, answer_standalone

    program.write_stdout(answer_standalone(HookRequest.of(header, data)))
    if patterns is not None:
        patterns.keep()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
