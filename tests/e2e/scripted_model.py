"""A scripted model that looks at what it is told: replies may depend on the request's text.

The rig's model plays one reply a step. Here a step may be a `Fork`: which reply is played depends on
whether a text stands anywhere in the request, as it would with a model that reads what it is sent.
"""

import importlib.util
import threading
from pathlib import Path
from typing import Any, NamedTuple


class Fork(NamedTuple):
    """A step with two replies: `then` where the request holds `told`, else `otherwise`."""

    told: str
    then: list[dict[str, Any]]
    otherwise: list[dict[str, Any]]


class ForkingScript:
    """The rig's script, with forks; used in place of `server.script`."""

    def __init__(self, script: Any) -> None:
        self._script = script
        self._request = threading.local()

    def find(self, items: list[tuple[str, str]]) -> Any:
        self._request.text = "\n".join(text for _, text in items)
        return self._script.find(items)

    def blocks(self, turn: int, step: int) -> Any:
        blocks = self._script.blocks(turn, step)
        if not isinstance(blocks, Fork):
            return blocks
        return blocks.then if blocks.told in self._request.text else blocks.otherwise

    def hit(self, key: Any) -> Any:
        return self._script.hit(key)


def load(shared: Path, name: str) -> Any:
    """A module of the rig, which is no package."""
    spec = importlib.util.spec_from_file_location(name, shared / "rig" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serve(fakemodel: Any, turns: list[dict[str, Any]], log: Path, models: tuple[str, ...]) -> Any:
    """Start the model; the server has `server_port`, `shutdown` and `server_close`."""
    server = fakemodel.serve(0, {"turns": turns}, log, models=models)
    server.script = ForkingScript(server.script)
    return server
