"""What a model API says, in words that all of them share.

Converts request bodies and responses (parsed JSON) into `ModelRequest` and `Reply`. One module an
API. Nothing here sees a header or a query: keys travel there.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dejavu.model import Part, Role, Usage


@dataclass(frozen=True, slots=True)
class Item:
    """One message of a request."""

    role: Role
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request: the system prompt in its blocks, the tools as sent, the conversation so far."""

    model: str | None = None
    system: tuple[str, ...] = ()
    tools: tuple[dict[str, Any], ...] = ()
    items: tuple[Item, ...] = ()
    session: str | None = None
    """The agent's id of its session, where the body has one."""
    forced: bool = False
    """Whether the model must call a tool: it is asked for one thing, not let loose."""


@dataclass
class Reply(ABC):
    """A response while it arrives; what came so far can be read at any time."""

    id: str | None = None
    model: str | None = None
    stop: str | None = None
    error: str | None = None
    usage: Usage | None = None
    unknown: list[str] = field(default_factory=list[str])
    """Types of events and blocks that were not understood."""

    @abstractmethod
    def event(self, data: dict[str, Any]) -> None:
        """Take one event of a stream."""

    @abstractmethod
    def whole(self, body: dict[str, Any]) -> None:
        """Take a response that was not streamed."""

    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """What was said so far."""


@dataclass(frozen=True, slots=True)
class Api:
    """One model API."""

    name: str
    matches: Callable[[str], bool]
    """Whether a path (without query) is one where the model is asked."""
    parse_request: Callable[[dict[str, Any]], ModelRequest]
    reply: Callable[[], Reply]
