"""How to go on with a conversation where it was held: the agent's own command for it.

Takes a conversation's head; gives an argument list, or None where the agent has no such command
or the id is no plain word (it was captured, so it is never trusted on a command line). Where from:
what each agent prints as it leaves, in our recordings, and its `--help`.
"""

import re
import shlex

from dejavu.model import Conversation

RESUME: dict[str, tuple[str, ...]] = {
    "amp": ("amp", "threads", "continue"),
    "claude": ("claude", "--resume"),
    "cline": ("cline", "--id"),
    "codex": ("codex", "resume"),
    "copilot": ("copilot", "--resume"),
    "cursor": ("cursor-agent", "--resume"),
    "droid": ("droid", "--resume"),
    "gemini": ("gemini", "--resume"),
    "kimi": ("kimi", "-r"),
    "opencode": ("opencode", "-s"),
    "pi": ("pi", "--session"),
    "qwen": ("qwen", "--resume"),
}
"""Agent -> the command that takes a session's own id as its last argument."""

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}")


def resume_command(head: Conversation) -> list[str] | None:
    """The agent's command line for this session; of a sub-agent, its main session's."""
    command = RESUME.get(head.agent)
    native = head.native_id.partition("/")[0]
    if command is None or not _ID.fullmatch(native):
        return None
    return [*command, native]


def resume_line(head: Conversation) -> str | None:
    """The same for a shell, from the workspace: `cd /work/x && claude --resume ID`."""
    command = resume_command(head)
    if command is None:
        return None
    told = shlex.join(command)
    # A folder of another machine may be anything; a shell gets it quoted, or not at all.
    if head.workspace.startswith("/") and head.workspace.isprintable():
        return f"cd {shlex.quote(head.workspace)} && {told}"
    return told
