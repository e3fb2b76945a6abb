"""A film as one SVG: text that stays text, no script, nothing fetched.

Rows that repeat are drawn once; the film is one strip that a stepped CSS animation moves, so it
plays inside an `<img>` too. With `prefers-reduced-motion` the last frame is shown. O(cells); holds
the rows that differ.
"""

from collections.abc import Iterable, Iterator
from html import escape

from dejavu.screen import Snapshot

from .animation import AnimationFrame
from .runs import INK, PAPER, Span, spans

_CELL, _ROW, _BASE, _SIZE, _EDGE = 8.4, 17, 13, 14, 14
_FONTS = (
    "ui-monospace,SF Mono,Cascadia Mono,JetBrains Mono,Menlo,Consolas,DejaVu Sans Mono,monospace"
)


def as_svg(pictures: Iterable[AnimationFrame], title: str) -> Iterator[str]:
    """The SVG of a film, or of one picture; `title` is what is said instead of it."""
    shown = list(pictures)
    columns = max((picture.snapshot.columns for picture in shown), default=1)
    lines = max((picture.snapshot.lines for picture in shown), default=1)
    width, height = columns * _CELL, lines * _ROW
    all_width, all_height = width + 2 * _EDGE, height + 2 * _EDGE
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {all_width:g} {all_height:g}" '
        f'width="{all_width:g}" height="{all_height:g}" role="img" aria-label="{escape(title)}" '
        f'font-family="{_FONTS}" font-size="{_SIZE}" fill="{INK}">\n'
        f"<style>text{{white-space:pre}}{_motion(shown, height)}</style>\n"
        f'<rect width="100%" height="100%" rx="10" fill="{PAPER}"/>\n<defs>\n'
    )
    rows: dict[str, int] = {}
    strip: list[str] = []
    for number, picture in enumerate(shown):
        for line in range(picture.snapshot.lines):
            drawn = _row(picture.snapshot, line)
            if not drawn:
                continue
            if drawn not in rows:
                rows[drawn] = len(rows)
                yield f'<g id="r{rows[drawn]}">{drawn}</g>\n'
            strip.append(f'<use href="#r{rows[drawn]}" y="{number * height + line * _ROW:g}"/>')
        strip.append(_cursor(picture.snapshot, number * height))
    yield (
        f'</defs>\n<svg x="{_EDGE}" y="{_EDGE}" width="{width:g}" height="{height:g}">'
        f'<g class="film">\n'
    )
    yield "\n".join(filter(None, strip))
    yield "\n</g></svg>\n</svg>\n"


def _motion(pictures: list[AnimationFrame], height: float) -> str:
    if len(pictures) < 2:
        return ""
    total = sum(picture.seconds for picture in pictures)
    at, steps = 0.0, ""
    for number, picture in enumerate(pictures):
        steps += f"{100 * at / total:.3f}%{{transform:translateY({-number * height:g}px)}}"
        at += picture.seconds
    last = -(len(pictures) - 1) * height
    return (
        f"@keyframes film{{{steps}100%{{transform:translateY({last:g}px)}}}}"
        f".film{{animation:film {total:.2f}s step-end infinite}}"
        f"@media (prefers-reduced-motion:reduce){{.film{{animation:none;"
        f"transform:translateY({last:g}px)}}}}"
    )


def _row(snapshot: Snapshot, row: int) -> str:
    return "".join(_span(span) for span in spans(snapshot, row))


def _span(span: Span) -> str:
    x, width = span.start * _CELL, (span.end - span.start) * _CELL
    drawn = ""
    if span.paper is not None:
        drawn = f'<rect x="{x:g}" width="{width:g}" height="{_ROW}" fill="{span.paper}"/>'
    # Blanks at the ends only make the picture larger.
    text = span.text.rstrip()
    if not span.style.underline:
        stripped = text.lstrip()
        x += (len(text) - len(stripped)) * _CELL
        text = stripped
    if not text:
        return drawn
    style = span.style
    lines = [name for name, on in (("underline", style.underline), ("line-through", style.strike),
                                   ("overline", style.overline)) if on]  # fmt: skip
    attributes = {
        "fill": span.ink if span.ink != INK else "",
        "font-weight": "bold" if style.bold else "",
        "font-style": "italic" if style.italic else "",
        "text-decoration": " ".join(lines),
    }
    looks = "".join(f' {name}="{value}"' for name, value in attributes.items() if value)
    # The reader's font may be wider or narrower than ours: the cells decide.
    room = width if text == span.text else len(text) * _CELL
    return drawn + (
        f'<text x="{x:g}" y="{_BASE}" textLength="{room:g}" lengthAdjust="spacingAndGlyphs"{looks}>'
        f"{escape(text, quote=False)}</text>"
    )


def _cursor(snapshot: Snapshot, top: float) -> str:
    if not snapshot.cursor_visible:
        return ""
    line, column = snapshot.cursor
    return (
        f'<rect x="{column * _CELL:g}" y="{top + line * _ROW:g}" width="{_CELL}" height="{_ROW}" '
        f'fill="{INK}" opacity=".55"/>'
    )
