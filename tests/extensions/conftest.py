"""Commands of extensions are tested with the fixtures of all commands."""

from tests.interfaces.cli.conftest import live

__all__ = ["live"]
