from dejavu.providers import TELEMETRY
from dejavu.providers.otlp_env import instructions, telemetry_variables

HERE = "http://127.0.0.1:4318"


def test_every_agent_with_telemetry_is_told() -> None:
    text = instructions(HERE)
    assert all(f"# {agent}" in text for agent in TELEMETRY)
    assert text.count(HERE) == len(TELEMETRY) + 1


def test_what_is_printed_is_what_json_has() -> None:
    for pairs in telemetry_variables(HERE).values():
        assert HERE in pairs.values()
        assert all(f"export {name}={value}" in instructions(HERE) for name, value in pairs.items())
