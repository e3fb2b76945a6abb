from tools.agents_table import PAGE, page


def test_the_table_is_what_the_agents_folders_say() -> None:
    text = PAGE.read_text("utf-8")
    assert page(text) == text, "run `make docs`"
