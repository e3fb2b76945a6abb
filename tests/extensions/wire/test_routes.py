import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.wire.routes import Routes, local_base, upstream
from dejavu.model import ConfigError

SECRET = "run-secret-0123456789"


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("https://api.anthropic.com", "api.anthropic.com", ""),
        ("https://api.openai.com/v1/", "api.openai.com", "/v1"),
        ("http://localhost:11434/v1", "localhost:11434", "/v1"),
        ("https://[::1]:8443/x", "[::1]:8443", "/x"),
        ("http://h:80", "h", ""),
    ],
)
def test_a_base_url_names_a_server(url: str, authority: str, path: str) -> None:
    found = upstream(url)
    assert (found.authority, found.path) == (authority, path)


@pytest.mark.parametrize(
    "url", ["", "api.openai.com/v1", "ftp://h", "http://", "http://h:99999", "https://h?key=1"]
)
def test_what_is_no_server_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        upstream(url)


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError) as refused:
        upstream("https://me:hunter2@h/")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("base", "asked", "target"),
    [
        ("https://a.b", "/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("https://a.b/v1", "/responses", "/v1/responses"),
        ("https://a.b/v1", "", "/v1"),
        ("https://a.b", "", "/"),
        ("https://a.b/v1", "?x=/1", "/v1?x=/1"),
        ("https://a.b", "//odd%2Fpath/", "//odd%2Fpath/"),
    ],
)
def test_the_servers_path_is_what_it_would_have_been(base: str, asked: str, target: str) -> None:
    routes = Routes([upstream("http://other"), upstream(base)], SECRET)
    ours = local_base(8080, SECRET, 1).removeprefix("http://127.0.0.1:8080")
    assert routes.find(ours + asked) == (upstream(base), target)


@given(st.text(max_size=60))
def test_any_other_target_leads_nowhere(target: str) -> None:
    assert Routes([upstream("https://a.b")], SECRET).find(target) is None
