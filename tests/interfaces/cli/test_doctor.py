from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result

from dejavu.config.paths import data_home, private_folder


def test_healthy_and_not(dejavu: Callable[..., Result], home: Path) -> None:
    healthy = dejavu("doctor", "--json")
    assert (healthy.code, healthy.json["healthy"]) == (0, True)
    private_folder(data_home()).chmod(0o755)
    broken = dejavu("doctor", "--json")
    assert (broken.code, broken.json["healthy"]) == (1, False)
    rows = dejavu("doctor").out.splitlines()
    assert rows[1].startswith("✗ data: ")
    assert rows[2].startswith("    fix: chmod 700")
    assert any("checks passed: " in row for row in rows)
    assert len(rows) <= 24
    assert "✓ redaction: " in dejavu("doctor", "--all").out


def test_fixing_needs_a_terminal(dejavu: Callable[..., Result], home: Path) -> None:
    assert dejavu("doctor", "--fix-tty").code == 2


def test_an_agents_name_alone_shows_what_is_read_of_it(
    dejavu: Callable[..., Result], home: Path
) -> None:
    named = dejavu("doctor", "claude")
    assert (named.code, named.out) == (0, dejavu("doctor", "--agents", "claude").out)
