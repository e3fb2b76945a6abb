"""The providers, one an agent: the only place that lists them."""

from collections.abc import Mapping
from types import MappingProxyType

from .amp import Amp
from .api import Provider
from .claude import ClaudeCode
from .codex import Codex
from .kimi import Kimi
from .opencode import OpenCode

_ALL: tuple[Provider, ...] = (
    ClaudeCode(),
    Codex(),
    Kimi(),
    OpenCode(),
    Amp(),
)

PROVIDERS: Mapping[str, Provider] = MappingProxyType({one.agent: one for one in _ALL})
"""Every provider by its agent's name."""
