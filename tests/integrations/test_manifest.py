"""What was done to which file."""

from pathlib import Path

from dejavu.integrations import manifest as ledger
from dejavu.integrations.manifest import Record


def test_records_come_back_and_leave_nothing(state: Path, home: Path) -> None:
    one = Record("claude", home / "a", b"\x00\xff", ledger.digest(b"x"), (str(home / "f"),))
    two = Record("codex", home / "f" / "b", None, ledger.digest(b"y"))
    ledger.keep(one)
    ledger.keep(two)
    assert ledger.records() == {one.path: one, two.path: two}
    for path in ledger.folder().rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
    ledger.forget(one.path)
    ledger.hand_over([str(home / "f")])
    assert ledger.records() == {two.path: two._replace(folders=(str(home / "f"),))}
    ledger.forget(two.path)
    assert not ledger.folder().exists()
    assert ledger.records() == {}
