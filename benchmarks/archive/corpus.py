"""A store of Claude-like sessions, made up from this Python's own library sources.

Takes a size and a seed; gives sessions as pairs of a JSON line (as the agent writes it) and the
turn a parser makes of it. Deterministic: the same seed gives the same bytes on the same Python.
The shapes (envelope, one content block a line, tool results told twice) and the mean line of
about 4 KB follow what Claude Code 2.1 writes; the texts are slices of real prose and code, so
compression and search meet natural words. Costs O(bytes asked for).
"""

import json
import random
import re
import sysconfig
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from dejavu.model import (
    Conversation,
    Reasoning,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    conversation_id,
    to_iso,
)

START = 1_780_000_000.0


@cache
def sources() -> tuple[tuple[str, str], ...]:
    """(path, text) of the standard library's own modules, tests left out."""
    root = Path(sysconfig.get_path("stdlib"))
    found = []
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if re.search(r"(^|/)(test|tests|site-packages|idlelib|lib2to3|turtledemo)/", name):
            continue
        text = path.read_text("utf-8", "replace")
        if len(text) > 2_000:
            found.append((f"src/{name}", text))
    return tuple(found)


@cache
def prose() -> tuple[str, ...]:
    """Paragraphs of doc strings, each at least a sentence long."""
    paragraphs = []
    for _, text in sources():
        for block in re.findall(r'"""(.+?)"""', text, re.DOTALL):
            for paragraph in re.split(r"\n\s*\n", block):
                joined = " ".join(paragraph.split())
                if 40 <= len(joined) <= 1_200 and joined.count(" ") >= 6:
                    paragraphs.append(joined)
    return tuple(paragraphs)


class Session:
    """One generated session: `lines()` gives (JSON line, turn or None) until `size` bytes."""

    def __init__(self, number: int, size: int, seed: int = 1) -> None:
        """Session `number` of about `size` bytes; the same arguments give the same bytes."""
        self._random = random.Random(f"{seed}/{number}")
        self.native_id = self._uuid()
        self.workspace = f"/home/dev/projects/service-{number % 12}"
        self.instance = f"box-{number % 5}"
        self.started = START + number * 3_600.0
        self.size = size
        self._parent: str | None = None
        self._offset = 0
        self._at = self.started

    @property
    def path(self) -> str:
        """Where the agent would keep it, below its home."""
        folder = re.sub(r"[^A-Za-z0-9-]", "-", self.workspace)
        return f".claude/projects/{folder}/{self.native_id}.jsonl"

    def summary(self) -> Conversation:
        """The conversation without turns."""
        return Conversation(
            id=conversation_id("claude", self.instance, self.native_id),
            workspace=self.workspace,
            instance=self.instance,
            agent="claude",
            native_id=self.native_id,
            source=self.path,
        )

    def lines(self) -> Iterator[tuple[bytes, Turn | None]]:
        """The file's lines in order, each with its newline, and the turn it stands for."""
        yield self._line({"type": "permission-mode", "permissionMode": "default"}), None
        while self._offset < self.size:
            yield self._said("user", Text(self._words(1, 3)))
            for _ in range(self._random.randint(2, 6)):
                if self._random.random() < 0.3:
                    yield self._said("assistant", Reasoning(self._words(2, 5)))
                if self._random.random() < 0.4:
                    yield self._said("assistant", Text(self._words(1, 3)))
                yield from self._tool()
            yield self._said("assistant", Text(self._answer()))
            yield self._snapshot(), None

    def _uuid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def _words(self, least: int, most: int) -> str:
        return "\n\n".join(self._random.choices(prose(), k=self._random.randint(least, most)))

    def _code(self, least: int, most: int) -> tuple[str, str]:
        path, text = self._random.choice(sources())
        lines = text.splitlines()
        count = self._random.randint(least, most)
        first = self._random.randrange(max(1, len(lines) - count))
        return path, "\n".join(lines[first : first + count])

    def _answer(self) -> str:
        path, code = self._code(5, 15)
        return f"{self._words(1, 3)}\n\n```python\n# {path}\n{code}\n```\n\n- {self._words(1, 1)}"

    def _tool(self) -> Iterator[tuple[bytes, Turn | None]]:
        call = f"toolu_{self._random.getrandbits(96):024x}"
        path, code = self._code(30, 240)
        where = f"{self.workspace}/{path}"
        extra: object
        if self._random.random() < 0.6:
            name, arguments = "Read", {"file_path": where}
            numbered = "\n".join(f"{n:>6}\u2192{row}" for n, row in enumerate(code.splitlines(), 1))
            extra = {"type": "text", "file": {"filePath": where, "content": code}}
        else:
            name = "Bash"
            arguments = {"command": f"rg -n {code.split()[0]!r} {path}", "description": "Look"}
            numbered, extra = code, {"stdout": code, "stderr": "", "interrupted": False}
        yield self._said("assistant", ToolCall(call, name, arguments))
        yield self._said("tool", ToolCallResponse(call, numbered), extra)

    def _snapshot(self) -> bytes:
        record = {"messageId": self._uuid(), "trackedFileBackups": {}, "timestamp": self._now()}
        return self._line({"type": "file-history-snapshot", "snapshot": record})

    def _now(self) -> str:
        self._at += self._random.random() * 20
        return to_iso(self._at) or ""

    def _line(self, record: dict[str, object]) -> bytes:
        record["sessionId"] = self.native_id
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._offset += len(line)
        return line

    def _said(
        self, role: str, part: Text | Reasoning | ToolCall | ToolCallResponse, extra: object = None
    ) -> tuple[bytes, Turn]:
        native, parent = self._uuid(), self._parent
        usage = model = None
        record: dict[str, object] = {
            "parentUuid": parent, "isSidechain": False, "userType": "external",
            "cwd": self.workspace, "version": "2.1.330", "gitBranch": "main",
        }  # fmt: skip
        message: dict[str, object] = {"role": "assistant" if role == "assistant" else "user"}
        message["content"] = [_block(part)]
        if role == "user" and isinstance(part, Text):
            message["content"] = part.content
        if role == "assistant":
            model = "claude-opus-5-5"
            counts = [self._random.randint(10, 90_000) for _ in range(4)]
            message |= {"model": model, "id": f"msg_{self._random.getrandbits(96):024x}"}
            message["usage"] = {
                "input_tokens": counts[0], "output_tokens": counts[1],
                "cache_read_input_tokens": counts[2], "cache_creation_input_tokens": counts[3],
            }  # fmt: skip
            usage = Usage(
                input_tokens=counts[0] + counts[2] + counts[3], output_tokens=counts[1],
                cache_read_input_tokens=counts[2], cache_creation_input_tokens=counts[3],
            )  # fmt: skip
        record |= {"type": message["role"], "message": message, "uuid": native}
        record["timestamp"] = self._now()
        if extra is not None:
            record["toolUseResult"] = extra
        offset = self._offset
        line = self._line(record)
        self._parent = native
        turn = Turn(
            role=Role(role), parts=(part,), at=self._at, model=model, usage=usage,
            native_id=native, parent=parent, spans=(Span(offset, len(line)),),
        )  # fmt: skip
        return line, turn


def _block(part: Text | Reasoning | ToolCall | ToolCallResponse) -> dict[str, object]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.content}
    if isinstance(part, Reasoning):
        return {"type": "thinking", "thinking": part.content, "signature": "c2lnbmF0dXJl" * 20}
    if isinstance(part, ToolCall):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}
    return {"type": "tool_result", "tool_use_id": part.id, "content": part.response}


def sessions(size: int, each: int = 1_350_000, seed: int = 1) -> Iterator[Session]:
    """Sessions of about `each` bytes until `size` bytes are reached."""
    for number in range(max(1, round(size / each))):
        yield Session(number, min(each, size), seed)
