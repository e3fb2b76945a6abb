"""Where golden screens are kept: a folder a test file, a folder a screen.

    tests/golden/<test file without test_>/<name>/{screen.txt,styles.txt,case.toml}

Files are replaced one by one and whole, and only where they changed, so that workers of one run do
not meet half-written ones.

Tested in: tests/extensions/testing/test_plugin.py
"""

import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .rendering import STYLES, Rendering

_NAME = re.compile(r"[A-Za-z0-9][\w.+=@-]{0,100}", re.ASCII)


@dataclass
class Goldens:
    """The golden screens of one test.

    `updated` fills with the folders that were written; `written` holds what was, for a whole run.
    """

    root: Path
    default: str = ""
    update: bool = False
    columns: int = 120
    updated: list[str] = field(default_factory=list[str])
    written: dict[Path, Rendering] = field(default_factory=dict[Path, Rendering])

    @classmethod
    def of_test(
        cls, file: Path, test: str, *, update: bool = False, columns: int = 120
    ) -> "Goldens":
        """Return those of a test function in a file."""
        default = re.sub(r"[^\w.+=@-]+", "-", test.removeprefix("test_"), flags=re.ASCII).strip(
            "-."
        )
        root = file.parent / "golden" / file.stem.removeprefix("test_")
        return cls(root, default[:100] or "screen", update, columns)

    def folder(self, name: str = "") -> Path:
        """Return the folder of a screen. Raise ValueError for a name that a folder cannot have."""
        name = name or self.default
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} cannot be the name of a golden screen: letters, digits and _ . + = @ - are"
            )
        return self.root / name

    def read(self, folder: Path) -> Rendering | None:
        """Return what is kept, None where there is none. Raise ConfigError where it is damaged."""
        try:
            return Rendering.read(folder)
        except FileNotFoundError:
            return None

    def write(self, folder: Path, rendering: Rendering) -> None:
        """Keep a screen.

        Raise OSError where the folder cannot be written, ValueError where this run wrote another
        screen there: two tests, or two places of one, give the same name.
        """
        if self.written.setdefault(folder, rendering) != rendering:
            raise ValueError(f"{folder} was written before in this run: give each screen its name")
        files = rendering.files()
        if not any(rendering.styles):
            del files[STYLES]
        changed = False
        for name in [STYLES] if STYLES not in files else []:
            changed |= (folder / name).exists()
            (folder / name).unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            path = folder / name
            if not path.exists() or path.read_bytes() != text.encode():
                _replace(path, text.encode())
                changed = True
        if changed:
            self.updated.append(str(folder))


def _replace(path: Path, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, no path
            file.write(data)
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
