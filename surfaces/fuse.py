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


def _answer(exchange: list[Turn], key: Callable[[str], str]) -> str:
    return key("".join(turn.text for turn in exchange if turn.role is Role.ASSISTANT))


def _cut_short(
    ours: list[Turn], seen: list[Turn], key: Callable[[str], str], *, last: bool
) -> bool:
    """Whether the screen's answer is ours and goes on.

    Only the trace's `last` exchange can have been taken while it streamed; before it, an answer
    is either there or missing.
    """
    had, shown = _answer(ours, key), _answer(seen, key)
    return len(shown) > len(had) and (not had or (last and shown.startswith(had)))


def fuse(
    native: Iterable[Turn], screen: Iterable[Turn], *, key: Callable[[str], str] = letters
) -> tuple[tuple[Turn, ...], int]:
    """The fused turns, and how many of them only the screen had.

    A prompt that both have keeps the trace's turns; where the trace's answer is missing or breaks
    off and the screen's goes on, the screen's is taken. `key` gives what of a text is compared.
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
        for exchange in ours[at:match]:
            fused += exchange
        if _cut_short(ours[match], seen, key, last=match == len(ours) - 1):
            kept = [turn for turn in ours[match] if not _answer([turn], key)]
            fused += [*kept, *(turn for turn in seen[1:] if _answer([turn], key))]
            added += sum(bool(_answer([turn], key)) for turn in seen[1:])
        else:
            fused += ours[match]
        at = match + 1
    for exchange in ours[at:]:
        fused += exchange
    return tuple(fused), added
