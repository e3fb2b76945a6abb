"""Which conversation a request continues, and what in it is new.

Every request to a model tells the whole conversation again. A lane is one such conversation: it
remembers, by digests, every part that was told in it, so that of the next request only the rest
is new, though messages may be trimmed, reminders dropped and cache marks moved in between.

Returns for each `ModelRequest` its lane and the parts new in it; replies are recorded with
`reply_told`. Does no I/O. O(request).

* A request that repeats an answer of a lane continues it; so does one without any answers that
  is the lane's own beginning (a retry), and one of the same session with the same tools and system
  prompt that repeats nothing (after a compaction).
* Same history, but other tools and another system prompt: the harness asks in the background (a memory,
  a summary). That lane branches off and starts with all it shares known, then and later on.
* Without a session's id, a lane with another system prompt and other tools is in the background, too.
* A request that offers no tools, or forces one (a title), never continues a lane that has tools.
* Some join a prompt that failed to the next one; it is not told again.
* A last message that is a mode of the harness (`[SUGGESTION MODE: ...]`) is asked aside: it and its
  answer are no part of the conversation.
"""

import re
from collections import Counter
from typing import Any

import msgspec

from dejavu.model import (
    Blob,
    Extension,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
)
from dejavu.model.blake2 import blake2b

from .protocol import Item, ModelRequest

_MODE = re.compile(r"\s*\[[A-Z][A-Z ]* MODE:")
_PARAGRAPHS = 64  # of a prompt that failed, at the most
LANES = 256
"""ConversationMatcher that are remembered; the one that was quiet longest goes first."""


class Lane(msgspec.Struct, array_like=True):
    """One conversation: what was told in it."""

    key: str
    """Where its turns go: the session's id, and a name below it for background requests."""
    session: str = ""
    sub: str = ""
    part_counts: dict[str, int] = {}
    """How often each part was told, by digest."""
    answers: dict[str, bool] = {}
    """Digests among them that an assistant said."""
    tools: str = ""
    system: str = ""
    first: str = ""
    turn: int = 0
    unanswered: str = ""
    """The digest of the last text a user said, while nothing was replied."""
    side: bool = False
    """Whether the harness asks here outside the conversation, as against a sub-agent's own."""


def digest(role: Role, part: Part) -> str:
    """What identifies a part wherever it is repeated: neither its ids nor marks around it."""
    match part:
        case Text(content):
            seed = f"{role}\0{content.strip()}"
        case ToolCall(id, name, arguments):
            seed = f"call\0{id}" if id else f"call\0{name}\0{_json(arguments)}"
        case ToolCallResponse(id, answer):
            seed = f"result\0{id}" if id else f"result\0{_json(answer)}"
        case Blob(_, content):
            seed = f"blob\0{content}"
        case Extension(kind, data):
            seed = f"{kind}\0{_json(data)}"
        case Reasoning():
            return ""  # some send thoughts back, some do not: told once, by the reply
    return blake2b(seed.encode("utf-8", "replace"), digest_size=9).hexdigest()


def _json(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _names(tools: tuple[dict[str, Any], ...]) -> str:
    """A digest of the tools' names; "" without tools."""
    if not tools:
        return ""
    names = sorted(
        str(tool.get("name") or _json(tool.get("function") or tool.get("type"))) for tool in tools
    )
    return blake2b("\0".join(names).encode("utf-8", "replace"), digest_size=9).hexdigest()


class ConversationMatcher:
    """The lanes of one source."""

    def __init__(self, lanes: list[Lane] | None = None) -> None:
        self._lanes = lanes or []
        self._turn = max((lane.turn for lane in self._lanes), default=0)

    def dump(self) -> list[Any]:
        """What `ConversationMatcher` needs to go on, as msgpack takes it."""
        return [msgspec.to_builtins(lane) for lane in self._lanes]

    def is_side(self, session: str, sub: str) -> bool:
        """Whether a lane is one of the harness's background requests."""
        return any((lane.session, lane.sub) == (session, sub) and lane.side for lane in self._lanes)

    def lane(self, request: ModelRequest, session: str | None, fallback: str) -> Lane:
        """The lane of a request, an old or a new one; `fallback` names a session without id."""
        tools = "" if request.forced else _names(request.tools)
        system = _system(request)
        first = _first(request)
        marks = {
            digest(item.role, part)
            for item in request.items
            if item.role is Role.ASSISTANT
            for part in item.parts
        } - {""}
        alike = [
            (len(marks & lane.answers.keys()), lane.first == first, lane.turn, lane)
            for lane in self._lanes
            if (not session or lane.session == session) and bool(lane.tools) == bool(tools)
        ]
        near = [entry for entry in alike if entry[0] or (entry[1] and not marks)]
        going = [entry for entry in near if entry[3].tools == tools or entry[3].system == system]
        if session and not near:  # compacted, or cleared: the session itself continues
            going = [
                entry
                for entry in alike
                if (entry[3].tools, entry[3].system, entry[3].sub) == (tools, system, "")
            ]
        if going:
            lane = max(going, key=lambda entry: entry[:3])[3]
            lane.tools, lane.system = tools, system
            if _aside(request):
                lane = self._side(lane)
            self._overheard(lane)
        else:
            parent = max(near, key=lambda entry: entry[:3])[3] if near else None
            up = parent or (None if session else self._main(tools, system))
            lane = self._begin(bool(tools), session or (up.session if up else ""), fallback)
            lane.tools, lane.system, lane.first = tools, system, first
            if parent is not None:
                lane.side = True
                lane.part_counts, lane.answers = dict(parent.part_counts), dict(parent.answers)
        self._turn += 1
        lane.turn = self._turn
        return lane

    def _side(self, lane: Lane) -> Lane:
        """The lane of what is asked aside of another; it knows all that the other knows."""
        name = f"{lane.sub}-aside" if lane.sub else "aside"
        matching = [
            candidate
            for candidate in self._lanes
            if (candidate.session, candidate.sub) == (lane.session, name)
        ]
        side = (
            matching[0]
            if matching
            else Lane(f"{lane.session}/{name}", lane.session, name, side=True)
        )
        if not matching:
            self._keep(side)
        return side

    def _overheard(self, lane: Lane) -> None:
        """Background requests repeat what the conversation itself told."""
        for main in self._lanes if lane.sub else ():
            if main.session == lane.session and not main.sub:
                counts = {
                    mark: max(n, lane.part_counts.get(mark, 0))
                    for mark, n in main.part_counts.items()
                }
                lane.part_counts = {**lane.part_counts, **counts}

    def _main(self, tools: str, system: str) -> Lane | None:
        """The conversation that runs, if a lane with these is not its own."""
        mains = [lane for lane in self._lanes if not lane.sub]
        main = max(mains, key=lambda lane: lane.turn, default=None)
        return main if main and main.tools != tools and main.system != system else None

    def _begin(self, loose: bool, session: str, fallback: str) -> Lane:
        """A new lane; the first of a session that offers tools is the session itself."""
        session = session or f"{fallback}#{self._turn}"
        taken = any(lane.session == session and not lane.sub for lane in self._lanes)
        sub = "" if loose and not taken else f"side-{self._turn}"
        lane = Lane(f"{session}/{sub}", session, sub, side=not loose)
        self._keep(lane)
        return lane

    def _keep(self, lane: Lane) -> None:
        lane.turn = self._turn
        self._lanes.append(lane)
        if len(self._lanes) > LANES:
            self._lanes.remove(min(self._lanes, key=lambda candidate: candidate.turn))


def new_items(lane: Lane, items: tuple[Item, ...]) -> list[Item]:
    """Those parts of the items that the lane was not told yet; they are told now."""
    counts: Counter[str] = Counter()
    fresh: list[Item] = []
    for item in items:
        parts: list[Part] = []
        for part in item.parts:
            mark = digest(item.role, part)
            if not mark:
                continue
            counts[mark] += 1
            if counts[mark] > lane.part_counts.get(mark, 0):
                parts.append(_alone(lane, item.role, part))
                lane.part_counts[mark] = counts[mark]
                if item.role is Role.ASSISTANT:
                    lane.answers[mark] = True
                elif item.role is Role.USER and isinstance(part, Text):
                    lane.unanswered = mark
        if parts:
            fresh.append(Item(item.role, tuple(parts)))
    return fresh


def _alone(lane: Lane, role: Role, part: Part) -> Part:
    """A prompt without the one before it that failed."""
    if not lane.unanswered or role is not Role.USER or not isinstance(part, Text):
        return part
    first, _, rest = part.content.partition("\n\n")
    for _ in range(_PARAGRAPHS):
        if not rest:
            break
        if digest(role, Text(first)) == lane.unanswered:
            return Text(rest)
        more, _, rest = rest.partition("\n\n")
        first = f"{first}\n\n{more}"
    return part


def reply_told(lane: Lane, parts: tuple[Part, ...]) -> None:
    """The reply is known from now on: the next request tells it again."""
    lane.unanswered = ""
    for part in parts:
        if mark := digest(Role.ASSISTANT, part):
            lane.part_counts[mark] = lane.part_counts.get(mark, 0) + 1
            lane.answers[mark] = True


def _aside(request: ModelRequest) -> bool:
    """Whether the last message is one of the harness's own modes."""
    last = request.items[-1] if request.items else None
    return last is not None and any(
        isinstance(part, Text) and _MODE.match(part.content) for part in last.parts
    )


def _system(request: ModelRequest) -> str:
    """A digest of the system prompt's longest block: others carry dates and folders."""
    block = max(request.system, key=len, default="")
    return blake2b(block[:2000].encode("utf-8", "replace"), digest_size=9).hexdigest()


def _first(request: ModelRequest) -> str:
    """A digest of the first message."""
    item = request.items[0] if request.items else None
    marks = [digest(item.role, part) for part in item.parts] if item else []
    return "".join(marks)
