"""One to three examples for each command, for its help and the man page. A test runs them.

`ID` is a conversation, `MEMORY` a memory, `api` the name of a running session.
"""

from dejavu.config.extensions import parts

EXAMPLES: dict[str, tuple[str, ...]] = {
    "sync": ("dejavu sync", "dejavu sync --agent claude", "dejavu sync --home /mnt/old/home"),
    "list": (
        "dejavu list -a claude --since 7d",
        "dejavu list --json=id,title,agent",
        "dejavu list --format '{id} {title}'",
    ),
    "show": (
        "dejavu show last",
        "dejavu show last --turns 1-2 --tools",
        "dejavu show last --oneline",
    ),
    "search": (
        "dejavu search retry budget",
        "dejavu search '\"retry budget\" agent:claude after:2026-01-01'",
        "dejavu search retry --open",
    ),
    "resume": ("dejavu resume last", "dejavu resume last --print"),
    "star": ("dejavu star last", "dejavu star --remove last"),
    "tag": ("dejavu tag last +bug", "dejavu tag last --remove bug", "dejavu tag"),
    "rename": ("dejavu rename last 'Retry budget, second try'", "dejavu rename last --reset"),
    "undelete": (
        "dejavu undelete last --dry-run",
        "dejavu undelete last --folder /home/ann/shop=/work/shop",
    ),
    "export": (
        "dejavu export last --format md",
        "dejavu export last --format html -o last.html",
        "dejavu export --all --format json -o exports",
    ),
    "stats": ("dejavu stats", "dejavu stats --by project", "dejavu stats --since 30d --json"),
    "delete": ("dejavu delete ID --dry-run", "dejavu delete ID -y && dejavu delete --undo"),
    "import": (
        "dejavu import conversations.json",
        "dejavu import notes.md --workspace ~/shop",
        "claude -p hello --output-format stream-json | dejavu import - --agent claude",
    ),
    "run": ("dejavu run claude", "dejavu run --detach --name api codex"),
    "status": ("dejavu status", "dejavu status --json", "dejavu status api --watch"),
    "attach": ("dejavu attach api",),
    "send": (
        "dejavu send api 'run the tests'",
        "dejavu send api --key Escape",
        "dejavu send api --interrupt",
    ),
    "answer": ("dejavu answer api 1", "dejavu answer api --json 2"),
    "wait": ("dejavu wait api --for idle,blocked --timeout 60",),
    "stop": ("dejavu stop api", "dejavu stop api --kill"),
    "init": ("dejavu init --dry-run", "dejavu init claude codex", "dejavu init --upgrade"),
    "uninstall": ("dejavu uninstall --dry-run",),
    "doctor": ("dejavu doctor", "dejavu doctor --agents --here"),
    "memory add": ("dejavu memory add 'Retries are counted without the first try' --tag retry",),
    "memory find": ("dejavu memory find 'why does the retry budget run dry'",),
    "memory list": ("dejavu memory list", "dejavu memory list MEMORY"),
    "memory confirm": ("dejavu memory confirm MEMORY",),
    "memory reject": ("dejavu memory reject MEMORY",),
    "memory forget": ("dejavu memory forget MEMORY",),
    "memory log": ("dejavu memory log", "dejavu memory log --injections"),
    "memory why": ("dejavu memory why last",),
    "archive verify": ("dejavu archive verify", "dejavu archive verify --repair"),
    "archive backup": ("dejavu archive backup backup-of-today",),
    "archive restore": ("dejavu archive restore backup-of-today",),
    "archive migrate": ("dejavu archive migrate ~/.local/share/dejavu/archive copy",),
    "archive reparse": ("dejavu archive reparse",),
    "archive compact": ("dejavu archive compact", "dejavu archive compact --all --pack-after 0"),
    "archive prune": (
        "dejavu archive prune --before 365d --dry-run",
        "dejavu archive prune --turn ID#2 --dry-run",
    ),
    "secrets list": ("dejavu secrets list", "dejavu secrets list --json"),
    "secrets mask": ("dejavu secrets mask --dry-run", "dejavu secrets mask --native --dry-run"),
    "screen": ("dejavu screen api", "dejavu screen api --ansi"),
    "shell-init": (
        "dejavu shell-init bash",
        "dejavu shell-init --keys zsh",
        "dejavu shell-init --undo fish",
    ),
    "pick": ("dejavu pick",),
    "mcp": ("dejavu mcp",),
    "hook": ("dejavu hook capture --agent claude",),
    "daemon": ("dejavu daemon --status", "dejavu daemon --stop"),
    "redact": ("echo 'AKIAIOSFODNN7EXAMPLE' | dejavu redact",),
    "replay": ("dejavu replay session.cast", "dejavu replay session.cast --agent demo --json"),
    "explain": (
        "dejavu explain screen.txt --agent claude",
        "dejavu explain session.cast --at 12.5",
    ),
    "packs": ("dejavu packs learn claude",),
    "capture-screen": ("dejavu capture-screen api asks-for-a-command",),
}

for _extension in parts("commands"):
    EXAMPLES.update(_extension.EXAMPLES)
