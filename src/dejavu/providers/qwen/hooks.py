"""Qwen Code's hooks: `hooks` in `settings.json`, in Claude Code's form.

Parses the payloads on their stdin into prompts, last messages, calls, results and errors. Notices
have the types of Claude Code's; the model's id of a call is `tool_call_id`.
"""

from ..claude import hooks as claude
from ..formats.hooks.payloads import PayloadParser
from ..formats.hooks.protocol import Hook

EVENTS = tuple(event for event in claude.EVENTS if event != "MessageDisplay")

HOOK = Hook("qwen", PayloadParser, EVENTS, claude.status, claude.session)
