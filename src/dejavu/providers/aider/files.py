"""Aider: one markdown file a project, a heading for each chat, another for each prompt.

Reads `.aider.chat.history.md` in the home's folders (three levels down, at most 2,000 folders) and
where `AIDER_CHAT_HISTORY_FILE` points, one conversation for each chat. Prompts are lines that begin
with `#### ` and, as Aider writes them, end with two blanks; lines that begin with `> ` are Aider's
own words; the rest is the model's.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Role, Span, Text, Usage, from_iso

from ..conversation_builder import ConversationBuilder
from ..follow.append import follow_append
from ..formats.long_lines import BEGINNING, TRUNCATED, longest_line
from ..message_assembler import MessageAssembler, Piece
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from ..session_files import SessionFileProvider

_NAME = ".aider.chat.history.md"
_DEPTH, _FOLDERS = 3, 2000
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "target", "dist", "build"})
_CHAT = re.compile(r"# aider chat started at (\S+ \S+)\s*$")
_COUNT = r"(\d{1,12}(?:\.\d{1,6})?)"
_TOKENS = re.compile(rf"Tokens: {_COUNT}(k?) sent.*?{_COUNT}(k?) received")


def _search(root: Path) -> Iterator[Path]:
    """Histories below `root`, breadth first, so that a bound leaves out the deepest."""
    level, left = [root], _FOLDERS
    for _ in range(_DEPTH + 1):
        deeper: list[Path] = []
        for folder in level[:left]:
            left -= 1
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.name == _NAME:
                            yield Path(entry.path)
                        elif entry.is_dir(follow_symlinks=False) and not _skipped(entry.name):
                            deeper.append(Path(entry.path))
            except OSError:
                continue
        level = sorted(deeper)


def _skipped(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED


class AiderParser(MessageAssembler):
    """One file, one conversation a chat.

    No `LineEntries`: lines of Markdown are no records.
    """

    def memory(self) -> dict[str, Any]:
        """Also: the chat, what its lines were gathered for, and how its prompts look."""
        return {**super().memory(), "now": self._now, "gathered": self._gathered}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._now: dict[str, Any] = dict(memory.get("now", {}))
        self._gathered: list[str] = list(memory.get("gathered", ()))

    def feed(self, data: bytes, offset: int) -> None:
        """Take text, cut anywhere; blank lines count here, so lines are cut here too."""
        if offset == 0:
            self.restart()
            self._pieces.clear()
            self._in_long_line = False
        data, offset = self.skip_long_line(data, offset)
        whole = b"".join((*self._pieces, data))
        start = self._pieces_at if self._pieces else offset
        end = whole.rfind(b"\n") + 1
        for line in whole[:end].splitlines(keepends=True):
            self.record(memoryview(line), Span(start, len(line)))
            start += len(line)
        self._pieces, self._pieces_at = ([whole[end:]] if end < len(whole) else []), start
        if len(whole) - end > longest_line():  # no prose: its beginning is enough
            self.drift[TRUNCATED] += 1
            self.record(memoryview(whole)[end : end + BEGINNING], Span(start, BEGINNING))
            self._pieces, self._in_long_line = [], True
        self._show()

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        words = bytes(line).decode("utf-8", "replace").rstrip("\n")
        if match := _CHAT.match(words):
            self._flush()
            self._now = {"chat": match.group(1)}
        elif words.startswith("#### ") and self._prompts(words):
            self._gather("prompt", words[5:].removesuffix("  "), span)
        elif words.startswith(">"):
            self._gather("aider", words[1:].strip(), span)
        elif words.strip() or self._now.get("kind") == "answer":
            self._gather("answer", words, span)

    def _prompts(self, words: str) -> bool:
        """Whether a heading is a prompt: an answer may have headings of that depth too."""
        blanks = words.endswith("  ")
        first = "blanks" not in self._now
        self._now.setdefault("blanks", blanks)
        return first or blanks

    def _gather(self, kind: str, words: str, span: Span) -> None:
        if kind != self._now.get("kind"):
            self._flush()
            self._now |= {"kind": kind, "start": span.offset}
        self._gathered.append(words)
        self._now["end"] = span.offset + span.length

    def _show(self) -> None:
        """Tell what was gathered so far; more of it may follow."""
        thread = self._thread()
        text = "\n".join(self._gathered).strip("\n")
        if not text:
            return
        begin = self._now["start"]
        kind = self._now["kind"]
        if (seq := self._now.get("seq")) is not None:
            thread.truncate(seq)
            self.end(thread)
        self._now["seq"] = len(thread)
        moment = None if len(thread) else from_iso(self._now.get("chat"))
        piece = Piece({}, Span(begin, self._now["end"] - begin), moment)
        if kind == "answer":
            self.end(thread)
            self.append_assistant(thread, [Text(text)], piece)
        else:
            role = Role.USER if kind == "prompt" else Role.SYSTEM
            self.add(thread, role, [Text(text)], piece)

    def _flush(self) -> None:
        """What was gathered is complete."""
        if self._gathered:
            self._show()
            if self._now["kind"] == "aider":
                self.set_usage(self._thread(), _usage("\n".join(self._gathered)))
        self._gathered = []
        self._now.pop("seq", None)

    def _thread(self) -> ConversationBuilder:
        chat = str(self._now.get("chat", ""))
        if chat not in self.threads:
            native = f"{self.source.path.parent.name}@{chat}"
            self.threads[chat] = ConversationBuilder(self.head(native, started_at=from_iso(chat)))
        return self.threads[chat]


def _usage(words: str) -> Usage | None:
    """The tokens Aider tells after an answer, in thousands where there are many."""
    match = _TOKENS.search(words)
    if match is None:
        return None
    sent, received = (
        int(float(match.group(n)) * (1000 if match.group(n + 1) else 1)) for n in (1, 3)
    )
    return Usage(input_tokens=sent, output_tokens=received)


class Aider(SessionFileProvider):
    """Provider of Aider's chat histories."""

    agent = "aider"
    parser_class = AiderParser

    def roots(self, home: Home) -> tuple[Path, ...]:  # noqa: ARG002 - as every provider
        """None: histories lie in the projects' own folders, which may be anywhere."""
        return ()

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each project's history."""
        logs: dict[Path, None] = {}
        if named := home.environ.get("AIDER_CHAT_HISTORY_FILE"):
            logs[Path(named).expanduser()] = None
        if home.workspace:
            logs[Path(home.workspace) / _NAME] = None
        logs.update(dict.fromkeys(_search(home.path)))
        for path in logs:
            if path.is_file():
                name = str(path.relative_to(home.path)) if path.is_relative_to(home.path) else ""
                folder = home.workspace or str(path.parent)
                yield Source(self.agent, path, home.instance, Kind.APPEND, None, folder, name)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """Lines appended."""
        return follow_append(source.path, since, json=False)


PROVIDER = Aider()
