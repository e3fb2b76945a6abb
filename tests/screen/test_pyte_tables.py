import subprocess
import sys

import pyte

from dejavu.screen import tables
from dejavu.screen.dispatch import CONTROLS


def test_the_tables_are_those_of_pyte() -> None:
    assert tables.graphics.FG_BG_256 == pyte.graphics.FG_BG_256
    assert tables.graphics.TEXT == pyte.graphics.TEXT
    assert tables.charsets.VT100_MAP == pyte.charsets.VT100_MAP
    assert tables.modes.DECTCEM == pyte.modes.DECTCEM
    assert {control: call[0].__name__ for control, call in CONTROLS.items()} == pyte.Stream.basic


def test_the_screen_loads_neither_pyte_nor_what_it_needs() -> None:
    code = (
        "import sys; from dejavu.screen import Terminal; Terminal().feed(b'\\x1b[1;31mx\\x1b(0q'); "
        "print([name for name in ('pyte', 'wcwidth', 'secrets') if name in sys.modules]); "
        "import pyte; from dejavu.screen import pyte"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[]\n", "")
