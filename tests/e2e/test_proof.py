"""What `proof.py` reads in a report is what `--prove` printed; no agent is needed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.e2e.proof import AGENTS, BEGIN, END, HEAD, page, read

from dejavu.interfaces.prove import Verdict, report

SIZES = st.integers(0, 10**9)
DELAYS = st.lists(st.floats(0, 100), max_size=5)


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    """One way through the wrapper, the same or not."""
    differs = draw(st.none() | st.integers(0, 9))
    around = (
        (b"x", b"output: it wrote 7 bytes, and got the same") if differs is not None else (b"", b"")
    )
    added = draw(st.integers(-50, 10**6))
    return Verdict(draw(SIZES), added, differs, draw(DELAYS) if differs is None else [], around)


@given(verdicts(), verdicts(), st.integers(-15, 255), st.booleans())
def test_a_row_is_what_the_report_says(
    shown: Verdict, typed: Verdict, code: int, same_code: bool
) -> None:
    lines = report(shown, typed, str(code), same_code=same_code)
    row = read(
        "claude", "claude 2.1.330 (Claude Code)", "\n".join(f"dejavu-run: {x}" for x in lines)
    )
    assert row.sizes == {"output": f"{shown.size:,}", "input": f"{typed.size:,}"}
    assert row.same == (shown.differs_at is None and typed.differs_at is None and same_code)
    assert row.added == f"{max(0, shown.added):,}"
    assert (row.version, row.code) == ("2.1.330", str(code))
    assert set(row.delays) == {
        name for name, way in (("output", shown), ("input", typed)) if way.delays
    }


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_half_a_report_is_no_row(missing: int) -> None:
    same = Verdict(3, 0, None, [0.1])
    lines = report(same, same, "0", same_code=True)
    del lines[missing]
    with pytest.raises(ValueError, match="pi"):
        read("pi", "", "\n".join(lines))


def test_a_row_takes_the_place_of_the_agents_former_one() -> None:
    same = Verdict(3, 0, None, [0.1])
    text = "\n".join(report(same, same, "0", same_code=True))
    rows = [read(name, "1.0", text) for name in reversed(AGENTS)]
    first = page(f"before\n{BEGIN}{HEAD}{END}after\n", rows)
    assert [line.split(" | ")[0] for line in first.splitlines() if line.endswith("| 0 |")] == [
        f"| {name}" for name in AGENTS
    ]
    second = page(first, [read("pi", "2.0", text)])
    assert second.count("| pi |") == 1
    assert "| pi | 2.0 |" in second
    assert (second.startswith("before\n"), second.endswith("after\n")) == (True, True)
