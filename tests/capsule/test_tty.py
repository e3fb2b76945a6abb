"""The user's terminal: raw inside, as it was outside, whatever happened between."""

import os
import termios

import pytest

from dejavu.capsule import RawTty, Size
from dejavu.capsule.tty import get_size, set_size


@pytest.fixture
def terminal():
    master, slave = os.openpty()
    yield slave
    os.close(slave)
    os.close(master)


def test_raw_means_every_byte_passes(terminal):
    with RawTty(terminal):
        iflag, oflag, cflag, lflag, _, _, keys = termios.tcgetattr(terminal)
    assert not oflag & termios.OPOST
    assert not lflag & (termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
    assert not iflag & (termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON)
    assert cflag & termios.CSIZE == termios.CS8
    assert (keys[termios.VMIN], keys[termios.VTIME]) == (1, 0)


def test_odd_modes_come_back_exactly(terminal):
    modes = termios.tcgetattr(terminal)
    modes[0] |= termios.IXOFF | termios.ISTRIP
    modes[3] &= ~termios.ECHOE
    modes[6][termios.VERASE] = b"\x08"
    termios.tcsetattr(terminal, termios.TCSANOW, modes)
    before = termios.tcgetattr(terminal)
    with RawTty(terminal) as tty:
        assert termios.tcgetattr(terminal) != before
        tty.restore()
        assert termios.tcgetattr(terminal) == before
        tty.enter_raw()
        assert termios.tcgetattr(terminal) != before
    assert termios.tcgetattr(terminal) == before


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_every_exception_gives_it_back(terminal, error):
    before = termios.tcgetattr(terminal)
    with pytest.raises(error), RawTty(terminal):
        raise error
    assert termios.tcgetattr(terminal) == before


def test_what_is_typed_ahead_is_kept():
    master, slave = os.openpty()
    os.write(master, b"early\n")
    with RawTty(slave):
        assert os.read(slave, 100) == b"early\n"
    os.close(slave)
    os.close(master)


def test_a_terminal_that_hung_up_is_no_error():
    master, slave = os.openpty()
    with RawTty(slave):
        os.close(master)
    os.close(slave)


def test_sizes_keep_their_pixels(terminal):
    set_size(terminal, Size(132, 50, 1320, 1000))
    assert get_size(terminal) == Size(132, 50, 1320, 1000)
    assert get_size(terminal) != Size(132, 50)
    assert repr(get_size(terminal)) == "Size(132x50)"
    assert len({Size(1, 2), Size(1, 2), Size(2, 1)}) == 2


def test_what_is_no_terminal_has_no_size(tmp_path):
    with (tmp_path / "file").open("w") as file, pytest.raises(OSError, match="ioctl"):
        get_size(file.fileno())
