"""One conversation seen twice: the agent's own trace and the screen, put together.

Takes the turns of both; gives the fused turns, the trace's wherever it has them, the screen's
only for exchanges (a prompt and what followed) that the trace lacks. Both tell the same session
in the same order, so exchanges are matched in order, by the letters of their prompts. Pure;
O(exchanges of the trace x exchanges only on the screen).
"""

import re
from collections.abc import Callable, Iterable

from dejavu.record import Role, Turn

_NOT_LETTERS = re.compile(r"[\W_]+")
_ENOUGH = 24
"""Letters that must agree where the screen shows a prompt cut short."""


def letters(text: str) -> str:
    """`text` without blanks, marks and case: what wrapping and rendering do not change."""
    return _NOT_LETTERS.sub("", text.casefold())


def exchanges(turns: Iterable[Turn]) -> list[list[Turn]]:
    """`turns` cut before every prompt; what precedes the first prompt is an exchange of its own."""
    cut: list[list[Turn]] = []
    for turn in turns:
        if turn.role is Role.USER or not cut:
            cut.append([])
        cut[-1].append(turn)
    return cut


def _prompt(exchange: list[Turn], key: Callable[[str], str]) -> str:
    return key(exchange[0].text) if exchange[0].role is Role.USER else ""


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _ENOUGH and longer.startswith(shorter)


def _answered(exchange: list[Turn]) -> bool:
    return any(turn.role is Role.ASSISTANT and turn.text.strip() for turn in exchange)


def fuse(
    native: Iterable[Turn], screen: Iterable[Turn], *, key: Callable[[str], str] = letters
) -> tuple[tuple[Turn, ...], int]:
    """The fused turns, and how many of them only the screen had.

    A prompt that both have keeps the trace's turns; if the trace has no answer to it yet and the
    screen has, the screen's answer is taken. `key` gives what of a prompt is compared.
    """
    ours = exchanges(native)
    fused: list[Turn] = []
    at = added = 0
    for seen in exchanges(screen):
        prompt = _prompt(seen, key)
        if not prompt:
            continue
        match = next(
            (i for i in range(at, len(ours)) if _same(_prompt(ours[i], key), prompt)), None
        )
        if match is None:
            fused += seen
            added += len(seen)
            continue
        for exchange in ours[at : match + 1]:
            fused += exchange
        if not _answered(ours[match]) and _answered(seen):
            fused += seen[1:]
            added += len(seen) - 1
        at = match + 1
    for exchange in ours[at:]:
        fused += exchange
    return tuple(fused), added
