"""The operator's own rule packs: TOML files in `packs/` of the configuration folder.

The operator's file of a name wins over the built-in one. `NAME.learnt.toml` (what `dejavu packs
learn` proposed and a person accepted) holds single rules that are put over the pack NAME.toml,
whosever that is, so a newer built-in pack still comes through. Removing the file undoes it.
`PackReloader` gives a running session the newer versions of these files. Where they break the schema,
that is reported once, and the last good packs stay in force.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dejavu.config.files import read_regular_file, replace_file
from dejavu.config.paths import config_home, private_folder
from dejavu.model import RulePackError
from dejavu.providers.follow.stamp import Stamp, stamp_of
from dejavu.scrapers import Packs, load_packs
from dejavu.scrapers.pack_text import merge_packs
from dejavu.scrapers.packs import built_in_texts
from dejavu.scrapers.rules import parse_pack

LEARNT = ".learnt.toml"


def overrides(folder: Path | None = None) -> dict[str, str]:
    """File name -> TOML text of every pack of the operator's, learnt rules in it.

    Raises:
        RulePackError: one is no text, or there are learnt rules for a pack that does not exist.
        OSError: one cannot be read.
    """
    root = folder or config_home() / "packs"
    if not root.is_dir():
        return {}
    files = {path.name: _text(path) for path in sorted(root.glob("*.toml"))}
    own = {name: text for name, text in files.items() if not name.endswith(LEARNT)}
    for name, text in files.items():
        if name.endswith(LEARNT):
            file = f"{name.removesuffix(LEARNT)}.toml"
            base = own.get(file) or built_in_texts().get(file)
            if base is None:
                raise RulePackError(f"{root / name}: there is no pack {file}; remove the file")
            own[file] = merge_packs(base, text)
    return own


def _text(path: Path) -> str:
    try:
        return read_regular_file(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise RulePackError(
            f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8, or move it away"
        ) from error


def operator_packs(folder: Path | None = None) -> Packs:
    """The built-in packs with the operator's over them.

    Raises:
        RulePackError: one of the operator's packs breaks the schema; file, line and cure are named.
    """
    return load_packs(overrides(folder))


def pack_of(agent: str) -> tuple[str, str] | None:
    """The file name and text of the pack that reads `agent`; None where it has none."""
    for file, text in {**built_in_texts(), **overrides()}.items():
        pack = parse_pack(text, file)
        if agent in (pack.agent, *pack.aliases):
            return file, text
    return None


def accept_learnt(file: str, rules: str) -> Path:
    """Add learnt rules (TOML) to those accepted for the pack `file` before; later ones win.

    Raises:
        RulePackError: the pack would break the schema with them; nothing is written.
        OSError: the file cannot be written.
    """
    folder = private_folder(config_home() / "packs")
    path = folder / f"{file.removesuffix('.toml')}{LEARNT}"
    before = path.read_text("utf-8").rstrip() + "\n\n" if path.exists() else ""
    base = overrides().get(file) or built_in_texts()[file]
    load_packs({**overrides(), file: merge_packs(base, rules)})
    replace_file(path, before + rules)
    return path


class PackReloader:
    """The operator's packs; `note` takes a sentence on what is wrong with them."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._folder = config_home() / "packs"
        self._last = self._looks()
        self.packs = self._load()

    def changed(self) -> Packs | None:
        """Newer packs, if there are any since this was last asked. A stat a file."""
        looks = self._looks()
        if looks == self._last:
            return None
        self._last = looks
        return self._load()

    def _load(self) -> Packs | None:
        try:
            return operator_packs(self._folder)
        except (RulePackError, OSError) as error:
            self._note(str(error))
            return None

    def _looks(self) -> tuple[tuple[str, Stamp], ...]:
        stamps: list[tuple[str, Stamp]] = []
        for path in sorted(self._folder.glob("*.toml")):
            with suppress(OSError):
                stamps.append((path.name, stamp_of(path.stat())))
        return tuple(stamps)
