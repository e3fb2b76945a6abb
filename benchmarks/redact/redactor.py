"""Measures the redactor: recall unbroken and wrapped, false hits, speed beside a bare regex pass.

    python -m benchmarks.redact.redactor [--seed N] [--draws N] [--misses]

Prints JSON. The corpus is drawn from `formats.py`; a secret counts as caught when at least
90 % of its characters are masked. Benign text: this Python's standard library, and hashes, UUIDs,
lock files and logs drawn here. Speed is CPU time, interleaved with the peer, median of 5: the peer
is one pass of a flat alternation of all the anchors, which finds candidates and decides nothing.
"""

import argparse
import base64
import json
import random
import re
import statistics
import sysconfig
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.redact.formats import FORMATS, PRIVATE, draw, held_out

from dejavu.redact import RULES, Redactor

REDACTOR = Redactor(b"benchmark")
COLUMNS = (40, 80, 120)
CAUGHT = 0.9
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
MARKER = re.compile(r"\[redacted:([a-z0-9-]+):[0-9a-f]{8}\]")
# Surroundings that name no secret, so that the form alone must tell; and some that do.
NEUTRAL = (
    "I used {} for the call and it worked",
    "2026-03-01T10:00:00Z ERROR upstream refused {}, will retry",
    "  - value: '{}'",
    'call("{}", timeout=30)',
    "{}",
)
NAMED = (
    "export SERVICE_TOKEN={}",
    '  "api_key": "{}",',
    'curl -H "Authorization: Bearer {}" https://x',
)
WORDS = ["the", "agent", "ran", "a", "build", "and", "then", "it", "read", "every", "file", "of"]

Sample = tuple[str, str, int, int]  # vendor, text, start and end of the secret


def samples(rng: random.Random, draws: int) -> Iterator[Sample]:
    for vendor, template in FORMATS:
        for _ in range(draws):
            text, start, end = draw(template, rng)
            if "«" not in template:
                before, after = rng.choice(NEUTRAL * 2 + NAMED).split("{}")
                text, start, end = before + text + after, start + len(before), end + len(before)
            yield vendor, text, start, end


def lost(secret: str, out: str) -> float:
    """The share of the secret's characters that stand in the output in runs of five or more."""
    out = MARKER.sub("\n", out)  # a rule's name may be the vendor's prefix
    shown = [False] * len(secret)
    for i in range(len(secret) - 4):
        if secret[i : i + 5] in out:
            shown[i : i + 5] = [True] * 5
    return sum(shown) / len(secret)


def unbroken(sample: Sample) -> bool:
    _, text, start, end = sample
    return lost(text[start:end], REDACTOR.redact(text)) <= 1 - CAUGHT


def autowrap(text: str, columns: int) -> tuple[list[str], Callable[[int], tuple[int, int]]]:
    rows = [text[i : i + columns].ljust(columns) for i in range(0, len(text), columns)]
    return rows, lambda i: (i // columns, i % columns)


def hanging(text: str, columns: int) -> tuple[list[str], Callable[[int], tuple[int, int]]]:
    width = columns - 2
    rows = [text[:columns]]
    rows += ["  " + text[i : i + width] for i in range(columns, len(text), width)]

    def place(i: int) -> tuple[int, int]:
        if i < columns:
            return 0, i
        return (i - columns) // width + 1, (i - columns) % width + 2

    return [row.ljust(columns) for row in rows], place


def box(text: str, columns: int) -> tuple[list[str], Callable[[int], tuple[int, int]]]:
    width = columns - 4
    rows = [f"│ {text[i : i + width]:<{width}} │" for i in range(0, len(text), width)]
    rows = ["╭" + "─" * (columns - 2) + "╮", *rows, "╰" + "─" * (columns - 2) + "╯"]
    return rows, lambda i: (i // width + 1, i % width + 2)


LAYOUTS = {"autowrap": autowrap, "hanging": hanging, "box": box}


def wrapped(sample: Sample, layout: str, columns: int, rng: random.Random) -> bool | None:
    """Whether the sample is caught broken over rows; None where it is one line and fits a row."""
    _, text, start, end = sample
    width = columns - (4 if layout == "box" else 0)
    head = " ".join(rng.choices(WORDS, k=columns // 2))
    line_start = text.rfind("\n", 0, start) + 1
    # The break falls at a random place in the secret's first line.
    first = len(text[start:end].split("\n", 1)[0])
    cut = rng.randint(1, first - 1)
    lead = (width - (start - line_start) - cut) % width
    head = (head + " ")[: max(lead - 1, 0)].ljust(max(lead - 1, 0), ".") + (" " if lead else "")
    rows: list[str] = []
    where: list[tuple[int, int]] = []
    position = 0
    for number, line in enumerate((text + "\nDone, next I look at the tests").split("\n")):
        pad = head if position == line_start else ""
        part, place = LAYOUTS[layout](pad + line, columns)
        for i in range(len(line)):
            if start <= position + i < end:
                row, column = place(len(pad) + i)
                where.append((row + len(rows), column))
        rows += part
        position += len(line) + 1
        del number
    out = REDACTOR.redact_rows(rows, columns)
    assert [len(row) for row in out] == [len(row) for row in rows]
    same = sum(out[r][c] == rows[r][c] for r, c in where)
    return 1 - same / len(where) >= CAUGHT - 0.06  # a label's letter may equal the one it covers


def benign(rng: random.Random) -> dict[str, str]:
    def hexes(n: int) -> str:
        return f"{rng.getrandbits(4 * n):0{n}x}"

    def b64(n: int) -> str:
        return base64.b64encode(rng.randbytes(n)).decode()

    def ident(prefix: str, n: int) -> str:
        return prefix + "".join(rng.choices(BASE58, k=n))

    def lines(count: int, *makers: Callable[[], str]) -> str:
        return "\n".join(rng.choice(makers)() for _ in range(count))

    def uid() -> str:
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))

    library = Path(sysconfig.get_paths()["stdlib"])
    source = "".join(
        path.read_text("utf-8", "replace")
        for path in sorted(library.rglob("*.py"))
        if "site-packages" not in path.parts
    )
    return {
        "hashes": lines(
            12_000,
            lambda: f"100644 blob {hexes(40)}\tsrc/{rng.choice(WORDS)}.py",
            lambda: f"{hexes(64)}  dist/{rng.choice(WORDS)}.tar.gz",
            lambda: f"commit {hexes(40)} (HEAD -> main)",
            lambda: f'  "etag": "{hexes(32)}", "sha": "{hexes(40)}",',
            lambda: f"index {hexes(7)}..{hexes(7)} 100644",
            lambda: f"sha256:{hexes(64)} {hexes(12)}",
        ),
        "uuids": lines(
            10_000,
            lambda: f'{{"uuid":"{uid()}","parentUuid":"{uid()}","sessionId":"{uid()}"}}',
            lambda: f"request_id={uid()} trace_id={hexes(32)} span_id={hexes(16)}",
            lambda: f'"id":"{ident("msg_01", 22)}","tool_use_id":"{ident("toolu_01", 22)}"',
            lambda: f'"call_id":"{ident("call_", 24)}","id":"rs_{hexes(50)}"',
        ),
        "lock files": lines(
            10_000,
            lambda: f'checksum = "{hexes(64)}"',
            lambda: f'      "integrity": "sha512-{b64(64)}",',
            lambda: f'  {{ url = "https://x/{hexes(60)}/a.whl", hash = "sha256:{hexes(64)}" }},',
            lambda: f"    --hash=sha256:{hexes(64)} \\",
            lambda: f"{rng.choice(WORDS)} v1.{rng.randrange(99)}.0 h1:{b64(32)}",
        ),
        "logs": lines(
            12_000,
            lambda: f"2026-02-0{rng.randrange(1, 9)}T11:22:33.{rng.randrange(1000):03}Z INFO "
            f"{' '.join(rng.choices(WORDS, k=8))} took {rng.randrange(9999)} ms pid={hexes(3)}",
            lambda: f'10.0.{rng.randrange(9)}.4 - - "GET /api/v1/{rng.choice(WORDS)}?page=2'
            f'&next_page_token={b64(18)} HTTP/1.1" 200 {rng.randrange(99999)}',
            lambda: f'{{"input_tokens":{rng.randrange(10**6)},"tokens":{rng.getrandbits(40)}}}',
            lambda: f"-rw-r--r-- 1 u g 4096 /tmp/tmp{ident('', 8)}/{hexes(12)}.log",
            lambda: f"data:image/png;base64,{b64(120)}",
            lambda: f"using password from ${{DB_PASSWORD}} and token from env {rng.choice(WORDS)}",
        ),
        "source": source,
    }  # fmt: skip


def cpu(job: Callable[[], object]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def hostile() -> dict[str, str]:
    """Single lines of 1 MB that make a careless pattern quadratic."""
    seeds = {
        "one class": "a", "prefixes": "sk-", "jwt heads": "-eyJaaaaaaaa", "keywords": "password=",
        "urls": "://a:", "pem heads": f"-----BEGIN {PRIVATE}-----", "secret_": "secret_",
        "curl": "curl ", "equals": "token = ", "tokens": "ghp_" + "Ab3" * 12 + " ",
        "atlas": "a.atlasv1.",
        "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo", "basic": "Basic QUJDREVGR0hJSktM ",
        "live": "a_live_",
    }  # fmt: skip
    return {name: seed * ((1 << 20) // len(seed)) for name, seed in seeds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--draws", type=int, default=10, help="secrets per format")
    parser.add_argument("--misses", action="store_true", help="name the missed tuning formats")
    options = parser.parse_args()
    rng = random.Random(options.seed)

    corpus = list(samples(rng, options.draws))
    hits: Counter[tuple[str, str]] = Counter()
    totals: Counter[tuple[str, str]] = Counter()
    misses: Counter[str] = Counter()

    def note(kind: str, sample: Sample, caught: bool) -> None:
        split = "held_out" if held_out(sample[0]) else "tuning"
        for part in (split, "all"):
            totals[part, kind] += 1
            hits[part, kind] += caught
        if not caught and (split == "tuning" or kind == "unbroken"):
            misses[f"{split} {kind}: {sample[0]}"] += 1

    for sample in corpus:
        note("unbroken", sample, unbroken(sample))
        for layout in LAYOUTS:
            for columns in COLUMNS:
                caught = wrapped(sample, layout, columns, rng)
                note(f"{layout} {columns}", sample, bool(caught))
                note("wrapped", sample, bool(caught))

    texts = benign(rng)
    false_hits = {}
    for name, text in texts.items():
        found = Counter(MARKER.findall(REDACTOR.redact(text))) - Counter(MARKER.findall(text))
        size = len(text.encode("utf-8", "replace")) / 1e6
        false_hits[name] = {
            "MB": round(size, 2), "hits": found.total(),
            "per_MB": round(found.total() / size, 3), "rules": dict(found),
        }  # fmt: skip
    megabytes = sum(entry["MB"] for entry in false_hits.values())

    mix = "".join(text[:1_000_000] for text in texts.values())
    lines = mix.split("\n")
    flat = re.compile("|".join(sorted({re.escape(a) for rule in RULES for a in rule.anchors})))
    ours, by_line, peer = [], [], []
    for _ in range(5):
        ours.append(cpu(lambda: REDACTOR.redact(mix)))
        peer.append(cpu(lambda: sum(1 for _ in flat.finditer(mix))))
        by_line.append(cpu(lambda: [REDACTOR.redact(line) for line in lines]))
    size = len(mix.encode("utf-8", "replace")) / 1e6
    speed = {
        "MB_per_s": round(size / statistics.median(ours), 1),
        "MB_per_s_line_by_line": round(size / statistics.median(by_line), 1),
        "peer_MB_per_s": round(size / statistics.median(peer), 1),
        "ratio_to_peer": round(statistics.median(peer) / statistics.median(ours), 2),
    }
    idempotent = all(
        REDACTOR.redact(once := REDACTOR.redact(text)) == once for _, text, _, _ in corpus
    )
    report = {
        "formats": len(FORMATS),
        "vendors": {
            split: len({v for v, _ in FORMATS if held_out(v) == (split == "held_out")})
            for split in ("tuning", "held_out")
        },
        "rules": len(RULES),
        "samples": len(corpus),
        "recall": {
            part: {
                kind: round(hits[part, kind] / totals[part, kind], 4)
                for p, kind in totals
                if p == part
            }
            for part in ("tuning", "held_out", "all")
        },
        "misses": dict(misses.most_common()) if options.misses else sum(misses.values()),
        "false_hits": false_hits,
        "false_hits_per_MB": round(
            sum(entry["hits"] for entry in false_hits.values()) / megabytes, 3
        ),
        "speed": speed,
        "hostile_1MB_line_cpu_s": {
            name: round(cpu(lambda line=line: REDACTOR.redact(line)), 3)
            for name, line in hostile().items()
        },
        "idempotent": idempotent,
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
