"""The streams we know, by agent: the one list."""

from collections.abc import Mapping
from types import MappingProxyType

from .amp import AMP
from .api import Stream
from .claude import CLAUDE
from .codex import CODEX
from .copilot import COPILOT
from .gemini import GEMINI
from .kimi import KIMI
from .opencode import OPENCODE
from .pi import PI
from .qwen import QWEN

STREAMS: Mapping[str, Stream] = MappingProxyType(
    {
        stream.agent: stream
        for stream in (AMP, CLAUDE, CODEX, COPILOT, GEMINI, KIMI, OPENCODE, PI, QWEN)
    }
)
