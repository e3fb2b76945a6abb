"""What is asked of the history: one value from a prompt's hook, a tool or a command to the ranking.

Holds no archive and does nothing. What a long-lived caller keeps (`Recall`, `Memory`, a redactor)
is no part of a question.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .context_block import BUDGET
from .history.score_fusion import Strategy


class Question(NamedTuple):
    """A question, or the prompt that a block of history is put before.

    workspace: look only there, and in its project's other folders (None: everywhere). before: the
    last lines said before it, for prompts such as "do that". without: conversations (ids) that must
    not show. spoken: prompts and answers alone, no tool output. floor: the least `confidence`.
    strategy: how what several retrievers found is merged; None: as set up. session: the agent's own
    id of the session that asks, which is not quoted to itself. budget: bytes of the block. tail: rank
    also what is too far behind the best to answer.
    """

    text: str
    limit: int = 10
    workspace: str | None = None
    before: Sequence[str] = ()
    without: Sequence[str] = ()
    spoken: bool = False
    floor: float = 0.0
    strategy: Strategy | None = None
    session: str = ""
    budget: int = BUDGET
    tail: bool = True
