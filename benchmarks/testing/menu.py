"""A curses form: three fruits, one chosen."""

import curses

FRUITS = ["Apple", "Orange", "Ñandú 鳥"]


def main(window: curses.window) -> str:
    curses.curs_set(0)
    chosen = 0
    while True:
        for row, fruit in enumerate(FRUITS):
            look = curses.A_REVERSE if row == chosen else curses.A_NORMAL
            window.addstr(row + 1, 2, fruit, look)
        key = window.getch()
        if key == curses.KEY_DOWN:
            chosen = min(chosen + 1, len(FRUITS) - 1)
        elif key == ord("\n"):
            return FRUITS[chosen]


if __name__ == "__main__":
    print(curses.wrapper(main))
