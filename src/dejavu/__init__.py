"""Déjà Vu: see past agent conversations again, whichever agent held them.

The engine, four folders at the top of the repository, linked here:

- `capsule`       runs an agent in a PTY, unchanged, and hands out what passed.
- `screen`        turns terminal bytes into what a person saw.
- `scrapers`      read status and turns from a screen, by dated rules.
- `archive`       keeps conversations and the agents' raw bytes, and finds them again.

The program around it:

- `model`         the conversation: turns, parts, vectors, usage, errors.
- `redact`        what must not be kept or shown.
- `config`        where things are on this machine and how the operator set them up.
- `providers`     what is known of each agent, one folder an agent.
- `ingest`        every way into the archive.
- `recall`        memories, ranked history, the block put before the next prompt.
- `sessions`      wrapped sessions that run now.
- `services`      background processes: the daemon, secrets, hooks' answers.
- `integrations`  what is written into agents' settings, and taken out again.
- `export`        conversations as pages, markdown, traces, figures, pictures.
- `testing`       the public name of the pytest plugin (`extensions.testing`).
- `interfaces`    command line, TUI, MCP, hooks, doctor.
- `extensions`    optional products; nothing of the above imports one.

Imports point down only (`pyproject.toml`, importlinter). Nothing is imported here, so
`import dejavu` costs nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def names_on_first_use(package: str, modules: "Mapping[str, str]") -> "Callable[[str], object]":
    """Return the `__getattr__` of a package whose names are imported when they are first asked for.

    `modules` has the module of each public name, relative to the package or absolute.
    """

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value: object = getattr(import_module(modules[name], package), name)
        setattr(import_module(package), name, value)
        return value

    return load
