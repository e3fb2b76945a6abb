"""The hooks we know, by agent: the one list."""

from collections.abc import Mapping
from types import MappingProxyType

from ...claude.hooks import CLAUDE
from ...codex.hooks import CODEX
from ...copilot.hooks import COPILOT
from ...gemini.hooks import GEMINI
from ...kimi.hooks import KIMI
from ...opencode.hooks import OPENCODE
from ...qwen.hooks import QWEN
from .protocol import Hook

HOOKS: Mapping[str, Hook] = MappingProxyType(
    {hook.agent: hook for hook in (CLAUDE, CODEX, COPILOT, GEMINI, KIMI, OPENCODE, QWEN)}
)
