"""The sets that judge the redactor: what they draw can be read, and comes again from its seed."""

import random
from collections.abc import Callable

import pytest
from benchmarks.redact.elsewhere import KINDS, LAYOUTS, readable, survives
from benchmarks.redact.layouts import Layout, Line
from benchmarks.redact.ordinary import Kind

SECRET = "sk-proj-" + "aB3dE6gH9" * 15
HELD_OUT = LAYOUTS["held_out"].items()


@pytest.mark.parametrize("room", [56, 76, 156])
@pytest.mark.parametrize("layout", [one for _, one in HELD_OUT], ids=[name for name, _ in HELD_OUT])
def test_a_secret_can_be_read_in_each_layout(layout: Layout, room: int) -> None:
    line = Line("export OPENAI_API_KEY=", SECRET, "")
    drawing = layout(line, room, random.Random(1))
    assert survives(drawing, SECRET, readable("\n".join(drawing.rows))) is not None
    assert max(map(len, drawing.rows)) <= room


def test_an_ordinary_screen_comes_again_from_its_seed() -> None:
    def drawn(kind: Kind) -> list[str]:
        rng = random.Random(3)
        return [kind(rng) for _ in range(20)]

    kinds: list[Callable[[random.Random], str]] = [*KINDS["held_out"].values()]
    assert len(kinds) >= 30
    assert all(drawn(kind) == drawn(kind) and all(drawn(kind)) for kind in kinds)
