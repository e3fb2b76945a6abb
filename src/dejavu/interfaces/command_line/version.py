"""The installed version, without importlib.metadata: it loads a hundred modules to read one name.

Tested in: tests/interfaces/command_line/test_typer_app.py
"""

import os
import sys

_DISTRIBUTION = "dejavu_capture-"
_METADATA = ".dist-info"


def version() -> str:
    """The version in the name of the installed metadata folder; `0+source` where none is there.

    The name is that of the binary distribution format: name, hyphen, version, `.dist-info`.
    """
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - without pathlib
        except OSError:
            continue
        for name in names:
            if name.startswith(_DISTRIBUTION) and name.endswith(_METADATA):
                return name[len(_DISTRIBUTION) : -len(_METADATA)]
    return "0+source"
