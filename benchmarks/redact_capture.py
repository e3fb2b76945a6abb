"""Secrets that an agent wraps on its screen: how many leave a piece in what would be archived.

    python benchmarks/redact_capture.py [--seed N] [--per 2] [--held-out] [-v]

Each secret is shown in the tool output, the answer and the prompt of a session that is drawn as an
agent draws it (chromes below, each checked to be read by its pack), at several widths, broken hard
at the width, at words, or in a box. The bytes go through grid, scrapers and the redaction of the
capture path, as in the observer. A secret leaks where ten of its characters in a row stand in the
turns. Vendors are split by a hash of their name (`redact_formats.held_out`).
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from redact import REDACTOR, samples, unbroken
from redact_formats import held_out

from dejavu.model import turn_to_dict
from dejavu.redact.conversation import redact_turn
from dejavu.scrapers.session import SessionReader

WIDTHS = (40, 57, 80, 101, 120, 160, 200)
LINES = 60
PIECE = 10
"""Characters in a row of a secret that may not be found."""
BENIGN = "ordinary words that everybody may read"

Wrap = Callable[[str, int], list[str]]


def hard(text: str, width: int) -> list[str]:
    """Rows cut at the width, wherever that is."""
    rows: list[str] = []
    for line in text.split("\n"):
        rows += [line[i : i + width] for i in range(0, max(len(line), 1), width)]
    return rows


def words(text: str, width: int) -> list[str]:
    """Rows broken at blanks; a word longer than a row is cut."""
    rows: list[str] = []
    for line in text.split("\n"):
        row = ""
        for word in line.split(" "):
            while len(word) > width:
                if row:
                    rows.append(row)
                    row = ""
                rows.append(word[:width])
                word = word[width:]
            if row and len(row) + 1 + len(word) > width:
                rows.append(row)
                row = word
            else:
                row = f"{row} {word}" if row else word
        rows.append(row)
    return rows


def fill(text: str, width: int) -> list[str]:
    """As `words`; a long word begins on the row where there is room and goes on below."""
    rows: list[str] = []
    for line in text.split("\n"):
        row = ""
        for word in line.split(" "):
            row = f"{row} {word}" if row else word
            while len(row) > width:
                blank = row.rfind(" ", 0, width + 1)
                cut = blank if blank > 0 and len(row) - blank <= width else width
                rows.append(row[:cut])
                row = row[cut:].lstrip(" ")
        rows.append(row)
    return rows


WRAPS: dict[str, Wrap] = {"hard": hard, "words": words, "fill": fill}


class Chrome(NamedTuple):
    """How one agent draws: marks before first and further rows, and what stands below."""

    agent: str
    prompt: tuple[str, str]
    call: str
    output: tuple[str, str]
    answer: tuple[str, str]
    below: Callable[[int], list[str]]
    margin: int = 1
    """Columns left free at the right."""


def _ruled(width: int) -> list[str]:
    return ["", "─" * width, "❯ ", "─" * width, "  ? for shortcuts"]


def _codex(_width: int) -> list[str]:
    return ["", "› ", "", "  gpt-5 · 100% context left"]


CHROMES = (
    Chrome("demo", ("❯ ", "  "), "● Bash(cat .env)", ("  ⎿  ", "     "), ("● ", "  "), _ruled, 2),
    Chrome("claude", ("❯ ", "  "), "● Bash(cat .env)", ("  ⎿  ", "     "), ("● ", "  "), _ruled),
    Chrome("codex", ("› ", "  "), "• Ran cat .env", ("  └ ", "    "), ("• ", "  "), _codex, 0),
)


def screen(chrome: Chrome, wrap: Wrap, width: int, prompt: str, output: str, answer: str) -> bytes:
    """The bytes of one exchange."""

    def block(text: str, marks: tuple[str, str]) -> Iterator[str]:
        rows = wrap(text, width - len(marks[0]) - chrome.margin)
        for number, row in enumerate(rows):
            yield (marks[1] if number else marks[0]) + row

    rows = [
        *block(prompt, chrome.prompt), "", chrome.call, *block(output, chrome.output), "",
        *block(answer, chrome.answer), *chrome.below(width),
    ]  # fmt: skip
    return ("\x1b[H\x1b[2J" + "\r\n".join(rows)).encode()


def kept(chrome: Chrome, data: bytes, width: int) -> str:
    """What the archive would get of a session, as text."""
    reader = SessionReader(chrome.agent, width, LINES, mask=REDACTOR)
    reader.output(data, 1.0)
    reader.exit(0, 30.0)
    turns = [redact_turn(turn, REDACTOR.redact) for turn in reader.turns]
    return json.dumps([turn_to_dict(turn) for turn in turns], ensure_ascii=False)


def pieces(secret: str, text: str) -> bool:
    """Whether ten characters in a row of a secret stand in a text."""
    flat = secret.replace("\n", "")
    return any(flat[i : i + PIECE] in text for i in range(len(flat) - PIECE + 1))


def main() -> None:
    """Print the table of leaks by chrome, place and wrap as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per", type=int, default=1, help="draws of each format")
    parser.add_argument("--held-out", action="store_true", help="the third no rule is tuned on")
    parser.add_argument("-v", action="store_true", help="name the formats that leak")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    drawn = [
        sample
        for sample in samples(rng, options.per)
        if held_out(sample[0]) is options.held_out and unbroken(sample)
    ]
    tried, leaked, unread = Counter[str](), Counter[str](), Counter[str]()
    names = Counter[str]()
    for vendor, text, start, end in drawn:
        secret = text[start:end]
        chrome, width = rng.choice(CHROMES), rng.choice(WIDTHS)
        wrap = rng.choice(list(WRAPS))
        for place in ("prompt", "output", "answer"):
            lead = "x" * rng.randrange(width)
            shown = dict.fromkeys(("prompt", "output", "answer"), BENIGN)
            shown[place] = f"{BENIGN}\n{lead} {text}\nand after"
            archived = kept(chrome, screen(chrome, WRAPS[wrap], width, **shown), width)
            key = f"{chrome.agent} {place} {wrap}"
            tried[key] += 1
            if BENIGN[:20] not in archived or archived.count(BENIGN[:14]) < 3:
                unread[key] += 1
            if pieces(secret, archived):
                leaked[key] += 1
                names[vendor] += 1
    report = {
        "secrets": len(drawn), "tried": sum(tried.values()), "leaked": sum(leaked.values()),
        "not read": sum(unread.values()),
        "by chrome, place, wrap": {key: f"{leaked[key]}/{tried[key]}" for key in sorted(tried)},
    }  # fmt: skip
    if options.v:
        report["vendors"] = dict(names.most_common())
        report["unread"] = dict(unread)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
