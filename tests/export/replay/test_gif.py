from pathlib import Path

import pytest

from dejavu.export.replay.animation import AnimationFrame
from dejavu.model import ConfigError
from dejavu.screen import Terminal

pil = pytest.importorskip("PIL.Image", reason="needs Pillow (the extra `pictures`)")

from dejavu.export.replay.gif import write_gif  # noqa: E402 - it imports Pillow


def _shot(screen: str, seconds: float) -> AnimationFrame:
    terminal = Terminal(20, 4)
    terminal.feed(screen.encode())
    return AnimationFrame(terminal.snapshot(), seconds)


def test_each_shot_is_a_picture_for_its_time(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    pictures = [_shot("one", 0.5), _shot("\x1b[1;4;31mtwo\x1b[0m 日本", 1.25), _shot("three", 3)]
    assert write_gif(pictures, path) == 3
    with pil.open(path) as drawn:
        assert drawn.n_frames == 3
        times = []
        for number in range(3):
            drawn.seek(number)
            times.append(drawn.info["duration"])
        assert times == [500, 1250, 3000]
        assert drawn.info["loop"] == 0


def test_colours_and_the_cursor_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    write_gif([_shot("\x1b[48;2;200;10;20m    \x1b[0m", 1)], path)
    with pil.open(path) as drawn:
        colours = {colour for _, colour in drawn.convert("RGB").getcolors()}
    assert (200, 10, 20) in colours
    assert (0xDC, 0xDC, 0xD7) in colours


def test_nothing_to_show_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing to show"):
        write_gif([], tmp_path / "a.gif")
    assert not (tmp_path / "a.gif").exists()
