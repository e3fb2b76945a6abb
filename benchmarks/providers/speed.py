"""How fast Claude Code's sessions are parsed, beside `jq -c .type` on the same file.

Generates a Claude-like session (its own words, repeated with variation), then, interleaved and
`--rounds` times, measures CPU seconds (user and system) of a child that follows and parses it and
of jq. Prints JSON: medians, megabytes a CPU second, and the ratio of the two.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.providers import PROVIDERS, Kind, Source

WORDS = re.findall(
    r"\w+",
    "the ring buffer holds what was written until a reader takes it and when the head meets the "
    "tail a decision is due either the oldest entry goes or the writer waits so choose with care",
)


def prose(chance: random.Random, words: int) -> str:
    """So many words, in paragraphs."""
    picked = chance.choices(WORDS, k=words)
    return "\n\n".join(" ".join(picked[i : i + 60]) for i in range(0, words, 60))


def code(chance: random.Random, rows: int) -> str:
    """Lines that look like a tool's output."""
    return "\n".join(
        f"src/part_{chance.randrange(999)}.py:{n}:    {' '.join(chance.choices(WORDS, k=7))}"
        for n in range(rows)
    )


def session(chance: random.Random, native: str) -> Iterator[dict[str, Any]]:
    """Records of one session without end: prompt, then answers, tool calls and results."""
    above: str | None = None

    def record(kind: str, **fields: Any) -> dict[str, Any]:
        nonlocal above
        made = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        line = {
            "parentUuid": above, "isSidechain": False, "userType": "external",
            "cwd": "/home/someone/work/project", "sessionId": native, "version": "2.1.330",
            "gitBranch": "main", "type": kind, **fields, "uuid": made,
            "timestamp": "2026-11-21T20:45:44.391Z",
        }  # fmt: skip
        above = made
        return line

    def answer(message: str, block: dict[str, Any]) -> dict[str, Any]:
        usage = {"input_tokens": 9, "cache_creation_input_tokens": 400, "output_tokens": 77,
                 "cache_read_input_tokens": 20_000, "service_tier": "standard"}  # fmt: skip
        body = {"id": message, "type": "message", "role": "assistant", "model": "model-1",
                "content": [block], "stop_reason": None, "usage": usage}  # fmt: skip
        return record("assistant", message=body, requestId="req_1")

    while True:
        yield record("user", message={"role": "user", "content": prose(chance, 40)})
        for _ in range(6):
            message = f"msg_{chance.getrandbits(64):x}"
            call = f"toolu_{chance.getrandbits(64):x}"
            yield answer(message, {"type": "thinking", "thinking": prose(chance, 120)})
            yield answer(message, {"type": "text", "text": prose(chance, 90)})
            command = {"command": f"grep -rn {chance.choice(WORDS)} src", "description": "Search"}
            yield answer(
                message, {"type": "tool_use", "id": call, "name": "Bash", "input": command}
            )
            output = code(chance, chance.choice((5, 40, 200)))
            result = {"type": "tool_result", "tool_use_id": call, "content": output}
            yield record(
                "user",
                message={"role": "user", "content": [result]},
                toolUseResult={"stdout": output, "stderr": "", "interrupted": False},
            )
        yield {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}


def generate(path: Path, megabytes: float) -> None:
    """Write a session of about that size."""
    chance = random.Random(7)
    left = int(megabytes * 1e6)
    with path.open("w", encoding="utf-8") as file:
        for record in session(chance, path.stem):
            left -= file.write(json.dumps(record, ensure_ascii=False) + "\n")
            if left <= 0:
                break


def parse(path: Path) -> None:
    """Follow and parse the file, as `sync` does, keeping nothing."""
    provider = PROVIDERS["claude"]
    source = Source("claude", path, "bench", Kind.APPEND, path.stem)
    parser = provider.parser(source)
    turns = 0
    for delta in provider.follow(source):
        parser.feed(delta.data, delta.offset)
        turns += sum(len(update.turns) for update in parser.take())
    # Not ru_maxrss: across exec it keeps the peak of whoever started us.
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0])
    print(json.dumps({"turns": turns, "peak_kib": peak}))


def cpu(command: list[str]) -> float:
    """CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--megabytes", type=float, default=50)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--parse", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.parse:
        parse(given.parse)
        return
    jq = shutil.which("jq")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{uuid.UUID(int=7)}.jsonl"
        generate(path, given.megabytes)
        tiny = path.with_name(f"{uuid.UUID(int=8)}.jsonl")
        generate(tiny, 0.001)
        ours, idle, peers = [], [], []
        run = [sys.executable, "-m", "benchmarks.providers.speed", "--parse"]
        for _ in range(given.rounds):
            ours.append(cpu([*run, str(path)]))
            idle.append(cpu([*run, str(tiny)]))
            if jq:
                peers.append(cpu([jq, "-c", ".type", str(path)]))
        shown = subprocess.run([*run, str(path)], capture_output=True, check=True)
        size = path.stat().st_size / 1e6
    median, start = statistics.median(ours), statistics.median(idle)
    report = {
        "megabytes": round(size, 1), "cpu_s": round(median, 3), "start_up_s": round(start, 3),
        "mb_per_cpu_s": round(size / (median - start), 1), **json.loads(shown.stdout),
        "load": os.getloadavg()[0],
    }  # fmt: skip
    if peers:
        peer = statistics.median(peers)
        report |= {"jq_cpu_s": round(peer, 3), "ratio_to_jq": round(median / peer, 2)}
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
