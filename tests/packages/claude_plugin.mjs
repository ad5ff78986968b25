// Claude Code with the plugin and a scripted model on loopback. The model's first turn runs a program
// that crashes; the second ends. Returns what the model got in each.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { serveModel, startClaude } from "./claude.mjs";

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
  const child = await startClaude(
    claude,
    model,
    home,
    ["-p", "Run it.", "--plugin-dir", plugin, "--allowedTools", "Bash", "--output-format", "json"],
    `${dirname(server)}:${process.env.PATH}`,
  );
  const code = await child.ended;
  await child.stop();
  if (code !== 0) throw new Error(`claude ended with ${code}: ${child.said()}`);
  return seen;
}
