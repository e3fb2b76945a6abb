"""Whether what speaks HTTP is installed: the extra `wire`."""

from importlib.util import find_spec

from dejavu.config.extras import extra_hint
from dejavu.model import DejavuError


def require(command: str) -> None:
    """Go on only with h11.

    Raises:
        DejavuError: it is missing; names the cure.
    """
    if find_spec("h11") is None:
        raise DejavuError(
            f"`dejavu {command}` needs the extra wire (h11 is missing): {extra_hint('wire')}"
        )
