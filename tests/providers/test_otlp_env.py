from dejavu.providers.formats.otlp import TELEMETRY
from dejavu.providers.otlp_env import settings, told

HERE = "http://127.0.0.1:4318"


def test_every_agent_with_telemetry_is_told() -> None:
    text = told(HERE)
    assert all(f"# {agent}" in text for agent in TELEMETRY)
    assert text.count(HERE) == len(TELEMETRY) + 1


def test_what_is_printed_is_what_json_has() -> None:
    for pairs in settings(HERE).values():
        assert HERE in pairs.values()
        assert all(f"export {name}={value}" in told(HERE) for name, value in pairs.items())
