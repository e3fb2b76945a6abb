"""The providers, one an agent: the only place that lists them."""

from collections.abc import Mapping
from types import MappingProxyType

from .aider import Aider
from .amp import Amp
from .antigravity import Antigravity
from .api import Provider
from .claude import ClaudeCode
from .cline import Cline
from .codex import Codex
from .copilot import Copilot
from .cursor import CursorAgent
from .droid import Droid
from .gemini import Gemini
from .kimi import Kimi
from .kimi_cli import KimiCli
from .nanocoder import Nanocoder
from .opencode import OpenCode
from .pi import Pi
from .qwen import Qwen

_ALL: tuple[Provider, ...] = (
    ClaudeCode(),
    Codex(),
    Amp(),
    Kimi(),
    KimiCli(),
    OpenCode(),
    Gemini(),
    Antigravity(),
    Qwen(),
    Copilot(),
    Pi(),
    Cline(),
    CursorAgent(),
    Droid(),
    Aider(),
    Nanocoder(),
)

PROVIDERS: Mapping[str, Provider] = MappingProxyType({one.agent: one for one in _ALL})
"""Every provider by its agent's name."""
