"""The streams we know, by agent: the one list."""

from collections.abc import Mapping
from types import MappingProxyType

from ...amp.stream import AMP
from ...claude.stream import CLAUDE
from ...codex.stream import CODEX
from ...copilot.stream import COPILOT
from ...gemini.stream import GEMINI
from ...kimi.stream import KIMI
from ...opencode.stream import OPENCODE
from ...pi.stream import PI
from ...qwen.stream import QWEN
from .protocol import Stream

STREAMS: Mapping[str, Stream] = MappingProxyType(
    {
        stream.agent: stream
        for stream in (AMP, CLAUDE, CODEX, COPILOT, GEMINI, KIMI, OPENCODE, PI, QWEN)
    }
)
