"""Secrets in layouts that other programs draw, ordinary screens, and what one endless word costs.

    python -m benchmarks.redact.elsewhere [--seed N] [--per N] [--megabytes N] [--word N]
                                          [--tuning | --held-out] [-v]

Every layout is drawn as the output or the answer of a session, by several agents and at several
widths, and goes through grid, scrapers and redaction as in the observer. A piece survives where eight
characters of the secret in a row can still be read, whatever signs the layout puts between them; what
is a vendor's fixed prefix alone does not count. Formats of tuning vendors are drawn in tuning layouts, all
formats in held-out ones (`sets.py` says which). "false masks a MB": replacements in ordinary screens, and in
these layouts around text that holds no secret. "word CPU s": what the observer of a wrapped agent
takes for so many MB of one unbroken word, and after its end.
With `-v` surviving pieces and false masks of the tuning part are printed, never of the held-out part.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.redact.capture import BENIGN, PLACES, kept
from benchmarks.redact.chromes import CHROMES, WRAPS, hard, screen
from benchmarks.redact.formats import FORMATS, held_out
from benchmarks.redact.layouts import Drawing, Layout, Line
from benchmarks.redact.ordinary import Kind
from benchmarks.redact.redactor import MARKER, samples, unbroken
from benchmarks.redact.sets import KINDS, LAYOUTS, NAME_LOST, PARTS

PIECE = 8
WIDTHS = (60, 72, 80, 100, 120, 160)
READERS = tuple(chrome for chrome in CHROMES if chrome.keeps_output)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
LONGEST = 300.0
"""Seconds an observer is waited for."""
SENTINEL = "\x00"
FIXED = sorted(
    {template.partition("{")[0].partition("«")[0] for _, template in FORMATS}, key=len, reverse=True
)
_SIGNS = re.compile(r"[^A-Za-z0-9]+")
PLAIN_VALUES = (
    "src/net/retry_budget.py", "documentation", "RetryBudgetManager", "2026-11-21T10:00:00",
    "refill-every-second", "https://example.test/guide/retries", "4711", "tests/net/test_retry.py",
    "compute_retry_budget_of_ring", "a-long-name-of-words-that-is-no-secret-at-all",
)  # fmt: skip


def readable(text: str) -> str:
    """A text as someone reads it who ignores signs, breaks and replacements."""
    text = text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    return _SIGNS.sub("", MARKER.sub("", text))


def _places(form: str, secret: str) -> list[int]:
    """Where the characters of a secret stand in a form that parts them by other text; none if they do not."""
    places: list[int] = []
    at = -1
    for char in secret:
        if (at := form.find(char, at + 1)) < 0:
            return []
        places.append(at)
    return places


def survives(drawing: Drawing, secret: str, text: str) -> str | None:
    """The first piece of the secret that can be read in a text."""
    fixed = next((len(prefix) for prefix in FIXED if prefix and secret.startswith(prefix)), 0)
    for form, size in drawing.forms:
        flat = _SIGNS.sub("", form)
        if form != secret and (places := _places(flat, _SIGNS.sub("", secret))):
            first = max(len(_SIGNS.sub("", secret[:fixed])) - PIECE + 1, 0)
            for start, end in zip(places[first:], places[first + PIECE - 1 :], strict=False):
                if flat[start : end + 1] in text:
                    return flat[start : end + 1]
            continue
        # Signs of the form itself (a backslash, a percent sign) are gone from both.
        each = max(len(flat) * size / max(len(form), 1), 1)
        length = min(int(PIECE * each), len(flat))
        first = max(int(len(_SIGNS.sub("", secret[:fixed])) * each) - length + 1, 0)
        for at in range(first, len(flat) - length + 1):
            if flat[at : at + length] in text:
                return flat[at : at + length]
    return None


def drawn(layout: Layout, line: Line, rng: random.Random) -> tuple[str, Drawing, str]:
    """What is kept of a session in which a layout is drawn; the drawing; and where."""
    chrome, width = rng.choice(READERS), rng.choice(WIDTHS)
    place = rng.choice(("output", "answer"))
    made: list[Drawing] = []

    def wrap(text: str, room: int) -> list[str]:
        if text != SENTINEL:
            return hard(text, room)
        made.append(layout(line, room, rng))
        return ["plain words before", *made[0].rows, "and after"]

    said = {**dict.fromkeys(PLACES, BENIGN), place: SENTINEL}
    text = kept(chrome, screen(chrome, wrap, width, **said), width)
    return text, made[0], f"{chrome.agent} {place} {width}"


def lines_with_secrets(seed: int, per: int, *, tuning: bool) -> list[Line]:
    """The formats' secrets in their lines; of tuning vendors alone, or of all."""
    rng = random.Random(seed)
    return [
        Line(text[:start], text[start:end], text[end:])
        for vendor, text, start, end in samples(rng, per)
        if not (tuning and held_out(vendor))
        and "\n" not in text
        and len(_SIGNS.sub("", text[start:end])) >= 12
        and unbroken((vendor, text, start, end))
    ]


def is_known_alone(secret: str) -> bool:
    """Whether a secret is told by its form, without a name next to it."""
    return unbroken(("", secret, 0, len(secret)))


def pieces(
    layouts: Mapping[str, Layout], seed: int, per: int, *, tuning: bool, verbose: bool
) -> dict[str, str]:
    """Surviving of drawn, for each layout."""
    counts: dict[str, str] = {}
    total = fell = 0
    lines = lines_with_secrets(seed, 1, tuning=tuning)
    for name, layout in layouts.items():
        rng = random.Random(f"{seed} {name}")
        lost = 0
        fit = [line for line in lines if layout not in NAME_LOST or is_known_alone(line.secret)]
        for line in rng.sample(fit, per) if per <= len(fit) else fit:
            text, drawing, where = drawn(layout, line, rng)
            piece = survives(drawing, line.secret, readable(text))
            lost += piece is not None
            if piece is not None and verbose:
                print(f"{name} | {where} | {line.text} | {piece}", *drawing.rows, "", "KEPT: " + text,
                      "", sep="\n", file=sys.stderr)  # fmt: skip
        tried = min(per, len(fit))
        counts[name] = f"{lost}/{tried}"
        total, fell = total + tried, fell + lost
    return {**counts, "all": f"{fell}/{total}"}


def ordinary(kinds: Mapping[str, Kind], layouts: Mapping[str, Layout], seed: int, size: float, *,
             verbose: bool) -> dict[str, float]:  # fmt: skip
    """False masks a MB, for each kind and all layouts together; `size` in MB of them all."""
    found, sizes = Counter[str](), Counter[str]()

    def count(name: str, text: str) -> None:
        sizes[name] += len(text.encode())
        found[name] += len(hits := MARKER.findall(text))
        if hits and verbose:
            rows = [row for row in text.split("\\n") if MARKER.search(row)]
            print(f"FALSE {name}:", *rows, sep="\n  ", file=sys.stderr)

    share = size * 1e6 / (len(kinds) + 1)
    for name, kind in kinds.items():
        rng = random.Random(f"{seed} {name}")
        while sizes[name] < share:
            chrome, width = rng.choice(READERS), rng.choice(WIDTHS)
            wrap = WRAPS[rng.choice(("hard", "words", "fill", "diff", "numbered"))]
            body = "\n".join(kind(rng) for _ in range(rng.randrange(3, 40)))
            said = {"prompt": BENIGN, "output": body, "answer": kind(rng)}
            count(name, kept(chrome, screen(chrome, wrap, width, **said), width))
    rng = random.Random(f"{seed} layouts")
    while sizes["in layouts"] < share:
        layout = rng.choice([*layouts.values()])
        line = Line(rng.choice(("", "value: ", "  path = ")), rng.choice(PLAIN_VALUES), "")
        count("in layouts", drawn(layout, line, rng)[0])
    rates = {name: round(found[name] / sizes[name] * 1e6, 1) for name in sizes}
    return {**rates, "all": round(found.total() / sizes.total() * 1e6, 1)}


def one_word(megabytes: float) -> dict[str, float]:
    """CPU seconds of the observer of an agent that prints one unbroken word, and then waits 2 s."""
    script = (
        f"#!{sys.executable}\nimport random,sys,time\n"
        "print('\\u276f hello\\r\\n\\r\\n\\u25cf ', end='')\n"
        f"word = ''.join(random.Random(7).choices({LETTERS!r}, k=65521)).encode()\n"
        f"for _ in range({int(megabytes * 1e6) // 65_521}): sys.stdout.buffer.write(word)\n"
        "sys.stdout.buffer.flush(); time.sleep(2)\n"
    )
    with tempfile.TemporaryDirectory(prefix="word") as home:
        (program := Path(home, "claude")).write_text(script)
        program.chmod(0o700)
        homes = {f"DEJAVU_{kind}_HOME": home for kind in ("STATE", "DATA", "CONFIG")}
        agent = subprocess.Popen(
            [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--screen", "--",
             str(program)],
            env={"PATH": os.environ["PATH"], "HOME": home, "PYTHONIOENCODING": "utf-8", **homes}, cwd=home,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        used: dict[int, float] = {}
        ended: float | None = None
        began = time.monotonic()
        while time.monotonic() - began < LONGEST:
            running = {pid: cpu for pid in observers(home) if (cpu := cpu_seconds(pid)) is not None}
            used.update(running)
            if ended is None and agent.poll() is not None:
                ended = sum(used.values())
            if ended is not None and not running:
                break
            time.sleep(0.02)
        for pid in observers(home):
            os.kill(pid, signal.SIGKILL)
        total = sum(used.values())
        return {
            "MB": megabytes, "seconds": round(time.monotonic() - began, 1),
            "while it runs": round(ended or total, 2), "after its end": round(total - (ended or total), 2),
        }  # fmt: skip


def observers(home: str) -> list[int]:
    """The observers that keep their state in a folder."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            argv = (folder / "cmdline").read_bytes()
            if (
                b"dejavu.sessions.observer" in argv
                and home.encode() in (folder / "environ").read_bytes()
            ):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def cpu_seconds(pid: int) -> float | None:
    """The CPU seconds a process has used; None once it is gone."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return None


def main() -> None:
    """Print the three tables as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per", type=int, default=40, help="draws of each layout")
    parser.add_argument("--megabytes", type=float, default=5.0, help="of ordinary screens")
    parser.add_argument("--word", type=float, default=100.0, help="megabytes of one word")
    parser.add_argument("--tuning", action="store_true", help="leave out the held-out part")
    parser.add_argument("--held-out", action="store_true", help="the held-out part alone")
    parser.add_argument("-v", action="store_true", help="show the tuning part's failures")
    options = parser.parse_args()
    report: dict[str, Any] = {}
    asked = ("tuning",) if options.tuning else ("held_out",) if options.held_out else PARTS
    parts = [part for part in asked if LAYOUTS[part]]
    if options.per:
        report["pieces"] = {
            part: pieces(LAYOUTS[part], options.seed, options.per, tuning=part == "tuning",
                         verbose=options.v and part == "tuning")
            for part in parts
        }  # fmt: skip
    if options.megabytes:
        report["false_masks_a_MB"] = {
            part: ordinary(KINDS[part], LAYOUTS[part], options.seed, options.megabytes / 2,
                           verbose=options.v and part == "tuning")
            for part in parts
        }  # fmt: skip
    if options.word:
        report["word_CPU_s"] = one_word(options.word)
    print(json.dumps(report, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
