"""A week of somebody's work with five agents, made up: what the pictures show.

Takes a home; fills its archive and starts (as files) two sessions. Always the same.
"""

import json
import os
from pathlib import Path

from tests.factories.archive import conversation
from tests.interfaces.tui.driving import put

from dejavu.model import (
    Conversation,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Vector,
)
from dejavu.sessions import session_store as sessions

NOW = 1_795_359_600.0
"""2026-11-22, 15:00 UTC."""
HOUR, DAY = 3600.0, 86_400.0

_OLD = """\
    def spend(self, now: float) -> bool:
        if self.left < 1:
            return False
        self.left -= 1
        return True"""
_NEW = """\
    def spend(self, now: float) -> bool:
        self.tick(now)
        if self.left < 1:
            return False
        self.left -= 1
        return True"""


def _turns(at: float, *said: tuple[Role, tuple[Part, ...]], **more: str) -> list[Turn]:
    vector = Vector(more.get("vector", "native"))
    model = more.get("model")
    return [
        Turn(
            role=role,
            parts=parts,
            at=at + 20 * n,
            vector=vector,
            model=model if role is Role.ASSISTANT else None,
        )
        for n, (role, parts) in enumerate(said)
    ]


def _user(text: str) -> tuple[Role, tuple[Part, ...]]:
    return Role.USER, (Text(text),)


def _says(*parts: Part | str) -> tuple[Role, tuple[Part, ...]]:
    return Role.ASSISTANT, tuple(Text(p) if isinstance(p, str) else p for p in parts)


def _tool(call: str, text: str) -> tuple[Role, tuple[Part, ...]]:
    return Role.TOOL, (ToolCallResponse(call, text),)


def _retry(at: float) -> Conversation:
    edit = {"file_path": "src/net/retry.py", "old_string": _OLD, "new_string": _NEW}
    turns = _turns(
        at,
        _user("Why does the retry budget run dry after an hour? It should refill."),
        _says(
            Reasoning("The budget has a tick that refills it.\nWho calls it?"),
            "I'll look at who refills the budget.",
            ToolCall("c1", "Bash", {"command": "grep -rn 'tick(' src/net"}),
        ),
        _tool("c1", "src/net/retry.py:41:    def tick(self, now: float) -> None:\n"
                    "tests/net/test_retry.py:12:    budget.tick(60.0)\n"
                    "tests/net/test_retry.py:19:    budget.tick(0.0)"),
        _says(
            "`RetryBudget.tick` is **never called** outside the tests:\n\n"
            "- `spend` takes one and refuses at zero\n"
            "- `tick` refills by the time that went by\n"
            "- nothing joins the two\n\n"
            "```python\nif self.left < 1:\n    return False\n```\n\n"
            "Calling it in `spend` is enough; it costs a subtraction.",
            ToolCall("c2", "Edit", edit),
        ),
        _tool("c2", "The file src/net/retry.py has been updated."),
        _user("Good. Run the tests."),
        _says(ToolCall("c3", "Bash", {"command": "pytest -q tests/net"})),
        _tool("c3", "................................  [100%]\n32 passed in 1.20s"),
        _says("All 32 tests pass. The budget refills as time goes by."),
        model="gpt-6-codex",
    )  # fmt: skip
    return conversation("0192-retry", "codex", "/home/ada/src/gateway", at, *turns)


def _plain(
    name: str, agent: str, workspace: str, at: float, question: str, answer: str, **more: str
) -> Conversation:
    turns = _turns(at, _user(question), _says(answer), **more)
    return conversation(name, agent, workspace, at, *turns)


def week() -> list[Conversation]:
    """The conversations."""
    gateway, site, notes = "/home/ada/src/gateway", "/home/ada/src/site", "/home/ada/notes"
    return [
        _plain("s-now", "claude", gateway, NOW - 0.2 * HOUR,
               "Add a budget per host to the retry policy",
               "I have a plan: a budget for each host, and one above them all."),
        _retry(NOW - 2 * HOUR),
        _plain("s-css", "amp", site, NOW - 5 * HOUR, "The footer jumps on phones; find out why",
               "The footer is sized in `vh`, which counts the address bar.", vector="screen"),
        _plain("s-doc", "opencode", gateway, NOW - 1.1 * DAY, "Describe the retry policy in docs/",
               "Written: what is retried, how often, and when the budget says no."),
        _plain("s-release", "claude", site, NOW - 1.3 * DAY, "Cut release 2.4 and write its notes",
               "Released. The notes name six changes."),
        _plain("s-flaky", "kimi", gateway, NOW - 3 * DAY, "Which test is flaky in CI?",
               "`test_backoff_is_bounded`: it sleeps for real."),
        _plain("s-notes", "claude", notes, NOW - 4 * DAY, "Sort these notes by month",
               "Sorted: 14 months, 230 notes."),
        _plain("s-http2", "codex", gateway, NOW - 25 * DAY, "Could we speak HTTP/2 to upstreams?",
               "Yes, behind a flag; the pool needs a budget a stream."),
        _plain("s-dark", "amp", site, NOW - 40 * DAY, "Make a dark theme", "Made, from 9 colours."),
    ]  # fmt: skip


def _session(name: str, agent: str, workspace: str, state: str, since: float, held: str) -> None:
    pid = os.getpid()
    started = sessions.process_started(pid)
    assert started is not None
    folder = sessions.create(
        sessions.SessionHeader(
            name, agent, [agent], workspace, "local", "", pid, started, since, False
        )
    )
    sessions.set_status(folder, sessions.Status(state=state, since=since, conversation=held))


def fill(home: Path) -> None:
    """The week in the archive, and two sessions that run."""
    every = week()
    put(home, *every)
    _session("20261122-144800-0001", "claude", every[0].workspace, "blocked", NOW - 95, every[0].id)
    _session("20261122-130000-0002", "codex", every[1].workspace, "working", NOW - 12, every[1].id)


def histories(home: Path) -> None:
    """What agents left in a home that nothing was read from yet."""
    for folder, count in ((".claude/projects/-src-gateway", 11), (".claude/projects/-src-site", 3)):
        for n in range(count):
            short_path = home / folder
            short_path.mkdir(parents=True, exist_ok=True)
            line = {"type": "user", "uuid": f"u{n}", "message": {"role": "user"}}
            name = f"00000000-0000-4000-8000-{n:012}.jsonl"
            (short_path / name).write_text(json.dumps(line) + "\n")
    for n in range(6):
        short_path = home / f".codex/sessions/2026/11/{n + 10}"
        short_path.mkdir(parents=True)
        name = f"rollout-2026-11-{n + 10}T10-00-00-01a1ffe5-7290-77e2-8009-96435208769{n}.jsonl"
        (short_path / name).write_text("{}\n")
