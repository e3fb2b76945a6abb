"""What an agent's folder says of its agent: names, commands, and where its larger parts stand.

Every folder below `providers` says `AGENT = Agent(...)` in its `__init__`; agents without code are
tables of `stores.toml`. `dejavu-run` loads them to know an agent by its command, so small values are
here as they are. What needs more than the standard library (parsers, registration) is a reference
`module:attribute`, relative to the agent's folder, which `registry` loads when it is first asked for.

Tested in: tests/providers/test_agent_folders.py
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

HookAnswer = Literal["hook_specific_output", "additional_context", "text"]
"""How a hook adds text to a prompt: `{"hookSpecificOutput": {"hookEventName",
"additionalContext"}}`, `{"additionalContext"}` alone, or the text itself on stdout."""

GuardForm = Literal["", "updated_output", "block", "stop", "modified_result", "output"]
"""How a hook puts another text in the place of a tool's result: as `updatedToolOutput`, as the reason
of a block, as the reason of a stop, as `modifiedResult`, as the value itself. Empty: it cannot."""

TOKEN = "{token}"  # noqa: S105 - a placeholder
"""Placeholder in telemetry settings for the bearer token that it wants."""
ENDPOINT = "{endpoint}"
"""Placeholder in telemetry settings for the address that receives them."""


class BaseUrl(NamedTuple):
    """A variable that holds the base URL of a model's API."""

    variable: str
    default: str | None
    """Where the agent goes without the variable; None if nothing tells."""


class EventServer(NamedTuple):
    """The server of an agent that tells its sessions' events over HTTP (SSE)."""

    paths: tuple[str, ...]
    """Where its events are, the first that answers."""
    password: str
    user: str
    """Variables of its basic authentication; the user is the agent's name where it is not set."""


class Store(NamedTuple):
    """Where the sessions of an agent lie that keeps a file each, as globs; for `store_provider`.

    `paths` are below `base`, a folder of the home that `variable` moves; the others have their own
    roots. A `**` must stand for a few folders only.
    """

    form: str = ""
    """`module:class` below `providers` of the parser; empty for a store that is only kept."""
    base: str = ""
    variable: str = ""
    paths: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    """Below the home."""
    data: tuple[str, ...] = ()
    """Below the XDG data folder."""
    vscode: tuple[str, ...] = ()
    """Below the user folders of VS Code and of the editors made from it."""
    editors: tuple[str, ...] = ()
    """The names of those editors' folders, if not all may hold it."""
    excluded: tuple[str, ...] = ()
    """Names of files that are no sessions, as globs."""
    native: int = 0
    """What the session's id is: the file's name without suffix (0) or that many folders up."""
    kind: str = ""
    """How the files grow, where their suffix does not tell: `append` or `whole`."""
    parent: int = 0
    """How many folders up a parent's id is, for files below a folder `subagents`."""
    separator: str = ""
    """The id comes after the last of these in a file's name."""


class Agent(NamedTuple):
    """One agent. Fields that end in a `module:attribute` reference are empty where it has none."""

    name: str
    """Its id in the archive, in status and on the command line; its rule pack's file name."""
    title: str
    """Its name for people."""
    executables: tuple[str, ...] = ()
    """The programs that start it, the one to look for on the PATH first."""
    module: str = ""
    """Our own module that is run in place of its name, for an agent that isn't its own program."""
    install: str = ""
    """The command that installs it."""
    resume: tuple[str, ...] = ()
    """The command that takes a session's own id as its last argument."""
    begin: tuple[str, ...] = ()
    """The command that takes a first prompt as its last argument and then stays."""

    store: Store | None = None
    """Where its session files lie, where that is all there is to say of them."""
    files: str = ""
    """`Provider` of its session files."""
    marks: tuple[str, ...] = ()
    """Folders of which one has something in it where its files lie, below the home; `data:` ones below
    the XDG data folder, `vscode:` ones below an editor's user folder. Without any, and without a
    `store`, it is always looked for."""
    history: str = ""
    """What is read of its files, for people."""
    moved_by: tuple[str, ...] = ()
    """Variables that move its files, where `store` does not say."""
    observed: bool = True
    """Whether what is said here was seen of the agent itself, not only read in descriptions."""
    tested: str = ""
    """The version of it that was."""
    unread: str = ""
    """What of its history is not read, in a few words."""
    cli_export: str = ""
    """A function that makes the `Provider` of what its server keeps, asked through its program."""
    stream: str = ""
    """`Stream`: what it prints for machines without a terminal."""
    hooks: str = ""
    """`Hook`: what it hands to programs at points of its life."""
    telemetry: str = ""
    """`Telemetry`: its OTLP export."""
    integration: str = ""
    """`Integration`: how it is registered with; `server` where `servers.toml` says so."""
    restorer: str = ""
    """`Restorer`: what puts a conversation's own files back where the agent looks."""
    retention: str = ""
    """A function of a `Home`: after how many days it deletes its history, None for never."""

    hook_answer: HookAnswer = "hook_specific_output"
    prompt_event: str = ""
    """The name its prompt hook goes by, where it is not the one in the payload."""
    guard_form: GuardForm = ""
    payload_mark: tuple[str, str] | None = None
    """A field of its hooks' payloads and how the value begins, where the caller is not named."""

    base_urls: tuple[BaseUrl, ...] = ()
    base_url_override: str = ""
    """A function `(environ, server) -> BaseUrlOverride`, where no variable does it."""
    base_url_refusal: str = ""
    """Why it cannot be sent through the wire proxy."""
    ca_variables: tuple[str, ...] = ()
    """Variables that name a file of authorities it believes, besides the system's."""

    session_header: str = ""
    """A header, in lower case, of its requests to a model that names the session."""

    telemetry_environment: Mapping[str, str] = MappingProxyType({})
    """Variables that make it export its telemetry to ENDPOINT, with the bearer TOKEN."""
    telemetry_settings: str = ""
    """The same as lines of its settings, where it has no variables for that."""

    event_server: EventServer | None = None

    @property
    def program(self) -> str:
        """The program to look for on the PATH."""
        return self.executables[0] if self.executables else self.name
