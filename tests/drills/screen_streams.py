"""Drill: damaged terminal streams through grid, scrapers and sanitiser. Nothing may raise.

Bytes of the golden recordings are cut into stretches, damaged, and fed as a session of their
agent. What the reader shows goes through the sanitiser, and no control character may be left.
"""

from pathlib import Path

from dejavu.capsule import Output, read_recording
from dejavu.redact.sanitise import sanitise
from dejavu.scrapers.session import SessionReader

from .budget import Budget, Outcome
from .mutation import mutate_bytes

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
_STRETCHES = (200, 500, 500, 2_000)  # bytes: short streams, so that many are tried


def _streams() -> list[tuple[str, bytes]]:
    """Agent and bytes of every golden recording."""
    streams: list[tuple[str, bytes]] = []
    for path in sorted(GOLDEN.glob("*/*/session.cast")):
        events = read_recording(path)
        data = b"".join(event.data for event in events if isinstance(event, Output))
        streams.append((path.parents[1].name, data))
    return streams


def _unfit(text: str) -> bool:
    """Whether a control character is left in a text that was made fit to be shown."""
    return any(
        (ord(letter) < 32 and letter not in "\n\t") or 0x7F <= ord(letter) < 0xA0 for letter in text
    )


def drill(budget: Budget) -> Outcome:
    """Damage and read until the budget is spent."""
    outcome = Outcome("terminal streams", unit="damaged streams")
    streams = _streams()
    while budget.more():
        agent, data = budget.random.choice(streams)
        length = budget.random.choice(_STRETCHES)
        start = budget.random.randrange(max(1, len(data) - length))
        damaged = mutate_bytes(data[start : start + length], budget.random)
        columns, lines = budget.random.choice(((80, 24), (40, 10), (120, 40), (2, 2)))
        try:
            reader = SessionReader(agent, columns, lines)
            cut = budget.random.randrange(len(damaged) + 1)
            reader.output(damaged[:cut], 1.0)
            reader.output(damaged[cut:], 2.0)
            reader.exit(0, 3.0)
            for turn in reader.turns:
                if _unfit(sanitise(turn.text)):
                    outcome.fail(f"{agent}, round {outcome.rounds}: a control character is left")
        except Exception as error:  # whatever it is, it is what the drill looks for
            outcome.fail(f"{agent}, round {outcome.rounds}: {type(error).__name__}: {error}")
        outcome.rounds += 1
    return outcome
