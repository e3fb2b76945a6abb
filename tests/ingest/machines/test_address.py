"""Addresses of machines."""

import pytest

from dejavu.ingest.machines import Address, parse_address
from dejavu.model import InvalidValueError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ssh://build1", Address("ssh", "build1")),
        ("ssh://me@build1.lan:2222/home/me/", Address("ssh", "build1.lan", "me", 2222, "/home/me")),
        ("ssh://[::1]:22/x", Address("ssh", "[::1]", None, 22, "/x")),
        ("ssh://h/a%20b", Address("ssh", "h", home="/a b")),
        ("docker://my_box-1/root", Address("docker", "my_box-1", home="/root")),
        ("podman://x", Address("podman", "x")),
    ],
)
def test_an_address(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "build1", "http://build1", "ssh://", "ssh://-oProxyCommand=x", "ssh://a b", "ssh://h:x",
        "ssh://-l@h", "ssh://h/../etc", "ssh://h/a%0ab", "docker://me@box", "docker://box:1",
        "docker://-x", "ssh://h?x=1", "ssh://h#x", "ssh://[", "ssh://h:99999", "",
    ],
)  # fmt: skip
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(InvalidValueError, match="address of a machine"):
        parse_address(text)


def test_it_is_written_as_it_is_read() -> None:
    for text in ("ssh://me@h:22/x", "docker://box", "podman://box/root"):
        assert str(parse_address(text)) == text
