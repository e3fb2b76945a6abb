from pathlib import Path

import pytest

from dejavu.config.settings import Config, instance_of, own_instance


def test_variable_wins_then_settings_then_local(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_instance(Config()) == "local"
    assert own_instance(Config(instance="box")) == "box"
    monkeypatch.setenv("DEJAVU_INSTANCE", "crate")
    assert own_instance(Config(instance="box")) == "crate"


def test_in_a_shared_archive_it_is_who_and_where_for_good(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert instance_of("crate", Config()) == "crate"
    monkeypatch.setenv("DEJAVU_ARCHIVE", "postgresql://db/x")
    monkeypatch.setenv("LOGNAME", "ann")
    monkeypatch.setattr("socket.gethostname", lambda: "lap top")
    assert own_instance(Config()) == "ann@lap-top"
    monkeypatch.setattr("socket.gethostname", lambda: "dhcp-17")
    assert own_instance(Config()) == "ann@lap-top"
    assert instance_of("crate", Config()) == "ann@lap-top/crate"
    assert own_instance(Config(instance="box")) == "box"
    assert instance_of("crate", Config(instance="box")) == "box/crate"
    kept = home / ".local/share/dejavu/instance"
    assert kept.stat().st_mode & 0o777 == 0o600
