"""Asking a program of the operator's: a prompt on stdin, its words on stdout.

A program that is missing, fails, is too slow or says too much counts as an empty answer. Every
prompt begins with a mark, so that a session an agent makes of it is known for ours and neither
indexed nor explained. Secrets in a prompt are redacted: what is asked may be a model far away. Costs
one run of the command.
"""

import json
import os
from collections.abc import Sequence
from typing import Any

from dejavu.model import ConfigError

PROMPT_MARKER = "[dejavu:"
"""How every prompt of ours begins."""
_MOST = 1 << 20  # characters of an answer


def run_command(command: Sequence[str], prompt: str, *, patience: float) -> str:
    """What `command` says to `prompt` within so many seconds; empty where it says nothing."""
    import subprocess  # here, since every hook loads this module

    from dejavu.archive.redactor import archive_redactor  # all recall passes here, few ask

    try:
        done = subprocess.run(
            list(command),
            input=archive_redactor().redact(prompt).encode("utf-8", "replace"),
            capture_output=True,
            timeout=patience,
            check=True,
            # What it makes of this is no conversation to capture, and needs no memories.
            env={**os.environ, "DEJAVU_INJECT": "off", "DEJAVU_CAPTURE": "off"},
        )
    except (ConfigError, OSError, ValueError, IndexError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")[:_MOST]


def json_in(text: str) -> Any:
    """The first JSON object in a text, for models that wrap it in words; None without one."""
    start = text.find("{")
    while start >= 0:
        try:
            return json.JSONDecoder().raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
    return None
