"""An embedding of the user's own, in place of the words: a function, or a command.

A command reads one JSON document `{"texts": [...]}` on stdin and answers `{"vectors": [[...],
...]}`; it runs within a time limit. Nothing is downloaded.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from dejavu.model import ConfigError

Embed = Callable[[str], Sequence[float]]
"""One text in, one vector out; always of the same length."""

_LIMIT = 30.0  # seconds


def command_embedder(command: str, *, limit: float = _LIMIT) -> Embed:
    """An embedding by a program.

    Raises (when used):
        ConfigError: the program fails, is too slow, or answers with something else.
    """
    import shlex
    import subprocess  # here, since every hook loads this module

    words = shlex.split(command)

    def embed(text: str) -> Sequence[float]:
        try:
            done = subprocess.run(
                words,
                input=json.dumps({"texts": [text]}),
                capture_output=True,
                text=True,
                timeout=limit,
                check=True,
            )
            answer: Any = json.loads(done.stdout)
            return [float(number) for number in answer["vectors"][0]]
        except (
            OSError,
            subprocess.SubprocessError,
            ValueError,
            KeyError,
            TypeError,
            IndexError,
        ) as error:
            raise ConfigError(
                f"the embedding command {words[0] if words else command!r} did not give a vector "
                f'({type(error).__name__}); it must answer {{"vectors": [[...]]}} on stdout'
            ) from error

    return embed
