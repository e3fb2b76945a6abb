"""Cells below a heading that names a secret."""

import pytest

from dejavu.redact import Redactor

REDACT = Redactor(b"key").redact


@pytest.mark.fault("M-files")
@pytest.mark.parametrize(
    ("table", "secrets"),
    [
        ("user,password\nbob,hunter2x\nann,Tr0ub4dor&3\n", ["hunter2x", "Tr0ub4dor&3"]),
        ("user;Password;mail\nbob;hunter2x;b@c\n", ["hunter2x"]),
        ("host\tauth_token\na\t9f8Qa77Zk2LpQw1xYt\n", ["9f8Qa77Zk2LpQw1xYt"]),
        (" id | mail | password \n----+----+-----\n 1 | a@b | s3cr3tPw \n", ["s3cr3tPw"]),
        ("| name | api_key |\n|---|---|\n| x | 9f8Qa77Zk2LpQw1xYt |\n", ["9f8Qa77Zk2LpQw1xYt"]),
        ('"user","password"\r\n"bob","hunter2x"\r\n', ["hunter2x"]),
    ],
)
def test_the_cells_below_go(table: str, secrets: list[str]) -> None:
    clean = REDACT(table)
    assert clean.count("[redacted:column:") == len(secrets)
    assert not [secret for secret in secrets if secret in clean]
    assert clean.count("\n") == table.count("\n")


@pytest.mark.parametrize(
    "table",
    [
        "key,value\na,b12345678c\n",
        "user,password\nbob,changeme\nann,\n",
        "page,next_page_token\n1,9f8Qa77Zk2LpQw1xYt\n",
        "the user, the password\nand hunter2x,\n",
        "user,password\nthis is a line of prose with hunter2x in it\n",
        "password",
        "a,password\n",
    ],
)
def test_other_tables_and_prose_stay(table: str) -> None:
    assert REDACT(table) == table
