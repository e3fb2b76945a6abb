"""The operator's settings: `config.toml` in the configuration folder.

`load_config` returns a frozen `Config`. Unknown keys and wrong types are refused with file, key and
fix; without the file defaults apply. Example:

    [capture]
    screen = false            # keep screen text when an agent saves no session file
    program_status = true     # false: no agent learns that its state is read (OSC 7501)
    warm_observer = true      # false: every wrapped agent's observer is a new process
    reading_bar = 0.9         # share of what agents' own traces hold that their screens must give
    [capture.workspaces]
    "~/work/secret" = false   # the same, for one workspace and what is below it
    [hooks]
    on_change = "notify.sh"   # run by sh when a session's state changes; JSON on its stdin
    [report]
    hosts = true              # tell tmux, herdr, Zellij, cmux, kitty what the agent in them does
    notify = false            # true: a desktop notification when an agent needs a person or is done
    terminal = "auto"         # whether terminals are asked if they show program status (OSC 7501)
    terminal_progress = false # true: OSC 9;4, a bar in the terminal's tab or the task bar
    terminal_notify = false   # true: OSC 777, the terminal's own notification
    terminal_variables = false # true: dejavu_state and dejavu_agent in WezTerm and iTerm2
    [sync]
    ask = ["amp"]             # agents whose own program every `dejavu sync` asks, online (none)
    longest_line = 64         # maximum size of a record in MB; of a larger one, the beginning
    catch_up = 1.0            # seconds that search and recall may read new sessions before they answer
    [recall]                  # what is recalled, and put before prompts; these are the defaults
    inject = true             # false: nothing is put before any prompt
    everywhere = false        # true: from all workspaces, not only the prompt's own
    limit = 3                 # records before a prompt, 1 to 10
    budget = 4096             # bytes of the block before a prompt
    tool_output = false       # true: quote what tools printed, too
    retrievers = ["lexical", "trigram", "embedding"] # what history is searched by; also: entity files graph
    strategy = "weighted"     # how they are merged: weighted, union, intersection or short_circuit
    weights = {}              # of retrievers, in place of their own: {lexical = 0.6, embedding = 1.0}
    vectors = true            # false: no sentence vectors, even where `semantic` is installed
    embed = ""                # a command: {"texts": [...]} on stdin, {"vectors": [[...]]} on stdout
    rationale = ""            # a command: a prompt on stdin, the "why" on stdout ("claude -p")
    classify = ""             # a command: a prompt on stdin, JSON on stdout; for `dejavu memory find`
    rerank = ""               # the same, for the order of what was found
    patience = 20.0           # seconds that classify and rerank may take
    neo4j = ""                # http://user:password@host:7474/db: read the code graph from there
    [keys]                    # keys of the browser, by the name of what they do
    delete = "ctrl+x"
    [[machines]]              # what `dejavu sync --machines` reads, one table for each
    address = "ssh://me@build1"
    instance = "build1"       # its name in the archive (default: the host's or container's)

The instance is the name of this machine or container in the archive: `local` unless configured
(`--instance`, `DEJAVU_INSTANCE`, `instance`), as a host's name changes with its network, and every
change would make each conversation look new. In a shared archive (a server's) it is USER@HOST as of
its first use, stored in the data folder.
"""

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from dejavu.model import ConfigError

from .files import read_regular_file, replace_file
from .paths import archive_location, config_home, data_home, is_server, private_folder


class Capture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be kept. Screen text is opt-in; a workspace's own answer wins over the general.

    `program_status`: answer agents who ask whether their terminal knows it (OSC 7501).
    `warm_observer`: observers are forked from a server that has loaded all they need.
    `reading_bar`: below this score the screen of an agent's version is not relied on.
    """

    screen: bool = False
    workspaces: dict[str, bool] = {}
    program_status: bool = True
    warm_observer: bool = True
    reading_bar: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.9


class Hooks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Commands of the operator's own (see `sessions.on_change`)."""

    on_change: str = ""


class Reporting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who learns what an agent does (see `sessions.reporters`)."""

    hosts: bool = True
    notify: bool = False
    terminal: Literal["auto", "always", "never"] = "auto"
    terminal_progress: bool = False
    terminal_notify: bool = False
    terminal_variables: bool = False


class Syncing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Agents whose own program is asked for what its server keeps (see `ingest.vendor_cli`)."""

    ask: tuple[str, ...] = ()
    longest_line: Annotated[int, msgspec.Meta(ge=8, le=1024)] = 64
    catch_up: Annotated[float, msgspec.Meta(ge=0, le=60)] = 1.0


RetrieverName = Literal["lexical", "entity", "trigram", "files", "graph", "embedding"]
"""The retrievers of `recall.history.retrievers`."""


class Recalling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is recalled, how much of it is injected into a prompt, and by which optional commands."""

    inject: bool = True
    everywhere: bool = False
    limit: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3
    budget: Annotated[int, msgspec.Meta(ge=1_024, le=65_536)] = 4_096
    tool_output: bool = False
    retrievers: tuple[RetrieverName, ...] = ("lexical", "trigram", "embedding")
    strategy: Literal["weighted", "union", "intersection", "short_circuit"] = "weighted"
    weights: dict[RetrieverName, Annotated[float, msgspec.Meta(ge=0)]] = {}
    vectors: bool = True
    embed: str = ""
    rationale: str = ""
    classify: str = ""
    rerank: str = ""
    patience: Annotated[float, msgspec.Meta(gt=0, le=600)] = 20.0
    neo4j: str = ""


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A home on another machine (see `ingest.machines`)."""

    address: str
    instance: str | None = None


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings. `instance` names this machine or container in the archive."""

    capture: Capture = Capture()
    hooks: Hooks = Hooks()
    report: Reporting = Reporting()
    sync: Syncing = Syncing()
    recall: Recalling = Recalling()
    keys: dict[str, str] = {}
    projects: dict[str, tuple[str, ...]] = {}
    machines: tuple[Machine, ...] = ()
    instance: str | None = None

    def screen_allowed(self, workspace: str) -> bool:
        """Whether screen text of `workspace` may be archived: the longest matching folder says."""
        best, answer = -1, self.capture.screen
        for folder, allowed in self.capture.workspaces.items():
            root = Path(folder).expanduser()
            if Path(workspace).is_relative_to(root) and len(root.parts) > best:
                best, answer = len(root.parts), allowed
        return answer


def load_config(folder: Path | None = None) -> Config:
    """Return the settings in `folder` (default: the configuration folder).

    Raises:
        ConfigError: the file is not TOML, or holds an unknown key or a wrong type.
    """
    path = (folder or config_home()) / "config.toml"
    try:
        content = read_regular_file(path)
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); move it away") from error
    import tomllib  # most homes have no such file

    try:
        data = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(
            f"{path}: not TOML ({error}); correct the line or move the file away"
        ) from error
    try:
        return msgspec.convert(data, Config)
    except msgspec.ValidationError as error:
        from .setting_errors import explained  # only a wrong file needs it

        told = explained(str(error), content.decode("utf-8"), Config, known_settings())
        raise ConfigError(f"{path}:{told}") from error


def known_settings() -> str:
    """The names that config.toml may hold, by table."""
    own: list[str] = []
    tables: list[str] = []
    for field in msgspec.structs.fields(Config):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            names = ", ".join(each.name for each in msgspec.structs.fields(field.type))
            tables.append(f"[{field.name}] {names}")
        elif field.name == "machines":
            tables.append("[[machines]] address, instance")
        elif field.name == "keys":
            tables.append("[keys] names of docs/guides/library.md")
        elif field.name == "projects":
            tables.append("[projects] a project's name and its folders")
        else:
            own.append(field.name)
    return "; ".join([", ".join(own), *tables])


LOCAL = "local"
"""The instance of a home that names none."""
_INSTANCE_FILE = "instance"


def own_instance(config: Config) -> str:
    """Return the instance that conversations of this home belong to."""
    configured = os.environ.get("DEJAVU_INSTANCE") or config.instance
    return configured or (_origin() if _shared() else LOCAL)


def instance_of(name: str, config: Config) -> str:
    """Return the instance of another home (a container's) called `name` here.

    In a shared archive our own is prefixed: others have containers of the same name.
    """
    return f"{own_instance(config)}/{name}" if _shared() else name


def _shared() -> bool:
    return is_server(archive_location())


def _origin() -> str:
    """Return USER@HOST as of the first call."""
    file = private_folder(data_home()) / _INSTANCE_FILE
    try:
        name = file.read_text("utf-8").strip()
    except OSError:
        name = ""
    if not name:
        import getpass  # both load much, and this is done once
        import socket

        name = re.sub(r"[^\w.@-]+", "-", f"{getpass.getuser()}@{socket.gethostname()}")
        replace_file(file, name + "\n")
    return name
