import os
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


@pytest.mark.fault("33.H2")
def test_a_pack_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "claude.toml").write_bytes(b'agent = "claude"\n\xff\xfe')
    with pytest.raises(RulePackError, match=r"claude\.toml: byte 17 is not UTF-8"):
        operator_packs(tmp_path)


def test_a_pipe_in_the_place_of_a_pack_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "claude.toml")
    with pytest.raises(OSError, match="not a regular file"):
        operator_packs(tmp_path)
