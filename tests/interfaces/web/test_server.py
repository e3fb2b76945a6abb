import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.web.conftest import Api

from dejavu.model import ConfigError

server = pytest.importorskip("dejavu.interfaces.web.server", reason="needs the extra http")


def test_the_socket_is_private_and_goes_with_its_server(
    serve: Callable[..., Api], home: Path
) -> None:
    api = serve()
    place = Path(api.told["socket"])
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert api.get("/v1/sessions").status == 200  # its owner needs no token
    api.process.terminate()
    assert api.process.wait(30) == 0
    assert not place.exists()


def test_a_port_wants_the_token(serve: Callable[..., Api], home: Path) -> None:
    api = serve("--port", "0")
    assert api.url.startswith("http://127.0.0.1:")
    assert stat.S_IMODE(Path(api.told["token_file"]).stat().st_mode) == 0o600
    assert api.get("/v1/sessions").status == 200
    assert api.get("/v1/sessions", Authorization="Bearer wrong").status == 401
    assert api.get("/openapi.json", Authorization="Bearer wrong").status == 401
    assert api.get("/", Authorization="Bearer wrong").status == 200


def test_the_token_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "token"
    token = server.bearer_token(path)
    assert len(token) >= 40
    assert server.bearer_token(path) == token


def test_a_token_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    server.bearer_token(path)
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="others may read"):
        server.bearer_token(path)
    path.write_text("short")
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="no token"):
        server.bearer_token(path)


def test_a_link_is_not_followed_to_a_token(tmp_path: Path) -> None:
    server.bearer_token(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OSError, match="symbolic"):
        server.bearer_token(tmp_path / "link")
