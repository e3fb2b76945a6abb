"""The user's settings and rule packs, and whether they are valid."""

import os
from collections.abc import Iterator

from dejavu.config.settings import load_config
from dejavu.model import ConfigError, RulePackError
from dejavu.scrapers import load_packs
from dejavu.sessions.user_packs import overrides

from ..hooks.program import VARIABLE, parsed
from .finding import Finding, Severity


def settings() -> Iterator[Finding]:
    """Yield whether config.toml is valid, and what it says about the screen."""
    try:
        config = load_config()
    except ConfigError as error:
        yield Finding(
            subject="settings",
            severity=Severity.ERROR,
            message=str(error),
            fix="correct or move the file",
        )
        return
    screen = "is kept, redacted" if config.capture.screen else "is not kept"
    exceptions = (
        f"; {len(config.capture.workspaces)} exceptions" if config.capture.workspaces else ""
    )
    yield Finding(
        subject="settings",
        severity=Severity.OK,
        message=f"screen text of agents without files {screen} by default{exceptions}",
        facts={"screen": config.capture.screen, "workspaces": config.capture.workspaces},
    )


def hook_limit() -> Iterator[Finding]:
    """Yield whether DEJAVU_HOOK_LIMIT, where it is set, is a number of seconds."""
    text = os.environ.get(VARIABLE, "")
    if text and parsed(text) is None:
        yield Finding(
            subject="hook limit",
            severity=Severity.ERROR,
            message=f"{VARIABLE}={text!r} is not a number of seconds; hooks use their default",
            fix=f"unset {VARIABLE}, or set it to a number such as 1.5",
        )


def packs() -> Iterator[Finding]:
    """Yield whether the user's own packs are valid."""
    own = overrides()
    try:
        load_packs(own)
    except RulePackError as error:
        yield Finding(
            subject="rule packs",
            severity=Severity.ERROR,
            message=str(error),
            fix="correct or move the pack",
        )
        return
    yield Finding(
        subject="rule packs", severity=Severity.OK, message=f"built-in, and {len(own)} of your own"
    )
