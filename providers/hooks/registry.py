"""The hooks we know, by agent: the one list."""

from collections.abc import Mapping
from types import MappingProxyType

from .api import Hook
from .claude import CLAUDE
from .codex import CODEX
from .copilot import COPILOT
from .gemini import GEMINI
from .kimi import KIMI
from .opencode import OPENCODE
from .qwen import QWEN

HOOKS: Mapping[str, Hook] = MappingProxyType(
    {hook.agent: hook for hook in (CLAUDE, CODEX, COPILOT, GEMINI, KIMI, OPENCODE, QWEN)}
)
