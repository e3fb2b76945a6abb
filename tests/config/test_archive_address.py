"""No password is ever shown, however it is written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.config.archive_address import local_folder, without_password, without_secrets
from dejavu.config.paths import private_folder


@pytest.mark.parametrize(
    ("url", "printable"),
    [
        ("/a/folder", "/a/folder"),
        ("postgresql://db/x", "postgresql://db/x"),
        ("postgresql://ann@db:5433/x?sslmode=require", "postgresql://ann@db:5433/x?sslmode=require"),
        ("postgresql://ann:s3cret@db/x", "postgresql://ann@db/x"),
        ("postgresql://ann:s3c/r:e@t@db/x", "postgresql://ann@db/x"),
        ("postgresql://:s3cret@db/x", "postgresql://@db/x"),
        ("postgresql:///x?user=ann&password=s3cret", "postgresql:///x?user=ann&password=***"),
        ("postgresql:///x?sslpassword=s3cret&port=1", "postgresql:///x?sslpassword=***&port=1"),
        ("postgresql://a:s3cret@one,two:2/x", "postgresql://a@one,two:2/x"),
    ],
)  # fmt: skip
def test_a_url_is_shown_without_its_password(url: str, printable: str) -> None:
    assert without_password(url) == printable


@given(st.text(min_size=6, max_size=20))
def test_no_password_is_shown(password: str) -> None:
    secret = f"~{password}~"
    assert secret not in without_password(f"postgresql://ann:{secret}@db/x")


def test_what_is_local_does_not_hang_on_the_password(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = local_folder("postgresql://ann:one@db/x")
    assert folder.parent == home / ".local/share/dejavu/teams"
    assert folder == local_folder("postgresql://ann:two@db/x")
    assert folder != local_folder("postgresql://ann:one@db/y")
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(home / "ours"))
    folder = local_folder("postgresql://db/x")
    private_folder(folder)
    private_folder(folder)
    assert folder.parent == home / "ours/teams"
    assert {path.stat().st_mode & 0o777 for path in (folder, folder.parent)} == {0o700}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("no role postgres on postgres:5432", "no role postgres on postgres:5432"),
        ("postgresql://ann:postgres@db/x", "postgresql://ann:***@db/x"),
        ("postgresql://postgres:postgres@postgres/postgres",
         "postgresql://postgres:***@postgres/postgres"),
        ("host=postgres password=postgres", "host=postgres password=***"),
        ("password='postgres' user=postgres", "password='***' user=postgres"),
        ("?sslpassword=postgres&port=1", "?sslpassword=***&port=1"),
        ("password authentication failed for user postgres",
         "password authentication failed for user postgres"),
    ],
)  # fmt: skip
def test_a_password_is_masked_in_its_own_place_only(said: str, told: str) -> None:
    assert without_secrets(said, ["postgres"]) == told


@given(st.text(min_size=3, max_size=12))
def test_no_address_in_a_message_shows_a_password(password: str) -> None:
    secret = f"~{password}~"
    said = f"cannot connect to postgresql://ann:{secret}@db/x or password={secret}"
    assert secret not in without_secrets(said, [secret])
