"""Values that look drawn at random, are meant to be seen, and say so by their own form.

Store paths, resource names, digests, fingerprints, public keys, ids. `public_spans` finds them over
row ends, too, so that what is left of a secret is not looked for in them. A rule that knows a secret
is asked first; this only says what a cut has not made suspicious. No I/O. Cost: linear in the rows.

Tested in: tests/redact/test_cut_runs.py
"""

# ruff: noqa: E501, ISC004 - a form is one pattern, and reads best as one line

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from dejavu.model.late_pattern import late_pattern

from . import run_kinds
from .cut_values import has_secret_name
from .joined_text import JoinedText, Span
from .random_runs import has_random_piece, is_numbered_words
from .row_frames import Content

__all__ = ["private_spans", "public_spans"]

_NAME_LENGTH = 96  # characters that stand before a value and may name it
_LONGEST_NAME = 32  # characters that come before a value in its own row
_SHORTEST = 6  # characters of a piece next to a public value
_BREAK = "\x00"
"""What separates two rows: it may come behind any character of a value."""


def _broken(text: str) -> str:
    """Return a pattern for a literal that rows may break anywhere."""
    return f"{_BREAK}?".join(map(re.escape, text))


def _any_of(words: str) -> str:
    """Return a pattern for one of some words."""
    return "|".join(map(_broken, words.split()))


def _of(letters: str, count: str) -> str:
    return rf"(?:{letters}{_BREAK}?){{{count}}}+"


def _exactly(letters: str, count: int) -> str:
    """Return a pattern for so many characters, the last of which is not behind a break."""
    return rf"(?:{letters}{_BREAK}?){{{count - 1}}}{letters}"


def _up_to(start: str, letters: str) -> str:
    """Return a pattern for a value before the next that has this start."""
    return rf"(?:(?!{_broken(start)}){letters}{_BREAK}?){{8,400}}+"


def _hex(count: int) -> str:
    return _exactly("[0-9a-f]", count)


def _range(count: int) -> str:
    """Return a pattern for two abbreviated digests with dots between."""
    return rf"{_hex(count)}{_BREAK}?[.]{_BREAK}?[.]{_BREAK}?(?:[.]{_BREAK}?)?{_hex(count)}"


_BASE64 = "(?:[A-Za-z0-9+/_=]|-(?!-))"
_NAMED_VALUE = "(?:[A-Za-z0-9+/_=.~]|-(?!-))"
_BEFORE_NAME = rf"(?![A-Za-z_-]{{3,24}}[=:](?!{_BREAK}|=|$))(?!(?<={_BREAK})[A-Za-z][A-Za-z0-9_-]{{0,24}}[=:](?!{_BREAK}|=|$))"
_ARMOUR = "|".join(
    map(_broken, ("CERTIFICATE", "CERTIFICATE REQUEST", "PUBLIC KEY", "PUBLIC KEY BLOCK", "CRL", "PKCS7",
                  "PARAMETERS", "SIGNATURE", "MESSAGE"))
)  # fmt: skip
_POD = "[bcdfghjklmnpqrstvwxz2456789]"
_DIGITS = re.compile("[0-9a-f]{8,}")
_DIGITS_BEFORE = re.compile(rf"[0-9a-f{_BREAK}]*\Z")
_DIGITS_AFTER = re.compile(rf"[0-9a-f{_BREAK}]*")
_LONGEST_RUN = 4096
_UUID = re.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_KEY_OF_QUERY = re.compile(r"[?&](?:key|token|sig|secret)=\Z")
_STEM = re.compile(rf"[A-Za-z0-9_.-]*([_.-]){_BREAK}?\Z")
"""A word that ends as only a beginning of something longer does."""
_WORD_ABOVE = re.compile(rf"([A-Za-z0-9_.-]{{6,}}){_BREAK}\Z")
_NOT_BEHIND = r"(?<![A-Za-z0-9+/_<‹«…←◀-])"
_NOT_BEFORE = rf"(?:(?<={_BREAK})|(?![A-Za-z0-9+/_]))"
_DASH = rf"(?:-|\\x2d){_BREAK}?"  # systemd writes `\x2d`
_HEX8 = _exactly("[0-9a-fA-F]", 8)
_HASHES = _any_of(
    "sha512 sha384 sha256 sha224 sha1 SHA256 SHA512 SHA1 SHA384 md5 MD5 h1 blake3 blake2b"
)
_NAMED = _any_of(
    "checksum digest integrity fingerprint thumbprint etag ETag revision commit trace_id traceId "
    "trace-id span_id spanId request_id requestId request-id cf-ray correlation_id correlation-id "
    "parentUuid sessionId session_id uuid oid page_token pageToken cursor build_id BuildID hash "
    "shasum crc32 Merge tree"
)
_IDS = _any_of("msg_0 toolu_0 call_ chatcmpl- resp_ req_0 cus_ ch_ pi_ evt_ rs_")
_CLOUD = _any_of("i-0 vpc- subnet- sg- ami- vol- eni- snap- rtb- igw- nat- acl-")
_EXTENSIONS = _any_of("whl tar.gz tgz deb rpm jar js css map drv iso log lock zip o")
_DOMAINS = _any_of(
    "com net onion arpa dev org io app test internal local cloud example co eu de be gov edu"
)
_PUBLIC = late_pattern(
    "|".join(
        (
            rf"{_broken('/nix/store/')}{_up_to('/nix/', '[A-Za-z0-9+._?=/-]')}",
            rf"{_broken('arn:')}{_up_to('arn:', '[A-Za-z0-9_:/.*+=@-]')}",
            # A digest, named so or of a length that digests have.
            rf"(?:{_HASHES}){_BREAK}?[:=-]{_BREAK}?(?:(?:{'|'.join(map(_hex, (128, 96, 64, 56, 40, 32)))})(?![0-9a-f])"
            r"|[0-9a-f]{8,127}+(?![A-Za-z0-9+/])"
            rf"|{'|'.join(_exactly('[A-Za-z0-9+/]', count) for count in (86, 64, 43, 27))}"
            rf"|{_of('[0-9a-f]', '8,127')})"
            rf"{_BREAK}?={{0,2}}",
            rf"{_NOT_BEHIND}(?<![=:][\"'])(?<!^= [\"'])(?:{'|'.join(map(_hex, (128, 96, 64, 56, 40, 32)))}){_NOT_BEFORE}",
            rf"{_NOT_BEHIND}(?<![=:][\"'])(?:{'|'.join(_exactly('[0-9A-F]', count) for count in (128, 96, 64, 40))}){_NOT_BEFORE}",
            rf"(?:{_NAMED})[\"']?{_BREAK}?[ :=]{{1,3}}{_BREAK}?[\"']?(?:W/\")?{_of(_BEFORE_NAME + _NAMED_VALUE, '8,200')}",
            rf"{_NOT_BEHIND}(?<![0-9][.]){_HEX8}{_BREAK}?(?:{_DASH}{_of('[0-9a-fA-F]', '4')}){{3}}{_DASH}{_exactly('[0-9a-fA-F]', 12)}{_NOT_BEFORE}",
            rf"0{_BREAK}?0{_BREAK}?{_DASH}{_hex(32)}{_BREAK}?{_DASH}{_hex(16)}{_BREAK}?{_DASH}(?:{_hex(2)})?",
            rf"=1{_BREAK}?{_DASH}{_hex(8)}{_BREAK}?{_DASH}{_hex(24)}",
            # Public keys: base64 of ssh-, ecdsa-, sk-ssh; and their fingerprints, certificates, addresses.
            rf"{_broken('AAAA')}{_BREAK}?(?:{_broken('B3NzaC1')}|{_broken('C3NzaC1')}|{_broken('E2VjZHNh')}|{_broken('G')}){_of(_BASE64, '8,1500')}",
            rf"-----{_broken('BEGIN')}{_BREAK}? {_BREAK}?(?:[A-Z0-9]{{1,9}} ){{0,3}}(?:{_ARMOUR})-----"
            rf"(?:[A-Za-z0-9+/= {_BREAK}]|(?<={_BREAK})[A-Z][A-Za-z-]{{2,20}}: [^{_BREAK}]{{1,80}}{_BREAK}){{1,9000}}(?:-----END[A-Z {_BREAK}]{{3,24}}-----)?",
            rf"(?:{_of('[0-9a-fA-F]', '1,4')}:{_BREAK}?){{5,700}}(?:{_of('[0-9a-fA-F]', '1,4')})?",
            rf"(?<![A-Za-z0-9_])(?:{_of('[a-z0-9_]', '1,24')}{_DASH}){{1,6}}(?:{_exactly(_POD, 10)}|{_exactly(_POD, 9)}|{_exactly(_POD, 8)}){_BREAK}?{_DASH}{_exactly(_POD, 5)}{_NOT_BEFORE}",
            rf"(?<![A-Za-z0-9_])(?:{_of('[a-z]', '2,24')}{_DASH}){{2,6}}{_exactly(_POD, 5)}{_NOT_BEFORE}",
            rf"\b(?i:sha|md|rmd|blake)[0-9A-Za-z-]{{1,8}} ?\([^()]{{1,160}}\)[ {_BREAK}]{{1,2}}={_BREAK}? {_BREAK}?{_of('[0-9a-f]', '32,128')}",
            rf"{_NOT_BEHIND}(?:{_CLOUD}){_BREAK}?{_of('[0-9a-f]', '8,17')}{_NOT_BEFORE}",
            rf"{_NOT_BEHIND}(?:{_IDS}){_BREAK}?{_of('[A-Za-z0-9]', '14,60')}",
            # Names as linkers write them (Itanium, Rust, Swift), and of classes made at run time.
            rf"(?<![A-Za-z0-9+/<‹«…-])_{{1,2}}{_BREAK}?(?:Z|R{_BREAK}?[BCIMNXY]|T{_BREAK}?[A-Zt])(?:[A-Za-z0-9_.]{_BREAK}?|[$]{_BREAK}?(?=[A-Za-z0-9{_BREAK}]))"
            r"{4,400}+",
            rf"(?:[$]{_BREAK}?[$]{_BREAK}?{_of('[A-Za-z]', '3,40')}){{1,3}}[$]{_BREAK}?[$]{_BREAK}?{_of('[0-9a-f]', '4,16')}",
            # Keys and certificates by how they begin, in base64 of DER and in the forms of programs.
            rf"M{_BREAK}?I{_BREAK}?I{_BREAK}?[BC]{_BREAK}?{_broken('IjAN')}{_of(_BASE64, '8,1500')}",
            rf"(?:{_broken('MFkwEwYH')}|{_broken('MHYwEAYH')}|{_broken('MCowBQYDK2V')}|{_broken('MIGfMA0G')}){_of(_BASE64, '8,1500')}",
            rf"{_broken('MII')}(?:[A-Za-z0-9+/]{_BREAK}?){{8,14}}?{_broken('gAwIBAgI')}{_of(_BASE64, '8,4000')}",
            rf"{_NOT_BEHIND}age{_BREAK}?1{_BREAK}?{_of('[02-9ac-hj-np-z]', '58')}{_NOT_BEFORE}",
            rf"\b(?:public[ _-]key|pubkey|peer|minisign|verkey|pin-sha256)[\"']?[ :={_BREAK}]{{1,3}}[\"']?{_of(_BASE64, '16,200')}",
            rf"{_NOT_BEHIND}{_broken('RW')}{_exactly('[A-Za-z0-9+/]', 54)}",
            rf"(?<![A-Za-z0-9])_{_BREAK}?{_hex(32)}{_BREAK}?(?=[.])",
            # Pictures, fonts and documents in base64, by how their files begin.
            rf"(?:{'|'.join(map(_broken, ('iVBORw0KGgo', '/9j/4AAQ', 'R0lGODlh', 'JVBERi0x', 'AAABAAEA', 'd09GM', 'UklGR')))}){_of(_BASE64, '8,9000')}",
            rf"{_broken('LS0tLS1CRUdJTiBDRVJU')}{_of(_BASE64, '8,9000')}",
            rf"[|]1[|]{_BREAK}?{_of('[A-Za-z0-9+/=]', '20,28')}[|]{_BREAK}?{_of('[A-Za-z0-9+/=]', '20,28')}",
            rf"(?<![A-Za-z0-9])[$]{_BREAK}?s{_BREAK}?{_of('[A-Za-z0-9_]', '8,400')}(?![$])",
            rf"(?<![A-Za-z0-9])[?]{_of('[A-Za-z0-9_?$]', '1,80')}@{_of('[A-Za-z0-9_@?$]', '4,400')}",
            # Ids of letters, and what DNS says.
            rf"<(?:[A-Za-z0-9+=_.$/-]{_BREAK}?){{6,160}}+@",
            rf"(?:(?<={_BREAK})|; ?)bh?={_of(_BASE64, '8,700')}",
            rf"\b(?:DS|RRSIG|DNSKEY|TLSA|SSHFP|CDS|CDNSKEY|NSEC3)(?:[ {_BREAK}]+[A-Za-z0-9._-]{{1,64}}){{2,14}}?[ {_BREAK}]+(?!(?:[0-9]{_BREAK}?){{14}}){_of(_BASE64, '20,700')}(?:[ {_BREAK}]+{_of(_BASE64, '8,700')})?",
            rf"20[0-9]{{2}}[01][0-9][0-3][0-9]{_BREAK}?(?:[0-2][0-9][0-5][0-9][0-5][0-9])?(?![0-9])",
            rf"\bd={_BREAK}?[\"']?{_BREAK}?M[MmLlHhVvCcSsQqTtAaZz0-9., {_BREAK}-]{{8,4000}}+",
            # Content ids, addresses of accounts.
            rf"{_NOT_BEHIND}Q{_BREAK}?m{_BREAK}?{_exactly('[1-9A-HJ-NP-Za-km-z]', 44)}{_NOT_BEFORE}",
            rf"(?<![A-Za-z0-9+_-])baf{_BREAK}?{_of('[a-z2-7]', '50,60')}{_NOT_BEFORE}",
            rf"{_NOT_BEHIND}(?:bc|tb|ltc|addr|cosmos|osmo|npub|note|lnbc|stake){_BREAK}?1{_BREAK}?{_of('[02-9ac-hj-np-z]', '25,100')}{_NOT_BEFORE}",
            # Folders that a system draws names for.
            rf"var{_BREAK}?/{_BREAK}?{_broken('folders')}{_BREAK}?/{_BREAK}?{_of('[A-Za-z0-9_.+/-]', '8,200')}",
            rf"(?<![A-Za-z])(?:[A-Za-z][A-Za-z-]{{0,30}}[-_])?(?:id|Id|ID)(?:-[0-9])?[\"']?{_BREAK}?[ :=]{{1,3}}{_BREAK}?[\"']?{_of(_BEFORE_NAME + _NAMED_VALUE, '8,200')}",
            rf"(?:[A-Za-z][a-z]+Id|ID|digest|nonce)[\"']?{_BREAK}?[ :=]{{1,3}}{_BREAK}?[\"']?{_of(_BEFORE_NAME + _NAMED_VALUE, '8,200')}",
            rf"{_broken('data:')}[a-z]+/[a-z0-9.+-]+;{_broken('base64,')}{_of(_BASE64, '8,4000')}",
            rf"(?<![A-Za-z0-9])(?:(?![.]{_BREAK}?(?:{_EXTENSIONS}){_NOT_BEFORE})[A-Za-z0-9_.+~@-]{_BREAK}?){{3,160}}+[.]{_BREAK}?(?:{_EXTENSIONS}){_NOT_BEFORE}",
            r"v?[0-9]+[.][0-9]+[.][0-9]+[A-Za-z0-9_.+~:-]{4,120}+",
            rf"{_NOT_BEHIND}(?:{'|'.join(map(_range, (40, 12, 11, 10, 9, 8, 7)))}){_NOT_BEFORE}",
            # Names of hosts, and paths of cloud resources.
            rf"(?<![A-Za-z0-9._-]){_of('[a-z0-9-]', '1,63')}(?:[.]{_BREAK}?{_of('[a-z0-9-]', '1,63')}){{0,5}}[.]{_BREAK}?(?:{_DOMAINS})(?![A-Za-z0-9_.@-])",
            # An id behind what it is an id of.
            rf"{_NOT_BEHIND}(?:[A-Za-z]{{2,16}}-{_BREAK}?){{0,3}}(?i:cache|linux|macos|windows|node|npm|pnpm|yarn|cargo|pip|gradle|maven|deps|layer|digest|image|snapshot)-{_BREAK}?(?:[A-Za-z]{{2,16}}-{_BREAK}?){{0,3}}(?:{'|'.join(map(_hex, (64, 40, 32)))}){_NOT_BEFORE}",
            rf"(?:\b(?:container|image|layer|LSN:?|prev|revision|build)|->)[ {_BREAK}]{{1,3}}(?:[0-9A-F]{{1,8}}/)?(?:{_of('[0-9a-f]', '7,12')}|{_of('[0-9A-F]', '6,8')}){_NOT_BEFORE}",
            rf"\b(?:ObjectId|oid|_id)[(\"': ]{{1,6}}{_exactly('[0-9a-f]', 24)}",
            rf"{_NOT_BEHIND}{_hex(12)}(?=: (?:Pull|Wait|Verif|Down|Extr|Alre|Push|Prep|Layer))",
            rf"{_NOT_BEHIND}0{{4,12}}[0-9a-f]{{4,12}}{_NOT_BEFORE}",
            rf"{_NOT_BEHIND}0{_BREAK}?1{_BREAK}?{_exactly('[0-9A-HJKMNP-TV-Z]', 24)}{_NOT_BEFORE}",
            rf"{_broken('youtu.be/')}{_BREAK}?{_exactly('[A-Za-z0-9_-]', 11)}{_NOT_BEFORE}",
            rf"{_broken('ssh-ed25519')}|{_broken('ssh-rsa')}",
            rf"/?(?:{_broken('subscriptions/')}|{_broken('projects/')}){_BREAK}?{_of('[A-Za-z0-9_./-]', '8,300')}",
            rf"{_NOT_BEHIND}E{_exactly('[0-9A-Z]', 13)}{_NOT_BEFORE}",
            rf"0x{_BREAK}?{_of('[0-9a-fA-F]', '6,64')}",
            # Addresses of chains; objects and folders named by digests.
            rf"(?<![A-Za-z0-9+/_=:.<‹«…-])[13]{_BREAK}?{_of('[1-9A-HJ-NP-Za-km-z]', '25,33')}{_NOT_BEFORE}",
            rf"\b(?i:program) {_BREAK}?{_of('[1-9A-HJ-NP-Za-km-z]', '32,44')}{_NOT_BEFORE}",
            rf"{_broken('objects/')}{_hex(2)}{_BREAK}?/{_BREAK}?{_hex(38)}",
            rf"(?<![\w.:])[0-9]{{1,10}}[.]{_BREAK}?[0-9]{{1,6}}:{_BREAK}?[0-9]{{1,6}}{_NOT_BEFORE}",
            # Sequences of genes and proteins, keys of molecules; an id behind the words that it is an id of.
            rf"{_NOT_BEHIND}{_of('[A-Z]', '28,4000')}{_NOT_BEFORE}",
            rf"{_NOT_BEHIND}(?:InChIKey=)?{_exactly('[A-Z]', 14)}{_BREAK}?-{_BREAK}?{_exactly('[A-Z]', 10)}{_BREAK}?-{_BREAK}?[A-Z]{_NOT_BEFORE}",
            rf"{_NOT_BEHIND}(?:{_of('[A-Za-z]', '3,24')}{_DASH}){{2,5}}(?:{'|'.join(map(_hex, (64, 40)))}){_NOT_BEFORE}",
            rf"(?<![A-Za-z0-9])_{{0,2}}(?:{_of('[a-z]', '3,16')}_{_BREAK}?){{2,5}}(?:{_hex(16)}|{_hex(8)}){_NOT_BEFORE}",
            rf"{_NOT_BEHIND}{_of('[0-9a-f]', '8,16')}-{_BREAK}?{_of('[0-9a-f]', '8,16')}(?= [r-][w-][x-][ps])",
            rf"(?<![A-Za-z0-9_])[A-Za-z_](?:[A-Za-z0-9_.@]{_BREAK}?){{2,80}}[+]{_BREAK}?0{_BREAK}?x{_BREAK}?{_of('[0-9a-f]', '1,8')}",
            rf"\bdoi:{_BREAK}?10[.][0-9]{{4,9}}/{_of('[A-Za-z0-9._;()/-]', '2,80')}",
            rf"\b(?:blake3|blake2b|sha256|sha512|sha1|md5|server random|session id)[ {_BREAK}]{{1,2}}{_of('[0-9a-f]', '24,128')}",
            rf"{_NOT_BEHIND}zh:{_BREAK}?{_hex(64)}{_NOT_BEFORE}",
        )
    )
)  # fmt: skip


_PATH = late_pattern(
    rf"(?<![A-Za-z0-9+/_=<‹«…-])(?:~/|\.{{1,2}}/|/(?=[a-z]{{2}})|\.?(?=[A-Za-z]{{3}}))"
    rf"(?:[\w@+~=.-]{_BREAK}?){{2,80}}+(?:/{_BREAK}?(?:[\w@+~=.%,-]{_BREAK}?){{1,120}}+){{2,24}}+"
)
_SECRET_PATH = re.compile("hook|token=|key=|secret=|services/", re.IGNORECASE)
_FEWEST_NAMES = 2
_NEARLY_FULL = 14  # columns that a row may leave free and still go on in the next


def _path_end(text: str, start: int, end: int, full: Collection[int]) -> int:
    """Return where a path ends that continues over full rows only; `start` if it is none of names."""
    for at in range(start, end):
        if text[at] == _BREAK and at not in full:
            end = at
            break
    path = text[start:end].replace(_BREAK, "")
    names = [name for name in path.split("/") if name]
    spelt = sum(len(name) > _FEWEST_NAMES and is_numbered_words(name) for name in names)
    is_public = spelt >= _FEWEST_NAMES and _SECRET_PATH.search(path) is None
    return end if is_public and not any(map(run_kinds.begins, names)) else start


def _paths(text: str, full: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield where the paths of files are."""
    at = 0
    while (path := _PATH.search(text, at)) is not None:
        end = _path_end(text, *path.span(), full)
        yield path.start(), end
        at = max(end, path.start() + 1)


def public_spans(bare: Sequence[str], texts: Sequence[Content]) -> dict[int, list[tuple[int, int]]]:
    """Return, by row, where public values stand; `texts`: where each row's own text does."""
    joined = JoinedText()
    for number, (start, end) in enumerate(texts):
        if start < end:
            joined.add(Span(number, start, end), bare[number][start:end], _BREAK)
    found: dict[int, list[tuple[int, int]]] = {}
    text = joined.text
    edge = max((end for _, end in texts), default=0) - _NEARLY_FULL
    full = set[int]()
    at = -1
    for start, end in texts:
        if start < end:
            at += end - start + 1
            full.update((at,) if end >= edge else ())
    for start, end in _paths(text, full):
        for span in joined.spans(start, end):
            found.setdefault(span.row, []).append((span.start, span.end))
    value: re.Match[str] | None = _PUBLIC.search(text)
    while value is not None:
        first = value.start()
        last = _value_end(text, first, value.end(), full)
        value = _PUBLIC.search(text, last)
        before = text[max(0, first - _NAME_LENGTH) : first].replace(_BREAK, "")
        if has_secret_name(before) or _KEY_OF_QUERY.search(before):
            continue
        if _goes_on_token(text, first) or _is_part(text, first, last):
            continue
        for span in joined.spans(first, last):
            found.setdefault(span.row, []).append((span.start, span.end))
    return found


def _value_end(text: str, start: int, end: int, full: Collection[int]) -> int:
    """Return where a value ends: with a row that is not full, unless rows of one length follow each other."""
    if text.startswith("-----", start):
        return end
    at = text.find(_BREAK, start + _LONGEST_NAME, end)
    while at >= 0:
        row = at - text.rfind(_BREAK, 0, at)
        below = text.find(_BREAK, at + 1)
        above = at - row - text.rfind(_BREAK, 0, max(at - row, 0))
        if at not in full and row not in (above, (below if below >= 0 else len(text)) - at):
            return at
        at = text.find(_BREAK, at + 1, end)
    return end


def _goes_on_token(text: str, start: int) -> bool:
    """Whether the row above one that begins here ends with the beginning of a vendor's token."""
    if start == 0 or text[start - 1] != _BREAK:
        return False
    stem = _WORD_ABOVE.search(text, max(0, start - _NAME_LENGTH), start)
    return stem is not None and run_kinds.begins(stem[1])


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether what looks like a digest or an id may be a part of a token, seen over a row's end.

    Digests one below the other are a run of so many times their length. A row before it that ends as
    a token's beginning does (`sk-or-v1-`, `pat4volN.`) has its rest here.
    """
    value = text[start:end].replace(_BREAK, "")
    is_digits = _DIGITS.fullmatch(value) is not None
    if not (is_digits or _UUID.fullmatch(value)):
        return False
    if _BREAK not in text[max(0, start - 1) : end + 1]:
        return False
    head = tail = ""
    if is_digits:
        before = _DIGITS_BEFORE.search(text[max(0, start - _LONGEST_RUN) : start])
        after = _DIGITS_AFTER.match(text[end : end + _LONGEST_RUN])
        head, tail = before[0] if before else "", after[0] if after else ""
    if len((value + head + tail).replace(_BREAK, "")) % len(value):
        return True
    stem = _STEM.search(text[max(0, start - len(head) - _NAME_LENGTH) : start - len(head)])
    if stem is None:
        return False
    return stem[1] in "-_" or run_kinds.begins(stem[0]) or has_random_piece(stem[0])


def private_spans(
    spans: Iterable[Span], public: dict[int, list[tuple[int, int]]], bare: Sequence[str]
) -> list[Span]:
    """Return the spans of which more than a name and signs is outside public values."""
    kept: list[Span] = []
    for span in spans:
        if run_kinds.begins(run := bare[span.row][span.start : span.end]):
            kept.append(span)  # a vendor's host and path, or what holds another prefix
            continue
        rest = list(run)
        for start, end in public.get(span.row, ()):
            for at in range(max(start, span.start), min(end, span.end)):
                rest[at - span.start] = " "
        words = "".join(rest).split()
        if (len(words) == 1 and len(words[0]) == len(rest)) or any(
            len(word) >= _SHORTEST and has_random_piece(word) for word in words
        ):
            kept.append(span)
    return kept
