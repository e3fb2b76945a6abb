"""`make figures`: write README's ten figures, docs/figures.md and docs/performance.md.

They come from `recorded.json`. The texts are `readme_figures.md`, `figures.md` and `performance.md`
in this folder, with `{{name|form}}` in place of a figure. Forms are `d` for a whole number, `.2f` and
the like, and `%1` for a share as percent with one digit. `{{=a/b|form}}` is computed from figures,
`{{@program}}` is the machine's load when a program began, and `{{table}}` the table of `make bench`.
Figures under `earlier` in `recorded.json` were measured once and written there by hand: their programs
need what is not in this repository.
"""

import ast
import operator
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import ROOT
from benchmarks.all import HERE, Record, as_markdown, read_record, rows

README = ROOT / "README.md"
PAGES = ("figures.md", "performance.md")
_SECTION = re.compile(r"(?s)(?<=\n## Figures\n\n).*?(?=\n## )")
_PLACE = re.compile(r"\{\{([^}|]+)(?:\|([^}]+))?\}\}")
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


def value_of(record: Record, name: str) -> Any:
    """A recorded figure.

    Raises:
        KeyError: it was never recorded.
    """
    if name in record["figures"]:
        return record["figures"][name]
    return record["earlier"][name]["value"]


def reckon(node: ast.expr, record: Record) -> float:
    """The value of an expression of figures, numbers and the four operations."""
    match node:
        case ast.BinOp(left, op, right):
            return _OPERATIONS[type(op)](reckon(left, record), reckon(right, record))
        case ast.Name(name):
            return float(value_of(record, name))
        case ast.Constant(int() | float() as value):
            return value
        case _:
            raise ValueError(f"{ast.unparse(node)} is neither a figure nor a number")


def shown(value: Any, form: str | None) -> str:
    """A figure in its form; a percentage of a whole number without its zero."""
    if form is None:
        return str(value)
    if form.startswith("%"):
        text = f"{100 * value:.{form[1:]}f}"
        return f"{text.removesuffix('.0')} %"
    return format(round(value) if form == "d" else value, form.replace("d", ",d"))


def render(text: str, record: Record) -> str:
    """The text with every figure in its place."""

    def place(match: re.Match[str]) -> str:
        name, form = match.groups()
        if name == "table":
            return as_markdown(rows(record))
        if name.startswith("@"):
            return str(record["programs"][name[1:]]["load"])
        if name.startswith("="):
            return shown(reckon(ast.parse(name[1:], mode="eval").body, record), form)
        return shown(value_of(record, name), form)

    return _PLACE.sub(place, text)


def documents(record: Record) -> dict[Path, str]:
    """What README and the pages are to say."""
    section = render((HERE / "readme_figures.md").read_text("utf-8"), record)
    readme = _SECTION.sub(lambda _: section, README.read_text("utf-8"), count=1)
    pages = {
        ROOT / "docs" / name: render((HERE / name).read_text("utf-8"), record) for name in PAGES
    }
    return {README: readme, **pages}


def main() -> int:
    """Write them; with `--check` only say whether they are as they should be."""
    stale = [
        path for path, text in documents(read_record()).items()
        if not path.exists() or path.read_text("utf-8") != text
    ]  # fmt: skip
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(
                f"{path.relative_to(ROOT)} differs from benchmarks/recorded.json: run `make figures`"
            )
        return 1 if stale else 0
    for path, text in documents(read_record()).items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
