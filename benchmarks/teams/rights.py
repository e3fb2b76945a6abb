"""Who may do what in a team's archive, as the server itself answers: roles by operations.

Starts a PostgreSQL server, makes an archive with rights, and tries every operation as every role: as
statements of psql, and through the program. Prints a table, and JSON with --json; ends with 1 where a
cell is not as it ought to be. `stranger` is a login without any right, `other` one with a right in
another workspace alone.

    python -m benchmarks.teams.rights [--json]
"""

import json
import os
import sys
import tempfile

from tests.postgres import Missing, Server
from tests.team_rights import ROLES, Cell, made_site, program_matrix, psql_matrix


def table(title: str, cells: list[Cell]) -> list[str]:
    """The matrix as lines."""
    roles = [role for role in ROLES if any(cell.role == role for cell in cells)]
    by_place = {(cell.operation, cell.role): cell for cell in cells}
    lines = [f"{title:38}" + "".join(f"{role:>9}" for role in roles)]
    for operation in dict.fromkeys(cell.operation for cell in cells):
        line = f"  {operation:36}"
        for role in roles:
            cell = by_place.get((operation, role))
            text = "-" if cell is None else "refused" if cell.said else "yes"
            line += f"{text + '!' * (cell is not None and cell.wrong):>9}"
        lines.append(line)
    return lines


def main() -> int:
    try:
        server = Server()
    except Missing as why:
        print(json.dumps({"left out": str(why)}))
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-bench-") as scratch:
            os.environ["DEJAVU_DATA_HOME"] = scratch
            with made_site(server, server.url(schema=server.new_schema())) as site:
                matrices = {"psql": psql_matrix(site), "dejavu": program_matrix(site)}
    finally:
        server.stop()
    cells = [cell for matrix in matrices.values() for cell in matrix]
    wrong = [cell for cell in cells if cell.wrong]
    if "--json" in sys.argv:
        counts = {
            "cells": len(cells), "refused": sum(bool(cell.said) for cell in cells), "wrong": len(wrong)
        }  # fmt: skip
        print(json.dumps({**counts, **{k: [c._asdict() for c in m] for k, m in matrices.items()}}))
    else:
        for name, matrix in matrices.items():
            print(*table(name, matrix), "", sep="\n")
        print(f"{len(cells)} cells, {len(wrong)} not as they ought to be")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
