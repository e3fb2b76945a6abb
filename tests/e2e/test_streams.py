"""A headless agent inside the wrapper: its machine-readable stream alone gives the turns."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.rigrun import Run
from tests.e2e.test_capture import answers, said

pytestmark = [pytest.mark.e2e, pytest.mark.shared]


def test_amps_stream_is_read_live(rig: Callable[..., Run], tmp_path: Path) -> None:
    # Its threads go where nobody looks: today's Amp keeps none on disk.
    hidden = f"XDG_DATA_HOME={tmp_path}/hidden"
    wrap = ["--agent", "amp", "--", "env", hidden]
    run = rig("amp-old", wrap=wrap, options=("--headless",))
    heads = run.dejavu("list")["conversations"]
    assert {tuple(head["vectors"]) for head in heads} == {("stream",)}
    shown = [run.dejavu("show", head["id"]) for head in heads]
    prompts = [words for one in shown for words in said(one, "user")]
    assert sorted(prompts) == sorted(turn["user"] for turn in run.truth["turns"])
    spoken = [words for one in shown for words in said(one, "assistant")]
    for answer in answers(run.truth):
        assert spoken.count(answer) == 1, answer
