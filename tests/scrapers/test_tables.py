from dejavu.scrapers.tables import restore_tables


def test_a_boxed_table_becomes_markdown():
    drawn = [
        "before",
        "┌───────────┬──────┐",
        "│ operation │ cost │",
        "├───────────┼──────┤",
        "│ push      │ O(1) │",
        "├───────────┼──────┤",
        "│ pop       │      │",
        "└───────────┴──────┘",
    ]
    assert restore_tables(drawn) == [
        "before",
        "| operation | cost |",
        "| --- | --- |",
        "| push | O(1) |",
        "| pop |  |",
    ]


def test_rows_without_rules_between_them_are_rows():
    drawn = [
        "╭────┬────╮",
        "│ a  │ b  │",
        "├────┼────┤",
        "│ 1  │ 2  │",
        "│ 3  │ 4  │",
        "╰────┴────╯",
    ]
    assert restore_tables(drawn) == ["| a | b |", "| --- | --- |", "| 1 | 2 |", "| 3 | 4 |"]


def test_a_cell_that_was_wrapped_is_one_cell():
    drawn = [
        "┌───┬───┐",
        "│ a │ b │",
        "├───┼───┤",
        "│ 1 │ x │",
        "│   │ y │",
        "├───┼───┤",
        "│ 2 │ z │",
        "└───┴───┘",
    ]
    assert restore_tables(drawn) == ["| a | b |", "| --- | --- |", "| 1 | x y |", "| 2 | z |"]


def test_a_table_of_rules_becomes_markdown():
    drawn = [
        " operation    cost",
        "━━━━━━━━━━━  ━━━━━━",
        " push         O(1)",
        "───────────  ──────",
        " pop          O(1)",
    ]
    assert restore_tables(drawn) == [
        "| operation | cost |",
        "| --- | --- |",
        "| push | O(1) |",
        "| pop | O(1) |",
    ]


def test_a_box_that_never_closes_is_left_alone():
    drawn = ["┌───┬───┐", "│ a │ b │", "prose"]
    assert restore_tables(drawn) == drawn


def test_a_box_around_text_is_no_table():
    drawn = ["╭─────────╮", "│ proceed │", "╰─────────╯"]
    assert restore_tables(drawn) == drawn
