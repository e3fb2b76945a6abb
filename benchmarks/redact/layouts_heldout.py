"""A seventh set of layouts, by another hand: files, consoles and logs as developers see them.

Data for `elsewhere.py`. Written without sight of the rules, and not tried on them. Nothing may be
tuned on it: a layout whose failure taught something leaves this module.
`HELDOUT` maps a name to a layout. `layouts_heldout_views.py` holds those that need code of their own.
"""

# ruff: noqa: E501 - a row of a program reads best as one line

import base64
import json
import random
import re
from collections.abc import Sequence
from urllib.parse import quote

from benchmarks.redact.layouts import Drawing, Layout, Line

_NAME = re.compile(
    r"^\W*(?:export |set )?([A-Za-z_][\w.-]*)\W*[=:]\s*[\\\"']*((?:Bearer |Basic )?)$"
)
_SETTINGS = (
    "NODE_ENV=production", "PORT=8080", "LOG_LEVEL=debug", "DATABASE_HOST=db1.internal", "WORKERS=4",
    "REDIS_URL=redis://cache:6379/0", "FEATURE_FLAGS=beta,search", "TZ=UTC", "AWS_REGION=eu-central-1",
    "NEXT_PUBLIC_SITE_URL=https://app.example.test", "PYTHONUNBUFFERED=1", "RUST_LOG=info,tower=warn",
    "SMTP_HOST=mail.example.test", "CACHE_TTL_SECONDS=300", "ALLOWED_HOSTS=localhost,app.example.test",
)  # fmt: skip


def cut(text: str, size: int) -> list[str]:
    """Parts of a text of so many characters; one empty part of an empty text."""
    return [text[at : at + size] for at in range(0, len(text), max(size, 1))] or [""]


def broken(rows: Sequence[str], room: int) -> list[str]:
    """The rows as a terminal of that width breaks them."""
    return [part for row in rows for part in cut(row.expandtabs(8), room)]


def as_read(rows: Sequence[str], room: int, line: Line) -> Drawing:
    """Rows in which the secret keeps its own letters."""
    return Drawing(broken(rows, room), ((line.secret, 1),))


def named(line: Line) -> tuple[str, str]:
    """The name and the value of a setting; a line that is none is the value of a note."""
    found = _NAME.match(line.before)
    if found is None or "://" in line.before:
        return "NOTE", line.text.strip()
    return found[1], found[2] + line.secret


def filled(template: str, line: Line, rng: random.Random) -> str:
    """A template with its fields filled.

    ⟨text⟩ is the whole line; ⟨name⟩ and ⟨value⟩ are its parts; ⟨json⟩ and ⟨repr⟩ are the value inside
    a string of JSON or Python; ⟨line⟩ is the whole line inside a string of JSON; ⟨secret⟩ is the
    secret alone; ⟨env⟩ is another setting; ⟨n⟩ is a number.
    """
    name, value = named(line)
    while "⟨env⟩" in template:
        template = template.replace("⟨env⟩", rng.choice(_SETTINGS), 1)
    while "⟨n⟩" in template:
        template = template.replace("⟨n⟩", str(rng.randrange(1000, 9999)), 1)
    fields = {
        "text": line.text, "name": name, "value": value, "json": json.dumps(value)[1:-1], "repr": repr(value),
        "line": json.dumps(line.text)[1:-1], "secret": line.secret,
    }  # fmt: skip
    for field, told in fields.items():
        template = template.replace(f"⟨{field}⟩", told)
    return template


def view(*templates: str, chop: bool = False) -> Layout:
    """Rows from templates, broken by the terminal or chopped by the program."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        rows = [filled(template, line, rng) for template in templates]
        if chop:
            return Drawing([row.expandtabs(8)[:room] for row in rows], ((line.secret, 1),))
        return as_read(rows, room, line)

    return draw


def _in_base64(user: str, *templates: str) -> Layout:
    """A user and the secret, as HTTP's basic authentication encodes them."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        text = base64.b64encode(f"{user}:{line.secret}".encode()).decode()
        start = -(-(len(user) + 1) * 4 // 3)
        rows = [filled(template, line, rng).replace("⟨base64⟩", text) for template in templates]
        return Drawing(broken(rows, room), ((text.rstrip("=")[start:], 4 / 3),))

    return draw


def _in_url(*templates: str) -> Layout:
    """The secret in a URL, with its signs escaped."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        text = quote(line.secret, safe="")
        rows = [filled(template, line, rng).replace("⟨url⟩", text) for template in templates]
        forms = ((text, len(text) / len(line.secret)), (line.secret, 1))
        return Drawing(broken(rows, room), forms)

    return draw


def _in_page(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Properties of a component, escaped in an attribute."""
    name, value = named(line)
    props = json.dumps({"env": {name: value, "region": "eu"}, "user": None}, separators=(",", ":"))
    escaped = props.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    rows = ["$ curl -s localhost:3000 | grep data-props", f'<div id="app" data-props="{escaped}">']
    return as_read(rows, room, line)


HELDOUT: dict[str, Layout] = {
    # Files and shells
    "cat of an env file": view("$ cat .env.production", "# app", "⟨env⟩", "⟨env⟩", "⟨text⟩", "⟨env⟩", "⟨env⟩"),
    "cat -n": view("     1\t# settings", "     2\t⟨env⟩", "     3\t⟨text⟩", "     4\t⟨env⟩"),
    "head of files": view("==> .env <==", "⟨env⟩", "⟨text⟩", "", "==> .env.example <==", "⟨env⟩"),
    "grep -rn": view("./.env.example:2:⟨env⟩", "./deploy/production/.env:14:⟨text⟩", "./docs/setup.md:88:see the vault"),
    "grep -C1": view("deploy/app.env-13-⟨env⟩", "deploy/app.env:14:⟨text⟩", "deploy/app.env-15-⟨env⟩", "--", "deploy/old.env-2-⟨env⟩"),
    "declare -x": view("declare -x HOME=\"/home/dev\"", "declare -x ⟨name⟩=\"⟨json⟩\"", "declare -x OLDPWD", "declare -x SHLVL=\"2\""),
    "history": view("  510  cd services/api", "  511  ⟨text⟩", "  512  docker compose up -d", "  513  history | tail -4"),
    "netrc": view("$ cat ~/.netrc", "machine api.example.test login deploy password ⟨secret⟩", "machine git.example.test login dev"),
    "npmrc": view("$ cat .npmrc", "save-exact=true", "//npm.example.test/:_authToken=⟨secret⟩", "fund=false"),
    "git credential fill": view("protocol=https", "host=git.example.test", "username=ci", "password=⟨secret⟩"),
    "crontab": view("# m h  dom mon dow   command", "17 3 * * * ⟨name⟩=\"⟨value⟩\" /srv/app/bin/backup >> /var/log/backup.log 2>&1", "*/5 * * * * /srv/app/bin/ping"),
    # Diffs
    "git diff of an env file": view("diff --git a/.env b/.env", "index 3f1c2aa..9b04e1d 100644", "--- a/.env", "+++ b/.env", "@@ -3,7 +3,7 @@", " ⟨env⟩", "-⟨name⟩=changeme", "+⟨text⟩", " ⟨env⟩"),
    "git add -p": view("@@ -1,3 +1,4 @@", " ⟨env⟩", "+⟨text⟩", " ⟨env⟩", "(1/2) Stage this hunk [y,n,q,a,d,j,J,g,/,e,?]? "),
    "diff": view("14c14", "< ⟨text⟩", "---", "> ⟨name⟩=", "22a23", "> ⟨env⟩"),
    "git range-diff": view("1:  4f2c1d0 ! 1:  88ab01e config: point at the new account", "    @@ .env", "      ⟨env⟩", "     -⟨name⟩=", "    -+⟨name⟩=later", "    ++⟨text⟩", "      ⟨env⟩"),
    "notebook in a diff": view("   \"metadata\": {},", "   \"outputs\": [],", "   \"source\": [", "-    \"import os\\n\",", "+    \"⟨line⟩\\n\",", "     \"client = Client()\\n\"", "    ]"),
    # Containers and clusters
    "docker inspect --format": view("$ docker inspect -f '{{.Config.Env}}' api", "[PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin ⟨env⟩ ⟨name⟩=⟨value⟩ ⟨env⟩]"),
    "docker compose config": view("services:", "  api:", "    command:", "      - serve", "    environment:", "      ⟨name⟩: ⟨value⟩", "      TZ: UTC", "    networks:", "      default: null"),
    "kubectl get -o yaml": view("    spec:", "      containers:", "      - env:", "        - name: ⟨name⟩", "          value: '⟨value⟩'", "        - name: TZ", "          value: UTC", "        image: registry.example.test/api:1.4.2", "        imagePullPolicy: IfNotPresent"),
    "kubectl get -o json": view('            "env": [', "                {", '                    "name": "⟨name⟩",', '                    "value": "⟨json⟩"', "                },", "                {", '                    "name": "TZ",', '                    "value": "UTC"', "                }", "            ],"),
    "zap log": view('{"level":"info","ts":1763719200.123,"caller":"server/main.go:42","msg":"config loaded","line":"⟨line⟩","port":8080}', '{"level":"info","ts":1763719200.187,"caller":"server/main.go:57","msg":"listening","port":8080}'),
    "helm get values": view("USER-SUPPLIED VALUES:", "image:", "  tag: 1.4.2", "settings:", "  ⟨name⟩: ⟨value⟩", "replicaCount: 2"),
    "docker login file": _in_base64("ci", "$ cat ~/.docker/config.json", "{", '\t"auths": {', '\t\t"registry.example.test": {', '\t\t\t"auth": "⟨base64⟩"', "\t\t}", "\t}", "}"),
    # Networks
    "basic authentication": _in_base64("deploy", "> GET /v1/items HTTP/1.1", "> Host: api.example.test", "> Authorization: Basic ⟨base64⟩", "> User-Agent: curl/8.5.0", "> Accept: */*"),
    "git remote -v": _in_url("origin\thttps://oauth2:⟨url⟩@git.example.test/group/app.git (fetch)", "origin\thttps://oauth2:⟨url⟩@git.example.test/group/app.git (push)"),
    "pip config list": _in_url("global.index-url='https://ci:⟨url⟩@pypi.example.test/simple'", "global.timeout='60'"),
    "query in an access log": _in_url('10.0.3.7 - - [21/Nov/2026:10:00:01 +0000] "GET /v1/report?from=2026-11-01&api_key=⟨url⟩ HTTP/1.1" 200 ⟨n⟩ "-" "python-requests/2.32.3"', '10.0.3.9 - - [21/Nov/2026:10:00:02 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.31"'),
    "HTTPie": view("POST /v1/items HTTP/1.1", "Accept: application/json, */*;q=0.5", "Authorization: Bearer ⟨secret⟩", "Content-Type: application/json", "Host: api.example.test", "User-Agent: HTTPie/3.2.2", "", '{"name": "ring"}'),
    "wget -d": view("---request begin---", "GET /v1/items HTTP/1.1", "Host: api.example.test", "X-Api-Key: ⟨secret⟩", "Connection: Keep-Alive", "", "---request end---"),
    "nghttp -v": view("[  0.031] send HEADERS frame <length=⟨n⟩, flags=0x25, stream_id=13>", "          ; END_STREAM | END_HEADERS | PRIORITY", "          :method: GET", "          :path: /v1/items", "          authorization: Bearer ⟨secret⟩", "          user-agent: nghttp2/1.59.0"),
    "tshark -O http": view("Hypertext Transfer Protocol", "    GET /v1/items HTTP/1.1\\r\\n", "    Host: api.example.test\\r\\n", "    Authorization: Bearer ⟨secret⟩\\r\\n", "    \\r\\n", "    [HTTP request 1/1]"),
    "socat -v": view("> 2026/11/21 10:00:01.000123456  length=⟨n⟩ from=0 to=⟨n⟩", "POST /v1/items HTTP/1.1\\r", "Host: api.example.test\\r", "Authorization: Bearer ⟨secret⟩\\r", "\\r"),
    "props of a page": _in_page,
    # Clouds and stores of settings
    "heroku config": view("=== ring-api Config Vars", "", "LANG:                en_US.UTF-8", "⟨name⟩:    ⟨value⟩", "WEB_CONCURRENCY:     2"),
    "az appsettings": view("Name                  SlotSetting    Value", "--------------------  -------------  ------------------", "WEBSITE_RUN_FROM_ZIP  False          1", "⟨name⟩  False          ⟨value⟩"),
    "ssm as text": view("PARAMETERS\tarn:aws:ssm:eu-central-1:123456789012:parameter/app/⟨name⟩\ttext\t2026-11-21T10:00:01.123000+00:00\t/app/⟨name⟩\tSecureString\t⟨value⟩\t3"),
    "Secrets Manager": view("{", '    "ARN": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:app-Qf3x1Z",', '    "Name": "app",', '    "SecretString": "{\\"⟨name⟩\\":\\"⟨value⟩\\",\\"user\\":\\"ops\\"}",', '    "VersionStages": [', '        "AWSCURRENT"', "    ]", "}"),
    "op item get": view("ID:          k3vq5zj2m4xw7nadbphre6ytuf", "Title:       ring api", "Vault:       Team (nm2x4c6q8s)", "Category:    API_CREDENTIAL", "Fields:", "  username:      ops", "  credential:    ⟨secret⟩"),
    "consul kv get": view("app/config/port:8080", "app/config/⟨name⟩:⟨value⟩", "app/config/workers:4"),
    "launchctl print": view("gui/501/com.example.ring = {", "\tstate = running", "\tenvironment = {", "\t\t⟨name⟩ => ⟨value⟩", "\t\tXPC_SERVICE_NAME => com.example.ring", "\t}", "}"),
    "reg query": view("HKEY_CURRENT_USER\\Environment", "    Path    REG_EXPAND_SZ    %USERPROFILE%\\bin", "    ⟨name⟩    REG_SZ    ⟨value⟩"),
    # Databases
    "mysql table": lambda line, room, rng: as_read([edge := "+------+" + "-" * (len(named(line)[0]) + 2) + "+" + "-" * (len(named(line)[1]) + 2) + "+", filled("| ⟨n⟩ | ⟨name⟩ | ⟨value⟩ |", line, rng), edge, "1 row in set (0.00 sec)"], room, line),
    "ClickHouse vertical": view("Row 1:", "──────", "id:         ⟨n⟩", "name:       ⟨name⟩", "value:      ⟨value⟩", "updated_at: 2026-11-21 10:00:01", "", "1 row in set. Elapsed: 0.002 sec."),
    "mongosh": view("[", "  {", "    _id: ObjectId('6560f2a19b1e8b0012a4c7d1'),", "    name: '⟨name⟩',", "    value: ⟨repr⟩,", "    updatedAt: ISODate('2026-11-21T10:00:01.123Z')", "  }", "]"),
    # Builds
    "cargo rustc-env": view("   Compiling ring v0.3.1 (/work/ring)", "     Running `/work/ring/target/debug/build/ring-1f0c2b7d9e3a4c55/build-script-build`", "[ring 0.3.1] cargo:rerun-if-changed=build.rs", "[ring 0.3.1] cargo:rustc-env=⟨name⟩=⟨value⟩"),
    "make -p": view("# environment", "⟨name⟩ = ⟨value⟩", "# default", "MAKE_COMMAND := make", "# 'override' directive", "GNUMAKEFLAGS := "),
    "cmake -LA": view("-- Cache values", "BUILD_TESTING:BOOL=ON", "⟨name⟩:STRING=⟨value⟩", "CMAKE_BUILD_TYPE:STRING=Release"),
    "bazel -s": view("SUBCOMMAND: # //app:gen [action 'Executing genrule //app:gen', mnemonic: Genrule]", "(cd /home/dev/.cache/bazel/_bazel_dev/1f0c/execroot/_main && \\", "  exec env - \\", "    ⟨name⟩='⟨value⟩' \\", "    PATH=/bin:/usr/bin:/usr/local/bin \\", "  /bin/bash -c 'source external/genrule-setup.sh; ./gen > out')"),
    "Jenkins": view("[Pipeline] sh", "+ ⟨text⟩", "+ ./deploy.sh production", "[Pipeline] }", "[Pipeline] // withEnv"),
    # Languages, tests and browsers
    "process.env": view("{", "  SHELL: '/bin/zsh',", "  ⟨name⟩: ⟨repr⟩,", "  NODE_ENV: 'development',", "  npm_lifecycle_event: 'dev'", "}"),
    "Ruby pp": view("{\"port\" => 8080,", " \"⟨name⟩\" =>", "  \"⟨json⟩\",", " \"workers\" => 4}"),
    "Laravel dump": view("array:3 [ // app/Console/Commands/Show.php:21", "  \"port\" => 8080", "  \"⟨name⟩\" => \"⟨json⟩\"", "  \"debug\" => true", "]"),
    "assert_eq!": view("thread 'config::tests::reads_env' panicked at src/config.rs:88:9:", "assertion `left == right` failed", '  left: "⟨json⟩"', ' right: ""', "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"),
    "testify": view("        Error Trace:\t/work/ring/config_test.go:31", "        Error:      \tNot equal: ", '                    \texpected: ""', '                    \tactual  : "⟨json⟩"', "        Test:       \tTestReadsEnv", "--- FAIL: TestReadsEnv (0.00s)"),
    "captured log": view("------------------------------ Captured log call -------------------------------", "INFO     ring.config:config.py:42 port 8080", "DEBUG    ring.config:config.py:57 ⟨text⟩", "=========================== short test summary info ============================"),
    "page snapshot": view('- generic [ref=e4]:', '  - heading "Settings" [level=1] [ref=e5]', '  - textbox "⟨name⟩" [ref=e9]: ⟨value⟩', '  - button "Save" [ref=e12] [cursor=pointer]'),
    "browser call log": view("TimeoutError: page.click: Timeout 30000ms exceeded.", "Call log:", "  - waiting for locator('#api-key')", '  - fill("⟨json⟩")', "  - attempting fill action", "  - waiting for element to be visible and enabled"),
    # Logs
    "Logstash": view("{", '       "message" => "⟨line⟩",', '    "@timestamp" => 2026-11-21T10:00:01.123Z,', '          "host" => {', '        "name" => "ci-4"', "    }", "}"),
    "Fluent Bit": view('[0] app.log: [[1763719200.123456789, {}], {"log"=>"⟨line⟩", "stream"=>"stdout"}]', '[1] app.log: [[1763719200.223456789, {}], {"log"=>"listening", "stream"=>"stdout"}]'),
    "execsnoop": view("PCOMM            PID     PPID    RET ARGS", "git              ⟨n⟩    812       0 /usr/bin/git status --short", "curl             ⟨n⟩    812       0 /usr/bin/curl -s -H \"X-Api-Key: ⟨secret⟩\" https://api.example.test"),
    "ps xf": view("$ ps xf -o pid,cmd", "    812 /bin/bash /srv/run", "   ⟨n⟩  \\_ ./serve --⟨name⟩=⟨value⟩ --port 8080 --workers 4", chop=True),
}  # fmt: skip
NAMELESS = {
    "git remote -v", "pip config list", "netrc", "npmrc", "git credential fill", "op item get", "basic authentication",
    "docker login file", "HTTPie", "wget -d", "nghttp -v", "tshark -O http", "socat -v", "execsnoop", "query in an access log",
}  # fmt: skip
"""Layouts that show the secret without its name, or under another one."""
