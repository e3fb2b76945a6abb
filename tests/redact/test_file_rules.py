"""Well-known files that keep secrets in a form of their own."""

import pytest

from dejavu.redact import Redactor

REDACT = Redactor(b"key").redact
HASH = "$6$saltsalt$" + "a1B2" * 21 + "ab"


@pytest.mark.fault("M-files")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("db.local:5432:app:bob:hunter2x\n", "hunter2x"),
        ("*:*:*:postgres:s3cret\n", "s3cret"),
        (f"root:{HASH}:19000:0:99999:7:::", HASH),
        ("bob:$apr1$" + "abcdefgh$" + "a1B2c3D4e5F6g7H8i9J0k1", "a1B2c3D4e5F6g7H8i9J0k1"),
        ("bob:$2y$10$" + "a1" * 26 + "b", "a1" * 26),
        ("root:$y$j9T$F5Jx5fExrKuPp53xLKQ..1$" + "X3Dx6M9" * 6 + "1:1:", "X3Dx6M9X3D"),
        (".ex.com\tTRUE\t/\tTRUE\t1799999999\tsid\tabc123def456\n", "abc123def456"),
        ("#HttpOnly_x\tFALSE\t/\tFALSE\t0\tsession\ts%3Aabcdef1234567890", "s%3Aabcdef"),
        ("curl -H 'X-Auth-Key: c2547eb745079dac9320b638f5e225cf483cc'", "c2547eb745079dac"),
        ("define('DB_PASSWORD', 'hunter2x');", "hunter2x"),
        ("define( 'AUTH_SALT', 'k;8?!~@ 0-=lk{2 #+9' );", "k;8?!~@ 0-=lk{2"),
        ('{"db": {"sensitive": true, "type": "string", "value": "horses"}}', "horses"),
        ('{"db": {\n  "sensitive": true,\n  "type": "string",\n  "value": "horses"\n}}', "horses"),
        ("[remote]\ntype = sftp\npass = h8gJ2_kslPPqw\n", "h8gJ2_kslPPqw"),
        ("account x\nuser bob\npassword h8gJ2kslPP\n", "h8gJ2kslPP"),
    ],
)
def test_the_secret_goes(text: str, secret: str) -> None:
    assert secret not in REDACT(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://db:5432:80 and a:*:b",
        "s/$1$2/x/ and $6$ and {SHA}",
        "a\tTRUE\t/\tFALSE\t0\tlang\tenglish\n",
        "X-Request-Id: c2547eb745079dac9320b638f5e225cf483cc",
        "define('DB_PASSWORD', getenv('DB_PASSWORD'));",
        "define('AUTH_KEY', 'put your unique phrase here');",
        '{"db": {"sensitive": false, "type": "string", "value": "horses"}}',
        "it was the password reset2 that failed\n",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert REDACT(text) == text
