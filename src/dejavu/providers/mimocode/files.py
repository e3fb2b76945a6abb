"""MiMo Code: OpenCode's database and trees in its own folder."""

from ..opencode.files import OpenCode


class MiMoCode(OpenCode):
    """Provider of `$XDG_DATA_HOME/mimocode`."""

    agent = "mimocode"
    folder = "mimocode"
    variable = ""


PROVIDER = MiMoCode()
