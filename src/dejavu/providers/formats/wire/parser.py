"""Exchanges with models, as turns.

Parses lines of a spool, one an exchange (`Exchange.line` writes them), into turns with vector
`wire`: what is new in each request, and the reply. The system prompt and the tools as sent are a
system turn, told again only where they changed. An agent's background requests (titles, memories,
sub-agents) are in conversations below its own.
"""

import re
from typing import Any

import msgspec

from dejavu.model import Extension, Part, Relation, Role, Span, Text, Vector

from ...parsing import facts_of
from ...protocol import Source
from ..anthropic_messages import split_injected
from ..json_lines import UNREADABLE, as_dict, as_list, decode_lenient, decode_struct
from ..sse import EventStream
from ..streams.jsonl import LineParser
from ..streams.values import without_none
from .conversation_matcher import ConversationMatcher, Lane, digest, new_items, reply_told
from .exchange import APIS
from .protocol import Api, Item, ModelRequest, Reply

_APIS = {api.name: api for api in APIS}
_ELEMENT = re.compile(r"\s*<([a-z][\w-]*)(?:\s[^<>]*)?>.*</\1>\s*", re.DOTALL)
"""A text that is nothing but an element: the harness wrote it, not a person."""
_STAMP = re.compile(r"\s*<current_datetime>[^<]*</current_datetime>\s*")
"""What Copilot puts before a prompt."""
_HEADINGS = ("# AGENTS.md instructions", "# User State\n")
"""How texts of the harness begin that are no element: Codex's, Amp's."""


class WireLine(msgspec.Struct, frozen=True):
    """One exchange."""

    api: str = ""
    t: float | None = None
    status: int = 0
    session: str | None = None
    request: dict[str, Any] = {}
    response: str = ""


_DECODER = msgspec.json.Decoder(WireLine)


class WireParser(LineParser):
    """Turns from exchanges."""

    vector = Vector.WIRE
    version = 2

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "lanes": self._lanes.dump()}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        lanes = memory.get("lanes", [])
        self._lanes = ConversationMatcher([msgspec.convert(lane, Lane) for lane in lanes])

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        exchange = decode_struct(line, _DECODER)
        if exchange is None:
            self.drift[UNREADABLE] += 1
            return
        api = _APIS.get(exchange.api)
        if api is None:
            self.unknown(f"api/{exchange.api}", line)
            return
        request = api.parse_request(exchange.request)
        session = exchange.session or request.session
        lane = self._lanes.lane(request, session, self._fallback)
        sub = lane.sub or None
        self.name(lane.session)
        at = exchange.t
        self._setting(lane, request, span, at)
        for item in new_items(lane, request.items):
            self._item(item, span, at, sub)
        self._reply(api, exchange, lane, request, span)

    def identity(self, key: str) -> dict[str, Any]:
        """What a thread's head has because of its name; background requests say so."""
        identity = super().identity(key)
        up, _, sub = str(identity["native_id"]).rpartition("/")
        if "parent" in identity and self._lanes.is_side(up, sub):
            identity["relation"] = Relation.SIDE
        return identity

    # -- what was asked ------------------------------------------------------------------------

    def _setting(self, lane: Lane, request: ModelRequest, span: Span, at: float | None) -> None:
        """The system prompt and the tools, as far as they are new in this lane."""
        instructions = Item(Role.SYSTEM, tuple(Text(block) for block in request.system))
        parts = [part for item in new_items(lane, (instructions,)) for part in item.parts]
        tools = [
            tool
            for tool in request.tools
            if (mark := digest(Role.SYSTEM, Extension("wire.tool", tool))) not in lane.part_counts
            and not lane.part_counts.update({mark: 1})
        ]
        if tools:
            parts.append(Extension("wire.tools", {"tools": tools}))
        if parts:
            fields = {"at": at, "meta": {"kind": "system_prompt"}, "model": request.model}
            self.append(Role.SYSTEM, parts, span, sub=lane.sub or None, **fields)

    def _item(self, item: Item, span: Span, at: float | None, sub: str | None) -> None:
        if item.role is not Role.USER:
            self.append(item.role, item.parts, span, sub=sub, at=at)
            return
        content: list[Part] = []
        around: list[Part] = []
        for part in item.parts:
            if not isinstance(part, Text):
                content.append(part)
                continue
            stamp = _STAMP.match(part.content)
            if stamp:
                around.append(Text(stamp[0].strip()))
            prompt, context = split_injected(part.content[stamp.end() if stamp else 0 :])
            around += context
            if prompt:
                injected = prompt.startswith(_HEADINGS) or _ELEMENT.fullmatch(prompt)
                (around if injected else content).append(Text(prompt))
        if around:
            self.append(Role.SYSTEM, around, span, sub=sub, at=at)
        if content:
            self.add_prompt(content, span, sub=sub, at=at)

    # -- what was answered ---------------------------------------------------------------------

    def _reply(
        self, api: Api, exchange: WireLine, lane: Lane, request: ModelRequest, span: Span
    ) -> None:
        reply = read(api, exchange.response)
        sub = lane.sub or None
        for kind in reply.unknown:
            self.drift[f"{api.name} {kind}"[:200]] += 1
        parts = reply.parts()
        if parts:
            meta = without_none(message_id=reply.id, stop_reason=reply.stop)
            self.end_answer(sub)
            answer = self.answer(
                span, None, sub, at=exchange.t, model=reply.model or request.model, meta=meta
            )
            for part in parts:
                answer.add(part)
            answer.spend(reply.usage)
            self.end_answer(sub)
            reply_told(lane, parts)
        if reply.error or exchange.status >= 400:
            words = reply.error or f"HTTP {exchange.status}"
            self.fail(words, span, sub=sub, at=exchange.t, status=exchange.status or None)


def read(api: Api, response: str) -> Reply:
    """A response's body, streamed or not, as far as it came."""
    reply, start = api.reply(), response.lstrip()[:1]
    if start in ("{", "["):
        value = decode_lenient(response.encode("utf-8", "replace"))
        if start == "{":
            reply.whole(as_dict(value))
        for chunk in as_list(value):
            reply.event(as_dict(chunk))
        return reply
    stream = EventStream()
    for message in stream.feed(response.encode("utf-8", "replace") + b"\n\n"):
        if message.data.startswith("{"):
            reply.event(as_dict(decode_lenient(message.data.encode("utf-8", "replace"))))
    return reply


def parser(source: Source, state: bytes | None = None, *, restart: bool = False) -> WireParser:
    """A parser at the start of a spool, or where `state` left off.

    Raises:
        StaleStateError: another version of the parser wrote `state`; parse the raw again.
    """
    wire_parser = WireParser(source, {} if state is None else facts_of(state))
    if state is not None and not restart:
        wire_parser.resume(state)
    return wire_parser
