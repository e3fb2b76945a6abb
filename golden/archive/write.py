"""Write a small real archive of today's format, once: `python golden/archive/write.py`.

It goes to `format-N` beside this file, with what it must read as in `expected.json`, and is never
written again: it is there so that every later version can prove it still reads this one.
"""

import json
from pathlib import Path

import msgspec

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.archive.records import FORMAT
from dejavu.model import (
    Conversation,
    Extension,
    Reasoning,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    Vector,
)

HERE = Path(__file__).resolve().parent
SOURCE = "/home/dev/.agent/session.jsonl"


def _turns() -> tuple[list[Turn], bytes]:
    said = [
        (Role.USER, Text("What is a ring buffer? Draw it: \u2b55 \u65e5\u672c")),
        (Role.ASSISTANT, Reasoning("A queue in a circle.")),
        (Role.ASSISTANT, ToolCall("t1", "Read", {"file_path": "src/ring.py", "lines": [1, 20]})),
        (Role.TOOL, ToolCallResponse("t1", "class Ring:\n\t'''\"round\"'''\n" * 20)),
        (Role.ASSISTANT, Text("A ring buffer is a queue that reuses its own memory.\n")),
        (Role.SYSTEM, Extension("agent.note", {"level": 1, "nested": {"a": [None, True, 0.5]}})),
    ] * 30
    turns: list[Turn] = []
    raw = b""
    for n, (role, part) in enumerate(said):
        line = json.dumps({"n": n, "part": msgspec.to_builtins(part)}, ensure_ascii=False).encode()
        usage = Usage(input_tokens=n, output_tokens=2 * n, cost=n / 8) if n % 6 == 4 else None
        turns.append(
            Turn(
                role=role, parts=(part,), at=1_780_000_000.0 + n, usage=usage, model="model-1",
                native_id=f"u{n}", parent=f"u{n - 1}" if n else None, meta={"n": n},
                spans=(Span(len(raw), len(line)),),
            )
        )  # fmt: skip
        raw += line + b"\n"
    return turns, raw


def main() -> None:
    """Write the archive; refuse where it is there."""
    target = HERE / f"format-{FORMAT}"
    turns, raw = _turns()
    head = Conversation(
        id="ring", agent="agent", workspace="/home/dev/ring", native_id="s1", source=SOURCE
    )
    screen = Conversation(
        id="screen", agent="other", workspace="/srv/x", title="A title"
    ).with_turns((Turn(role=Role.USER, parts=(Text("hello"),), vector=Vector.SCREEN),))
    target.mkdir(mode=0o700)
    with Archive.open(target / "work") as archive:
        half = raw.index(b"\n", len(raw) // 2) + 1
        archive.commit(
            Batch({SOURCE: [RawDelta(0, raw[:half])]}, (), {SOURCE: b"1"}, {SOURCE: b"s"})
        )
        archive.commit(
            Batch({SOURCE: [RawDelta(half, raw[half:])]}, [TurnUpdate(head, 0, turns, SOURCE)])
        )
        archive.commit(Batch({SOURCE: [RawDelta(0, b"rewritten\n" + raw, reset=True)]}))
        archive.put(screen)
        archive.namespace("memories").put(b"m1", b"\xa5hello")
        archive.maintenance.backup(target / "copy")
        expected = {
            "conversations": [msgspec.to_builtins(archive.get(c.id)) for c in archive.scan()],
            "raw": {SOURCE: b"".join(archive.sources.raw(SOURCE)).decode()},
            "hits": ["ring"],
        }
    for name in ("data.mdb", "archive.json"):
        (target / "copy" / name).rename(target / name)
    for folder in (target / "copy", target / "work"):
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
    (target / "expected.json").write_text(
        json.dumps(expected, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )


if __name__ == "__main__":
    main()
