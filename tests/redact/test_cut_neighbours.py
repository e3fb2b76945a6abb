"""Pieces of a secret one below the other, of which some look like words."""

from collections.abc import Sequence

import pytest

from dejavu.redact import Redactor

_REDACTOR = Redactor(b"key")


def masked(rows: Sequence[str], suspect: Sequence[int] = (), ends: Sequence[int] = ()) -> list[str]:
    flags = [[number in numbers for number in range(len(rows))] for numbers in (suspect, ends)]
    return _REDACTOR.mask_block(rows, 40, suspect=flags[0], ends=flags[1])


def test_a_row_that_is_as_full_as_the_random_one_below_is_a_piece_though_it_reads_like_words() -> (
    None
):
    rows = ["_AG-VokHbyq6", "39GaFz9GC7Wf", "iQqK2Z--ljzO", "swVAA", "and after"]
    out = _REDACTOR.mask_block(rows, 40, cut_above=True)
    assert "Vok" not in out[0]
    assert out[4] == rows[4]
    above = ["words", "retry_count", "39GaFz9GC7WfiQqK2Z--ljzO", "and after"]
    assert _REDACTOR.mask_block(above, 40, cut_above=True)[:2] == above[:2], "a shorter one is none"


def test_a_number_above_random_rows_of_its_width_goes_with_them() -> None:
    rows = ["words", "7845477323171525", ":c9022a0c8d5dd4c", "0aa6b0840e5fbe78"]
    assert "7845" not in "".join(masked(rows, suspect=[3]))


@pytest.mark.parametrize("piece", ["_v0_IguozPrubeq08", "12 pkFmtfQDxPz"])
def test_what_a_cell_ends_with_goes_with_the_random_cell_below(piece: str) -> None:
    rows = [
        f"| row  | {piece:17} | x",
        "|      | GzBnzpr1qtgSc6umY |",
        "|      | 212VrEw24d8cp0ry  |",
        "| row  | and after         | x",
    ]
    rows[0] = rows[0].replace(f"{piece:17}", f"{piece:>17}")
    out = masked(rows, suspect=[1, 2])
    assert piece[-8:] not in out[0]
    assert "row" in out[0]
    assert out[3] == rows[3]


def test_words_above_a_random_cell_stay() -> None:
    rows = ["| row  | the retries  | x", "|      | GzBnzpr1qtgSc | x"]
    out = masked(rows, suspect=[1])
    assert out[0] == rows[0]
    assert "GzBn" not in out[1]


def test_a_token_whose_prefix_is_broken_over_two_cells_goes() -> None:
    rows = ["| row  | xxxxxxxxx sk | x", "|      | -svcacct-3GU |"]
    assert "svcacct" not in "".join(masked(rows, suspect=[0, 1]))
    plain = ["| row  | xxxxxxx disk | x", "|      | -svcacct-3GU |"]
    assert masked(plain, suspect=[0, 1])[0] == plain[0]


def test_a_prefix_broken_before_what_a_rule_for_any_token_has_found_goes() -> None:
    rows = ["xxxxxx md", "b_sa_sk_n", "n2ADqCMOj", "1wriQPbow", "2X7XYi0AX"]
    text = "".join(masked(rows, suspect=[1]))
    assert "b_sa_sk_" not in text
    assert "md" not in text


def test_a_rest_that_nobody_could_speak_goes() -> None:
    rows = ["ahZzar", "  qhwysI", "and after"]
    out = _REDACTOR.mask_block(rows, 31, cut_above=True)
    assert "ahZz" not in out[0]
    assert "qhwy" not in out[1]
    words = ["retries", "  budget", "and after"]
    assert _REDACTOR.mask_block(words, 31, cut_above=True) == words


def test_what_goes_on_below_a_token_that_ends_with_its_row_goes() -> None:
    token = "hcaik_01rw2b8yxge54oqlgxzu4j9rfs8vx6zmx3uo3tk3v9r0riu"
    rows = [f"│ {'xxxxxx ' + token} │", f"│ {'mehovyfmuwj':{len(token) + 7}} │", "│ and after │"]
    out = masked(rows)
    assert "mehov" not in out[1]
    assert out[2] == rows[2]
    rows[1] = rows[1].replace("mehovyfmuwj", "definitions")
    assert masked(rows)[1] == rows[1]


def test_a_row_is_as_full_as_the_width_it_was_drawn_for() -> None:
    rows = ["xxxxxxxxxxxxxxxxxxxx sk_5f66a89439ac", "another block", "words " * 15]
    ends = [True, True, True]
    assert _REDACTOR.mask_block(rows, 99, ends=ends) == rows
    out = _REDACTOR.mask_block(rows, 99, ends=ends, widths=[40, 99, 99])
    assert "5f66" not in out[0]
    assert out[1:] == rows[1:]


def test_a_value_whose_name_was_cut_off_goes_over_all_its_rows() -> None:
    rows = ['= "153d81a02', "81706bd79daf", '217383f2072"', "and after"]
    out = _REDACTOR.mask_block(rows, 26, cut_above=True)
    assert not any(part in "".join(out) for part in ("53d81a02", "1706bd79", "17383f20"))
    assert out[3] == rows[3]
    words = ["of the retry", "budget", "and after"]
    assert _REDACTOR.mask_block(words, 26, cut_above=True) == words


def test_numbers_and_short_rests_below_what_is_covered_go() -> None:
    rows = ["plain", "xxxxxxxxxx FLWSECK-2223312e3ebb4f05531f", "571501955852-X", "and after"]
    out = masked(rows)
    assert "57150" not in out[2]
    assert out[3] == rows[3]
    rows = ["0dQ6re9KQx8Lm2V", "OD=JCZPU3", "YS"]
    assert "JCZ" not in masked(rows, suspect=[0])[1]
    assert masked([rows[0], "OF=WORDS"], suspect=[0])[1] == "OF=WORDS"


def test_letters_that_no_word_has_go_below_what_is_covered() -> None:
    rows = ["i_teszke7z836qzbkm21xku22e", "bxiikaazdhgwpdzyyw", "and after"]
    out = masked(rows, suspect=[0])
    assert "bxii" not in out[1]
    words = [rows[0], "documentation", "and after"]
    assert masked(words, suspect=[0])[1] == "documentation"


@pytest.mark.parametrize(
    ("row", "secret"),
    [
        ("x sm_pat_4La4", "sm_pat_4La4"),
        ("|    | xxxxx pat-na1-7c |", "pat-na1-7c"),
        ("xxxx rubygems_917", "rubygems_9"),
    ],
)
def test_the_beginning_of_a_token_that_fills_the_last_row_of_a_block_goes(
    row: str, secret: str
) -> None:
    out = _REDACTOR.mask_block([row, "another block"], len(row) + 2, ends=[True, True])
    assert secret not in out[0]
    roomy = ["x sm_pat_4La4 and more of it", "another block"]
    assert _REDACTOR.mask_block(roomy, 90, ends=[True, True]) == roomy


@pytest.mark.parametrize("name", ["test_lib2to3", "api_iso8859", "key_words_2"])
def test_names_with_numbers_that_fill_the_last_row_of_a_block_stay(name: str) -> None:
    rows = [f"see {name}", "another block"]
    assert _REDACTOR.mask_block(rows, len(rows[0]) + 2, ends=[True, True]) == rows


@pytest.mark.parametrize(
    "piece",
    [
        "1/60450377",
        "amzn1.oa2-c",
        "dp.st.dev.jhfq",
        "token-hfcgw:",
        "AAAAeoaG3XK:",
        "rubygems_b",
        "sc_jyadm3d",
        "189898:5354b6955",
    ],
)
def test_short_beginnings_go_beside_a_cut_only(piece: str) -> None:
    rows = ["words", f"xxx {piece}", "and after"]
    assert piece[-6:] not in "".join(masked(rows, suspect=[1]))
    assert masked(rows) == rows


def test_a_prefix_in_a_box_goes_with_what_is_below_it_at_the_end_of_what_was_seen() -> None:
    rows = ["│ plain      │", "│ xxxxxxx sk │", "│ -ccccad968 │"]
    assert "ccccad" not in "".join(_REDACTOR.mask_block(rows, 20, cut_below=True))
    rows[1] = "│ xxxxx disk │"
    assert _REDACTOR.mask_block(rows, 20, cut_below=True) == rows


@pytest.mark.parametrize(
    "name", ["py_utf8str", "2026-11-21T10:00:00", "to_lib2to3", "src/md5_b1c.py"]
)
def test_names_and_times_stay_beside_a_cut(name: str) -> None:
    rows = ["words", f"xxx {name}", "and after"]
    assert masked(rows, suspect=[1]) == rows


def test_a_password_with_signs_beside_a_cut_goes() -> None:
    rows = ['x {"username": "ops", "pa', '"9vDdpv6C*rI^jFqd^W3"}', "and after"]
    out = masked(rows, suspect=[0, 1])
    assert "9vDd" not in out[1]
    assert (out[0], out[2]) == (rows[0], rows[2])
    assert "VQ28" not in masked(["VQ28#3F+Sk27", "and after"], suspect=[0])[0]
    assert "tqIB" not in masked(["and", '": "aD+Bn*tqIBQRIP'], suspect=[1])[1]
    code = ['print("Hello%d", "f(x1) * Y")', "x = 'A*b'"]
    assert masked(code, suspect=[0, 1]) == code
