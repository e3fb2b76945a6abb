"""Stores beneath an archive: LMDB in a folder, PostgreSQL behind a URL; one contract, `Backend`."""
