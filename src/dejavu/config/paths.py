"""Folders of Déjà Vu: configuration, data (the archive), state (running sessions); the archive's address.

`DEJAVU_CONFIG_HOME`, `DEJAVU_DATA_HOME` and `DEJAVU_STATE_HOME` take precedence over the XDG base
directories. Standard library only, because the wrapper and the hooks import it. Only
`private_folder` creates a folder. None is used that another user owns and everyone may write to: they
could replace what is in it.
`private_folder` creates a folder. The address of a server's archive has a printable form, and a local
folder: what this machine derives from that archive (indexes, locks; nothing in it is worth a backup).
"""

import os
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_XDG = {
    "CONFIG": ("XDG_CONFIG_HOME", ".config"),
    "DATA": ("XDG_DATA_HOME", ".local/share"),
    "STATE": ("XDG_STATE_HOME", ".local/state"),
}

# Up to the last @: a password that was not escaped may hold any of the other delimiters.
_BEFORE_HOST = r"(?s)^(\w+://[^:/?@]*):.*@"
_IN_PARAMETER = r"(?i)([?&](?:ssl)?password=)[^&]*"


def _home(kind: str) -> Path:
    if own := os.environ.get(f"DEJAVU_{kind}_HOME"):
        return Path(own).expanduser().absolute()
    variable, default = _XDG[kind]
    base = os.environ.get(variable)
    # The XDG specification: a relative path is invalid and must be ignored.
    root = Path(base) if base and Path(base).is_absolute() else user_home() / default
    return root / "dejavu"


def user_home() -> Path:
    """Return the user's home; the password database's where HOME is empty, which would mean `/`.

    Raises:
        RuntimeError: it is not known.
    """
    if os.environ.get("HOME") != "":
        return Path.home()
    import pwd  # of no use to others

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise RuntimeError("HOME is empty, and this user has no home: set HOME") from None


def config_home() -> Path:
    """Return the folder of `config.toml` and of the operator's own rule packs."""
    return _home("CONFIG")


def data_home() -> Path:
    """Return the folder of the archive."""
    return _home("DATA")


def state_home() -> Path:
    """Return the folder of running sessions, sockets and logs; nothing in it is worth a backup."""
    return _home("STATE")


def archive_location() -> str:
    """Return `DEJAVU_ARCHIVE` (a path or a URL), or the path of `archive` in the data folder."""
    return os.environ.get("DEJAVU_ARCHIVE") or str(data_home() / "archive")


def is_server(location: str) -> bool:
    """Whether an archive's location is a server's URL and not a folder."""
    return "://" in location


def private_folder(folder: Path) -> Path:
    """Return `folder`, created with mode 0700 if missing (its parents too).

    Raises:
        ConfigError: it, or the folder of ours that it is in, `is_open_to_others`.
    """
    for home in _homes():
        if home == folder or home in folder.parents:
            _check((home, folder))
    if not folder.exists():
        missing = [folder, *folder.parents]
        for path in reversed([path for path in missing if not path.exists()]):
            path.mkdir(mode=0o700, exist_ok=True)
    return folder


def check_homes() -> None:
    """Refuse folders of ours that `is_open_to_others`. One stat(2) each.

    Raises:
        ConfigError: there is one; its text names it and the cure.
    """
    _check(_homes())


def is_open_to_others(folder: Path) -> bool:
    """Whether another user than root owns a folder to which everyone may write; false where it is missing."""
    try:
        status = folder.stat()
    except OSError:
        return False
    return status.st_uid not in (0, os.geteuid()) and bool(status.st_mode & 0o002)


def _homes() -> "Iterator[Path]":
    return (_home(kind) for kind in _XDG)


def _check(folders: "Iterable[Path]") -> None:
    for folder in folders:
        if is_open_to_others(folder):
            from dejavu.model.errors import ConfigError  # of no use to a hook

            kind = next(kind for kind in _XDG if _home(kind) in (folder, *folder.parents))
            raise ConfigError(
                f"{folder}: another user owns this folder, and everyone may write to it, so it is not "
                "used; remove it, make it yours (chown, chmod 700), or name another in "
                f"DEJAVU_{kind}_HOME"
            )


def without_password(location: str) -> str:
    """Return a path unchanged, a URL without its password."""
    if not is_server(location):
        return location
    import re  # hooks load this module

    return re.sub(_IN_PARAMETER, r"\1***", re.sub(_BEFORE_HOST, r"\1@", location))


def archive_shown() -> str:
    """Return the location of the user's archive in printable form: a URL without its password."""
    return without_password(archive_location())


def without_secrets(text: str, passwords: "Iterable[str]") -> str:
    """Return a message without these passwords where an address or an option holds one.

    Elsewhere the same letters are a name or a word: `postgres` as a password must not hide the user.
    """
    import re  # hooks load this module
    from urllib.parse import quote

    for password in passwords:
        for written in sorted({password, quote(password, safe="")}, key=len, reverse=True):
            text = re.sub(
                rf"((?:://[^:/?@\s]*:|(?i:password)\s*[=:]\s*[\"']?)){re.escape(written)}"
                r"(?=[@&\"'\s]|$)",
                r"\1***",
                text,
            )
    return text


def local_folder(url: str) -> Path:
    """Return this user's folder for what is derived from the archive at `url`.

    The password does not matter: another one leads to the same folder.
    """
    from dejavu.model.blake2 import blake2b  # hooks load this module

    url = without_password(url)
    name = blake2b(url.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return data_home() / "teams" / name
