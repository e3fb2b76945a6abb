from pathlib import Path

import pytest

from dejavu.surfaces.config import Config
from dejavu.surfaces.instance import own_instance


def test_variable_wins_then_settings_then_local(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_instance(Config()) == "local"
    assert own_instance(Config(instance="box")) == "box"
    monkeypatch.setenv("DEJAVU_INSTANCE", "crate")
    assert own_instance(Config(instance="box")) == "crate"
