"""The three ways through the program get no longer: as many modules as the file allows, at most."""

import pytest
from tools.trace_modules import counted_ways, limits


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Every way, walked once."""
    return counted_ways(tmp_path_factory.mktemp("ways"))


def test_no_way_has_more_modules_than_allowed(ways: dict[str, list[str]]) -> None:
    allowed = limits()
    assert allowed.keys() == ways.keys()
    longer = {way: len(names) for way, names in ways.items() if len(names) > allowed[way]}
    assert not longer, "run tools/trace_modules.py -v"


def test_only_what_is_walked_through_counts(ways: dict[str, list[str]]) -> None:
    names = set().union(*ways.values())
    assert "dejavu.archive.commit" in names
    assert "dejavu.interfaces.demo" not in names
    assert not any("testing" in name for name in names)
    assert "dejavu.extensions" not in names  # nothing runs in it but its import
