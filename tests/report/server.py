"""An MCP client of a few lines: starts the server and calls its tools."""
import json
import subprocess


class Server:
    def __init__(self, *command, capabilities=None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.last_id = 0
        self.ask(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities or {},
                "clientInfo": {"name": "check-report", "version": "1"},
            },
        )

    def ask(self, method, params):
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.last_id:
                return answer["result"]

    def result(self, tool, **arguments):
        """Returns the whole answer; a tool that fails ends the check."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise SystemExit(f"{tool}: {result['content'][0]['text']}")
        return result

    def call(self, tool, **arguments):
        """Returns the structured answer."""
        return self.result(tool, **arguments)["structuredContent"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
