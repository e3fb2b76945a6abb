"""Run one `dejavu` command and turn what it raises into a sentence and an exit code.

A right line of plain options and arguments is read by `simple_line`, help is written by `help`.
Every other line, and so every usage error and completion, goes to typer (`typer_app`), whose import
costs as much as a whole `dejavu list`. Only the module of the command that is run is imported, and
`logging` only where that has something to log.
"""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from itertools import pairwise
from types import ModuleType

from dejavu.config.paths import check_homes
from dejavu.model import ArchiveError, ConfigError, DejavuError, InvalidValueError, NotFoundError

from . import simple_line, stdio
from .output import use_bare_arrays, use_fields

_FORMS = {"--json=1": True, "--json=2": False}
"""Whether lists that were bare arrays once are so again; `--json` is the second form."""

_MINUS = {"tag": "--remove"}
"""The commands in which `-word` is the value of an option, and that option."""

_WITH_FIELDS = ("list", "search", "show", "stats", "status")
"""The commands that take `--json=id,title`."""


_WITH_WORDS = ("list", "search")
"""Those of them that take any words."""


def exit_code(error: DejavuError) -> int:
    """The exit code the contract has for an error of ours."""
    if isinstance(error, NotFoundError):
        return 3
    if isinstance(error, ArchiveError):
        return 4
    return 2 if isinstance(error, ConfigError) else 1


def run(arguments: list[str]) -> int:
    """Run `dejavu` with `arguments` and return the exit code; raises nothing but SystemExit."""
    try:
        code = _invoke(arguments)
    except stdio.ExitError as done:
        return stdio.flushed(done.code)
    except KeyboardInterrupt:
        return 130
    except DejavuError as error:
        stdio.print_error(str(error))
        return stdio.flushed(exit_code(error))
    except OSError as error:
        return stdio.report(error)
    except Exception as error:  # the last line of defence: a sentence instead of a stack
        from .logs import record_failure

        record_failure(error, " ".join(arguments[:1]))
        stdio.print_error(f"internal error ({type(error).__name__}); `dejavu -v ...` shows where")
        return 1
    return stdio.flushed(code if isinstance(code, int) else 0)


def _invoke(arguments: list[str]) -> object:
    if "_DEJAVU_COMPLETE" in os.environ or not arguments:
        return _by_typer(arguments)
    if arguments[0] == "help" or arguments[-1] in ("-h", "--help"):
        words = arguments[1:] if arguments[0] == "help" else arguments[:-1]
        if _print_help(words, topics=arguments[0] == "help"):
            return 0
        if arguments[0] == "help":
            arguments = [*words, "-h"]
    name, words, old, new = simple_line.find(arguments)
    if old and sys.stderr.isatty():
        print(f"dejavu: `{old}` is now `dejavu {new}`", file=sys.stderr)
    if not name:
        return _by_typer(arguments)
    if name in _MINUS:
        words = _without_minus(words, _MINUS[name])
    end = words.index("--") if "--" in words else len(words)
    if name in _WITH_FIELDS and (apart := _fields_apart(name, words[:end])):
        return _refused(name, f"fields are given as --json={apart}")
    fields = _fields_in(words[:end]) if name in _WITH_FIELDS else ()
    if fields:
        use_fields(fields)
        plain = ["--json" if word.startswith("--json=") else word for word in words[:end]]
        try:
            return _run(name, [*plain, *words[end:]])
        finally:
            use_fields(())
    forms = [word for word in words[:end] if word in _FORMS]
    if forms and not simple_line.entry(name).passes_on:
        use_bare_arrays(_FORMS[forms[-1]])
        plain = ["--json" if word in _FORMS else word for word in words[:end]]
        try:
            return _run(name, [*plain, *words[end:]])
        finally:
            use_bare_arrays(False)
    return _run(name, words)


def _without_minus(words: list[str], option: str) -> list[str]:
    """The words of a line with `option` and `bug` in place of `-bug`."""
    plain: list[str] = []
    for word in words:
        is_minus = len(word) > 2 and word[0] == "-" != word[1]
        plain += [option, word[1:]] if is_minus else [word]
    return plain


def _fields_in(words: list[str]) -> tuple[str, ...]:
    """The fields of the last `--json=id,title`; none where the words have no such list."""
    lists = [word.removeprefix("--json=") for word in words if word.startswith("--json=")]
    names = tuple(lists[-1].split(",")) if lists else ()
    return names if all(name.isidentifier() for name in names) else ()


def _fields_apart(name: str, words: list[str]) -> str:
    """The word `id,title` of `--json id,title`; empty where there is none."""
    for flag, word in pairwise(words):
        names = word.split(",")
        if flag == "--json" and len(names) > 1 and all(map(str.isidentifier, names)):
            from dejavu.model.documents import ConversationDocument, HitDocument

            known = {**ConversationDocument.__annotations__, **HitDocument.__annotations__}
            if name not in _WITH_WORDS or known.keys() >= {*names}:
                return word
    return ""


def _print_help(words: list[str], *, topics: bool) -> bool:
    """Print the help of what `words` name: a topic, a group, a command; whether they name one."""
    from . import help  # noqa: A004 - our module of that name

    text = (help.topic(words) if topics else None) or help.text_of(words)
    if text is not None:
        print(text)
    return text is not None


def _run(name: str, words: list[str]) -> object:
    values = simple_line.parse(name, words)
    if values is None:
        return _by_typer([*name.split(), *words])
    if name != "doctor":  # which says it
        check_homes()
    _configure_logs()
    command = simple_line.command(name)
    gc.freeze()  # what was imported stays: no collection need look at it
    try:
        return command(**values)
    except InvalidValueError as error:
        return _refused(name, str(error))


def _configure_logs() -> None:
    """Set up our loggers, at once or when `logging` is imported: 5 ms that most commands do without."""
    if "logging" not in sys.modules:
        sys.meta_path.insert(0, _LateLogs())
    else:
        from .logs import configure

        configure(verbose=False)


class _LateLogs:
    """A finder that finds nothing itself, and has our loggers set up behind the import of `logging`."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "logging":
            return None
        sys.meta_path.remove(self)
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path)
        spec = next((one for one in found if one is not None), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_configure(module: ModuleType) -> None:
                execute(module)
                with suppress(ImportError):  # where `logs` is what imports it, its caller sets up
                    _configure_logs()

            spec.loader.exec_module = execute_and_configure  # type: ignore[method-assign]  # of this module's loader alone
        return spec


def _refused(name: str, sentence: str) -> int:
    from .usage_errors import refusal  # only a wrong line needs it

    print(refusal(name, sentence), file=sys.stderr)
    return 2


def _by_typer(arguments: list[str]) -> object:
    if arguments[:1] != ["doctor"] and "_DEJAVU_COMPLETE" not in os.environ:
        check_homes()
    from .typer_app import invoke

    return invoke(arguments)
