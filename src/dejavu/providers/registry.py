"""The providers, one an agent: the only place that lists them."""

from collections.abc import Mapping
from types import MappingProxyType

from .aider.files import Aider
from .amp.files import Amp
from .antigravity.files import Antigravity
from .claude.files import ClaudeCode
from .cline.files import Cline
from .codex.files import Codex
from .copilot.files import Copilot
from .cursor.files import CursorAgent
from .droid.files import Droid
from .gemini.files import Gemini
from .kimi.files import Kimi
from .kimi_cli.files import KimiCli
from .nanocoder.files import Nanocoder
from .opencode.files import OpenCode
from .pi.files import Pi
from .protocol import Provider
from .qwen.files import Qwen

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
