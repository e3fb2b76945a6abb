"""How much of what really happened each provider reads back, from recordings with a known truth.

Takes folders `<recordings>/<agent>/<run>/{truth.json,native/}`; prints a table (or JSON with
`--json`) of pieces found verbatim, in order, once. Exits 1 when a piece is missing, out of order
or doubled, 2 when there is nothing to compare.

A piece of the truth is a prompt, an answer's text, a reasoning block, a tool call (by its command
or path) or a tool's response. The truth lists what the model served, so a request that an agent
repeated (a retry, a background title) stands there more than once: it counts once. Some agents do
not write everything down word for word: a piece that stands in none of the agent's files counts
as `unwritten`, not as lost, after it was looked for by its letters alone.
"""

import argparse
import contextlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from benchmarks import SHARED

from dejavu.model import Part, Reasoning, Text, ToolCall, ToolCallResponse, Turn
from dejavu.providers import PROVIDERS, Home

KINDS = ("prompt", "text", "reasoning", "call", "response")
FAULTS = ("disorder", "doubled", *(f"lost {kind}" for kind in KINDS))
Piece = tuple[str, str]
AGENTS = {"claude-inline": "claude", "codex-inline": "codex", "amp-old": "amp"}


def read(home: Path, agent: str) -> tuple[dict[str, list[Turn]], Counter[str]]:
    """Every conversation of one agent below `home`, and what was not understood."""
    provider = PROVIDERS[agent]
    turns: dict[str, list[Turn]] = {}
    drift: Counter[str] = Counter()
    for source in provider.discover(Home(home, {})):
        parser = provider.parser(source)
        for delta in provider.follow(source):
            parser.feed(delta.data, delta.offset)
            for update in parser.take():
                kept = turns.setdefault(update.conversation.id, [])
                kept[update.start :] = update.turns
        drift += parser.drift
    return turns, drift


def pieces(parts: tuple[Part, ...], role: str) -> Iterator[tuple[str, str]]:
    """The comparable pieces of a turn, in order."""
    for part in parts:
        if isinstance(part, Text) and role in ("user", "assistant"):
            yield ("prompt" if role == "user" else "text"), part.content
        elif isinstance(part, Reasoning):
            yield "reasoning", part.content
        elif isinstance(part, ToolCall):
            yield "call", json.dumps(part.arguments, ensure_ascii=False)
        elif isinstance(part, ToolCallResponse):
            yield "response", flat(part.response)


def flat(response: Any) -> str:
    """A response's text, wherever in its value it stands."""
    if isinstance(response, str):
        return response
    if isinstance(response, dict):
        return "\n".join(flat(value) for value in response.values())
    return "\n".join(map(flat, response)) if isinstance(response, list) else str(response)


def expected(truth: dict[str, Any]) -> Iterator[list[tuple[str, str]]]:
    """The pieces of each prompt and its answer, each once."""
    seen_responses: set[str] = set()
    for turn in truth["turns"]:
        want = [("prompt", turn["user"])]
        for block in turn["assistant"]:
            kind = block["type"]
            if kind in ("text", "reasoning"):
                want.append((kind, block["content"]))
            elif kind == "tool_call":
                arguments = block["arguments"]
                want.append(("call", arguments.get("command") or arguments.get("path") or ""))
            elif kind == "tool_call_response" and block["response"] not in seen_responses:
                seen_responses.add(block["response"])
                want.append(("response", block["response"]))
        yield list(dict.fromkeys(want))


def same(kind: str, want: str, have: str) -> bool:
    """Whether `have` is `want`: exactly, or for tools what both sides wrap differently."""
    if kind == "call":
        return json.dumps(want, ensure_ascii=False)[1:-1] in have
    if kind == "response":
        asked, told = core(want), core(have)
        return asked in told or bool(told and told in asked)
    # `opencode run` stores a prompt of several words in the quotes it takes them for.
    return want == have or (kind == "prompt" and have == f'"{want}"')


def core(response: str) -> str:
    """A response without the envelope an agent sends to the model around it."""
    value: Any = response
    if response[:1] in "{[":
        with contextlib.suppress(ValueError):
            value = flat(json.loads(response))
    for opening, closing in (("<output>", "</output>"), ("Output:\n", "\0"), ("Output: ", "\0")):
        if opening in value:
            value = value.split(opening, 1)[1].split(closing, 1)[0]
    return str(value).strip()


def letters(words: str) -> str:
    """Only what is a letter or a digit."""
    return re.sub(r"[\W_]+", "", words)


def written(home: Path) -> str:
    """All that stands in the agent's files, escapes undone."""
    found: list[str] = []
    for path in sorted(home.rglob("*")):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            found.append(text)
            with contextlib.suppress(ValueError, UnicodeError):
                found.append(text.replace('\\"', '"').replace("\\n", "\n"))
    return "\n".join(found)


def compare(truth: dict[str, Any], have: list[Piece], files: str) -> Counter[str]:
    """Counts: `want K`, `have K`, `lost K`, `unwritten`, `disorder`, `doubled`."""
    by_letters = {(kind, letters(words)) for kind, words in have}
    counts: Counter[str] = Counter()
    blocks = list(expected(truth))
    wanted = Counter(piece for block in blocks for piece in block)
    end = 0
    for block in blocks:
        start = find(block[0], have, end)
        if start is None:
            start = end
        else:
            end = next(
                (i for i in range(start + 1, len(have)) if have[i][0] == "prompt"), len(have)
            )
        place = start
        for piece in block:
            kind = piece[0]
            at = find(piece, have, place, end)
            if at is None and wanted[piece] > 1 and find(piece, have, 0) is not None:
                wanted[piece] -= (
                    1  # served to a side request here, and to the conversation elsewhere
                )
                continue
            counts[f"want {kind}"] += 1
            if at is not None:
                place = at + 1
                counts[f"have {kind}"] += 1
            elif find(piece, have, 0) is not None:
                counts["disorder"] += 1
                counts[f"have {kind}"] += 1
            elif piece[1] not in files:
                counts["unwritten"] += 1
                counts[f"have {kind}"] += (kind, letters(piece[1])) in by_letters
            else:
                counts[f"lost {kind}"] += 1
                print(f"  lost {kind}: {piece[1][:100]!r}", file=sys.stderr)
    for piece, times in wanted.items():
        if piece[0] in ("prompt", "text", "reasoning"):
            counts["doubled"] += max(0, have.count(piece) - times)
    return counts


def find(piece: Piece, have: list[Piece], start: int, end: int | None = None) -> int | None:
    """Where `piece` first stands in `have[start:end]`."""
    kind, want = piece
    places = range(start, len(have) if end is None else end)
    return next((i for i in places if have[i][0] == kind and same(kind, want, have[i][1])), None)


def runs(root: Path, only: str | None) -> Iterator[tuple[str, Path]]:
    for truth in sorted(root.glob("*/*/truth.json")):
        name = truth.parent.parent.name
        agent = AGENTS.get(name, name)
        if (truth.parent / "native").is_dir() and agent in PROVIDERS and only in (None, agent):
            yield agent, truth.parent


def measured(agent: str, folder: Path) -> dict[str, Any]:
    """One row of the table."""
    truth = json.loads((folder / "truth.json").read_text("utf-8"))
    conversations, drift = read(folder / "native", agent)
    ordered = sorted(conversations.values(), key=lambda turns: [t.at for t in turns if t.at][:1])
    have = [piece for turns in ordered for turn in turns for piece in pieces(turn.parts, turn.role)]
    run = f"{folder.parent.name}/{folder.name}"
    return {
        "run": run, "conversations": len(ordered), "drift": dict(drift),
        **compare(truth, have, written(folder / "native")),
    }  # fmt: skip


def show(table: list[dict[str, Any]]) -> None:
    """The table for eyes."""
    heads = "".join(f"{kind:>12}" for kind in KINDS)
    print(f"{'run':32}{'conv':>5}{heads} unwritten  disorder   doubled  unknown")
    for row in table:
        cells = "".join(f"{row.get(f'have {k}', 0):>7}/{row.get(f'want {k}', 0):<4}" for k in KINDS)
        unknown = sum(times for name, times in row["drift"].items() if " " not in name)
        faults = "".join(f"{row.get(k, 0):>10}" for k in ("unwritten", "disorder", "doubled"))
        print(f"{row['run']:32}{row['conversations']:>5}{cells}{faults}{unknown:>9}")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("recordings", nargs="?", type=Path, default=SHARED / "data/recordings")
    options.add_argument("--agent")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    table = [measured(agent, folder) for agent, folder in runs(given.recordings, given.agent)]
    if given.json:
        print(msgspec.json.format(msgspec.json.encode(table)).decode())
    else:
        show(table)
    if not table:
        return 2
    short = any(
        name.startswith(("lost", "disorder", "doubled")) and n
        for row in table
        for name, n in row.items()
        if isinstance(n, int)
    )
    return int(short)


if __name__ == "__main__":
    sys.exit(main())
