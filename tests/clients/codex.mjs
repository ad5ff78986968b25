// Codex's app-server: real tool calls without a model, in a home of its own.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { endGroup, startGroup } from "./processes.mjs";
import { plain, playScenario } from "./scenario.mjs";

// A JSON-RPC peer on the app-server's stdio.
export function connect(codex, home) {
  const child = startGroup(codex, ["app-server"], {
    env: { ...process.env, HOME: home, CODEX_HOME: home },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map();
  let last = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.id !== undefined && waiting.has(message.id) && !message.method) {
      const { resolve, reject } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    }
  });
  const send = (message) => child.stdin.write(JSON.stringify(message) + "\n");
  return {
    notify: (method) => send({ method }),
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        send({ id: last, method, params });
      }),
    end: () => endGroup(child),
  };
}

export async function run(server, world) {
  const home = `${world.scratch}/codex`;
  mkdirSync(home, { recursive: true });
  writeFileSync(
    `${home}/config.toml`,
    `[mcp_servers.rr-warden]\ncommand = ${JSON.stringify(server[0])}\n` +
      `args = ${JSON.stringify(server.slice(1))}\ntool_timeout_sec = 120\n`,
  );
  const codex = connect(`${world.bin}/codex`, home);
  try {
    await codex.ask("initialize", { clientInfo: { name: "check", title: "check", version: "1" } });
    codex.notify("initialized");
    const started = await codex.ask("thread/start", { cwd: world.scratch, ephemeral: true });
    const threadId = started.thread.id;
    return await playScenario(
      {
        list: async () => {
          const { data } = await codex.ask("mcpServerStatus/list", { threadId });
          const status = data.find((entry) => entry.name === "rr-warden");
          assert.ok(status, "codex does not know the server");
          return Object.keys(status.tools);
        },
        call: async (tool, args) =>
          plain(
            await codex.ask("mcpServer/tool/call", {
              threadId,
              server: "rr-warden",
              tool,
              arguments: args,
            }),
          ),
      },
      world,
    );
  } finally {
    await codex.end();
  }
}
