from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result

from dejavu.config.paths import data_home, private_folder


def test_healthy_and_not(dejavu: Callable[..., Result], home: Path) -> None:
    well = dejavu("doctor", "--json")
    assert (well.code, well.json["healthy"]) == (0, True)
    private_folder(data_home()).chmod(0o755)
    ill = dejavu("doctor", "--json")
    assert (ill.code, ill.json["healthy"]) == (1, False)
    assert "chmod 700" in dejavu("doctor").out


def test_fixing_needs_a_terminal(dejavu: Callable[..., Result], home: Path) -> None:
    assert dejavu("doctor", "--fix-tty").code == 2
