"""What the terminal benchmarks read: generated floods, and the recordings where they are.

Every flood is made from a fixed seed, so runs compare. Sizes are bytes, the screen is 120x40.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

COLUMNS, LINES = 120, 40
_ENGLISH = """the quick brown fox jumps over lazy dog build src/main.rs test_parser.py error:
warning function return value const let import from def class async await 0x7f3a 42 100% [y/n]"""
_FOREIGN = """日本語のテキスト 한국어 텍스트 请用中文回答 café naïve Å Grüße 🚀 ✅ ⚠️ ❤️ 🧑\u200d💻
🇩🇪 e\u0301a\u0308 → ≠ ✓ █ ░ │ └─ ╭──╮ ⠋ ⠙ नमस्ते สวัสดี Привет мир"""
_WORDS, _UNICODE = _ENGLISH.split(), _FOREIGN.split()


def _words(rng: random.Random, count: int, words: list[str] = _WORDS) -> str:
    return " ".join(rng.choice(words) for _ in range(count))


def _plain(rng: random.Random) -> Iterator[str]:
    while True:
        yield _words(rng, rng.randint(6, 16)) + "\r\n"


def _sgr(rng: random.Random) -> Iterator[str]:
    while True:
        level = rng.choice(["\x1b[32mINFO", "\x1b[33mWARN", "\x1b[1;31mERROR", "\x1b[36mDEBUG"])
        yield (
            f"\x1b[2m2026-11-21T10:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}Z\x1b[0m "
            f"{level}\x1b[0m \x1b[1m{_words(rng, 1)}\x1b[0m: {_words(rng, 5)} "
            f"\x1b[38;5;{rng.randint(16, 231)}m{_words(rng, 2)}\x1b[39m\r\n"
        )


def _ink(rng: random.Random) -> Iterator[str]:
    """log-update: erase what was drawn line by line, print what is settled, draw again."""
    height = 0
    while True:
        frame = "\x1b[2K" + "\x1b[1A\x1b[2K" * (height - 1) + "\x1b[G" if height else ""
        if rng.random() < 0.2:
            frame += f"\x1b[38;2;215;119;87m●\x1b[39m {_words(rng, 12)}\r\n"
        rows = [f"  \x1b[2m⎿\x1b[22m  {_words(rng, 8)}" for _ in range(rng.randint(2, 8))]
        rows += [
            f"\x1b[38;5;174m{rng.choice('✢✳✶✻✽')} Thinking… \x1b[2m(esc to interrupt)\x1b[0m",
            "\x1b[2m╭" + "─" * 116 + "╮\x1b[22m",
            f"\x1b[2m│\x1b[22m > {_words(rng, 4):<112} \x1b[2m│\x1b[22m",
            "\x1b[2m╰" + "─" * 116 + "╯\x1b[22m",
        ]
        height = len(rows)
        yield frame + "\r\n".join(rows)


def _ratatui(rng: random.Random) -> Iterator[str]:
    """Cell differences: a position, a style, a few characters, again and again."""
    while True:
        frame = "\x1b[?2026h"
        for row in sorted(rng.sample(range(1, LINES + 1), rng.randint(2, 20))):
            for column in sorted(rng.sample(range(1, COLUMNS - 20), rng.randint(1, 4))):
                style = rng.choice(
                    ["\x1b[39m", "\x1b[38;5;8m", "\x1b[1m", "\x1b[22m", "\x1b[48;5;236m"]
                )
                frame += f"\x1b[{row};{column}H{style}{_words(rng, rng.randint(1, 2))}"
        yield frame + "\x1b[39m\x1b[49m\x1b[59m\x1b[0m\x1b[?25h\x1b[?2026l"


def _alternate(rng: random.Random) -> Iterator[str]:
    """A full-screen program repainting in 24-bit colours from a theme."""
    theme = [(rng.randrange(256), rng.randrange(256), rng.randrange(256)) for _ in range(24)]
    yield "\x1b[?1049h\x1b[H\x1b[2J"
    while True:
        frame = ""
        for row in range(1, LINES + 1):
            frame += f"\x1b[{row};1H"
            left = COLUMNS
            while left > 0:
                (r, g, b), (br, bg, bb) = rng.choice(theme), rng.choice(theme[:4])
                text = _words(rng, rng.randint(1, 4))[:left]
                frame += f"\x1b[38;2;{r};{g};{b}m\x1b[48;2;{br};{bg};{bb}m{text}"
                left -= len(text)
        yield frame


def _unicode(rng: random.Random) -> Iterator[str]:
    while True:
        yield _words(rng, rng.randint(4, 14), _UNICODE) + "\r\n"


def _gradient(rng: random.Random) -> Iterator[str]:
    """The adverse one: every cell has colours of its own, and the next frame has others."""
    while True:
        yield (
            "".join(
                f"\x1b[38;2;{rng.randrange(256)};{rng.randrange(256)};{rng.randrange(256)}m"
                f"\x1b[48;2;{rng.randrange(256)};{rng.randrange(256)};{rng.randrange(256)}m▀"
                for _ in range(COLUMNS)
            )
            + "\x1b[0m\r\n"
        )


FLOODS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "plain": _plain,
    "sgr log": _sgr,
    "ink redraw": _ink,
    "ratatui diff": _ratatui,
    "alternate truecolor": _alternate,
    "unicode": _unicode,
    "gradient": _gradient,
}


def flood(name: str, size: int, seed: int = 1) -> bytes:
    """About `size` bytes of a flood; another seed, other words and colours."""
    parts: list[bytes] = []
    length = 0
    for part in FLOODS[name](random.Random(f"{name}-{seed}")):
        parts.append(part.encode())
        length += len(parts[-1])
        if length >= size:
            break
    return b"".join(parts)


def recordings(shared: Path) -> dict[str, Path]:
    """The sessions beside the repo, by agent and run."""
    folder = shared / "data" / "recordings"
    return {str(p.parent.relative_to(folder)): p for p in sorted(folder.glob("*/*/session.cast"))}


def output_of(cast: Path) -> tuple[bytes, int, int]:
    """All the output of an asciicast v2, with its columns and lines."""
    lines = cast.read_text(encoding="utf-8").splitlines()
    head = json.loads(lines[0])
    events = (json.loads(line) for line in lines[1:] if line.strip())
    data = b"".join(e[2].encode("utf-8", "surrogatepass") for e in events if e[1] == "o")
    return data, head["width"], head["height"]
