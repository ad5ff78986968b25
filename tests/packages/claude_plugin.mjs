// Claude Code with the plugin and a scripted model on loopback. The model's first turn runs a program
// that crashes; the second hands the crash to the plugin's investigator, a sub-agent, and the third ends.
// Returns what the model got in each.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { serveModel, startClaude } from "./claude.mjs";

export async function runScripted({ claude, plugin, server, program, home }) {
  mkdirSync(home, { recursive: true });
  copyFileSync(program, `${home}/crash`);
  const seen = { first: "", tools: [], afterCrash: "", investigator: [] };

  const model = serveModel(async (body) => {
    if (!(body.tools ?? []).some((tool) => tool.name === "Bash")) return { type: "text", text: "ok" };
    const said = JSON.stringify(body);
    if (said.includes("You find the cause of one failure of a native program")) {
      seen.investigator = body.tools.map((tool) => tool.name);
      return { type: "text", text: "found" };
    }
    if (!said.includes('"tool_use_id":"toolu_1"')) {
      seen.first = said;
      seen.tools = body.tools.map((tool) => tool.name);
      return { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "./crash", description: "Run it" } };
    }
    if (said.includes('"tool_use_id":"toolu_2"')) return { type: "text", text: "done" };
    seen.afterCrash = said;
    const name = body.tools.map((tool) => tool.name).find((tool) => /^(Agent|Task)$/.test(tool));
    return {
      type: "tool_use",
      id: "toolu_2",
      name,
      input: { subagent_type: "rr-warden:rr-investigator", description: "Find it", prompt: "Find why ./crash crashes." },
    };
  });
  const child = await startClaude(
    claude,
    model,
    home,
    ["-p", "Run it.", "--plugin-dir", plugin, "--allowedTools", "Bash,Agent,Task", "--output-format", "json"],
    { path: `${dirname(server)}:${process.env.PATH}` },
  );
  const code = await child.ended;
  await child.stop();
  if (code !== 0) throw new Error(`claude ended with ${code}: ${child.said()}`);
  return seen;
}
