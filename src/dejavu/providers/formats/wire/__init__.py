"""The wire: what passes between an agent and its model, as turns.

Parses requests and responses of Anthropic Messages, OpenAI Responses and Chat Completions, and
Gemini into the same updates as a session file's parser, every turn with vector `wire`. The only
vector that has the system prompt and the tools as sent. Keeps no key, opens no port.
"""

from ..sse import EventStream, Message
from .exchange import APIS, LIMIT, Exchange, api_of
from .parser import WireParser, parser
from .protocol import Api, Item, ModelRequest, Reply

__all__ = [
    "APIS",
    "LIMIT",
    "Api",
    "EventStream",
    "Exchange",
    "Item",
    "Message",
    "ModelRequest",
    "Reply",
    "WireParser",
    "api_of",
    "parser",
]
