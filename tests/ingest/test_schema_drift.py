from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.source_failures import (
    Drift,
    Key,
    last_scans,
    record_scan,
    sample_keys,
    seen_schemas,
)


def test_key_paths_are_sampled_and_keys_that_are_no_names_left_out() -> None:
    line = b'{"type":"user","message":{"content":"x","/home/me/a.py":1,"id12345":2}}\n'
    assert sample_keys(line) == {"user type", "user message", "user message.content"}
    assert sample_keys(line * 10_000) == sample_keys(line)
    assert sample_keys(b"no json\n\xff\n[1]\n") == set()


def test_what_was_met_adds_up_by_version(tmp_path: Path) -> None:
    key = Key("claude", "2.1")
    with Archive.open(tmp_path / "archive") as archive:
        for now in (1.0, 2.0):
            drift = Drift()
            drift.observe(key, {"hologram": 2}, {"a", "b"})
            drift.save(archive, now)
        drift.save(archive, 3.0)  # nothing more was met
        (one,) = seen_schemas(archive).values()
        assert (one.first, one.last, one.unknown, one.paths) == (
            1.0,
            2.0,
            {"hologram": 4},
            {"a", "b"},
        )


def test_looks_are_noted_once_a_minute(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        for now in (100.0, 130.0, 170.0):
            record_scan(archive, {"claude": int(now)}, now)
            assert last_scans(archive)["claude"].at == (100.0 if now < 160 else 170.0)
