"""The multiplexers that are known, one module each; those are used whose program is installed.

Tested in: tests/extensions/panes/test_watcher.py
"""

import shutil

from dejavu.model import InvalidValueError

from .gnu_screen import GnuScreen
from .kitty import Kitty
from .multiplexer import Multiplexer
from .tmux import Tmux
from .wezterm import WezTerm
from .zellij import Zellij

NAMES = ("tmux", "zellij", "wezterm", "kitty", "screen")


def multiplexers(
    names: tuple[str, ...] = (), sockets: tuple[str, ...] = (), *, attach: bool | None = None
) -> list[Multiplexer]:
    """The multiplexers called `names`, or all that are installed.

    `sockets` are further ones of tmux, `attach` is `Tmux`'s.

    Raises:
        InvalidValueError: a name is not known.
    """
    known: tuple[Multiplexer, ...] = (
        Tmux(sockets, attach=attach), Zellij(), WezTerm(), Kitty(), GnuScreen(),
    )  # fmt: skip
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise InvalidValueError(f"{unknown[0]!r} is not one of {', '.join(NAMES)}")
    return [one for one in known if (one.name in names or not names) and shutil.which(one.name)]
