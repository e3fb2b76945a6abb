from pathlib import Path

import pytest

from dejavu.model import RulePackError
from dejavu.sessions.user_packs import operator_packs, overrides


def test_no_folder_means_the_built_in_packs(tmp_path: Path) -> None:
    assert overrides(tmp_path / "packs") == {}
    assert operator_packs(tmp_path / "packs") is not None


def test_a_broken_pack_is_named(tmp_path: Path) -> None:
    (tmp_path / "claude.toml").write_text('nonsense = "yes"\n')
    with pytest.raises(RulePackError, match=r"claude\.toml"):
        operator_packs(tmp_path)
