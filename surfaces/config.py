"""The operator's settings: `config.toml` in the configuration folder.

Takes the file; gives a frozen `Config`. Unknown keys and wrong types are refused with file, key
and cure; a missing file is the default. Example:

    [capture]
    screen = false            # keep screen text when an agent leaves no trace of its own
    [capture.workspaces]
    "~/work/secret" = false   # the same, for one workspace and what lies below it
    [hooks]
    on_change = "notify.sh"   # run by sh when a session's state changes; JSON on its stdin
"""

import tomllib
from pathlib import Path

import msgspec

from dejavu.record import ConfigError

from .paths import config_home


class Capture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be kept. Screen text is opt-in; a workspace's own answer wins over the general."""

    screen: bool = False
    workspaces: dict[str, bool] = {}


class Hooks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Commands of the operator's own (see `fleet.hook`)."""

    on_change: str = ""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings. `instance` names this machine or container in the archive."""

    capture: Capture = Capture()
    hooks: Hooks = Hooks()
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
    """The settings in `folder` (default: the configuration folder).

    Raises:
        ConfigError: the file is not TOML, or holds a key or a type that is not known.
    """
    path = (folder or config_home()) / "config.toml"
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return Config()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: not TOML ({error}); mend the line or move the file away"
        ) from error
    try:
        return msgspec.convert(data, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}; see `dejavu doctor` for the known settings") from error
