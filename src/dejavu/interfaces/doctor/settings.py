"""The operator's settings and rule packs, and whether they hold."""

from collections.abc import Iterator

from dejavu.config.settings import load_config
from dejavu.model import ConfigError, RulePackError
from dejavu.scrapers import load_packs
from dejavu.sessions.user_packs import overrides

from .finding import Finding, Grade


def settings() -> Iterator[Finding]:
    """Whether config.toml can be used, and what it says of the screen."""
    try:
        config = load_config()
    except ConfigError as error:
        yield Finding(
            subject="settings", grade=Grade.BAD, told=str(error), cure="mend or move the file"
        )
        return
    screen = "is kept, redacted" if config.capture.screen else "is not kept"
    exceptions = (
        f"; {len(config.capture.workspaces)} exceptions" if config.capture.workspaces else ""
    )
    yield Finding(
        subject="settings",
        grade=Grade.GOOD,
        told=f"screen text of agents without files {screen} by default{exceptions}",
        facts={"screen": config.capture.screen, "workspaces": config.capture.workspaces},
    )


def packs() -> Iterator[Finding]:
    """Whether the operator's own packs keep to the schema."""
    own = overrides()
    try:
        load_packs(own)
    except RulePackError as error:
        yield Finding(
            subject="rule packs", grade=Grade.BAD, told=str(error), cure="mend or move the pack"
        )
        return
    yield Finding(
        subject="rule packs", grade=Grade.GOOD, told=f"built in, and {len(own)} of your own"
    )
