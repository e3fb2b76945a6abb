"""`dejavu hook inject`: what an agent calls with its prompt, before the model sees it.

Takes the agent's own JSON on stdin; prints the block of past records in the agent's own form, or
nothing. Exits 0 whatever happens, within its time limit; says nothing on stderr. Only the standard
library is imported before stdin was read and found to hold a prompt worth looking for.

Forms, by the vendors' documentation (November 2026):

* Claude Code, Codex, Qwen, Droid: `UserPromptSubmit` with `hookSpecificOutput.additionalContext`
* Gemini: the same under `BeforeAgent`
* Copilot: `additionalContext` at the top
* Kimi: stdout is put before the prompt as it is

Switches: `DEJAVU_INJECT=off`, `dejavu memories --no-inject`, `[no-memory]` in a prompt;
`DEJAVU_INJECT=everywhere` looks in all workspaces, `DEJAVU_INJECT_LIMIT` gives 1 to 10 records.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, cast

LIMIT = 1.5  # seconds, all in all
_LARGEST = 4 << 20  # bytes of a payload
_TAIL = 64 << 10  # bytes of a transcript
_LINES = 20
_rules: Callable[[str], str] | None = None
_SHORTEST = 3  # characters of a prompt


def main(arguments: Sequence[str] = ()) -> int:
    """Answer one prompt; always gives 0. `arguments` may hold `--agent NAME`."""
    try:
        _alarm(float(os.environ.get("DEJAVU_HOOK_LIMIT", LIMIT)))
        payload = _payload()
        agent = _agent(arguments, payload)
        prompt = payload.get("prompt") or payload.get("user_prompt") or ""
        mode = os.environ.get("DEJAVU_INJECT", "").lower()
        if mode in ("off", "0", "no") or not isinstance(prompt, str):
            return 0
        if len(prompt.strip()) >= _SHORTEST and (text := _context(prompt, payload, mode)):
            sys.stdout.write(_answer(agent, payload, text))
            sys.stdout.flush()
    except BaseException:  # noqa: S110 - a hook never stands in the prompt's way
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return 0


def _alarm(seconds: float) -> None:
    """Leave in silence when the time is up: nothing was printed yet."""

    def leave(_signal: int, _frame: FrameType | None) -> None:
        os._exit(0)

    signal.signal(signal.SIGALRM, leave)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _payload() -> dict[str, Any]:
    data = sys.stdin.buffer.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        return {}
    return _object(json.loads(data))


def _object(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one in its place."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _agent(arguments: Sequence[str], payload: dict[str, Any]) -> str:
    """Who calls: what the installed command says, else what the payload gives away."""
    if "--agent" in arguments[:-1]:
        return arguments[list(arguments).index("--agent") + 1]
    if payload.get("hook_event_name") == "BeforeAgent":
        return "gemini"
    if str(payload.get("client_type", "")).startswith("kimi"):
        return "kimi"
    return "claude"


def _context(prompt: str, payload: dict[str, Any], mode: str) -> str:
    """The block for a prompt."""
    from pathlib import Path

    from ..paths import archive_location

    location = archive_location()
    if "://" not in location and not Path(location).is_dir():
        return ""
    from dejavu.archive import Archive
    from dejavu.recall import Recall, inject
    from dejavu.recall.injection import NEAR

    session = str(payload.get("session_id") or payload.get("sessionId") or "")
    folder = str(payload.get("cwd") or Path.cwd())
    with Archive.open(location, create=False) as archive:
        recall = Recall(archive)
        recall.catch_up(NEAR)
        workspace = None if mode == "everywhere" else recall.workspace_of(folder) or folder
        return inject(
            archive,
            prompt,
            session=session,
            workspace=workspace,
            before=_lines(payload.get("transcript_path")),
            limit=int(os.environ.get("DEJAVU_INJECT_LIMIT", "3")),
            redact=_redact,
        )


def _redact(text: str) -> str:
    """`text` without secrets; the rules are loaded with the first text there is to quote."""
    global _rules
    if _rules is None:
        from dejavu.record.redact import Redactor, secret_values

        from ..secrets import redaction_key

        _rules = Redactor(redaction_key(), secret_values(os.environ)).redact
    return _rules(text)


def _lines(path: object) -> list[str]:
    """What was said last in a transcript of JSON lines; empty where it cannot be read."""
    if not isinstance(path, str) or not path:
        return []
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib is not loaded yet
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _TAIL))
            rows = file.read(_TAIL).split(b"\n")
    except OSError:
        return []
    said: list[str] = []
    for row in rows:
        try:
            value = _object(json.loads(row))
        except ValueError:
            continue
        message = _object(value.get("message", value))
        if message.get("role") in ("user", "assistant"):
            said += [line for text in _texts(message.get("content")) for line in text.splitlines()]
    return [line for line in said if line.strip()][-_LINES:]


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts: list[Any] = content if isinstance(content, list) else []  # pyright: ignore[reportUnknownVariableType] - any JSON
    texts = [_object(part).get("text") for part in parts]
    return [text for text in texts if isinstance(text, str)]


def _answer(agent: str, payload: dict[str, Any], text: str) -> str:
    """The block in the agent's own form."""
    if agent.startswith("kimi"):
        return text
    if agent.startswith("copilot"):
        return json.dumps({"additionalContext": text}, ensure_ascii=True)
    event = "BeforeAgent" if agent.startswith("gemini") else payload.get("hook_event_name")
    told = {"hookEventName": event or "UserPromptSubmit", "additionalContext": text}
    return json.dumps({"hookSpecificOutput": told}, ensure_ascii=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
