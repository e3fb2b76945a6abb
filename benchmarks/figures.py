"""The figures that are recorded: which program prints them, where in its JSON, and what is expected.

`PROGRAMS` are what `make bench` runs, `LONG` what it runs when named. `FIGURES` names each figure
and says where it stands; `TABLE` is what is shown of them, beside a peer of the same run and a limit.
A limit is an aim: one that is missed is shown as missed, and nothing else happens. Does no I/O.
"""

from typing import Any, NamedTuple


class Figure(NamedTuple):
    """Where a figure stands: the program's name in `PROGRAMS` or `LONG`, and keys parted by `/`."""

    program: str
    path: str


class Row(NamedTuple):
    """A row of the table. `limit` is of the ratio where there is a peer, else of the figure."""

    metric: str
    ours: str
    unit: str
    peer: str = ""
    peer_name: str = ""
    limit: float | None = None
    at_least: bool = False


# The program's module in `benchmarks` and its arguments. All of `PROGRAMS` together take about ten minutes.
PROGRAMS: dict[str, list[str]] = {
    "growth": ["ingest.growth", "--megabytes", "200", "--cold"],
    "search": ["archive.search", "10000", "100000"],
    "packing": ["archive.packing", "--megabytes", "30"],
    "exact_beside_rg": ["archive.exact", "--megabytes", "100"],
    "cli": ["interfaces.cli", "--runs", "7"],
    "start_up": ["interfaces.start_up"],
    "hooks": ["interfaces.hooks", "--runs", "100", "--hooks", "300"],
    "recall": ["recall.ranking", "--no-model"],
    "recall_hook": ["recall.ranking", "--hook", "--no-model"],
    "wrapped_agents": ["sessions.wrapped_agents", "--idle", "10", "--play", "10"],
    "passthrough": ["sessions.passthrough", "--rounds", "3"],
    "terminal": ["terminal.speed", "--quick", "--rounds", "3", "--size", "150000"],
    "redact": ["redact.redactor", "--draws", "10"],
    "providers_speed": ["providers.speed"],
    "providers_kept": ["providers.kept", "--json"],
    "scrapers_turns": ["scrapers.turns", "--json"],
    "status": ["scrapers.status", "--json"],
    "status_set": ["scrapers.status", "--set", "--json"],
    "status_set_words": ["scrapers.status", "--set", "--without-words", "--json"],
}
LONG: dict[str, list[str]] = {
    "search_million": ["archive.search", "10000", "100000", "1000000"],
    "status_latency": ["sessions.status_latency"],
    "redact_capture": ["redact.capture", "--chromes", "6", "--control"],
    "redact_elsewhere": ["redact.elsewhere"],
    "asked_during_sync": ["ingest.search_during_sync"],
    "growth_large": ["ingest.growth", "--megabytes", "1000", "5000"],
    "long_line": ["ingest.long_line"],
    "one_index": ["archive.one_index"],
    "redact_screens": ["redact.screens"],
    "tui": ["interfaces.tui"],
    "growth_packed": ["ingest.growth", "--megabytes", "1000", "5000", "--cold"],
}
ON_SHARED = {
    "providers_kept", "scrapers_turns", "status", "status_latency",
}  # fmt: skip
"""What reads the material beside the repo (../shared), and is left out without it."""

_G = "megabytes/200"
_ROWS = {
    "bm25": "BM25 over exchanges",
    "words": "ours, words",
    "words_all": "ours, words, nothing withheld",
}
FIGURES: dict[str, Figure] = {
    "jq_cpu": Figure("growth", f"{_G}/steps/jq/cpu_seconds"),
    "sync_cpu": Figure("growth", f"{_G}/steps/sync/cpu_seconds"),
    "sync_wall": Figure("growth", f"{_G}/steps/sync/wall_seconds"),
    "sync_memory": Figure("growth", f"{_G}/steps/sync/memory_mb"),
    "everything_cpu": Figure("growth", f"{_G}/everything_cpu_seconds"),
    "unchanged_cpu": Figure("growth", f"{_G}/steps/unchanged/cpu_seconds"),
    "first_hit": Figure("growth", f"{_G}/first_hit_seconds"),
    "disk": Figure("growth", f"{_G}/share_of_raw"),
    "disk_packed": Figure("growth", f"{_G}/cold/share_of_raw"),
    "pack_cpu": Figure("growth", f"{_G}/cold/pack/cpu_seconds"),
    **{
        f"{name}_ms": Figure("growth", f"{_G}/question_cpu_ms/{name}")
        for name in ("search", "exact", "recall")
    },
    "pack_month": Figure("packing", "age/60/cpu_seconds_for_100_mb"),
    "pack_year": Figure("packing", "age/400/cpu_seconds_for_100_mb"),
    "pack_month_share": Figure("packing", "age/60/share_of_raw"),
    "pack_year_share": Figure("packing", "age/400/share_of_raw"),
    "unpacked_share": Figure("packing", "new/share_of_raw"),
    **{
        f"exact_{text}_{way}": Figure("exact_beside_rg", f"texts/{text}/{way}_cpu_ms")
        for text in ("nowhere", "rare", "some", "everywhere")
        for way in ("command", "process", "ripgrep")
    },
    **{
        f"asked_{way}_{name}": Figure("asked_during_sync", f"{way}/{field}")
        for way in ("command", "process")
        for name, field in (("p95", "wall_p95_ms"), ("slower", "slower"))
    },
    "search_p50": Figure("search", "turns/100000/search/all/p50_ms"),
    "search_p95": Figure("search", "turns/100000/search/all/p95_ms"),
    "million_p50": Figure("search_million", "turns/1000000/search/without_exact/p50_ms"),
    "million_p95": Figure("search_million", "turns/1000000/search/without_exact/p95_ms"),
    "million_cpu_p95": Figure("search_million", "turns/1000000/search/without_exact/p95_cpu_ms"),
    "python_cpu": Figure("cli", "bare_cpu_ms"),
    "version_cpu": Figure("cli", "dejavu --version/cpu_ms"),
    "help_cpu": Figure("cli", "dejavu --help/cpu_ms"),
    "list_cpu": Figure("cli", "dejavu list/cpu_ms"),
    "search_cpu": Figure("cli", "dejavu search retry/cpu_ms"),
    "show_cpu": Figure("cli", "dejavu show last/cpu_ms"),
    "run_cpu": Figure("cli", "dejavu-run true/cpu_ms"),
    "first_instruction": Figure("start_up", "run warm/first_instruction_ms"),
    "mcp_ms": Figure("start_up", "mcp/ms"),
    "mcp_mb": Figure("start_up", "mcp/pss_mb"),
    "hook_p95": Figure("hooks", "warm/launcher/wall_p95"),
    "hook_bare_p95": Figure("hooks", "warm/bare/wall_p95"),
    "hooks_lost": Figure("hooks", "crowd/lost"),
    "memories_warm": Figure("recall_hook", "warm/hook/wall ms p50"),
    "memories_cold": Figure("recall_hook", "cold/hook/wall ms p50"),
    "agent_idle_mb": Figure("wrapped_agents", "idle/pss_mb_in_all"),
    "agent_further_mb": Figure("wrapped_agents", "idle/pss_mb_each_further"),
    **{
        f"agent_{part}_mb": Figure("wrapped_agents", f"idle/pss_mb_an_agent/{part}")
        for part in ("wrapper", "leader", "observer", "shared")
    },
    "agents_idle_core": Figure("wrapped_agents", "idle/core_share"),
    "agents_busy_core": Figure("wrapped_agents", "ten frames a second/core_share"),
    "pass_cpu": Figure("passthrough", "flood_seconds/ours/cpu"),
    "pass_bare_cpu": Figure("passthrough", "flood_seconds/bare/cpu"),
    "echo_p50": Figure("passthrough", "echo_us/ours/p50"),
    "echo_bare_p50": Figure("passthrough", "echo_us/bare/p50"),
    "grid_screen": Figure("terminal", "throughput/summary/over pyte.Screen/geometric mean"),
    "grid_history": Figure("terminal", "throughput/summary/over pyte.HistoryScreen/geometric mean"),
    "grid_colours": Figure("terminal", "throughput/inputs/gradient/dejavu MB~s"),
    "grid_colours_pyte": Figure("terminal", "throughput/inputs/gradient/pyte.HistoryScreen MB~s"),
    "grid_colours_screen": Figure("terminal", "throughput/inputs/gradient/pyte.Screen MB~s"),
    "redact_recall": Figure("redact", "recall/held_out/unbroken"),
    "redact_false": Figure("redact", "false_hits_per_MB"),
    "redact_speed": Figure("redact", "speed/MB_per_s"),
    "redact_peer_speed": Figure("redact", "speed/peer_MB_per_s"),
    "redact_formats": Figure("redact", "formats"),
    "parse_cpu": Figure("providers_speed", "cpu_s"),
    "parse_jq_cpu": Figure("providers_speed", "jq_cpu_s"),
    "turns_user": Figure("scrapers_turns", "total/user"),
    "turns_assistant": Figure("scrapers_turns", "total/assistant"),
    "turns_tool": Figure("scrapers_turns", "total/tool"),
    "turns_twice": Figure("scrapers_turns", "total/duplicated"),
    "turns_lost": Figure("scrapers_turns", "total/lost"),
    "turns_recordings": Figure("scrapers_turns", "total/recordings"),
    **{
        f"status_{name}_{key}": Figure("status", f"{name}/{field}")
        for name in ("core", "frames", "timeline", "adversarial")
        for key, field in (
            ("n", "n"), ("right", "right"), ("abstained", "abstained"), ("p", "blocked_P"),
            ("r", "blocked_R"),
        )
    },
    "set_screens": Figure("status_set", "rules/all/screens"),
    **{
        f"set_{key}": Figure("status_set", f"rules/not tuned on/{field}")
        for key, field in (
            ("held_out", "screens"), ("right", "right"), ("wrong", "wrong"),
            ("abstained", "abstained"), ("p", "blocked_P"), ("r", "blocked_R"),
        )
    },
    **{
        f"set_words_{field}": Figure("status_set_words", f"rules without words/not tuned on/{field}")
        for field in ("right", "wrong", "abstained")
    },
    **{
        f"recall_{name}_{key}": Figure("recall", f"rows/{row}/{field}")
        for name, row in _ROWS.items()
        for key, field in (
            ("first", "R@1"), ("ten", "R@10"), ("outdated", "superseded first"),
            ("silent", "silent where nothing answers"),
        )
    },
    "recall_questions": Figure("recall", "questions"),
    "recall_sessions": Figure("recall", "sessions"),
    "recall_block": Figure("recall", "injection, words/answer's text in the block %"),
    **{
        f"latency_{state}_{key}": Figure("status_latency", f"latency/{state}/{field}")
        for state in ("blocked", "working", "idle")
        for key, field in (("p95", "p95_ms"), ("changes", "changes"))
    },
    **{
        f"large_{size}_packed": Figure(
            "growth_packed", f"megabytes/{size}/cold/share_of_raw"
        )
        for size in (1000, 5000)
    },
    **{
        f"large_{size}_{key}": Figure("growth_large", f"megabytes/{size}/{path}")
        for size in (1000, 5000)
        for key, path in (
            ("first_hit", "first_hit_seconds"), ("cpu", "everything_cpu_seconds"),
            ("jq", "steps/jq/cpu_seconds"),
            ("wall", "steps/sync/wall_seconds"), ("memory", "steps/sync/memory_mb"),
            ("disk", "share_of_raw"),
            ("search", "question_cpu_ms/search"), ("exact", "question_cpu_ms/exact"),
            ("recall", "question_cpu_ms/recall"),
            ("unchanged", "steps/unchanged/cpu_seconds"),
        )
    },
}  # fmt: skip

TABLE: list[Row] = [
    Row("first sync of 204 MB, raw and every index", "sync_cpu", "CPU s", "jq_cpu", "jq -c .type", 3.0),
    Row("the same with each kind of question once", "everything_cpu", "CPU s", "jq_cpu", "jq -c .type", 3.0),
    Row("until the first conversation is found", "first_hit", "s", limit=2.0),
    Row("memory of that sync", "sync_memory", "MB", limit=300),
    Row("memory of a sync of 5 GB", "large_5000_memory", "MB", limit=300),
    Row("parsing alone, 50 MB", "parse_cpu", "CPU s", "parse_jq_cpu", "jq -c .type", 1.3),
    Row("sync without news", "unchanged_cpu", "CPU s", limit=0.11),
    Row("disk, everything, of the raw bytes", "disk", "", limit=0.30),
    Row("the same once old sessions are packed", "disk_packed", "", limit=0.30),
    Row("packing 100 MB of sessions a year old", "pack_year", "CPU s", limit=10),
    Row("exact text that is rare, in 100 MB", "exact_rare_process", "CPU ms", "exact_rare_ripgrep", "rg", 1.0),
    Row("exact text that is nowhere, in 100 MB", "exact_nowhere_process", "CPU ms",
        "exact_nowhere_ripgrep", "rg", 1.0),
    Row("a search during the first sync, p95", "asked_process_p95", "ms", limit=300),
    Row("that sync, slower by", "asked_process_slower", "", limit=0.2),
    Row("search over 100,000 turns, p95", "search_p95", "ms", limit=16),
    Row("words, phrases, paths over a million turns, p95", "million_p95", "ms", limit=16),
    Row("the same, CPU", "million_cpu_p95", "ms", limit=16),
    Row("`dejavu --version`", "version_cpu", "CPU ms", "python_cpu", "python -c pass", 4.0),
    Row("`dejavu -h`", "help_cpu", "CPU ms", "python_cpu", "python -c pass", 12.0),
    Row("`dejavu list`", "list_cpu", "CPU ms", "python_cpu", "python -c pass", 11.0),
    Row("`dejavu search`", "search_cpu", "CPU ms", "python_cpu", "python -c pass", 11.0),
    Row("`dejavu show last`", "show_cpu", "CPU ms", "python_cpu", "python -c pass", 13.0),
    Row("`dejavu-run true`", "run_cpu", "CPU ms", "python_cpu", "python -c pass", 8.0),
    Row("the agent's first instruction", "first_instruction", "ms", limit=60),
    Row("MCP: start to tools/list", "mcp_ms", "ms", limit=60),
    Row("MCP: memory", "mcp_mb", "MB", limit=25),
    Row("a hook, p95", "hook_p95", "ms", "hook_bare_p95", "python -c pass", 1.5),
    Row("a prompt's memories, daemon warm", "memories_warm", "ms"),
    Row("a prompt's memories, no daemon", "memories_cold", "ms"),
    Row("an idle wrapped agent of twenty", "agent_idle_mb", "MB", limit=8),
    Row("each idle wrapped agent after the second", "agent_further_mb", "MB", limit=10),
    Row("twenty idle agents", "agents_idle_core", "of a core", limit=0.001),
    Row("twenty agents at ten frames a second", "agents_busy_core", "of a core", limit=0.10),
    Row("32 MB through the wrapper", "pass_cpu", "CPU s", "pass_bare_cpu", "a bare loop", 2.0),
    Row("a key's echo, p50", "echo_p50", "us", "echo_bare_p50", "a bare loop", 2.0),
    Row("the grid, all inputs, over pyte.Screen", "grid_screen", "times", limit=5, at_least=True),
    Row("the grid, a flood of many colours", "grid_colours", "MB/s", "grid_colours_pyte",
        "pyte.HistoryScreen", 5.0, at_least=True),
    Row("the same", "grid_colours", "MB/s", "grid_colours_screen", "pyte.Screen", 5.0, at_least=True),
    Row("redaction", "redact_speed", "MB/s", "redact_peer_speed", "a flat pattern", 5.0, at_least=True),
    Row("redaction: false hits a MB", "redact_false", "", limit=0.25),
]  # fmt: skip


def look_up(output: Any, path: str) -> Any:
    """The value at a path in a program's JSON. `~` stands for a `/` within a key.

    Raises:
        KeyError: there is none.
    """
    for key in path.split("/"):
        output = output[key.replace("~", "/")]
    return output


def of_program(name: str, output: Any) -> dict[str, float | str]:
    """Every figure that a program printed; those it did not measure are left out."""
    found: dict[str, float | str] = {}
    for figure, place in FIGURES.items():
        if place.program != name:
            continue
        try:
            value = look_up(output, place.path)
        except (KeyError, TypeError):
            continue
        if isinstance(value, int | float | str):
            found[figure] = value
    return found
