"""Pi's hooks: our extension hands on its events in Claude Code's form.

Parses those payloads into prompts, displayed texts, calls, results and the last message of a run.

Tested in: tests/providers/formats/hooks/test_registry.py
"""

from ..claude import hooks as claude
from ..formats.hooks.payloads import PayloadParser
from ..formats.hooks.protocol import Hook

EVENTS = (
    "SessionStart", "UserPromptSubmit", "MessageDisplay", "PreToolUse", "PostToolUse",
    "PostToolUseFailure", "Stop", "StopFailure",
)  # fmt: skip

HOOK = Hook("pi", PayloadParser, EVENTS, claude.status, claude.session)
