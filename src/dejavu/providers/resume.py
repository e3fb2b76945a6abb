"""The agent's own command that continues a conversation where it was held.

Sources: what each agent prints as it leaves, in our recordings, and its `--help`.
"""

import re

from dejavu.model import Conversation

from .registry import agents

# The id was captured, so it is never trusted on a command line.
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}")
_PLAIN = re.compile(r"[\w./:@,+-]+", re.ASCII)


def resume_command(conversation: Conversation) -> list[str] | None:
    """The agent's command line for this session; of a sub-agent, its main session's.

    None where the agent has no such command or the id is no plain word.
    """
    agent = agents().get(conversation.agent)
    native_id = conversation.native_id.partition("/")[0]
    if agent is None or not agent.resume or not _ID.fullmatch(native_id):
        return None
    return [*agent.resume, native_id]


def resume_line(conversation: Conversation) -> str | None:
    """The same for a shell, from the workspace: `cd /work/x && agent --resume ID`."""
    command = resume_command(conversation)
    return None if command is None else command_line(command, conversation.workspace)


def shell_word(text: str) -> str:
    """One word of bash, zsh and fish; fish alone reads backslashes between single quotes."""
    if _PLAIN.fullmatch(text):
        return text
    return "'" + re.sub(r"[\\']", r"'\\\g<0>'", text) + "'"


def command_line(command: list[str], folder: str) -> str:
    """A command for a shell, from a folder."""
    line = " ".join(map(shell_word, command))
    # A folder of another machine may be anything; a shell gets it quoted, or not at all.
    if folder.startswith("/") and folder.isprintable():
        return f"cd {shell_word(folder)} && {line}"
    return line
