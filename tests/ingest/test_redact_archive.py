from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.redact_archive import redact_stored
from dejavu.model import Conversation, Role, Text, Turn, Vector


def _clean(text: str) -> str:
    return text.replace("SECRET", "[redacted]")


def test_screen_turns_change_and_no_others(tmp_path: Path) -> None:
    seen = Turn(role=Role.USER, parts=(Text("my SECRET"),), vector=Vector.SCREEN)
    native = Turn(role=Role.ASSISTANT, parts=(Text("your SECRET"),))
    with Archive.open(tmp_path / "archive") as archive:
        archive.put(Conversation(id="mixed", agent="amp").with_turns((seen, native)))
        archive.put(Conversation(id="native", agent="amp").with_turns((native,)))
        assert redact_stored(archive, _clean, dry_run=True) == (1, ("mixed",))
        assert archive.get("mixed").turns[0].text == "my SECRET"
        assert redact_stored(archive, _clean) == (1, ("mixed",))
        whole = archive.get("mixed")
        assert [turn.text for turn in whole.turns] == ["my [redacted]", "your SECRET"]
        assert whole.title == "my [redacted]"
        assert archive.get("native").turns[0].text == "your SECRET"
        assert redact_stored(archive, _clean) == (1, ())
        assert {hit.seq for hit in archive.search("SECRET") if hit.conversation == "mixed"} == {1}
