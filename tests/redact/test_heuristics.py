import pytest

from dejavu.redact.heuristics import is_plausible_secret

UUID = "-".join(["3f2b8c1d", "9a4e", "4c7b", "8d21", "5e6f7a8b9c0d"])


@pytest.mark.parametrize(
    "value", ["Tr0ub4dor&3-zebra", "x7Kp9mQ2vL4nR8", "9f86d081884c7d659a2feaa0c55ad015"]
)
def test_secrets(value: str) -> None:
    assert is_plausible_secret(value, key="password", before="db_", quoted=False)


@pytest.mark.parametrize(
    "value",
    [
        "short1",
        "correct-horse-battery",
        "000000000000",
        "aaaaaaaaaaaa1",
        "config.password2",
        "get_secret(name1)",
        "my-secret-name-v2",
        "std::env::var2",
        "${DB_PASSWORD1}",
        "your-token-here1",
        "/var/run/secrets/app1",
        "sha256:9f86d081884c",
        "xxxxxxxxxxxx1234",
        "2026-01-02T03:04:05",
    ],
)
def test_code_words_paths_and_placeholders(value: str) -> None:
    assert not is_plausible_secret(value, key="password", before="", quoted=False)


def test_the_owner_of_the_name_decides() -> None:
    value = "x7Kp9mQ2vL4nR8"
    assert is_plausible_secret(value, key="key", before="api_", quoted=True)
    assert not is_plausible_secret(value, key="token", before="next_page_", quoted=True)


def test_uuids_are_secrets_only_where_the_name_is_strong() -> None:
    assert is_plausible_secret(UUID, key="password", before="", quoted=True)
    assert is_plausible_secret(UUID, key="TOKEN", before="SNYK_", quoted=False)
    assert not is_plausible_secret(UUID, key="token", before="", quoted=True)
