"""Values that records, diffs and announcements keep apart from their names."""

import pytest

from dejavu.redact import Redactor

REDACTOR = Redactor(b"key")
VALUE = "39odPzLvDEb1hmWiE8JCgT3SqM5oZ8Xn"


@pytest.mark.parametrize(
    "text",
    [
        'json.env[1].name = "API_TOKEN";\njson.env[1].value = "{}";',
        '"Key" : "API_TOKEN"\n"CreateRevision" : 12\n"Version" : 1\n"Value" : "{}"',
        '{{"API_TOKEN":{{"value":"{}","origin":"environment"}}}}',
        "DETAIL:  Key (API_TOKEN)=({}) already exists.",
        '3) "API_TOKEN"\n4) "{}"',
        's:9:"API_TOKEN";s:32:"{}";',
        "- name: API_TOKEN\n  value: {}",
        "- name: API_TOKEN\n-  value: placeholder\n+  value: {}",
        "ERROR 1062 (23000): Duplicate entry '{}' for key 'settings.api_token'",
        "A secret recovery key has been generated for this volume:\n\n    {}",
        "Your API key is:\n\n  {}\n",
    ],
)
def test_a_value_apart_from_its_name(text: str) -> None:
    assert VALUE not in REDACTOR.redact(text.format(VALUE))
    plain = text.format("plain-words")
    assert REDACTOR.redact(plain) == plain


def test_the_names_of_a_column_are_no_values() -> None:
    rows = [
        "Data",
        "====",
        "password:  33 bytes",
        "token:     129 bytes",
        "user id:   4b825dc642cb6eb9a0",
    ]
    assert REDACTOR.mask_block(rows, 60) == rows
