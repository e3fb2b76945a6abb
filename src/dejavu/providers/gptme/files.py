"""gptme: a JSONL file a conversation.

Reads `gptme/logs/*/conversation.jsonl` below the XDG data folder. With `--tool-format tool` calls stand
in the answers' text as `@name(id): {...}`; else tools are code blocks there, left as text, and what they
print is a message of the system. (Seen of 0.35.1.)

Tested in: tests/providers/test_recordings.py
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from dejavu.model import Part, ProviderError, Reasoning, Role, Text, ToolCall, ToolCallResponse

from ..entry_parsers import Entries, LineEntries
from ..follow.append import read_plain
from ..formats.entries import entry, first_str, usage_of
from ..formats.json_lines import as_dict, as_str
from ..protocol import Source
from ..store_provider import StoreProvider
from . import AGENT

_OWN_WORDS = "<system>"


_CALL = re.compile(r"^@([\w.-]{1,80})\(([\w.-]{1,80})\):[ ]*(?=\{)", re.MULTILINE)
"""A call in an answer's text, before its arguments: `@shell(call_1): {"command": "ls"}`."""
_THOUGHT = re.compile(r"\A<think(?:ing)?>\n?(.*?)\n?</think(?:ing)?>\s*", re.DOTALL)


def _with_calls(parts: Iterable[Part]) -> Iterator[Part]:
    """The parts of an answer, with the thought and the calls that stand in its text as parts."""
    for part in parts:
        if not isinstance(part, Text):
            yield part
            continue
        text = part.content
        if thought := _THOUGHT.match(text):
            yield Reasoning(thought.group(1).strip())
            text = text[thought.end() :]
        calls, words, place = list[Part](), list[str](), 0
        for match in _CALL.finditer(text):
            if match.start() < place:
                continue  # in the arguments of another
            try:
                given, end = json.JSONDecoder().raw_decode(text, match.end())
            except (ValueError, RecursionError):
                continue
            words.append(text[place : match.start()])
            calls.append(ToolCall(match.group(2), match.group(1), given))
            place = end
        if rest := "".join((*words, text[place:])).strip() if calls else text:
            yield Text(rest)
        yield from calls


class GptmeParser(LineEntries):
    """One conversation."""

    repeats = False

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message; one that answers a call is a tool's."""
        said = entry(record, self.source.agent, self._strange)
        if said is None:
            return None
        meta = as_dict(record.get("metadata"))
        usage, model = usage_of(meta.get("usage")) or usage_of(meta), first_str(meta, "model")
        if said.role is Role.SYSTEM and (call := as_str(record.get("call_id"))):
            return [
                said._replace(
                    role=Role.TOOL,
                    parts=(),
                    results=(ToolCallResponse(call, record.get("content")),),
                )
            ]
        if said.role is Role.USER and as_str(record.get("content")).startswith(_OWN_WORDS):
            said = said._replace(role=Role.SYSTEM)  # the program's, to the model
        if said.role is Role.ASSISTANT:
            said = said._replace(parts=tuple(_with_calls(said.parts)))
            said = said._replace(model=model or None, usage=usage)
        return [said]


class Gptme(StoreProvider):
    """Provider of `$XDG_DATA_HOME/gptme/logs`."""

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """Name and folder in `config.toml` next to the messages, or where `workspace` leads to."""
        try:
            chat = as_dict(tomllib.loads(read_plain(source.path.with_name("config.toml")).decode()))
        except (OSError, ProviderError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            chat = {}
        chat = as_dict(chat.get("chat"))
        folder = as_str(chat.get("workspace"))
        if not folder:
            try:
                folder = str(source.path.with_name("workspace").readlink())
            except OSError:
                folder = ""
        facts = {"workspace": folder, "title": as_str(chat.get("name"))}
        return {**stored, **{name: fact for name, fact in facts.items() if fact}}


PROVIDER = Gptme(AGENT)
