from dejavu.screen.row import LIMIT, MARKS_PER_CELL, Clusters


def test_a_cell_and_its_marks_are_one_character() -> None:
    clusters = Clusters()
    cell = clusters.join("e", "\u0301")
    assert len(cell) == 1
    assert clusters.text(f"caf{cell}") == "cafe\u0301"
    assert clusters.join("e", "\u0301") == cell
    assert clusters.text(clusters.join(cell, "\u0327")) == "e\u0301\u0327"


def test_marks_of_a_cell_are_bounded() -> None:
    clusters = Clusters()
    cell = "e"
    for _ in range(100):
        cell = clusters.join(cell, "\u0301" * 3)
    assert clusters.text(cell) == "e" + "\u0301" * MARKS_PER_CELL
    assert clusters.text(clusters.join("e", "\u0301" * 100)) == "e" + "\u0301" * MARKS_PER_CELL


def test_fillers_and_empty_cells_in_text() -> None:
    assert Clusters().text("日\0本\0\x01x") == "日本 x"


def test_a_crowded_table_keeps_what_is_used() -> None:
    clusters = Clusters()
    cells = [clusters.join(chr(0x4E00 + n // 100), chr(0x300 + n % 100)) for n in range(LIMIT + 1)]
    assert clusters.nearly_full
    kept = clusters.retain([*cells[:10], "x"])
    assert not kept.nearly_full
    assert kept.text(cells[3]) == clusters.text(cells[3])
    assert kept.join("q", "\u0301") not in cells[:10]


def test_a_full_table_gives_the_base_alone() -> None:
    clusters = Clusters()
    clusters._next = 0x110000
    assert clusters.join("e", "\u0301") == "e"
