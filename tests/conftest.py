"""What every test may use: the shared material, a throw-away home, one Hypothesis profile.

A test that needs the material beside the repo is marked `shared` and takes the fixture of that
name; without the folder it is skipped, with the reason.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.postgres import Missing, Server

pytest_plugins = [
    "pytester",
    "tests.factories.archive",
    "tests.factories.sessions",
    "tests.factories.panes",
    "tests.factories.field_agent",
    "tests.factories.wire",
    "tests.factories.hooks",
    "tests.factories.streams",
    "tests.factories.telemetry",
]

REPO = Path(__file__).resolve().parent.parent

# A busy two-core machine makes every deadline a lie; examples are kept modest so that the whole
# suite stays short, and `make soak` asks for more.
settings.register_profile(
    "suite",
    deadline=None,
    max_examples=int(os.environ.get("DEJAVU_EXAMPLES", "60")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recordings and cases beside the repo (or where DEJAVU_SHARED points)."""
    folder = Path(os.environ.get("DEJAVU_SHARED", REPO.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("needs ../shared/data (recordings and cases), which is not part of the repo")
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server, or the reason why there is none."""
    try:
        started = Server()
    except Missing as why:
        pytest.skip(str(why))
    yield started
    started.stop()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A throw-away HOME; none of ours or the agents' folder variables leak in."""
    for name in list(os.environ):
        if name.startswith(("DEJAVU_", "XDG_", "CLAUDE_", "CODEX_", "KIMI_", "AMP_")):
            monkeypatch.delenv(name)
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # a user's pipe is buffered
    monkeypatch.setenv("DEJAVU_WARM_OBSERVER", "off")  # or a process would stay behind for minutes
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(folder))
    return folder
