from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.channel import load_session_log, save_session_logs
from dejavu.providers import Kind, Source


def test_sources_come_back_as_they_were(tmp_path: Path) -> None:
    sources = [
        Source("claude", tmp_path / "a.jsonl", "box", Kind.APPEND, "s1", "/work/x"),
        Source("amp", tmp_path / "T-1.json", "local", Kind.WHOLE, name="named"),
    ]
    with Archive.open(tmp_path / "archive") as archive:
        save_session_logs(archive, sources)
        save_session_logs(archive, [])
        assert [load_session_log(archive, source.key) for source in sources] == sources
        assert load_session_log(archive, "nobody") is None
