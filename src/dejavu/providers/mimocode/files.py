"""MiMo Code: OpenCode's database and trees in a folder of its own."""

from ..opencode.files import OpenCode


class MiMoCode(OpenCode):
    """Provider of `$XDG_DATA_HOME/mimocode`."""

    agent = "mimocode"
    folder = "mimocode"
    variable = ""


PROVIDER = MiMoCode()
