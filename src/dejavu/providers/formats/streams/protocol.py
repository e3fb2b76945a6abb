"""What a stream is: the machine-readable output of an agent that runs without a terminal.

Parses bytes of an agent's stdout into `TurnUpdate`s, as a session file's parser does. Does no I/O:
the owner of the pipe feeds the parser.

    stream.sniff(head)               is this such a stream at all, or plain text?
    stream.parser(source, argv=...)  feed it the bytes, take its updates, close it at the end
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...parsing import facts_of
from ...protocol import Source
from ..json_lines import as_dict, as_list, decode_lenient
from .command_line import Options
from .jsonl import LineParser
from .values import clean

_PARTIAL = 0.6  # an incomplete first line that begins like one of the agent's


@dataclass(frozen=True, slots=True)
class Stream:
    """One agent's stream: how to recognize it, what argv tells about it, how to parse it."""

    agent: str
    parser_class: type[LineParser]
    accepts: Callable[[dict[str, Any]], bool]
    """Whether a JSON object can be the first line of this stream."""
    begins: tuple[bytes, ...]
    """How a first line begins, for one of which the end has not arrived."""
    options: Options = Options()  # noqa: RUF009 - frozen, and shared on purpose

    def sniff(self, head: bytes) -> float:
        """0 for anything but this stream, 1 for a first line that is its own.

        In between: the first line is incomplete, but begins like one. Leading blank lines do not
        count; plain text is 0, also if it shows JSON further down.
        """
        line, newline, _ = head.lstrip().partition(b"\n")
        if line[:1] not in (b"{", b"["):
            return 0.0
        value = decode_lenient(line) if newline or line.rstrip()[-1:] in (b"}", b"]") else None
        if value is None:
            start = line.lstrip(b"[ ")
            return _PARTIAL if not newline and start.startswith(self.begins) else 0.0
        first = as_dict(as_list(value)[0] if as_list(value) else value)
        return 1.0 if first and self.accepts(first) else 0.0

    def parser(
        self,
        source: Source,
        state: bytes | None = None,
        *,
        argv: Sequence[str] = (),
        prompt: str | None = None,
        started_at: float | None = None,
        moments: Sequence[tuple[int, float]] = (),
        restart: bool = False,
    ) -> LineParser:
        """A parser at the start of the stream, or where `state` left off.

        `prompt` (from stdin, for example) replaces the one in `argv`. `moments` are offsets and the
        times their bytes arrived (Unix seconds), where `feed` gets none. `restart` takes
        from `state` only the facts, to parse the raw bytes again from offset 0.

        Raises:
            StaleStateError: another version of the parser wrote `state`; parse the raw again.
        """
        launch = self.options.read(argv)
        stream_facts = {
            "prompt": prompt or launch.prompt, "session": launch.session, "started_at": started_at,
            "moments": [*moments] or None,
        }  # fmt: skip
        facts = {
            name: clean(value) if isinstance(value, str) else value
            for name, value in stream_facts.items()
            if value is not None
        }
        parser = self.parser_class(source, {**({} if state is None else facts_of(state)), **facts})
        if state is not None and not restart:
            parser.resume(state)
        return parser
