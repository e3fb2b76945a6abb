"""The optional compiled build: `DEJAVU_COMPILE=1 pip install .` compiles the grid with mypyc.

Everything else about the package stands in pyproject.toml. Without the variable the build is pure
Python and needs nothing more; with it, it needs a C compiler, and mypy, which the build front end
brings. The sources are the same: a compiled module stands beside the Python one and wins.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

COMPILER = "mypy>=2,<3"  # mypyc is part of it


def extensions() -> list[Extension]:
    """The modules of `screen` as C extensions; none while only the build's needs are asked for."""
    try:
        from mypyc.build import mypycify
    except ImportError:  # COMPILER is not there yet
        return []
    modules = [
        str(path)
        for path in sorted(Path("src/dejavu/screen").glob("*.py"))
        if path.name != "__init__.py"
    ]
    return mypycify(
        modules,
        opt_level=os.environ.get("MYPYC_OPT_LEVEL", "3"),
        debug_level="0",
        group_name="dejavu.screen.compiled",  # one library, inside the package
    )


wanted = os.environ.get("DEJAVU_COMPILE") == "1"
setup(
    ext_modules=extensions() if wanted else [],
    setup_requires=[COMPILER] if wanted else [],
)
