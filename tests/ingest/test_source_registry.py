from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.source_registry import remember, remembered
from dejavu.providers import Kind, Source


def test_sources_come_back_as_they_were(tmp_path: Path) -> None:
    sources = [
        Source("claude", tmp_path / "a.jsonl", "box", Kind.APPEND, "s1", "/work/x"),
        Source("amp", tmp_path / "T-1.json", "local", Kind.WHOLE, name="named"),
    ]
    with Archive.open(tmp_path / "archive") as archive:
        remember(archive, sources)
        remember(archive, [])
        assert [remembered(archive, source.key) for source in sources] == sources
        assert remembered(archive, "nobody") is None
