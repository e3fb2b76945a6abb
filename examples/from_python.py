"""The same with the Python client: run an agent, answer what it asks, print its last message.

dejavu serve &
python examples/from_python.py "Fix the failing test" claude
"""

import sys

from dejavu.client import Client

prompt, *command = sys.argv[1:]
client = Client()
client.start(command, name="it", size="120x40")
client.wait("it", "idle", timeout=120)
client.send("it", prompt)
while (now := client.wait("it", "idle", "error", "blocked"))["state"] == "blocked":
    client.answer("it", 1, asked=now["blocked"])
client.stop("it")  # its session file is read to the end
print(client.session("it")["last_words"])
