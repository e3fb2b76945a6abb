"""Code in pieces of a kind, for what colours it: the page, the terminal, the browser of texts.

Pygments reads it, by a list of languages that agents' code is in. The text of the pieces is the code
again, whatever happens: an unknown language, a text beyond the bounds, or a lexer that takes too
long (hostile code can make one backtrack) is one plain piece. Never raises.

O(code) as a rule; at most `_SECONDS` of CPU and one token more. A line beyond `_WIDEST` is plain, for
that is where a single token can take long.
"""

import time
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pygments.lexer import Lexer

Kind = Literal["", "keyword", "string", "comment", "number", "name"]
"""What a piece is; empty: nothing that has a colour."""

KINDS: tuple[Kind, ...] = ("keyword", "string", "comment", "number", "name")
"""All kinds that have a colour."""

LONGEST = 20_000
"""Characters of one piece of code; a longer one is shown as it is."""
_WIDEST = 500
_SECONDS = 0.15

_ALIASES = {
    "bash": "bash", "c": "c", "c#": "csharp", "c++": "cpp", "cc": "cpp", "cjs": "javascript",
    "clj": "clojure", "clojure": "clojure", "console": "console", "cpp": "cpp", "cs": "csharp",
    "csharp": "csharp", "css": "css", "dart": "dart", "dockerfile": "docker", "docker": "docker",
    "elixir": "elixir", "erl": "erlang", "erlang": "erlang", "ex": "elixir", "exs": "elixir",
    "fish": "fish", "go": "go", "golang": "go", "graphql": "graphql", "h": "c",
    "haskell": "haskell", "hcl": "terraform", "hpp": "cpp", "hs": "haskell", "htm": "html",
    "html": "html", "ini": "ini", "java": "java", "javascript": "javascript", "js": "javascript",
    "json": "json", "json5": "json5", "jsonc": "json", "jsx": "jsx", "kotlin": "kotlin",
    "kt": "kotlin", "kts": "kotlin", "less": "less", "lua": "lua", "make": "make",
    "makefile": "make", "mjs": "javascript", "mk": "make", "mts": "typescript", "nix": "nix",
    "perl": "perl", "php": "php", "pl": "perl", "powershell": "powershell", "proto": "protobuf",
    "ps1": "powershell", "py": "python", "pyi": "python", "python": "python", "python3": "python",
    "r": "r", "rb": "ruby", "rs": "rust", "ruby": "ruby", "rust": "rust", "scala": "scala",
    "scss": "scss", "sh": "bash", "shell": "bash", "sql": "sql", "svelte": "html", "svg": "xml",
    "swift": "swift", "terraform": "terraform", "tf": "terraform", "toml": "toml",
    "ts": "typescript", "tsx": "tsx", "typescript": "typescript", "vue": "html", "xml": "xml",
    "yaml": "yaml", "yml": "yaml", "zig": "zig", "zsh": "bash",
}  # fmt: skip
"""Words after a fence's backquotes, and endings of files, and what Pygments calls the language."""
_NAMED = {"dockerfile": "dockerfile", "makefile": "makefile", "gnumakefile": "makefile"}


def pieces(code: str, language: str) -> Iterator[tuple[Kind, str]]:
    """`code` piece by piece, each with its kind; the texts joined are `code`.

    language: as a fence or the end of a file's name says it, any case; unknown is plain.
    """
    lexer = _lexer(language)
    lines = code.splitlines()
    if lexer is None or len(code) > LONGEST or any(len(line) > _WIDEST for line in lines):
        yield "", code
        return
    yield from _merged(_tokens(code, lexer))


def _tokens(code: str, lexer: "Lexer") -> Iterator[tuple[Kind, str]]:
    done, until = 0, time.thread_time() + _SECONDS
    try:
        # `get_tokens` would change line ends and blanks at the ends.
        for at, token, text in lexer.get_tokens_unprocessed(code):
            if at != done or time.thread_time() > until:
                break
            yield _kind(tuple(token)), text
            done += len(text)
    except Exception:  # noqa: S110 - whatever a lexer stumbles over, the rest is shown as it is
        pass
    yield "", code[done:]


def _merged(tokens: Iterator[tuple[Kind, str]]) -> Iterator[tuple[Kind, str]]:
    """Neighbours of one kind as one piece: a string's quotes are tokens of their own."""
    for kind, group in groupby(tokens, key=itemgetter(0)):
        if text := "".join(text for _, text in group):
            yield kind, text


def language_of(path: str) -> str:
    """The language of a file by its name; empty where that says nothing."""
    name = PurePosixPath(path.replace("\\", "/")).name.lower()
    ending = name.rpartition(".")[2] if "." in name else ""
    return _NAMED.get(name, ending if ending in _ALIASES else "")


def _kind(token: tuple[str, ...]) -> Kind:
    """The kind of one of Pygments' token types, such as ("Literal", "String", "Doc")."""
    match token:
        case ("Keyword", *_) | ("Operator", "Word", *_) | ("Name", "Tag", *_):
            return "keyword"
        case ("Literal", "String", *_) | ("Name", "Attribute", *_):
            return "string"
        case ("Comment", *_):
            return "comment"
        case ("Literal", "Number", *_):
            return "number"
        case ("Name", "Function" | "Class" | "Decorator", *_):
            return "name"
        case _:
            return ""


@cache
def _lexer(language: str) -> "Lexer | None":
    alias = _ALIASES.get(language.lower())
    if alias is None:
        return None
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        # A piece of PHP rarely brings its `<?php`.
        return find_lexer_class_by_name(alias)(startinline=alias == "php")
    except ClassNotFound:  # of a version that does not know it
        return None
