"""A film as a GIF, drawn with Pillow (extra `pictures`) and a monospaced font of this machine.

Characters that the font lacks come out as boxes; an SVG has no such trouble. O(cells that differ)
to draw and O(pixels) a frame, all frames in memory at a byte a pixel: the caller bounds them.
"""

from collections.abc import Iterable
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from dejavu.model import ConfigError
from dejavu.screen import Snapshot

from .animation import AnimationFrame
from .runs import INK, PAPER, Span, spans

_SIZE, _EDGE = 14, 12
_FONTS = (
    ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"),
    ("NotoSansMono-Regular.ttf", "NotoSansMono-Bold.ttf"),
    ("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf"),
    ("Menlo.ttc", "Menlo.ttc"),
    ("consola.ttf", "consolab.ttf"),
)
"""Plain and bold, as Linux and macOS (and WSL) have them; the first that is there is taken."""


def write_gif(frames: Iterable[AnimationFrame], path: Path) -> int:
    """Write the film to `path` and return the number of its pictures.

    Raises:
        ConfigError: no monospaced font is here, or there is nothing to show.
    """
    renderer: _Renderer | None = None
    pictures: list[Image.Image] = []
    milliseconds: list[int] = []
    for frame in frames:
        renderer = renderer or _Renderer(frame.snapshot.columns, frame.snapshot.lines)
        pictures.append(renderer.picture(frame.snapshot))
        milliseconds.append(round(frame.seconds * 100) * 10)
    if not pictures:
        raise ConfigError("there is nothing to show in this recording")
    first, *rest = pictures
    first.save(path, "GIF", save_all=True, append_images=rest, duration=milliseconds, loop=0)
    return len(pictures)


class _Renderer:
    """Draws rows, and keeps those it has drawn; the window is that of the first picture."""

    def __init__(self, columns: int, lines: int) -> None:
        self._plain, self._bold = _fonts()
        self._cell = round(self._plain.getlength("M"))
        self._ascent, descent = self._plain.getmetrics()
        self._row = self._ascent + descent
        self._columns, self._lines = columns, lines
        self._rows: dict[tuple[Span, ...], Image.Image] = {}

    def picture(self, snapshot: Snapshot) -> Image.Image:
        """One picture, of at most 256 colours."""
        size = (self._columns * self._cell + 2 * _EDGE, self._lines * self._row + 2 * _EDGE)
        drawn = Image.new("RGB", size, PAPER)
        for line in range(min(self._lines, snapshot.lines)):
            if row := tuple(spans(snapshot, line)):
                drawn.paste(self._drawn(row), (_EDGE, _EDGE + line * self._row))
        if snapshot.cursor_visible:
            line, column = snapshot.cursor
            x, y = _EDGE + column * self._cell, _EDGE + line * self._row
            corners = (x, y, x + self._cell - 1, y + self._row - 1)
            ImageDraw.Draw(drawn).rectangle(corners, outline=INK)
        return drawn.quantize(256, dither=Image.Dither.NONE)

    def _drawn(self, row: tuple[Span, ...]) -> Image.Image:
        if row not in self._rows:
            image = Image.new("RGB", (self._columns * self._cell, self._row), PAPER)
            for span in row:
                self._span(ImageDraw.Draw(image), span)
            self._rows[row] = image
        return self._rows[row]

    def _span(self, pen: ImageDraw.ImageDraw, span: Span) -> None:
        left, right = span.start * self._cell, span.end * self._cell
        if span.paper is not None:
            pen.rectangle((left, 0, right - 1, self._row - 1), fill=span.paper)
        font = self._bold if span.style.bold else self._plain
        if span.text:
            pen.text((left, 0), span.text, fill=span.ink, font=font)
        lines = (
            (span.style.underline, self._ascent + 1),
            (span.style.strike, self._row // 2),
            (span.style.overline, 0),
        )
        for y in (y for on, y in lines if on):
            pen.line((left, y, right - 1, y), fill=span.ink)


def _fonts() -> tuple[ImageFont.FreeTypeFont, ImageFont.FreeTypeFont]:
    for plain, bold in _FONTS:
        try:
            return ImageFont.truetype(plain, _SIZE), ImageFont.truetype(bold, _SIZE)
        except OSError:
            continue
    raise ConfigError(
        "a GIF needs a monospaced font and none was found; install DejaVu Sans Mono (Debian: "
        "apt install fonts-dejavu-core), or make an SVG"
    )
