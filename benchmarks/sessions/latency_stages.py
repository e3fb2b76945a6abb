"""Where the time goes between an agent's byte and the state that is published of it.

    python -m benchmarks.sessions.latency_stages SESSION.cast AGENT

Reads a recording of the wrapper piece by piece, on the recording's own clock, so that no load of the
machine is in it. The piece from which on the screen reads as a state is the agent's byte. `frame` is
the time until the reader looked at a screen that says so (a frame is composed, frames are paced),
`debounce` the time until it was sure. `host_latency.py` has the stages after these.
"""

import json
import sys
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from dejavu.capsule import Output, Recording
from dejavu.scrapers import SessionReader, read

STATES = ("working", "blocked", "idle", "error")


class Change(NamedTuple):
    """One published state. Times are seconds of the recording's clock.

    `byte`: the number of the piece's first byte. `read_at`: when a sample of the screen said so, or
    the decision, where the agent's own report decided.
    """

    state: str
    rule: str
    byte: int
    byte_at: float
    read_at: float
    decided_at: float

    @property
    def stages(self) -> dict[str, float]:
        """Seconds until a sample said so, and until the reader was sure."""
        return {"frame": self.read_at - self.byte_at, "debounce": self.decided_at - self.read_at}


def changes_of(cast: Path, agent: str, columns: int = 120, lines: int = 40) -> list[Change]:
    """The states of a recording, each with the piece that completed it."""
    outputs = [event for event in Recording(cast) if isinstance(event, Output)]
    sent = [0, *accumulate(len(event.data) for event in outputs)]
    reader = SessionReader(agent, columns, lines)
    verdicts: list[str] = []
    found: list[Change] = []
    for number, event in enumerate(outputs):
        published = reader.output(event.data, event.at)
        verdicts.append(str(read(agent, reader.terminal.snapshot()).state))
        for change in published:
            # What came due before this piece was decided by those before it.
            begin = number if change.at >= event.at else max(0, number - 1)
            state = str(change.state)
            while begin > 0 and verdicts[begin - 1] == state == verdicts[begin]:
                begin -= 1
            byte_at = outputs[begin].at
            readings = [at for at, said in reader.readings if said == state and at <= change.at]
            read_at = readings[-1] if readings and readings[-1] >= byte_at else change.at
            if state in STATES and (not found or found[-1].state != state):
                found.append(Change(state, change.rule, sent[begin], byte_at, read_at, change.at))
    return found


def zero_of(cast: Path, known: tuple[int, float]) -> float:
    """The recording's zero as Unix seconds, from one byte of it whose moment is known."""
    size = 0
    for event in Recording(cast):
        if isinstance(event, Output):
            if size >= known[0]:
                return known[1] - event.at
            size += len(event.data)
    return 0.0


def main() -> None:
    for change in changes_of(Path(sys.argv[1]), sys.argv[2]):
        shown = {name: round(one * 1000) for name, one in change.stages.items()}
        print(json.dumps({"at": round(change.byte_at, 3), "state": change.state,
                          "rule": change.rule, "ms": shown}))  # fmt: skip


if __name__ == "__main__":
    main()
