"""The self-check over recordings that have a native trace: by agent, what a session would be told.

    python -m benchmarks.scrapers.self_check [--json] [FOLDER ...]

Each recording (`session.cast` beside `native/`) is replayed as the observer follows a session; the
agent's own files give the trace. Prints turns compared, the two figures and their lower one. Below
the bar (.9) a release has changed what the rules know.
"""

import argparse
import json
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.providers.truth import AGENTS, read
from benchmarks.scrapers.turns import RECORDINGS

from dejavu.model import Turn
from dejavu.model.conversation import exchanges
from dejavu.scrapers import Packs, SessionReader
from dejavu.scrapers.labelled_screens import LabelledScreen, ScreenSampler
from dejavu.scrapers.self_check import Agreement, SelfCheck


@dataclass(frozen=True)
class Session:
    """A recording, its agent, and the turns that the agent's own files hold of it."""

    cast: Path
    agent: str
    began: float
    native: list[Turn]

    @property
    def name(self) -> str:
        """Its folder."""
        return f"{self.cast.parents[1].name}/{self.cast.parent.name}"


def sessions(folder: Path = RECORDINGS) -> list[Session]:
    """The recordings below `folder` that have a native trace."""
    result: list[Session] = []
    for cast in sorted(folder.glob("*/*/session.cast")):
        agent = AGENTS.get(cast.parents[1].name, cast.parents[1].name)
        with cast.open(encoding="utf-8") as lines:
            header = json.loads(next(lines))
        if not (cast.parent / "native").is_dir() or (agent == "amp" and "old" not in str(cast)):
            continue
        conversations, _ = read(cast.parent / "native", agent)
        main = max(conversations.values(), key=len, default=[])
        if len(main) > 1:
            began = header.get("rig_t0") or _began(cast.parent / "truth.json", main)
            result.append(Session(cast, agent, began, main))
    return result


def _began(truth: Path, native: list[Turn]) -> float:
    """When the cast's clock was 0, for one that does not say: by the moments of its prompts."""
    submitted = {
        turn["user"]: turn["submitted_at"] for turn in json.loads(truth.read_text("utf-8"))["turns"]
    }
    offsets = [
        turn.at - submitted[turn.text]
        for turn in native
        if turn.at is not None and turn.text in submitted
    ]
    return median(offsets) if offsets else 0.0


def follow(
    session: Session, packs: Packs | None = None, sampler: ScreenSampler | None = None
) -> SessionReader:
    """Replay a session, times on the trace's clock; `sampler` gets its frames."""
    with session.cast.open(encoding="utf-8") as lines:
        header = json.loads(next(lines))
        reader = SessionReader(session.agent, header["width"], header["height"], packs=packs)
        at = 0.0
        for line in lines:
            at, kind, data = json.loads(line)
            if kind == "o":
                reader.output(data.encode(), session.began + at)
                if sampler is not None and sampler.wants(reader.sampled_at):
                    sampler.sample(reader.sampled_at, reader.terminal.snapshot())
            elif kind == "r":
                columns, _, rows = data.partition("x")
                reader.resize(int(columns), int(rows), session.began + at)
        reader.exit(0, session.began + at + 1.0)
    return reader


def check(session: Session, packs: Packs | None = None) -> Agreement:
    """What the self-check says of a whole session."""
    reader = follow(session, packs)
    agreement, checker = Agreement(), SelfCheck()
    for exchange in exchanges(session.native):
        agreement.add(checker.compare(exchange, reader.turns, reader.readings)[0])
    return agreement


def labelled(session: Session, packs: Packs | None = None) -> list[LabelledScreen]:
    """The screens of a session with what its trace says of them."""
    sampler = ScreenSampler()
    follow(session, packs, sampler)
    sampler.screens = deque(maxlen=None)
    split = exchanges(session.native)
    following = [exchange[0].at for exchange in split[1:]]
    for exchange, after in zip(split, [*following, None], strict=True):
        sampler.label(exchange, after)
    return [*sampler.screens]


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", nargs="?", type=Path, default=RECORDINGS)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    rows: dict[str, dict[str, float | int | None]] = {}
    for session in sessions(given.folder):
        agreement = check(session)
        rows[session.name] = {
            "turns": agreement.turns,
            "text": agreement.of_text,
            "states": agreement.of_states,
            "score": agreement.score,
        }
    if given.json:
        print(json.dumps(rows, indent=1))
        return 0
    print(f"{'recording':34} {'turns':>5} {'text':>6} {'states':>6} {'score':>6}")
    for name, row in rows.items():
        figures = (row["text"], row["states"], row["score"])
        shown = " ".join(f"{'-' if n is None else round(n, 3):>6}" for n in figures)
        print(f"{name:34} {row['turns']:>5} {shown}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
