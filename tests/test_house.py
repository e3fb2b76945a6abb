"""The house itself: every module has its test, the wheel holds every package, names stand."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
PACKAGES = ["archive", "capsule", "providers", "recall", "record", "scrapers", "screen", "surfaces"]

# Entry points of programs that a test of another name drives as a process, or plain data.
# Protocols that exist for type checkers alone: the capsule imports no `typing` at run time.
_TYPES_ONLY = {("capsule", "Peer"), ("capsule", "Sink")}

# A format is proven on whole recordings as well as module by module.
_OF_NO_MODULE = {"tests/providers/test_recordings.py"}

_TESTED_ELSEWHERE = {
    "surfaces/daemon/__main__.py": "tests/surfaces/daemon/test_main.py",
    "surfaces/gateway/__main__.py": "tests/surfaces/gateway/test_main.py",
    "surfaces/cli/__main__.py": "tests/surfaces/cli/test_app.py",
    "surfaces/observer/__main__.py": "tests/surfaces/observer/test_main.py",
    "surfaces/demo/__main__.py": "tests/surfaces/test_demo.py",
    "surfaces/demo/script.py": "tests/surfaces/test_demo.py",
    "surfaces/demo/view.py": "tests/surfaces/test_demo.py",
}


def _modules() -> list[str]:
    return [
        str(path.relative_to(REPO))
        for package in PACKAGES
        for path in sorted((REPO / package).rglob("*.py"))
        if path.name != "__init__.py"
    ]


@pytest.mark.parametrize("module", _modules())
def test_every_module_has_its_test(module: str) -> None:
    path = Path(module)
    expected = f"tests/{path.parent}/test_{path.stem.strip('_')}.py"
    expected = _TESTED_ELSEWHERE.get(module, expected)
    assert (REPO / expected).is_file(), f"{module} needs {expected}"


def test_every_test_mirrors_a_module() -> None:
    for path in sorted((REPO / "tests").rglob("test_*.py")):
        folder = path.parent.relative_to(REPO / "tests")
        named = str(path.relative_to(REPO))
        of_programs = named in _TESTED_ELSEWHERE.values() or named in _OF_NO_MODULE
        if folder in (Path(), Path("e2e"), Path("drills")) or of_programs:
            continue
        stem = path.stem.removeprefix("test_")
        places = [REPO / folder / f"{stem}.py", REPO / folder / f"{stem}_.py", REPO / folder / stem]
        assert any(place.exists() for place in places), f"{path.relative_to(REPO)} mirrors nothing"


def test_links_lead_to_the_folders() -> None:
    for package in PACKAGES:
        assert (REPO / "src" / "dejavu" / package).resolve() == REPO / package


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(REPO)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def test_wheel_holds_every_package_and_only_ours(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"dejavu"}
    packages = {
        name.split("/")[1] for name in wheel if name.startswith("dejavu/") and name.count("/") > 1
    }
    assert packages == set(PACKAGES)
    for module in _modules():
        assert f"dejavu/{module}" in wheel


def test_wheel_holds_rule_packs_and_type_marker(wheel: list[str]) -> None:
    assert "dejavu/py.typed" in wheel
    packs = {path.name for path in (REPO / "scrapers" / "agents").glob("*.toml")}
    assert {name.rsplit("/", 1)[1] for name in wheel if name.endswith(".toml")} == packs


def test_public_names_are_real() -> None:
    for package in PACKAGES:
        module = __import__(f"dejavu.{package}", fromlist=["__all__"])
        names = getattr(module, "__all__", [])
        for name in names:
            assert (package, name) in _TYPES_ONLY or hasattr(module, name), f"{package}.{name}"
        assert module.__doc__
