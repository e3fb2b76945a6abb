"""The one list of agents that can be registered with."""

from collections.abc import Mapping
from types import MappingProxyType

from ..registration import Registration
from .amp import Amp
from .claude import Claude
from .codex import Codex
from .copilot import Copilot
from .gemini import Gemini
from .kimi import Kimi
from .opencode import OpenCode
from .qwen import Qwen

_ALL: tuple[Registration, ...] = (
    Amp(), Claude(), Codex(), Copilot(), Gemini(), Kimi(), OpenCode(), Qwen(),
)  # fmt: skip
REGISTRATIONS: Mapping[str, Registration] = MappingProxyType({one.agent: one for one in _ALL})
