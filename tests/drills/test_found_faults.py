"""Every fault of capture that was found in use (numbered 1.1 to 1.21) has a test that is marked with it.

`pytest -m fault` runs them. The numbers: the start of the agent (1.1), odd names (1.2), sources that
change or fail (1.3, 1.4), size (1.5), damage (1.6), odd times (1.7), an index that is behind (1.8, 1.9),
deletion (1.10), raw of streams (1.11), hooks beside logs (1.12), histories written anew (1.13), named
workspaces (1.14), side requests (1.15), stores that nobody reads (1.16), OTel's schemas (1.17), spilled
outputs (1.18), servers, pipes and floods (1.19), merging twice (1.20), the observer's memory (1.21).
"""

import re
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
_MARK = re.compile(r"^@pytest\.mark\.fault\(\"1\.(\d+)\"\)\n(?:@.*\n)*def test_", re.MULTILINE)


def test_every_number_has_a_test() -> None:
    marked = {
        int(number)
        for path in _TESTS.rglob("test_*.py")
        for number in _MARK.findall(path.read_text(encoding="utf-8"))
    }
    assert marked == set(range(1, 22))
