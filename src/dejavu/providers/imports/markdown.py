"""Transcripts in Markdown: SpecStory's history, and any text with headings for who speaks.

A heading is a line outside of a code fence that holds a speaker's name and nothing else but marks, a
time or a model in brackets: `_**User (2026-03-01 10:00:00Z)**_`, `## Assistant`, `**Agent:**`. What
comes before the first is the title's. O(text).

Tested in: tests/providers/imports/test_imports.py
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from dejavu.model import Part, Reasoning, Role, Span, Text, ToolCall, ToolCallResponse, Turn

from ..conversation_builder import ConversationBuilder
from ..formats.json_lines import UNREADABLE
from ..parsing import MAIN, DocumentParser

_SPEAKERS = {
    "user": Role.USER, "human": Role.USER, "you": Role.USER, "prompt": Role.USER, "me": Role.USER,
    "assistant": Role.ASSISTANT, "agent": Role.ASSISTANT, "ai": Role.ASSISTANT, "model": Role.ASSISTANT,
    "response": Role.ASSISTANT, "answer": Role.ASSISTANT, "chatgpt": Role.ASSISTANT, "claude": Role.ASSISTANT,
    "tool": Role.TOOL, "tool result": Role.TOOL, "system": Role.SYSTEM,
}  # fmt: skip
_HEADING = re.compile(
    r"(?:#{1,6}\s+|_\*\*|\*\*|__)(?:\W{0,4}\s)?(?P<who>[A-Za-z]+(?: [a-z]+)?)\s*"
    r"(?:[(\[·—-]\s*(?P<aside>[^()\[\]]{1,120})[)\]]?)?\s*:?\s*(?:\*\*_?|__)?:?\s*#*\s*"
)
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z| ?[+-]\d\d:?\d\d)?")
_NAMED = re.compile(r"(\d{4}-\d\d-\d\d)[_T ](\d\d)[-:.](\d\d)(?:[-:.](\d\d))?(Z)?")
_MODEL = re.compile(r"\bmodel:? (?P<model>[^\s,]+)")
_TOOL = re.compile(r'<tool-use\b[^>]*?data-tool-name="([^"]*)"[^>]*>(.*?)</tool-use>', re.DOTALL)
_THOUGHT = re.compile(r"<(think|thinking)>(?:<details>)?(.*?)(?:</details>)?</\1>", re.DOTALL)
_RULE = re.compile(r"(?:^|\n)\s*(?:---+|\*\*\*+)\s*$")


class MarkdownParser(DocumentParser):
    """One file, one conversation."""

    def decode(self, data: bytes) -> Any:
        """The text."""
        return data.decode("utf-8", "replace")

    def document(self, value: Any, span: Span) -> None:
        """Take the text, heading by heading."""
        text = value if isinstance(value, str) else ""
        title, sections = _sections(text)
        if not sections:
            self.drift[UNREADABLE] += 1
            return
        native = self.source.native_id or self.source.path.stem
        began = None if any(_aside(aside)[0] for _, aside, _ in sections) else self._began(text)
        thread = self.threads[MAIN] = ConversationBuilder(
            self.head(native, title=title, started_at=began)
        )
        for role, aside, body in sections:
            at, model = _aside(aside)
            for kind, parts in _turns(role, body):
                thread.append(
                    Turn(role=kind, parts=tuple(parts), at=at, spans=(span,),
                         model=model if kind is Role.ASSISTANT else None)
                )  # fmt: skip

    def _began(self, text: str) -> float | None:
        """When it began, where no heading has a time: what its first lines say, or its file's name."""
        opening = "\n".join(text.split("\n", 12)[:12])
        for line in opening.splitlines():
            if line.startswith(("#", "<!--", "---", "date", "_")) and (at := _aside(line)[0]):
                return at
        match = _NAMED.match(self.source.path.name)
        if match is None:
            return None
        day, hour, minute, second, zone = match.groups()
        return _time(f"{day}T{hour}:{minute}:{second or '00'}{zone or ''}")


def has_speakers(text: str) -> bool:
    """Whether a heading in the text says who speaks."""
    return bool(_sections(text)[1])


def _sections(text: str) -> tuple[str, list[tuple[Role, str, str]]]:
    """The title, and each speaker with what is in brackets and what is said."""
    title, fence = "", ""
    sections: list[tuple[Role, str, list[str]]] = []
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark is not None and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark.group(1)
        match = None if fence or len(line) > 300 else _HEADING.fullmatch(line.strip())
        role = _SPEAKERS.get(match.group("who").lower()) if match is not None else None
        if match is not None and role is not None:
            sections.append((role, match.group("aside") or "", []))
        elif sections:
            sections[-1][2].append(line)
        elif not title and line.startswith("# "):
            title = line[2:].strip()
    return title, [(role, aside, "\n".join(lines)) for role, aside, lines in sections]


def _time(text: str) -> float | None:
    """The time that is written; one without a zone is taken as UTC."""
    try:
        parsed = datetime.fromisoformat(text)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _aside(aside: str) -> tuple[float | None, str | None]:
    """The time in what is in brackets, and the model."""
    match = _TIME.search(aside)
    at = _time(match.group().replace(" +", "+").replace(" -", "-")) if match is not None else None
    if named := _MODEL.search(aside):
        return at, named.group("model")
    rest = _TIME.sub("", aside).strip(" ,")
    model = rest if rest and " " not in rest and not rest.isdecimal() else None
    return at, model


def _turns(role: Role, body: str) -> Iterator[tuple[Role, list[Part]]]:
    """What one section says; tools' output is a separate turn."""
    body = _RULE.sub("", body.strip()).strip()
    if role is Role.TOOL:
        yield Role.TOOL, [ToolCallResponse(None, body)]
        return
    if role is not Role.ASSISTANT:
        if body:
            yield role, [Text(body)]
        return
    parts: list[Part] = [Reasoning(match.group(2).strip()) for match in _THOUGHT.finditer(body)]
    results: list[Part] = []
    rest = _THOUGHT.sub("", body)
    if words := _TOOL.sub("", rest).strip():
        parts.append(Text(words))
    for place, match in enumerate(_TOOL.finditer(rest)):
        name = f"tool-{place}"
        parts.append(ToolCall(name, match.group(1)))
        results.append(ToolCallResponse(name, match.group(2).strip()))
    if parts:
        yield Role.ASSISTANT, parts
    if results:
        yield Role.TOOL, results
