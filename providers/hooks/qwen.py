"""Qwen Code's hooks: `hooks` in `settings.json`, in Claude Code's form.

Takes what they get on stdin; gives prompts, last messages, calls, results and errors. Notices
have the types of Claude Code's; the model's id of a call is `tool_call_id`.
"""

from . import claude
from .api import Hook
from .payloads import PayloadParser

EVENTS = tuple(event for event in claude.EVENTS if event != "MessageDisplay")

QWEN = Hook("qwen", PayloadParser, EVENTS, claude.status, claude.session)
