"""How our own programs are started."""

import sys

from dejavu.config import own_program


def test_the_environment_counts_only_where_the_package_is_found_through_it() -> None:
    root = own_program._ROOT
    assert own_program.flags("", [root]) == ("-EP",)
    assert own_program.flags("/theirs:/more", ["/theirs", "/more", root]) == ("-EP",)
    assert own_program.flags(f"/theirs:{root}", ["/theirs", root, "/usr/lib"]) == ("-P",)
    assert own_program.flags(root, [root, "/usr/lib", root]) == ("-EP",)  # installed all the same
    command = own_program.own_program("dejavu.interfaces.cli", "list")
    assert command[0] == sys.executable
    assert command[-3:] == ("-m", "dejavu.interfaces.cli", "list")
