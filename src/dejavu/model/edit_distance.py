"""How far two words are apart. O(product of their lengths)."""


def distance(one: str, other: str) -> int:
    """Return how many letters must be put in, left out, replaced or swapped with the next."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, counterpart in enumerate(other, 1):
            steps = min(
                last[column] + 1, current[-1] + 1, last[column - 1] + (letter != counterpart)
            )
            swapped = row > 1 and column > 1 and letter == other[column - 2]
            if swapped and one[row - 2] == counterpart:
                steps = min(steps, before[column - 2] + 1)
            current.append(steps)
        before, last = last, current
    return last[-1]
