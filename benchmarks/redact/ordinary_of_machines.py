"""Ordinary screens of runtimes, machines, media and trade: drawn at random, and no secret.

Data for `elsewhere.py`. These judged once and are tuned on now.
"""

# ruff: noqa: E501 - a kind is a line of output, and reads best as one

import random
import string

from benchmarks.redact.ordinary import (
    LOWER,
    MIXED,
    UPPER,
    Kind,
    any_of,
    b64,
    drawn_of,
    hexadecimal,
    name,
    new_uuid,
    number,
    version,
)

__all__ = ["OF_MACHINES"]


def _frames(rng: random.Random) -> str:
    return "\n".join(
        f"    ({name(rng)} {version(rng)}) lib/{name(rng)}/server.ex:{number(rng, 900)}: {name(rng).title()}.Server.handle_info/2"
        for _ in range(3)
    )


def _heap(rng: random.Random) -> str:
    return "\n".join(
        f'0x00007f{hexadecimal(rng, 10)} JavaThread "{name(rng)}-{number(rng, 64)}" [_thread_blocked, id={number(rng, 99999)}, stack(0x00007f{hexadecimal(rng, 10)},0x00007f{hexadecimal(rng, 10)})]'
        for _ in range(3)
    )


def _pdf(rng: random.Random) -> str:
    return f"{number(rng)} 0 obj\n<< /Type /XRef /ID [<{hexadecimal(rng, 32).upper()}> <{hexadecimal(rng, 32).upper()}>] /Size {number(rng)} >>\n{number(rng, 10**9):010} 00000 n"


def _fen(rng: random.Random) -> str:
    return (
        "/".join(drawn_of(rng, "rnbqkpRNBQKP", 8) for _ in range(8))
        + f" w KQkq - {number(rng, 9)} {number(rng, 90)}"
    )


def _can(rng: random.Random) -> str:
    return "\n".join(
        f"(17953{number(rng, 99999):05}.{number(rng, 999999):06}) can0 {hexadecimal(rng, 3).upper()}#{hexadecimal(rng, 16).upper()}"
        for _ in range(4)
    )


def _nmea(rng: random.Random) -> str:
    return f"$GPGGA,{number(rng, 235959):06},4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*{hexadecimal(rng, 2).upper()}\n!AIVDM,1,1,,A,{drawn_of(rng, string.digits + 'ABCDEFGHIJKLMNOPQRSTUVW`abcdefghijklmnopqrstuvw', 28)},0*{hexadecimal(rng, 2).upper()}"


def _gcode(rng: random.Random) -> str:
    return "\n".join(
        f"G1 X{rng.uniform(0, 200):.3f} Y{rng.uniform(0, 200):.3f} E{rng.uniform(0, 9):.5f}"
        for _ in range(3)
    )


def _fix(rng: random.Random) -> str:
    return f"8=FIX.4.4|9={number(rng, 300)}|35=D|49={name(rng).upper()}|56=BROKER|11={drawn_of(rng, UPPER, 16)}|55=ACME|54=1|38={number(rng)}|10={number(rng, 255):03}|"


def _ffmpeg(rng: random.Random) -> str:
    return f"  Stream #0:{number(rng, 4)}[0x{hexadecimal(rng, 3)}](und): Video: h264 (avc1 / 0x31637661), yuv420p, 1920x1080, {number(rng)} kb/s\nframe={number(rng):>5} fps={number(rng, 60)} q=28.0 size={number(rng):>8}KiB time=00:0{number(rng, 9)}:1{number(rng, 9)}.04 bitrate={number(rng)}.1kbits/s"


def _graph(rng: random.Random) -> str:
    return f'{{"data":{{"node":{{"id":"{b64(rng, 18)}","cursor":"{b64(rng, 12)}","databaseId":{number(rng, 10**9)}}}}}}}'


def _spark(rng: random.Random) -> str:
    return f"26/11/27 08:12:03 INFO TaskSetManager: Finished task {number(rng)}.0 in stage {number(rng)}.0 (TID {number(rng)}) in {number(rng)} ms on 10.0.0.{number(rng, 255)} (executor {number(rng, 9)}) application_17953{number(rng, 99999999):08}_{number(rng, 9999):04}"


OF_MACHINES: dict[str, Kind] = {
    "BEAM and JVM": any_of(_frames, _heap, lambda rng: f"#PID<0.{number(rng)}.0> #Reference<0.{number(rng, 10**9)}.{number(rng, 10**9)}.{number(rng, 99999)}>", lambda rng: f"com.acme.{name(rng).replace('-', '')}.Worker$$Lambda/0x0000{hexadecimal(rng, 12)}@{hexadecimal(rng, 8)}"),
    "Bazel and Conan": any_of(lambda rng: f"bazel-out/k8-fastbuild-ST-{hexadecimal(rng, 12)}/bin/{name(rng)}/_objs/{name(rng)}.pic.o", lambda rng: f"{name(rng)}/{version(rng)}#{hexadecimal(rng, 32)}%17953{number(rng, 99999):05}.{number(rng, 999)}", lambda rng: f"INFO: Invocation ID: {new_uuid(rng)}  remote cache hit ac/{hexadecimal(rng, 64)}"),
    ".NET and Swift": any_of(lambda rng: f"  {name(rng).title()} -> /src/bin/Debug/net9.0/{name(rng)}.dll (MVID {{{new_uuid(rng).upper()}}})", lambda rng: f"PublicKeyToken={hexadecimal(rng, 16)}, Version={version(rng)}, Culture=neutral", lambda rng: f"DerivedData/{name(rng).title()}-{drawn_of(rng, string.ascii_lowercase, 28)}/Build/Products", lambda rng: f"$s{number(rng, 30)}{name(rng).title().replace('-', '')}V{drawn_of(rng, string.ascii_letters, 9)}yF"),
    "R and Julia": any_of(lambda rng: f"<environment: 0x{hexadecimal(rng, 12)}>\n<bytecode: 0x{hexadecimal(rng, 12)}>", lambda rng: f"  [{hexadecimal(rng, 8)}] {name(rng).title()} v{version(rng)} `{name(rng)}/{name(rng)}.jl#{hexadecimal(rng, 40)}`", lambda rng: f"git-tree-sha1 = \"{hexadecimal(rng, 40)}\"\nuuid = \"{new_uuid(rng)}\""),
    "streams of data": any_of(_spark, lambda rng: f"[Consumer clientId={name(rng)}-{number(rng, 9)}-{new_uuid(rng)}, groupId={name(rng)}] Resetting offset for partition {name(rng)}-{number(rng, 9)} to position FetchPosition{{offset={number(rng, 10**8)}}}", lambda rng: f"dag_run manual__2026-11-27T08:12:03+00:00 {name(rng)} try {number(rng, 4)} hostname {hexadecimal(rng, 12)}", lambda rng: f"Cluster ID: {drawn_of(rng, MIXED + '-_', 22)}"),
    "GraphQL and search": any_of(_graph, lambda rng: f'{{"_index":"{name(rng)}-2026.11.27","_id":"{drawn_of(rng, MIXED + "-_", 20)}","_score":{rng.random():.6f}}}', lambda rng: f'"shards":{number(rng, 9)},"node":"{drawn_of(rng, MIXED + "-_", 22)}","pit_id":"{drawn_of(rng, MIXED, 60)}=="'),
    "media": any_of(_ffmpeg, lambda rng: f"ISRC {drawn_of(rng, string.ascii_uppercase, 2)}{drawn_of(rng, UPPER, 3)}{number(rng, 9999999):07}  MusicBrainz {new_uuid(rng)}  AcoustID {new_uuid(rng)}", lambda rng: f"Image Unique ID: {hexadecimal(rng, 32)}  Serial: {number(rng, 10**10)}  Lens: {drawn_of(rng, UPPER, 12)}"),
    "documents of print": any_of(_pdf, lambda rng: f"/{drawn_of(rng, string.ascii_uppercase, 6)}+{name(rng).title()}-Bold  Type 1C  yes yes no  {number(rng)}  0", lambda rng: f"\\newlabel{{sec:{name(rng)}}}{{{{{number(rng, 9)}.{number(rng, 9)}}}{{{number(rng)}}}{{}}{{subsection.{number(rng, 9)}}}{{}}}}"),
    "games": any_of(_fen, lambda rng: f"STEAM_0:{number(rng, 2)}:{number(rng, 10**9)}  [U:1:{number(rng, 10**9)}]  765611{number(rng, 10**11):011}", lambda rng: f"seed: {rng.randrange(-(10**18), 10**18)}  chunk [{number(rng)}, {number(rng)}] region r.{number(rng, 9)}.{number(rng, 9)}.mca  uuid {new_uuid(rng)}"),
    "machines and sensors": any_of(_can, _nmea, _gcode, lambda rng: f"devEUI {hexadecimal(rng, 16).upper()} fCnt {number(rng)} rssi -{number(rng, 120)} gateway eui-{hexadecimal(rng, 16)}"),
    "trade": any_of(_fix, lambda rng: f"EAN {number(rng, 10**13):013}  ASIN B0{drawn_of(rng, UPPER, 8)}  LOT {drawn_of(rng, UPPER, 10)}  UPS 1Z{drawn_of(rng, UPPER, 16)}", lambda rng: f"DE{number(rng, 10**20):020}  COBADEFF{drawn_of(rng, UPPER, 3)}  mandate {drawn_of(rng, UPPER, 14)}"),
    "talk": any_of(lambda rng: f"Call-ID: {hexadecimal(rng, 32)}@10.0.0.{number(rng, 255)}  Via: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK{hexadecimal(rng, 16)}", lambda rng: f"!{drawn_of(rng, string.ascii_letters, 18)}:example.test ${drawn_of(rng, MIXED + '-_', 43)}", lambda rng: f"https://social.example.test/@{name(rng)}/1{number(rng, 10**17):017}  at://did:plc:{drawn_of(rng, 'abcdefghijklmnopqrstuvwxyz234567', 24)}/app.bsky.feed.post/3{drawn_of(rng, 'abcdefghijklmnopqrstuvwxyz234567', 12)}"),
    "watching": any_of(lambda rng: f'http_requests_total{{instance="10.0.0.{number(rng, 255)}:9090",pod="{name(rng)}-{hexadecimal(rng, 9)}",trace_id="{hexadecimal(rng, 32)}"}} {number(rng)}', lambda rng: f"Event {hexadecimal(rng, 32)} in {name(rng)}@{version(rng)}+{hexadecimal(rng, 12)} fingerprint {hexadecimal(rng, 32)}", lambda rng: f"https://grafana.example.test/d/{drawn_of(rng, MIXED, 14)}/{name(rng)}?orgId=1&var-run={drawn_of(rng, LOWER, 12)}"),
}  # fmt: skip
