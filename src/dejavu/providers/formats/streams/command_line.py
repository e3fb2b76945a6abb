"""What an agent's command line says: the prompt, the session, whether a stream was asked for.

Parses argv (the program first) by a table of the agent's options and returns a `Launch`. Does no
I/O. O(arguments). An option that no table knows is taken for a flag without a value.

The tables are each agent's own `--help` of November 2026 (versions in the agents' modules).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Launch:
    """What argv tells. `streams`: it asks for machine-readable output."""

    prompt: str | None = None
    session: str | None = None
    streams: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one agent, by what follows them.

    `valued` take the next argument, `optional` take it unless it is an option, `variadic` take all
    up to the next option. `prompt` and `session` are those among them whose value is that.
    `format` maps an option to the values that ask for a stream; an empty set: the option itself.
    `commands` are words before the prompt, in order, each maybe left out; one that is in
    `sessions_after` is followed by a session id, unless an option in `latest` replaces it.
    `joined`: all other words are the prompt.
    """

    valued: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    variadic: frozenset[str] = frozenset()
    prompt: frozenset[str] = frozenset()
    session: frozenset[str] = frozenset()
    format: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    commands: tuple[frozenset[str], ...] = ()
    sessions_after: frozenset[str] = frozenset()
    latest: frozenset[str] = frozenset()
    joined: bool = False

    def read(self, argv: Sequence[str]) -> Launch:
        """What `argv` says, its first word being the program."""
        options, words = self._sorted(argv[1:])
        prompt = next((value for name, value in options if name in self.prompt and value), None)
        session = next((value for name, value in options if name in self.session and value), None)
        streams = any(
            name in self.format and (not self.format[name] or value in self.format[name])
            for name, value in options
        )
        for command in self.commands:
            if words and words[0] in command:
                word = words.pop(0)
                if (
                    word in self.sessions_after
                    and words
                    and not self.latest & {n for n, _ in options}
                ):
                    session = words.pop(0)
        if prompt is None and words:
            prompt = " ".join(words) if self.joined else words[0]
        return Launch(None if prompt == "-" else prompt, session, streams)

    def _sorted(self, arguments: Sequence[str]) -> tuple[list[tuple[str, str | None]], list[str]]:
        """Options with their values, and the other words."""
        options: list[tuple[str, str | None]] = []
        words: list[str] = []
        position = 0
        while position < len(arguments):
            word = arguments[position]
            position += 1
            if word == "--":
                words += arguments[position:]
                break
            if not word.startswith("-") or word == "-":
                words.append(word)
                continue
            name, equals, value = word.partition("=")
            following = arguments[position] if position < len(arguments) else None
            if equals:
                options.append((name, value))
            elif following is not None and (
                name in self.valued
                or (name in self.optional | self.variadic and not following.startswith("-"))
            ):
                options.append((name, following))
                position += 1
                while (
                    name in self.variadic
                    and position < len(arguments)
                    and not arguments[position].startswith("-")
                ):
                    position += 1
            else:
                options.append((name, None))
        return options, words


def names(text: str) -> frozenset[str]:
    """The options in a text, between blanks."""
    return frozenset(text.split())
