"""An archive of ten thousand conversations and a thread of five thousand turns, made up.

Takes a folder, and counts; fills an archive there and gives nothing. Deterministic: the same counts
give the same conversations. Sizes follow a year of a person with several agents: short questions,
answers of a paragraph with a list and code, calls with what the tool said. O(turns).
"""

import random
from collections.abc import Iterator
from pathlib import Path

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.model import (
    Conversation,
    Part,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    conversation_id,
)

START = 1_770_000_000.0
_AGENTS = ("claude", "codex", "amp", "kimi", "opencode")

_WORDS = [
    "retry",
    "budget",
    "parser",
    "cursor",
    "window",
    "terminal",
    "archive",
    "queue",
    "socket",
    "thread",
    "index",
    "turn",
]
_BATCH = 200


def _parts(n: int, chance: random.Random) -> tuple[Role, Part]:
    word, other = chance.choice(_WORDS), chance.choice(_WORDS)
    if n % 4 == 0:
        return Role.USER, Text(f"Why does the {word} of the {other} fail in case {n}?")
    if n % 4 == 1:
        return Role.ASSISTANT, ToolCall(f"c{n}", "Bash", {"command": f"grep -rn {word} src"})
    if n % 4 == 2:
        lines = "\n".join(f"src/{word}.py:{k}: {other}()" for k in range(chance.randint(1, 60)))
        return Role.TOOL, ToolCallResponse(f"c{n - 1}", lines)
    return Role.ASSISTANT, Text(
        f"The **{word}** is asked before the `{other}` is there. " * 3
        + f"\n\n- first the {word}\n- then the {other}\n\n```python\nreturn {word}({n})\n```"
    )


def conversation(name: str, count: int, at: float) -> Conversation:
    """A conversation of `count` turns that began at `at`."""
    chance = random.Random(name)
    agent = chance.choice(_AGENTS)
    turns: list[Turn] = []
    for n in range(count):
        role, part = _parts(n, chance)
        turns.append(Turn(role=role, parts=(part,), at=at + n * 7))
    first = turns[0].text
    return Conversation(
        id=conversation_id(agent, "local", name),
        agent=agent,
        native_id=name,
        workspace=f"/srv/projects/{chance.choice(_WORDS)}-{chance.randint(1, 8)}",
        instance=chance.choice(("local", "box-1", "box-2")),
        title=first,
        source=f"/traces/{name}.jsonl",
    ).with_turns(turns)


def _all(conversations: int, longest: int) -> Iterator[Conversation]:
    for n in range(conversations - 1):
        yield conversation(f"session-{n}", 4 + n % 9, START + n * 1800)
    # The newest is the long one: it stands at the top of every list.
    yield conversation("the-long-one", longest, START + conversations * 1800)


def fill(folder: Path, conversations: int = 10_000, longest: int = 5_000) -> None:
    """Make the archive in `folder`, indexed."""
    with Archive.open(folder) as archive, archive.indexing():
        updates: list[TurnUpdate] = []
        for one in _all(conversations, longest):
            updates.append(TurnUpdate(one, 0, one.turns))
            if len(updates) == _BATCH:
                archive.commit(Batch(updates=updates))
                updates = []
        archive.commit(Batch(updates=updates))
