// Claude Code with the plugin and a scripted model on loopback. The model's first turn runs a program
// that crashes; the second ends. Answers what the model was given in each.
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { serveModel } from "./claude.mjs";

export async function runScripted({ claude, plugin, server, program, home }) {
  mkdirSync(home, { recursive: true });
  copyFileSync(program, `${home}/crash`);
  const seen = { first: "", tools: [], afterCrash: "" };

  const model = serveModel(async (body) => {
    if (!(body.tools ?? []).some((tool) => tool.name === "Bash")) return { type: "text", text: "ok" };
    const said = JSON.stringify(body);
    if (!said.includes('"tool_use_id":"toolu_1"')) {
      seen.first = said;
      seen.tools = body.tools.map((tool) => tool.name);
      return { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "./crash", description: "Run it" } };
    }
    seen.afterCrash = said;
    return { type: "text", text: "done" };
  });
  await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));

  const child = spawn(
    claude,
    ["-p", "Run it.", "--plugin-dir", plugin, "--allowedTools", "Bash", "--output-format", "json"],
    {
      cwd: home,
      env: {
        PATH: `${dirname(server)}:${process.env.PATH}`,
        HOME: home,
        TERM: "dumb",
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.address().port}`,
        ANTHROPIC_API_KEY: "none",
        ENABLE_TOOL_SEARCH: "false",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        MCP_TIMEOUT: "60000",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  child.stderr.on("data", (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.on("exit", resolve));
  model.closeAllConnections();
  model.close();
  if (code !== 0) throw new Error(`claude ended with ${code}: ${said.slice(0, 2000)}`);
  return seen;
}
