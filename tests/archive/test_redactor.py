from pathlib import Path

import pytest

from dejavu.archive.redactor import redaction_key
from dejavu.model import ConfigError


def test_one_private_key_for_ever(home: Path) -> None:
    key = redaction_key()
    assert len(key) == 32
    assert redaction_key() == key
    path = home / ".local/share/dejavu/redaction.key"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_damaged_key_is_named(home: Path) -> None:
    redaction_key()
    path = home / ".local/share/dejavu/redaction.key"
    path.write_bytes(b"short")
    with pytest.raises(ConfigError, match=r"redaction\.key"):
        redaction_key()
