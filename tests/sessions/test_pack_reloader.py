import os
from pathlib import Path

from dejavu.sessions.user_packs import PackReloader, overrides

_PACK = """\
agent = "demo"
title = "mine"
date = 2026-11-21

[[state]]
id = "mine"
state = "blocked"
region = "transcript"
any = ['MY OWN MARK']
priority = 99
"""


def test_a_changed_pack_is_seen_and_a_broken_one_told_of(home: Path) -> None:
    told: list[str] = []
    watch = PackReloader(told.append)
    assert watch.packs is not None
    assert watch.changed() is None
    folder = home / ".config/dejavu/packs"
    folder.mkdir(parents=True)
    pack = folder / "demo.toml"
    pack.write_text(_PACK)
    assert watch.changed() is not None
    assert watch.changed() is None
    assert overrides(folder) == {"demo.toml": _PACK}
    pack.write_text("nonsense = 1\n")
    os.utime(pack, (1, 1))
    assert watch.changed() is None
    assert "demo.toml" in told[0]
