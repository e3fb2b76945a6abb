"""Secrets in another form in exported texts: how many stay, what ordinary texts lose, and the CPU it costs.

    python -m benchmarks.export.forms [--draws N] [--seed N] [-v]

`secrets`: tokens and settings as tools of this machine and languages write them, in a text around; `left`
names the forms that leave ten characters in a row. `ordinary`: a part of the program's own sources and docs,
the golden conversations, the standard library, the log of git with its changes, and dumps of public files;
`masks` are what is replaced with the forms and not without, and a secret that a text does have counts, too.
CPU is that of `redact_turns`, in seconds a megabyte, and how much of it is for the forms.
"""

import argparse
import base64
import json
import random
import shutil
import string
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from dejavu.model import Role, ToolCallResponse, Turn
from dejavu.redact import Redactor
from dejavu.redact.conversation import marks, redact_turns
from dejavu.redact.encoded_secrets import mark_encoded

ROOT = Path(__file__).parents[2]
REDACT = Redactor(b"forms").redact
LONGEST = 1 << 17  # characters of one text
PIECE = 10  # characters
ALIKE = 4  # characters that two secrets share by chance, or that a form puts between two
ALPHABET = string.ascii_letters + string.digits
TOOLS = (
    "xxd", "xxd -p", "xxd -i", "xxd -b", "od -c", "od -An -c", "od -x", "od -b", "od -t x1", "od -t x1z",
    "od -t d1", "hexdump", "hexdump -C", "hexdump -c", "base32", "base32 -w0", "base64", "base64 -w0",
)  # fmt: skip


def _split(secret: str, joint: str) -> str:
    at = len(secret) // 2
    return f"{secret[:at]}{joint}{secret[at:]}"


WRITTEN: dict[str, Callable[[str], str]] = {
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "\\x": lambda text: '"' + "".join(f"\\x{byte:02x}" for byte in text.encode()) + '"',
    "\\u": lambda text: '"' + "".join(f"\\u{byte:04x}" for byte in text.encode()) + '"',
    "entities": lambda text: "".join(f"&#{byte};" for byte in text.encode()),
    "numbers": lambda text: f"data = {list(text.encode())}",
    "chr": lambda text: " + ".join(f"chr({byte})" for byte in text.encode()),
    "hex": lambda text: text.encode().hex(),
    "URL base64": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    '"a" + "b"': lambda text: 'value = "' + _split(text, '" + "') + '"',
    '"a"\\n"b"': lambda text: 'value = ("' + _split(text, '"\n         "') + '")',
    "'a' .\\n'b'": lambda text: "$value = '" + _split(text, "' .\n  '") + "';",
    '["a", "b"]': lambda text: '{"parts": ["' + _split(text, '", "') + '"]}',
    "a**b**": lambda text: f"{_split(text, '**')}**",
}  # fmt: skip


def _tool(command: str, text: str) -> str:
    done = subprocess.run(command.split(), input=text.encode(), stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def secrets(draws: int, seed: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield form and text of every draw, and the runs of the text that tell the secret."""
    rng = random.Random(seed)
    for _ in range(draws):
        drawn, other = ("".join(rng.choices(ALPHABET, k=36)) for _ in range(2))
        for kind, first, last in (("token", "ghp_", 36), ("setting", "DB_PASSWORD=", 24)):
            lines = [f"{first}{value[:last]}" for value in (drawn, other)]
            for command in TOOLS:
                if shutil.which(command.split()[0]):
                    texts = [_tool(command, f"HOST=db\n{line}\nPORT=1\n") for line in lines]
                    yield f"{command} ({kind})", texts[0], _told(*texts)
            for name, write in WRITTEN.items():
                texts = [f"Here it is:\n{write(line)}\nand so on." for line in lines]
                yield f"{name} ({kind})", texts[0], _told(*texts)


def _told(text: str, other: str) -> list[str]:
    """Return the runs in which a text is another than with another secret; signs alike may be between."""
    blocks = SequenceMatcher(None, text, other, autojunk=False).get_matching_blocks()
    runs, at = list[list[int]](), 0
    for start, _, size in blocks:
        if at < start:
            if runs and at - runs[-1][1] < ALIKE:
                runs[-1][1] = start
            else:
                runs.append([at, start])
        at = start + size
    return [text[start:end] for start, end in runs if end - start >= PIECE]


def is_left(text: str, marked: str, told: list[str]) -> bool:
    """Whether ten characters in a row of what tells the secret, and are nowhere else, are still there."""
    elsewhere = text
    for run in told:
        elsewhere = elsewhere.replace(run, "\n")
    pieces = {run[at : at + PIECE] for run in told for at in range(len(run) - PIECE + 1)}
    return any(piece in marked and piece not in elsewhere for piece in pieces)


def ordinary() -> Iterator[tuple[str, str]]:
    """Yield kind and text of what holds no secret of anybody."""
    for folder, nth in (("src", 12), ("docs", 6), ("golden", 12)):
        for file in sorted(path for path in (ROOT / folder).rglob("*") if path.is_file())[::nth]:
            yield folder, file.read_text("utf-8", "replace")[:LONGEST]
    library = Path(sysconfig.get_path("stdlib"))
    for file in sorted([*library.glob("*.py"), *library.glob("*/*.py")])[::25]:
        yield "standard library", file.read_text("utf-8", "replace")[:LONGEST]
    for options in (["--stat", "-n100"], ["-p", "-n10"]):
        log = subprocess.run(["git", "log", *options], cwd=ROOT, capture_output=True, check=True)
        yield "git log", log.stdout.decode("utf-8", "replace")[:LONGEST]
    binary = Path(sys.executable).read_bytes()[50_000:56_000].decode("latin-1")
    source = (ROOT / "src/dejavu/redact/engine.py").read_text("utf-8")
    for command in TOOLS:
        if shutil.which(command.split()[0]):
            yield "dumps", _tool(command, binary)[:LONGEST] + _tool(command, source)[:LONGEST]


def _turn(seq: int, text: str) -> Turn:
    return Turn(seq=seq, role=Role.TOOL, parts=(ToolCallResponse("call", text),))


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=5, help="secrets of each kind")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument(
        "-v", action="store_true", help="print what stays, and what goes from an ordinary text"
    )
    options = parser.parse_args()
    print(
        json.dumps(
            {"secrets": _secrets(options.draws, options.seed, options.v), **_ordinary(options.v)},
            indent=2,
        )
    )


def _secrets(draws: int, seed: int, verbose: bool) -> dict[str, Any]:
    tried = before = 0
    left: Counter[str] = Counter()
    for form, text, told in secrets(draws, seed):
        clean = REDACT(text)
        tried += 1
        before += is_left(text, clean, told)
        marked = REDACT(mark_encoded(text, REDACT))
        left[form] += is_left(text, marked, told)
        if verbose and is_left(text, marked, told):
            print(f"{form}: {marked}", file=sys.stderr)
    return {"tried": tried, "left_before": before, "left": left.total(), "by_form": dict(+left)}


def _ordinary(verbose: bool) -> dict[str, Any]:
    kinds: dict[str, list[str]] = {}
    for kind, text in ordinary():
        kinds.setdefault(kind, []).append(text)
    table: dict[str, dict[str, float]] = {}
    for kind, texts in kinds.items():
        size = sum(map(len, texts)) / 1e6
        whole, forms, masks = 0.0, 0.0, 0
        for text in texts:
            clean = REDACT(text)
            start = time.process_time()
            marked = mark_encoded(text, REDACT)
            forms += time.process_time() - start
            out = REDACT(marked)
            new = Counter(marks(out)) - Counter(marks(clean))
            masks += new.total()
            if new and verbose:
                print(kind, dict(new), file=sys.stderr)
        start = time.process_time()
        for _ in redact_turns((_turn(*pair) for pair in enumerate(texts)), REDACT):
            pass
        whole = time.process_time() - start
        table[kind] = {
            "mb": round(size, 2), "masks": masks,
            "cpu_s_a_mb": round(whole / size, 3), "of_it_forms": round(forms / size, 3),
        }  # fmt: skip
    size = sum(row["mb"] for row in table.values())
    total = sum(row["masks"] for row in table.values())
    return {"ordinary": table, "masks_a_mb": round(total / size, 2)}


if __name__ == "__main__":
    main()
