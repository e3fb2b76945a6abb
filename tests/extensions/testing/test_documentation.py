"""The examples of docs/test-your-terminal-program.md, run as they stand."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "test-your-terminal-program.md"
FILES = dict(
    re.findall(r"(?m)^`(\w+\.py)`:\n\n```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL)
)
PROGRAMS = {"test_menu.py": "menu.py", "test_counter.py": "counter.py"}


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("test_")])
def test_examples_write_their_golden_screens_and_then_pass(
    name: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    if name == "test_counter.py":
        pytest.importorskip("textual")
    for file in filter(None, (name, PROGRAMS.get(name))):
        (pytester.path / file).write_text(FILES[file], "utf-8")
    pytester.runpytest_inprocess("--golden-update").assert_outcomes(passed=1)
    screens = list(pytester.path.glob("golden/*/*/screen.txt"))
    assert len(screens) == 1
    assert screens[0].read_text("utf-8").strip()
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_the_other_examples(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Properties, masks and a recording."""
    monkeypatch.delenv("CI", raising=False)
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```", PAGE.read_text("utf-8"))
    others = [block for block in blocks if block not in FILES.values()]
    assert len(others) == 3
    session = PAGE.parent.parent / "golden" / "demo" / "tour" / "session.cast"
    (pytester.path / "session.cast").write_bytes(session.read_bytes())
    pytester.makefile(".py", test_others="\n".join(others))
    pytester.runpytest_inprocess("--golden-update").assert_outcomes(passed=2)
