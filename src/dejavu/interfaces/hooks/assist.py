"""`dejavu hook assist`: what an agent calls before an edit, around a command, after a compaction.

The agent's own JSON comes on stdin; one quoted record in the agent's form is printed, or nothing.
The exit code is 0 whatever happens, within the time limit (`DEJAVU_HOOK_LIMIT`, 1.5 s); stderr
stays empty. The daemon is asked first, as `inject` does; where there is none, or it is too slow, the
answer is made here. A payload that nothing can be said to costs no more than reading it. `DEJAVU_ASSIST=off`
switches it off.
"""

import os
import sys

from dejavu.services.hook_protocol import ASSIST, OFF, PROMPT_LARGEST

from . import program
from .inject import ask_daemon, location, request_header

LIMIT = 1.5  # seconds, all in all
_WORTH = (
    b'"command"',
    b'"compact"',
    b"patch",
    b'"old_string"',
    b'"content"',
    b'"edits"',
    b'"new_source"',
)
"""One of these is in every payload before a tool that something can be said to."""
_TOUCHED = (b'"file_path"', b'"path"', b'"filePath"', b'"absolute_path"', b'"filename"')
"""One of these, or of the others, is in every other one."""


def main(arguments: list[str] | None = None) -> int:
    """Answer one event and return 0. `arguments` may hold `--agent NAME`."""
    words = arguments or []
    try:
        limit = program.seconds(LIMIT)
        program.set_alarm(limit)
        program.end_after(limit)
        data = program.read_stdin(PROMPT_LARGEST)
        off = os.environ.get("DEJAVU_ASSIST", "").lower() in OFF
        if not off and _is_worth_it(data):
            response = ask_daemon(request_header(words), data, ASSIST)
            if response is None:
                response = _answer(program.agent_in(words), data)
            program.write_stdout(response)
    except BaseException:  # noqa: S110 - a hook never blocks the agent
        pass
    finally:
        program.stop_alarm()
    program.leave()
    return 0


def _is_worth_it(data: bytes) -> bool:
    words = _WORTH if b'"PreToolUse"' in data else _WORTH + _TOUCHED
    return any(word in data for word in words)


def _answer(agent: str, data: bytes) -> bytes:
    program.load_site()
    import json

    from dejavu.archive import Archive
    from dejavu.config.paths import is_server
    from dejavu.services.hook_answer import answer_tool

    place = location()
    if not is_server(place) and not os.path.isdir(place):  # noqa: PTH112 - a test, without pathlib
        return b""
    payload = json.loads(data)
    with Archive.open(place, create=False) as archive:
        return answer_tool(archive, agent, payload)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
