import pytest

from dejavu.interfaces.tui.tabs import TABS, tab_at, titled


@pytest.mark.parametrize("active", range(len(TABS)))
def test_every_name_leads_to_its_list(active: int) -> None:
    told = titled(active, 60).plain
    for at, tab in enumerate(TABS):
        start = told.index(tab.name)
        assert tab_at(start, active, 60) == at
        assert tab_at(start + len(tab.name) - 1, active, 60) == at
    assert tab_at(59, active, 60) == active


def test_where_names_do_not_fit_one_leads_to_the_next() -> None:
    assert titled(1, 20).plain == "Projects 2/4"
    assert tab_at(0, 3, 20) == 0
