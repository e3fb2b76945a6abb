"""The plugin as users have it: pytest on a test file of theirs, with xdist in processes of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dejavu.extensions.testing.processes import MARKER, alive

FORM = 'name = input("Name: "); print(f"\\x1b[1;32mHello, {name}\\x1b[0m")\n'
TEST = """
import sys

def test_greets(terminal):
    app = terminal([sys.executable, "form.py"], size=(40, 6))
    app.wait_for("Name:")
    app.type("Ada").press("Enter")
    app.wait_for("Hello")
    app.assert_golden("greeting")
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Run pytest on `TEST`, or what takes its place in test_form.py."""
    monkeypatch.delenv("CI", raising=False)
    pytester.makefile(".py", form=FORM, test_form=TEST)

    def run(*arguments: str) -> pytest.RunResult:
        if "-n" in arguments:
            return pytester.runpytest_subprocess(*arguments, timeout=120)
        return pytester.runpytest_inprocess(*arguments)

    return run


def test_ten_lines_pass_and_fail_as_they_should(run, pytester: pytest.Pytester) -> None:
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no golden screen*", "*│Hello, Ada*"])

    result = run("--golden-update")
    result.assert_outcomes(passed=1)
    folder = pytester.path / "golden" / "form" / "greeting"
    result.stdout.fnmatch_lines([f"golden screen written: {folder}"])
    assert (folder / "screen.txt").read_text().startswith("Name: Ada\nHello, Ada\n")
    run().assert_outcomes(passed=1)
    assert "written" not in run("--golden-update").stdout.str()

    (pytester.path / "form.py").write_text(
        FORM.replace("32", "31").replace("Hello", "Hallo, Hello")
    )
    result = run("-n", "2", "--golden-report", "report.html", "--junitxml", "junit.xml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*1!│Hello, Ada*│ │Hallo, Hello, Ada*", "*expected bold fg=2, got bold fg=1*"]
    )
    page = (pytester.path / "report.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == 2
    assert "1 golden screen differ" in page
    assert "<script" not in page


@pytest.mark.parametrize("value", ["1", "true"])
def test_nothing_is_written_under_ci(
    run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("CI", value)
    result = run("--golden-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*never written under CI*"])
    assert not (pytester.path / "golden").exists()


def test_a_failing_test_shows_every_screen_and_leaves_no_process(
    run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARKER, "outer-mark")
    monkeypatch.delenv("HOME", raising=False)
    pytester.makefile(
        ".py",
        test_form="""
import sys, pytest
CODE = "import signal, time\\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\\n"
CODE += "print('up', flush=True); time.sleep(600)"

@pytest.fixture
def deaf(terminal):
    app = terminal([sys.executable, "-c", CODE])
    app.wait_for("up")
    return app

def test_fails(deaf, terminal):
    second = terminal(["sleep", "600"])
    assert "down" in deaf.screen
""",
    )
    result = run("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*'down' in screen*", "*│up*", "*Terminal: *-c*", "*Terminal: sleep 600*"]
    )
    assert not list(alive("outer-mark"))


def test_a_killed_run_leaves_no_process(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"killed-{os.getpid()}"  # another run's may be about
    monkeypatch.setenv(MARKER, mark)
    pytester.makefile(
        ".py",
        test_form="def test_it(terminal):\n    terminal('sleep 600').wait_for('x', timeout=60)",
    )
    run = subprocess.Popen([sys.executable, "-m", "pytest", "-q"], cwd=pytester.path)
    deadline = time.monotonic() + 60
    while len(list(alive(mark))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    run.kill()
    run.wait()
    while list(alive(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not list(alive(mark))


def test_a_folder_that_cannot_be_written(run, pytester: pytest.Pytester) -> None:
    """As root everything can be: a file stands where the folder should be."""
    (pytester.path / "golden").write_text("")
    (pytester.path / "out").write_text("")
    result = run("--golden-update", "--tb=line")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*golden*"])
    (pytester.path / "golden").unlink()
    result = run("--golden-report", "out/report.html")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["no report of golden screens: *out*"])


def test_the_plugin_costs_next_to_nothing_where_it_is_not_used(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".py",
        test_form="""
import sys
def test_nothing():
    names = {name for name in sys.modules if name.startswith("dejavu.")}
    names -= {"dejavu.testing", "dejavu.testing.plugin"}  # the public names
    plugin = "dejavu.extensions.testing.plugin"
    assert names == {"dejavu.extensions", plugin.rpartition(".")[0], plugin}
    assert "pyte" not in sys.modules
""",
    )
    pytester.runpytest_subprocess(timeout=120).assert_outcomes(passed=1)


def test_names_of_golden_screens(tmp_path: Path) -> None:
    from dejavu.extensions.testing.golden import Goldens

    goldens = Goldens.of_test(tmp_path / "test_form.py", "test_it[a/b-日本]")
    assert goldens.folder() == tmp_path / "golden" / "form" / "it-a-b"
    for name in ("../x", "a/b", ".x", "a b", "é"):
        with pytest.raises(ValueError, match="cannot be the name"):
            goldens.folder(name)


def test_files_are_made_with_the_users_rights(tmp_path: Path) -> None:
    from tests.extensions.testing.test_rendering import drawn

    from dejavu.extensions.testing.golden import Goldens
    from dejavu.extensions.testing.rendering import Rendering

    before = os.umask(0o027)
    try:
        goldens = Goldens(tmp_path)
        goldens.write(tmp_path / "case", Rendering.of(drawn(b"\x1b[1mx")))
        with pytest.raises(ValueError, match="give each screen its name"):
            goldens.write(tmp_path / "case", Rendering.of(drawn(b"x")))
        goldens.written.clear()  # another run
        goldens.write(tmp_path / "case", Rendering.of(drawn(b"x")))
    finally:
        os.umask(before)
    assert sorted(path.name for path in (tmp_path / "case").iterdir()) == [
        "case.toml",
        "screen.txt",
    ]
    assert (tmp_path / "case" / "case.toml").stat().st_mode & 0o777 == 0o640
    assert goldens.updated == [str(tmp_path / "case")] * 2
