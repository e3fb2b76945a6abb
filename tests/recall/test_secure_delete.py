"""What is forgotten does not linger in the store's file."""

from dejavu.archive import Archive
from dejavu.recall import Memory


def test_no_page_keeps_a_forgotten_text(archive: Archive, memory: Memory) -> None:
    for number in range(30):
        memory.remember(f"filler fact item{number} about thing{number * 7}")
    file = archive.root / "data.mdb"
    for text in ("the zebra passphrase is swordfish42", "long " + "quagga okapi " * 800):
        kept = memory.remember(text)
        memory.confirm(kept)
        assert text[:60].encode() in file.read_bytes()
        assert memory.forget(kept)
        assert text[:60].encode() not in file.read_bytes()
    assert memory.size == 30
    assert not list(archive.namespace("memories").items(b"z"))
