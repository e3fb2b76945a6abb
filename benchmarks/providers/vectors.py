"""How much of what was really said each vector alone captures, agent by agent.

Reads recordings of real agents with the truth beside them (../shared/data/recordings, or the
folders given); feeds each vector's traces to its parser and looks for every prompt, answer,
thought, tool call and tool result of the truth, word for word. `native` is what `dejavu sync`
archives of the agent's own files, `fused` what the archive holds once every vector has told what
it saw, in that one of several orders that comes out worst. Prints a table or JSON.

    python -m benchmarks.providers.vectors [FOLDER ...] [--each|--json|--missed]

`found/wanted` counts pieces; `twice` counts pieces that a vector gave more often than they were
said. A piece is found if it is (in) one text of its kind: a call by all its string arguments, a
response also by the tool's bare output inside the words that the agent puts around it.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import SHARED
from benchmarks.providers.vectors_fused import fused, native

from dejavu.model import Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.providers import HOOKS, STREAMS, TELEMETRY, Kind, Source
from dejavu.providers.formats.wire import Exchange
from dejavu.providers.formats.wire import parser as wire_parser

KINDS = ("prompt", "answer", "reasoning", "call", "response", "error")
CHUNK = 4093
HEADLESS = {
    # The command lines of the recordings; the prompt takes the place of None.
    "amp": ["amp", "-x", None, "--stream-json"],
    "claude": ["claude", "-p", None, "--output-format", "stream-json", "--verbose"],
    "codex": ["codex", "exec", "--json", "--skip-git-repo-check", None],
    "copilot": ["copilot", "-p", None, "--output-format", "json", "--allow-all-tools"],
    "gemini": ["gemini", "--output-format", "stream-json", "--yolo", "-p", None],
    "kimi": ["kimi", "-p", None, "--output-format", "stream-json"],
    "opencode": ["opencode", "run", "--format", "json", None],
    "pi": ["pi", "--mode", "json", "-p", None],
    "qwen": ["qwen", "--output-format", "stream-json", "--yolo", "-p", None],
}


def wanted(truth: dict[str, Any]) -> list[tuple[str, str]]:
    """The pieces of a recording's truth: kind and text."""
    pieces: list[tuple[str, str]] = []
    for turn in truth["turns"]:
        one = [("prompt", turn["user"])]
        for part in said(turn):
            if part["type"] == "text":
                one.append(("answer", part["content"]))
            elif part["type"] == "reasoning":
                one.append(("reasoning", part["content"]))
            elif part["type"] == "tool_call":
                one.append(("call", "\0".join(strings(part["arguments"]))))
            elif part["type"] == "tool_call_response":
                one.append(("response", spelt(part["response"])))
            elif part["type"] == "error":
                one.append(("error", part["message"]))
        pieces += dict.fromkeys(one)  # agents ask again after errors, and for titles
    return pieces


def said(turn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the model answered in a turn, in the recordings' form or the rig's own."""
    if "assistant" in turn:
        yield from turn["assistant"]
        return
    for played in turn.get("played", ()):
        if played.get("background"):
            continue
        yield from (
            {"type": "tool_call_response", "response": one} for one in played["results_seen"][-1:]
        )
        for block in played["blocks"]:
            if "error" in block:
                if "error" in played:
                    yield {"type": "error", "message": block.get("message", "")}
                    break
            elif "text" in block:
                yield {"type": "text", "content": block["text"]}
            elif "thinking" in block:
                yield {"type": "reasoning", "content": block["thinking"]}
            elif "tool" in block:
                yield {"type": "tool_call", "arguments": block["args"]}


def spelt(response: str) -> str:
    """A tool's result as text; some agents send it to the model as an object."""
    try:
        value = json.loads(response)
    except ValueError:
        return response
    return "\n".join(strings(value)) if isinstance(value, dict) else response


def strings(value: Any) -> list[str]:
    """Every text inside a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


def captured(turns: Iterable[Turn]) -> dict[str, list[list[str]]]:
    """The texts of each kind that a vector gave; a piece may have several."""
    found: dict[str, list[list[str]]] = {kind: [] for kind in KINDS}
    for turn in turns:
        for part in turn.parts:
            if isinstance(part, Text):
                kind = {Role.USER: "prompt", Role.ASSISTANT: "answer"}.get(turn.role, "error")
                found[kind].append([part.content])
            elif isinstance(part, Reasoning):
                found["reasoning"].append([part.content])
            elif isinstance(part, ToolCall):
                found["call"].append(strings(part.arguments))
            elif isinstance(part, ToolCallResponse):
                found["response"].append(strings(part.response))
    return found


def score(truth: dict[str, Any], turns: Iterable[Turn]) -> dict[str, Any]:
    """For each kind `[found, wanted]`, and how many pieces came more often than they were said.

    Calls that came more often (`again`) count beside those: some agents do ask twice.
    """
    have, pieces = captured(turns), Counter(wanted(truth))
    result: dict[str, Any] = {kind: [0, 0] for kind in KINDS}
    twice = again = 0
    missed: list[tuple[str, str]] = []
    for (kind, text), count in pieces.items():
        needles = [needle.rstrip("\n") for needle in text.split("\0")]
        hits = sum(
            all(any(needle in one for one in texts) for needle in needles)
            or (kind == "response" and any(bare(one) and bare(one) in text for one in texts))
            for texts in have[kind]
        )
        result[kind][0] += min(hits, count) if kind in ("prompt", "answer") else count * (hits > 0)
        result[kind][1] += count
        if hits == 0:
            missed.append((kind, text))
        if kind in ("prompt", "answer", "reasoning"):
            exact = sum(text in texts for texts in have[kind])
            twice += max(0, exact - max(count, 1))
        elif kind == "call":
            again += max(0, hits - count)
    result["twice"], result["again"] = twice, again
    result["missed"] = missed
    return result


def bare(output: str) -> str:
    """A tool's own output, which some agents wrap in words before the model gets it."""
    return output.strip()


def collect(parser: Any, data: bytes) -> list[Turn]:
    """All turns of a trace fed in small chunks."""
    turns: dict[str, list[Turn]] = {}

    def take() -> None:
        for update in parser.take():
            if update.conversation.parent is not None:
                continue  # a sub-agent: the truth is about the conversation itself
            turns.setdefault(update.conversation.id, [])[update.start :] = update.turns

    for offset in range(0, len(data), CHUNK):
        parser.feed(data[offset : offset + CHUNK], offset, at=float(offset))
        take()
    parser.close()
    take()
    return [turn for thread in turns.values() for turn in thread]


def stream(folder: Path, agent: str, truth: dict[str, Any]) -> list[Turn]:
    """What the recording's headless streams give, one process a prompt."""
    turns: list[Turn] = []
    for number, turn in enumerate(truth["turns"], 1):
        path = folder / f"stream-{number}.jsonl"
        if not path.is_file() or agent not in STREAMS:
            continue
        argv = [turn["user"] if word is None else word for word in HEADLESS[agent]]
        source = Source(agent, path, "local", Kind.APPEND, name=path.name)
        turns += collect(STREAMS[agent].parser(source, argv=argv), path.read_bytes())
    return turns


def hook(folder: Path, agent: str, _truth: dict[str, Any]) -> list[Turn]:
    """What the recording's hook payloads give."""
    turns: list[Turn] = []
    paths = [*folder.glob("native/**/hooks.jsonl"), *folder.glob("native/**/notify.jsonl")]
    for path in paths[:1]:
        source = Source(agent, path, "local", Kind.APPEND)
        turns += collect(HOOKS[agent].parser(source), path.read_bytes())
    return turns


def otlp(folder: Path, agent: str, _truth: dict[str, Any]) -> list[Turn]:
    """What the recording's OTLP exports give."""
    for path in (folder / "otlp.jsonl", folder / "model/otlp.jsonl"):
        if path.is_file():
            source = Source(agent, path, "local", Kind.APPEND)
            return collect(TELEMETRY[agent].parser(source), path.read_bytes())
    return []


def wire(folder: Path, agent: str, _truth: dict[str, Any]) -> list[Turn]:
    """What the traffic with the model gives, where the rig kept it."""
    path = folder / "model/wire.jsonl"
    if not path.is_file():
        return []
    spool = bytearray()
    for line in path.read_bytes().splitlines():
        passed = json.loads(line)
        exchange = Exchange(passed["path"], passed["headers"].items(), passed["t0"])
        exchange.request(passed["request"].encode())
        exchange.status = passed["status"]
        exchange.response(passed["response"].encode())
        spool += exchange.line() or b""
    source = Source(agent, path, "local", Kind.APPEND)
    return collect(wire_parser(source), bytes(spool))


def together(folder: Path, agent: str, truth: dict[str, Any]) -> list[Turn]:
    """All of these and the agent's own files, as the archive fuses them."""

    def faults(turns: list[Turn]) -> tuple[int, ...]:
        result = score(truth, turns)
        return result["twice"] + result["again"] + len(result["missed"]), len(turns)

    return fused(folder, agent, truth, faults)


VECTORS = {
    "native": native, "stream": stream, "hook": hook, "otlp": otlp, "wire": wire,
    "fused": together,
}  # fmt: skip


def measure(folder: Path) -> dict[str, dict[str, Any]]:
    """Each vector's score in one recording; vectors without a trace there are left out."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    agent = truth["agent"].partition("-")[0]
    scores = {}
    for name, vector in VECTORS.items():
        if turns := vector(folder, agent, truth):
            scores[name] = score(truth, turns)
    return scores


def main() -> int:
    """Measure the recordings and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, help="recordings, or a tree of them")
    parser.add_argument("--each", action="store_true", help="a line for each recording")
    parser.add_argument("--missed", action="store_true", help="what was not found, piece by piece")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args()
    roots = options.folders or [SHARED / "data/recordings"]
    folders = sorted({path.parent for root in roots for path in root.rglob("truth.json")})
    if not folders:
        print(f"no recordings in {', '.join(map(str, roots))}", file=sys.stderr)
        return 1
    table = {f"{one.parent.name}/{one.name}": measure(one) for one in folders}
    if options.missed:
        for name, scores in table.items():
            for vector, result in scores.items():
                for kind, text in result["missed"]:
                    print(name, vector, kind, json.dumps(text, ensure_ascii=False)[:200])
        return 0
    if options.json:
        print(json.dumps(table))
        return 0
    show(table if options.each else by_agent(table))
    return 0


def by_agent(table: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, dict[str, Any]]]:
    """The same, all recordings of an agent together."""
    summed: dict[str, dict[str, dict[str, Any]]] = {}
    for name, scores in table.items():
        agent = summed.setdefault(name.partition("/")[0], {})
        for vector, result in scores.items():
            total = agent.setdefault(vector, {**{kind: [0, 0] for kind in KINDS}, "twice": 0})
            total["twice"] += result["twice"]
            for kind in KINDS:
                total[kind] = [
                    one + more for one, more in zip(total[kind], result[kind], strict=True)
                ]
    return summed


def show(table: dict[str, dict[str, dict[str, Any]]]) -> None:
    """Print a table, a line for each vector."""
    print(f"{'':28}{'vector':8}" + "".join(f"{kind:>11}" for kind in (*KINDS, "twice")))
    for name, scores in table.items():
        for vector, result in sorted(scores.items(), key=lambda one: list(VECTORS).index(one[0])):
            cells = [f"{result[k][0]}/{result[k][1]}" if result[k][1] else "-" for k in KINDS]
            print(f"{name:28}{vector:8}" + "".join(f"{c:>11}" for c in (*cells, result["twice"])))


if __name__ == "__main__":
    sys.exit(main())
