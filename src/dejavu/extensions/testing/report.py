"""One HTML page of the golden screens that a run did not find: both screens as pictures.

Pictures are SVG inside the page; no script, nothing is fetched. Made at the end of a failed run
alone. O(cells).

Tested in: tests/extensions/testing/test_plugin.py
"""

import base64
from collections.abc import Iterable
from html import escape
from pathlib import Path

from .difference import differing, explain
from .errors import GoldenMismatchError
from .rendering import Rendering

_STYLE = """\
body{margin:2rem;background:#101214;color:#dcdcd7;font:15px/1.5 system-ui,sans-serif}
h2{font-size:1.1rem;margin:2.5rem 0 .5rem;word-break:break-all}
.pair{display:flex;gap:1rem;flex-wrap:wrap}figure{margin:0;flex:1 1 30rem;min-width:0}
img{width:100%;height:auto}figcaption{color:#9aa0a6}
pre{overflow:auto;background:#16181b;padding:1rem;border-radius:8px}
@media (prefers-color-scheme:light){body{background:#fff;color:#1a1c1e}
figcaption{color:#565b61}pre{background:#f1f2f4}}
"""


def section(test: str, error: GoldenMismatchError) -> str:
    """Return the part of the page about one comparison."""
    expected, actual = error.expected, error.actual
    marked = differing(expected, actual) if expected else []
    figures = [("expected", expected)] if expected else []
    figures.append(("got", actual))
    pictures = "\n".join(
        f'<figure><figcaption>{caption}</figcaption><img alt="{caption}: {escape(error.name)}" '
        f'src="data:image/svg+xml;base64,{_picture(side, marked)}"></figure>'
        for caption, side in figures
    )
    text = explain(expected, actual, 200) if expected else "there is no golden screen yet"
    return (
        f"<section><h2>{escape(test)}: {escape(error.name)}</h2>\n<div class=pair>{pictures}</div>\n"
        f"<details><summary>as text</summary><pre>{escape(text)}</pre></details></section>\n"
    )


def _picture(rendering: Rendering, marked: list[set[int]]) -> str:
    from dejavu.export.replay import AnimationFrame, as_svg

    frame = AnimationFrame(rendering.snapshot(marked), 1.0)
    return base64.b64encode("".join(as_svg([frame], "a screen")).encode()).decode()


def write(path: Path, sections: Iterable[str]) -> None:
    """Write the page. Raise OSError where it cannot be written."""
    parts = list(sections)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Golden screens: {len(parts)} differ</title>\n<style>{_STYLE}</style>\n"
        f"<h1>{len(parts)} golden screen{'s' * (len(parts) != 1)} differ</h1>\n"
        + "".join(parts)
        + "</html>\n",
        "utf-8",
    )
