"""MiMo Code: OpenCode's database and trees in its own folder.

Tested in: tests/providers/test_recordings.py
"""

from ..opencode.files import OpenCode


class MiMoCode(OpenCode):
    """Provider of `$XDG_DATA_HOME/mimocode`."""

    agent = "mimocode"
    folder = "mimocode"
    variable = ""


PROVIDER = MiMoCode()
