"""`dejavu hook assist`: what an agent calls before an edit, around a command, after a compaction.

The agent's own JSON comes on stdin; one quoted record in the agent's form is printed, or nothing.
The exit code is 0 whatever happens, within the time limit (`DEJAVU_HOOK_LIMIT`, 1.5 s); stderr
stays empty. A payload that nothing can be said to costs no more than reading it. `DEJAVU_ASSIST=off`
switches it off.
"""

import os
import sys

from dejavu.services.hook_protocol import OFF, PROMPT_LARGEST

from .inject import location

TYPE_CHECKING = False  # as typing has it, which is not loaded
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal

LIMIT = 1.5  # seconds, all in all
_WORTH = (
    b'"Edit"',
    b'"Write"',
    b'"MultiEdit"',
    b'"NotebookEdit"',
    b'"command"',
    b'"compact"',
    b"patch",
)
"""One of these is in every payload that something can be said to."""


def main(arguments: list[str] | None = None) -> int:
    """Answer one event and return 0. `arguments` may hold `--agent NAME`."""
    words = arguments or []
    try:
        _signal.signal(_signal.SIGALRM, _exit)
        _signal.setitimer(_signal.ITIMER_REAL, float(os.environ.get("DEJAVU_HOOK_LIMIT", LIMIT)))
        data = _read()
        off = os.environ.get("DEJAVU_ASSIST", "").lower() in OFF
        if not off and any(word in data for word in _WORTH):
            agent = words[words.index("--agent") + 1] if "--agent" in words[:-1] else ""
            output = _answer(agent, data)
            while output:
                output = output[os.write(1, output) :]
    except BaseException:  # noqa: S110 - a hook never stands in the agent's way
        pass
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    return 0


def _exit(_number: int, _frame: object) -> None:
    """End in silence when the time is up: nothing was printed yet."""
    os._exit(0)


def _read() -> bytes:
    """Stdin; empty where it is larger than any payload."""
    data = bytearray()
    while piece := os.read(0, 1 << 20):
        data += piece
        if len(data) > PROMPT_LARGEST:
            return b""
    return bytes(data)


def _answer(agent: str, data: bytes) -> bytes:
    if sys.flags.no_site and "site" not in sys.modules:
        import site  # the launcher leaves it out, because only this needs it

        site.main()
    import json

    from dejavu.archive import Archive
    from dejavu.services.assist_answer import assist
    from dejavu.services.hook_answer import redact

    place = location()
    if "://" not in place and not os.path.isdir(place):  # noqa: PTH112 - a test, without pathlib
        return b""
    payload = json.loads(data)
    with Archive.open(place, create=False) as archive:
        return assist(archive, agent, payload, redact)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
