import subprocess
from pathlib import Path

from dejavu.providers import TELEMETRY
from dejavu.providers.otlp_env import instructions, telemetry_variables

HERE = "http://127.0.0.1:4318"
FILE = Path("/home/me/otlp.token")


def test_every_agent_with_telemetry_is_told() -> None:
    text = instructions(HERE, FILE)
    assert all(f"# {agent}" in text for agent in TELEMETRY)
    assert text.count(HERE) == len(TELEMETRY) + 1
    assert text.count(str(FILE)) == len(TELEMETRY)


def test_what_is_printed_is_what_json_has(tmp_path: Path) -> None:
    """A shell that reads the printed lines has the variables, the token from its file."""
    file = tmp_path / "a folder's" / "token"
    file.parent.mkdir()
    file.write_text("abc-DEF_123\n")
    text = instructions(HERE, file)
    assert "abc-DEF_123" not in text
    for agent, pairs in telemetry_variables(HERE, "abc-DEF_123").items():
        assert HERE in pairs.values()
        assert pairs["OTEL_EXPORTER_OTLP_HEADERS"] == "Authorization=Bearer%20abc-DEF_123"
        block = text.partition(f"# {agent}\n")[2].partition("\n\n")[0]
        said = subprocess.run(
            ["/bin/sh", "-c", f"{block}\nenv"], env={"PATH": "/usr/bin:/bin"},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert {f"{name}={value}" for name, value in pairs.items()} <= set(said.stdout.split("\n"))
