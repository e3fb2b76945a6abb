"""pyte's tables of modes, graphics and charsets, read from their files without the package.

`import pyte` also runs its screens and, with them, `wcwidth` and `secrets`: a third of what importing
the screen costs. The three modules are constants and import nothing. `dejavu.screen.pyte` is where
the whole package is wanted.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["charsets", "graphics", "modes"]


def _table(name: str) -> ModuleType:
    if loaded := sys.modules.get(f"pyte.{name}"):
        return loaded
    package = PathFinder.find_spec("pyte")
    locations = None if package is None else package.submodule_search_locations
    spec = PathFinder.find_spec(f"pyte.{name}", locations)
    if locations is None or spec is None or spec.loader is None:
        raise ImportError(f"pyte.{name} is not installed", name="pyte")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from pyte import charsets, graphics, modes
else:
    charsets, graphics, modes = map(_table, ("charsets", "graphics", "modes"))
