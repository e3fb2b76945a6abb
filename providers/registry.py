"""The providers, one an agent: the only place that lists them."""

from collections.abc import Mapping
from types import MappingProxyType

from .amp import Amp
from .api import Provider
from .claude import ClaudeCode

_ALL: tuple[Provider, ...] = (
    ClaudeCode(),
    Amp(),
)

PROVIDERS: Mapping[str, Provider] = MappingProxyType({one.agent: one for one in _ALL})
"""Every provider by its agent's name."""
