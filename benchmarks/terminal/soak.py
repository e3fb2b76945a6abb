"""Fuzz the screen for a long time and watch its memory. Exit 1 on the first thing that is wrong.

    python -m benchmarks.terminal.soak [--minutes 10] [--limit-mb 256] [--seed N]

Streams come from a grammar of terminal output, mutated; those that reach new lines of our code are
kept and mutated again (coverage by `sys.settrace` on a sample, so that the rest runs at speed).
Checked on every stream: nothing raised, cursor in bounds, rows as wide as the screen, chunks do
not matter, a dump makes an equal terminal; at times a resize; always the process's memory.
A failing stream is written to a file that `--replay FILE` runs again.
"""

import argparse
import random
import resource
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import dejavu.screen
from dejavu.screen import Terminal

PACKAGE = str(Path(dejavu.screen.__file__).parent)
_TEXT = (
    "plain words|日本語|e\u0301|⚠️|🧑‍💻|a\u200bb|│─╭╮|\U0010ffff|🇩🇪|नमस्ते|\ufeff|x\u0300\u0301\u0302"
)
_CONTROLS = [bytes([n]) for n in (*range(0x20), 0x7F)] + [b"\r\n"] * 6
_FINALS = b"@ABCDEFGHIJKLMPSTXZ`abcdefghilmnpqrstu{|}~"
_STRINGS = [b"\x1b]0;t\x07", b"\x1b]8;;https://e.org/%d\x1b\\", b"\x1b]8;;\x07", b"\x1b]4;1;?\x07"]
_STRINGS += [b"\x1bP+q544e\x1b\\", b"\x1bP$qm\x1b\\", b"\x1b_x\x1b\\", b"\x1b]", b"\x1bP", b"\x1bX"]
_MODES = [
    b"4",
    b"20",
    b"?6",
    b"?7",
    b"?25",
    b"?47",
    b"?1047",
    b"?1048",
    b"?1049",
    b"?2026",
    b"?2004",
]


def piece(rng: random.Random) -> bytes:
    """One thing a program might write."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(_TEXT.split("|")).encode() * rng.choice((1, 1, 1, 5, 30))
    if kind < 0.45:
        return rng.choice(_CONTROLS)
    if kind < 0.75:
        numbers = [b"", b"0", b"1", b"2", b"5", b"200", b"65536", b"4:3"]
        parameters = b";".join(rng.choices(numbers, k=rng.choice((0, 1, 1, 2, 3, 40))))
        prefix = rng.choice((b"", b"", b"", b"", b"?", b">", b"=", b"<"))
        inner = rng.choice((b"", b"", b"", b"", b"!", b" ", b"$", b"'", b"\n", b"\x18"))
        return b"\x1b[" + prefix + parameters + inner + bytes([rng.choice(_FINALS)])
    if kind < 0.83:
        colours = b";".join(
            b"%d;2;%d;%d;%d" % (rng.choice((38, 48, 58)), *rng.randbytes(3)) for _ in "ab"
        )
        return b"\x1b[" + colours + b"m"
    if kind < 0.9:
        return b"\x1b[" + rng.choice(_MODES) + rng.choice((b"h", b"l"))
    if kind < 0.95:
        text = rng.choice(_STRINGS)
        return text % rng.randrange(10_000) if b"%d" in text else text
    return b"\x1b" + rng.choice(
        (b"7", b"8", b"D", b"E", b"M", b"H", b"c", b"(0", b"(B", b"#8", b"n")
    )


def stream(rng: random.Random, kept: list[bytes]) -> bytes:
    """A new stream, or one that led somewhere, changed."""
    if kept and rng.random() < 0.6:
        data = bytearray(rng.choice(kept))
        for _ in range(rng.randint(1, 8)):
            at = rng.randint(0, len(data))
            change = rng.random()
            if change < 0.4:
                data[at:at] = piece(rng)
            elif change < 0.6:
                del data[at : at + rng.randint(1, 20)]
            elif change < 0.8 and data:
                data[at % len(data)] = rng.randrange(256)
            else:
                other = rng.choice(kept)
                start = rng.randint(0, len(other))
                data[at:at] = other[start : start + rng.randint(1, 200)]
        return bytes(data[:20_000])
    if rng.random() < 0.05:
        return rng.randbytes(rng.randint(1, 3000))
    return b"".join(piece(rng) for _ in range(rng.randint(1, 120)))


def check(data: bytes, rng: random.Random) -> None:
    """Everything that must hold for any bytes."""
    columns, lines = rng.choice(((80, 24), (12, 5), (1, 1), (120, 40), (2, 3)))
    whole = Terminal(columns, lines, history=200)
    whole.feed(data)
    pieces = Terminal(columns, lines, history=200)
    step = rng.choice((1, 2, 3, 7, 50))
    for at in range(0, len(data), step):
        pieces.feed(data[at : at + step])
    assert _shown(pieces) == _shown(whole), f"cut every {step} bytes it reads otherwise"
    assert pieces.replies() == whole.replies(), "the answers depend on the cuts"
    _sound(whole)
    whole.feed(b"\x18\x1b[?2026l")
    again = Terminal(columns, lines, history=200)
    again.feed(whole.dump())
    assert again.snapshot() == whole.snapshot(), "a dump does not make an equal terminal"
    if rng.random() < 0.3:
        whole.resize(rng.randint(1, 130), rng.randint(1, 45))
        _sound(whole)
        whole.feed(data[:500])
        _sound(whole)


def _shown(terminal: Terminal) -> tuple[object, ...]:
    return terminal.snapshot(), [str(line) for line in terminal.history], terminal.synchronized


def _sound(terminal: Terminal) -> None:
    snapshot = terminal.snapshot()
    row, column = snapshot.cursor
    assert 0 <= row < terminal.lines, "the cursor is off the screen"
    assert 0 <= column < terminal.columns, "the cursor is off the screen"
    for y, text in enumerate(snapshot.rows):
        assert snapshot.crop(y, 0, terminal.columns) == text, "a row is not as wide as the screen"
        assert "\0" not in text, "half a wide character shows"
    assert all(run.end <= terminal.columns for runs in snapshot.styles for run in runs)


def traced(action: Callable[[], None], reached: set[tuple[str, int]]) -> bool:
    """Run with our lines watched; whether new ones were reached."""
    before = len(reached)

    def on_line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            reached.add((frame.f_code.co_filename, frame.f_lineno))
        return on_line

    def on_call(frame: FrameType, _: str, __: Any) -> Any:
        return on_line if frame.f_code.co_filename.startswith(PACKAGE) else None

    sys.settrace(on_call)
    try:
        action()
    finally:
        sys.settrace(None)
    return len(reached) > before


def memory() -> float:
    """Peak resident memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Fuzz until the time is up or something is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--limit-mb", type=float, default=256)
    parser.add_argument("--seed", type=int, default=time.time_ns())
    parser.add_argument("--replay", type=Path)
    options = parser.parse_args()
    if options.replay:
        for attempt in range(200):
            check(options.replay.read_bytes(), random.Random(attempt))
        print("nothing wrong with it")
        return
    rng = random.Random(options.seed)
    kept: list[bytes] = []
    reached: set[tuple[str, int]] = set()
    end = time.monotonic() + 60 * options.minutes
    count = size = 0
    lasting = Terminal(120, 40, history=10_000)  # one that lives as long as the soak
    data = b""
    try:
        while time.monotonic() < end:
            data = stream(rng, kept)
            if count % 10 == 0:
                if traced(lambda data=data: check(data, rng), reached):  # type: ignore[misc]
                    kept = [*kept[-499:], data]
            else:
                check(data, rng)
            lasting.feed(data)
            count, size = count + 1, size + len(data)
            assert memory() <= options.limit_mb, f"{memory():.0f} MB, more than is allowed"
            if count % 5000 == 0:
                print(
                    f"{count} streams, {len(reached)} lines reached, {memory():.0f} MB", flush=True
                )
    except Exception:
        traceback.print_exc()
        failing = Path(f"soak-failure-{options.seed}.bin")
        failing.write_bytes(data)
        print(f"\nseed {options.seed}, stream {count}: python {sys.argv[0]} --replay {failing}")
        raise SystemExit(1) from None
    print(
        f"{count} streams of {size / 1e6:.1f} MB, {len(kept)} kept for {len(reached)} lines, "
        f"peak {memory():.0f} MB, seed {options.seed}: nothing wrong"
    )


if __name__ == "__main__":
    main()
