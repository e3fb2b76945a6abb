"""The sets that judge the redactor: what they draw can be read, and comes again from its seed."""

import random
from collections.abc import Callable

import pytest
from benchmarks.redact.elsewhere import readable, survives
from benchmarks.redact.layouts import Layout, Line
from benchmarks.redact.layouts_of_encoders import OF_ENCODERS
from benchmarks.redact.layouts_of_views import OF_VIEWS
from benchmarks.redact.ordinary import Kind
from benchmarks.redact.sets import KINDS, LAYOUTS, PARTS

SECRET = "sk-proj-" + "aB3dE6gH9" * 15
JUDGED = {**LAYOUTS["held_out"], **OF_ENCODERS, **OF_VIEWS}.items()


@pytest.mark.parametrize("room", [56, 76, 156])
@pytest.mark.parametrize("layout", [one for _, one in JUDGED], ids=[name for name, _ in JUDGED])
def test_a_secret_can_be_read_in_each_layout(layout: Layout, room: int) -> None:
    line = Line("export OPENAI_API_KEY=", SECRET, "")
    drawing = layout(line, room, random.Random(1))
    assert survives(drawing, SECRET, readable("\n".join(drawing.rows))) is not None
    assert max(map(len, drawing.rows)) <= room


def test_an_ordinary_screen_comes_again_from_its_seed() -> None:
    def drawn(kind: Kind) -> list[str]:
        rng = random.Random(3)
        return [kind(rng) for _ in range(20)]

    kinds: list[Callable[[random.Random], str]] = [
        kind for part in PARTS for kind in KINDS[part].values()
    ]
    assert len(kinds) >= 150
    assert all(drawn(kind) == drawn(kind) and all(drawn(kind)) for kind in kinds)


def test_what_judges_does_not_tune() -> None:
    for sets in (LAYOUTS, KINDS):
        assert not {*sets["tuning"].values()} & {*sets["held_out"].values()}
