"""A wrong use in one sentence, and the usage line. Knows typer's errors by their names alone."""

from typing import Any

from . import help, other_words  # noqa: A004 - our module of that name
from .commands import GROUPS
from .simple_line import find


def refusal(name: str, sentence: str) -> str:
    """What is printed where the command `name` cannot be run so."""
    from dejavu.redact.sanitise import sanitise  # its tables are of no use to a right command

    path = f"dejavu {name}".rstrip()
    first = sanitise(f"{path}: {sentence}", newlines=False)
    return f"{first}\nusage: {help.usage(name)}   (`{path} -h` tells more)"


def usage_error(error: Any) -> str:
    """What is printed for an error that typer raised."""
    context = getattr(error, "ctx", None)
    path = "dejavu" if context is None else context.command_path
    name = path.removeprefix("dejavu").strip()
    return refusal(
        name if name in GROUPS else find([*name.split()]).name if name else "", _sentence(error)
    )


def _sentence(error: Any) -> str:
    kind = type(error).__name__
    parameters = error.ctx.command.params if getattr(error, "ctx", None) else ()
    if kind == "NoSuchOption":
        meant = other_words.option(
            error.option_name, {name for one in parameters for name in one.opts}
        )
        near = [meant] if meant else error.possibilities or ()
        said = "".join(f"; did you mean {one}?" for one in near[:1])
        return f"unknown option {error.option_name}{said}{_before_words(error)}"
    if kind == "BadOptionUsage":
        flags = {name for one in parameters if getattr(one, "is_flag", False) for name in one.opts}
        needs = "takes no" if error.option_name in flags else "needs a"
        return f"{error.option_name} {needs} value"
    message = str(error.message).removesuffix(".")
    parameter = getattr(error, "param", None)
    if parameter is not None and parameter.param_type_name == "option":
        return f"{parameter.opts[0]}: {message}"
    return message if " is missing" in message else message[:1].lower() + message[1:]


def _before_words(error: Any) -> str:
    """How a word that begins with a hyphen is written, for a command that takes words."""
    takes_words = error.ctx is not None and any(
        one.param_type_name == "argument" for one in error.ctx.command.params
    )
    return "; put -- before words that begin with a hyphen" if takes_words else ""
