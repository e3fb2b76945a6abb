"""The index of exact text, made month by month while everyone reads and writes.

`sql/trigrams.sql` makes the parent's alone. This makes each month's by `create index concurrently` and
attaches it, which keeps no one waiting. What an interrupted run left is made again.
Costs O(text) once: 27 s for a million turns.
Must not run within a transaction.

Tested in: tests/extensions/teams/test_operation.py
"""

from .postgres_connection import ConnectionLostError, Connections
from .postgres_sql import quoted

_MISSING = """
select c.relname::text, (
    select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
     where e.extname = 'pg_trgm')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
 where i.inhparent = to_regclass(%t)
   and not exists (select from pg_inherits x join pg_index d on d.indexrelid = x.inhrelid
                    where x.inhparent = to_regclass(%t) and d.indrelid = c.oid)
 order by c.relname desc
"""


def build_trigrams(connections: Connections, schema: str) -> str:
    """Make the months' indexes that are missing, the newest first; return the SQL that was run.

    schema: the archive's, as an identifier. Nothing is done where pg_trgm is not installed.

    Raises:
        ArchiveError: the server refused, or is out of reach.
    """
    parent = f"{schema}.dejavu_parts_trigrams"
    ran: list[str] = []
    try:
        with connections.cursor() as cursor:
            row = cursor.execute("select to_regclass(%t) is not null", (parent,)).fetchone()
            missing = cursor.execute(_MISSING, (f"{schema}.dejavu_parts", parent)).fetchall()
            for month, extension in missing if row and row[0] else ():
                name = quoted(month + "_trigrams")
                what = f"dejavu_said(name, call, content) {extension}.gin_trgm_ops"
                for statement in (
                    f"drop index concurrently if exists {schema}.{name}",
                    (
                        f"create index concurrently {name} on {schema}.{quoted(month)} "
                        f"using gin ({schema}.{what}) where not hidden"
                    ),
                    f"alter index {parent} attach partition {schema}.{name}",
                ):
                    cursor.execute(statement.encode())
                    ran.append(statement + ";\n")
    except ConnectionLostError as lost:
        raise connections.unreachable(lost) from lost
    return "".join(ran)
