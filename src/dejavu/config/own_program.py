"""The command line that starts one of our own programs with the Python that runs now.

The environment belongs to the agent: a PYTHONPATH or PYTHONHOME in it must not break our programs.
Standard library only and little of it, because the wrapper and the hooks import it.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ROOT = __file__.rsplit("/", 3)[0]  # the folder that holds the package


def own_program(module: str, *words: str) -> "tuple[str, ...]":
    """The command that runs `module`: neither the working folder nor the environment counts."""
    return (
        sys.executable,
        *flags(os.environ.get("PYTHONPATH", ""), sys.path),
        "-m",
        module,
        *words,
    )


def flags(python_path: str, search_path: "Sequence[str]") -> "tuple[str, ...]":
    """Python's own options: the environment is read only where the package is found through it.

    python_path: the value of PYTHONPATH. search_path: where this Python looks, in order.
    """
    named = [folder for folder in python_path.split(":") if folder]
    return ("-P",) if _ROOT in named and search_path.count(_ROOT) < 2 else ("-EP",)
