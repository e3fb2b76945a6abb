"""The operator's own rule packs: TOML files in `packs/` of the configuration folder.

The operator's file of a name wins over the built-in one.
"""

from pathlib import Path

from dejavu.config.paths import config_home
from dejavu.scrapers import Packs, load_packs


def overrides(folder: Path | None = None) -> dict[str, str]:
    """File name -> TOML text of every pack of the operator's."""
    root = folder or config_home() / "packs"
    return (
        {path.name: path.read_text("utf-8") for path in sorted(root.glob("*.toml"))}
        if root.is_dir()
        else {}
    )


def operator_packs(folder: Path | None = None) -> Packs:
    """The built-in packs with the operator's over them.

    Raises:
        RulePackError: one of the operator's packs breaks the schema; file, line and cure are named.
    """
    return load_packs(overrides(folder))
