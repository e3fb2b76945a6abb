"""OpenCode: everything that is known of this agent but its screen."""

from ..agent import Agent, EventServer

AGENT = Agent(
    name="opencode",
    title="OpenCode",
    executables=("opencode",),
    install="npm install -g opencode-ai",
    resume=("opencode", "-s"),
    begin=("opencode", "--prompt"),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=("data:opencode",),
    history=(
        "the database of 2.x and of 1.x, live, and both trees of JSON files before it; merged by id"
    ),
    moved_by=(
        "XDG_DATA_HOME",
        "OPENCODE_DB",
    ),
    stream="stream:STREAM",
    hooks="hooks:HOOK",
    guard_form="output",
    integration="integration:INTEGRATION",
    base_url_refusal=(
        "its base URLs stand in opencode.json; set `options.baseURL` of the provider there"
    ),
    event_server=EventServer(
        # The first tells of all folders that clients work in, the second of the server's own.
        paths=("/global/event", "/event"),
        password="OPENCODE_SERVER_PASSWORD",  # noqa: S106 - the variable's name
        user="OPENCODE_SERVER_USERNAME",
    ),
    tested="1.18.33",
)
