"""The pytest plugin: fixtures `terminal` and `cast`, `--golden-update`, `--golden-report`.

Loaded in every pytest run where this distribution is installed, so it imports nothing but pytest;
the rest comes with the first fixture that is used.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from typing import cast as typed

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Protocol

    from .golden import Goldens
    from .program import Program
    from .recorded import RecordedSession
    from .view import Masks, View

    class TerminalFixture(Protocol):
        """What the fixture `terminal` is: `Program` without `goldens`."""

        def __call__(
            self,
            command: str | Sequence[str | os.PathLike[str]],
            *,
            size: tuple[int, int] = ...,
            env: Mapping[str, str | None] | None = ...,
            cwd: str | os.PathLike[str] | None = ...,
            timeout: float = ...,
            masks: Masks = ...,
            history: int = ...,
            graphemes: bool = ...,
        ) -> Program:
            """Start a program; it is ended with the test."""
            ...

    class CastFixture(Protocol):
        """What the fixture `cast` is: `RecordedSession` without `goldens`."""

        def __call__(
            self,
            file: str | os.PathLike[str],
            *,
            size: tuple[int, int] | None = ...,
            masks: Masks = ...,
            history: int = ...,
            graphemes: bool = ...,
        ) -> RecordedSession:
            """Read a recording; a relative path is looked up next to the test file."""
            ...
else:
    TerminalFixture = CastFixture = object  # for the annotations of tests

_VIEWS = pytest.StashKey["list[View]"]()
_WRITTEN = pytest.StashKey["dict[Path, Any]"]()
_UPDATED = "golden-update"  # a user property: those travel from xdist's workers, and into JUnit XML
_SECTION = "dejavu_golden"  # an attribute of a report, which travels too
_WIDEST = 200


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and settings."""
    group = parser.getgroup("dejavu", "golden screens of terminal programs")
    group.addoption(
        "--golden-update",
        action="store_true",
        help="write the golden screens of the tests that run; refused under CI",
    )
    group.addoption(
        "--golden-report",
        metavar="FILE",
        help="where both screens of each difference are drawn (default: in pytest's cache)",
    )
    parser.addini(
        "terminal_timeout", "seconds a wait of the fixture `terminal` takes at most", default="10"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to write golden screens where no one looks at them."""
    if config.getoption("golden_update") and os.environ.get("CI", "").lower() not in (
        "",
        "0",
        "false",
    ):
        raise pytest.UsageError("--golden-update: golden screens are never written under CI")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Summary(config), "dejavu-summary")


@pytest.fixture
def terminal(request: pytest.FixtureRequest) -> Iterator[TerminalFixture]:
    """Run programs in terminals of their own: `terminal(command, size=(80, 24), ...)`."""
    from .program import Program

    programs = typed("list[Program]", _views(request))
    goldens = _goldens(request)
    timeout = float(request.config.getini("terminal_timeout"))

    def start(command: Any, **options: Any) -> Program:
        options.setdefault("timeout", timeout)
        program = Program(command, goldens=goldens, **options)
        programs.append(program)
        return program

    yield start
    _note_updates(request, goldens)
    errors = [error for program in programs if (error := _close(program))]
    if errors:
        raise errors[0]


def _close(program: Program) -> BaseException | None:
    """What `close` raises: the other programs are to be closed all the same."""
    try:
        program.close()
    except BaseException as error:  # raised once all are closed
        return error
    return None


@pytest.fixture
def cast(request: pytest.FixtureRequest) -> Iterator[CastFixture]:
    """Read recordings: `cast("session.cast")`, looked up next to the test file."""
    from .recorded import RecordedSession

    goldens, views = _goldens(request), _views(request)

    def read(file: str | os.PathLike[str], **options: Any) -> RecordedSession:
        recording = RecordedSession(request.path.parent / file, **options, goldens=goldens)
        views.append(recording)
        return recording

    yield read
    _note_updates(request, goldens)


def _views(request: pytest.FixtureRequest) -> list[View]:
    item = typed("pytest.Item", request.node)
    return item.stash.setdefault(_VIEWS, [])


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Show the screen where a text was expected in it, or was not."""
    if op not in ("in", "not in") or type(right).__module__ != "dejavu.extensions.testing.screen":
        return None
    from .screen import Screen

    return [f"{left!r} {op} screen", *typed(Screen, right).boxed().split("\n")]


def _goldens(request: pytest.FixtureRequest) -> Goldens:
    from .golden import Goldens

    writer = request.config.get_terminal_writer()
    width = writer.fullwidth if writer.hasmarkup else _WIDEST  # a log has no width
    goldens = Goldens.of_test(
        request.path,
        request.node.name,
        update=bool(request.config.getoption("golden_update")),
        columns=min(_WIDEST, max(80, width)),
    )
    goldens.written = request.config.stash.setdefault(_WRITTEN, goldens.written)
    return goldens


def _note_updates(request: pytest.FixtureRequest, goldens: Goldens) -> None:
    for folder in goldens.updated:
        request.node.user_properties.append((_UPDATED, folder))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the screens of a failed test into its report."""
    report = yield
    views = item.stash.get(_VIEWS, None)
    if views and report.failed and call.excinfo is not None:
        from .errors import GoldenMismatchError, ProgramError

        error = call.excinfo.value
        if isinstance(error, GoldenMismatchError):
            from .report import section

            setattr(report, _SECTION, section(item.nodeid, error))
        elif not isinstance(error, ProgramError):  # whose message has the screen
            for view in views:
                report.sections.append((f"Terminal: {view.name}", view.describe()))
    return report


class _Summary:
    """What is said at the end of a run, collected from all reports; not in workers of xdist."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._updated: set[str] = set()
        self._sections: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect."""
        self._updated |= {str(v) for name, v in report.user_properties if name == _UPDATED}
        if part := getattr(report, _SECTION, None):
            self._sections.append(part)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the golden screens that were written, and write the page of differences."""
        for folder in sorted(self._updated):
            terminalreporter.write_line(f"golden screen written: {folder}")
        if not self._sections:
            return
        from .report import write

        path = self._path()
        try:
            if path is None:
                terminalreporter.write_line("no report of golden screens: --golden-report FILE")
            else:
                write(path, self._sections)
                terminalreporter.write_line(f"golden screens that differ: {path.as_uri()}")
        except OSError as error:
            terminalreporter.write_line(f"no report of golden screens: {error}")

    def _path(self) -> Path | None:
        from pathlib import Path

        if file := self._config.getoption("golden_report"):
            return Path(file).absolute()
        cache: pytest.Cache | None = getattr(self._config, "cache", None)
        return cache.mkdir("golden-report") / "index.html" if cache else None
