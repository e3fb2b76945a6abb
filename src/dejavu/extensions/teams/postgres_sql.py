"""Names and texts as SQL. Does no I/O.

Tested in: tests/extensions/teams/test_postgres_schema.py
"""

from dejavu.model import InvalidValueError


def literal(text: str) -> str:
    """`text` as a string of SQL, whatever `standard_conforming_strings` says."""
    if "\0" in text:
        raise InvalidValueError("a name cannot hold NUL")
    plain = "'" + text.replace("'", "''") + "'"
    return plain if "\\" not in plain else " E" + plain.replace("\\", "\\\\")


def quoted(name: str) -> str:
    """`name` as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'
