// Claude Code as a person uses it: in a terminal, where it takes tasks. A call that runs long goes into the
// background, the conversation goes on, and the result comes as a turn of its own. (claude.mjs has `claude
// -p`, which takes none.)
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { prefix, serveModel, startClaude, wordsOf } from "./claude.mjs";

const KEY = "none";
const CALL = "toolu_slept";

// What Claude Code asks at its first start: theme, key, and whether this folder is trusted.
function answerBeforehand(home) {
  writeFileSync(
    `${home}/.claude.json`,
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: [KEY], rejected: [] },
      projects: { [home]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }),
  );
}

// Everything that the model is told, in order, with the call that it answers.
function textsOf(body) {
  return body.messages.flatMap(({ content }) =>
    (typeof content === "string" ? [{ text: content }] : content).map((part) => ({
      call: part.tool_use_id,
      text: part.text ?? wordsOf(part.content ?? ""),
    })),
  );
}

export async function run(server, world) {
  const home = `${world.scratch}/terminal`;
  mkdirSync(home, { recursive: true });
  const trace = `${world.traces}/slept`;
  answerBeforehand(home);
  writeFileSync(
    `${home}/mcp.json`,
    JSON.stringify({
      mcpServers: {
        "rr-warden": { command: server[0], args: [...server.slice(1), "--task-after=1"] },
      },
    }),
  );

  let claude, waiting, reached;
  let asked = false;
  const told = new Promise((resolve) => (reached = resolve));
  // The terminal takes a question before it knows the server's tools: then it is asked again.
  const askAgain = () => asked || claude.type("Debug it.\r");
  const model = serveModel((body) => {
    if (!(body.tools ?? []).some((tool) => tool.name.startsWith(prefix))) {
      clearTimeout(waiting);
      waiting = setTimeout(askAgain, 2000);
      return { type: "text", text: "ok" }; // also for titles and the like
    }
    const texts = textsOf(body);
    const later = texts.find(({ call, text }) => call === undefined && text.includes("exit_code"));
    if (later) reached({ atOnce: texts.find(({ call }) => call === CALL).text, later: later.text });
    if (asked) return { type: "text", text: "I wait for it." };
    asked = true;
    const input = { command: ["/bin/sleep", "4"], trace_dir: trace };
    return { type: "tool_use", id: CALL, name: `${prefix}rr_record`, input };
  });
  // A terminal of its own.
  const words = [
    ...[world.claude, "--mcp-config", `${home}/mcp.json`, "--strict-mcp-config"],
    ...["--allowedTools", "mcp__rr-warden", "--", "Debug it."],
  ].map((word) => `'${word}'`);
  const terminal = ["-qefc", `stty cols 120 rows 40; exec ${words.join(" ")}`, "/dev/null"];
  claude = await startClaude("script", model, home, terminal, { input: "pipe" });
  const tooEarly = claude.ended.then((code) => {
    throw new Error(`claude ended with ${code}: ${claude.said()}`);
  });
  tooEarly.catch(() => {});
  try {
    const tooLate = new Promise((_, reject) =>
      setTimeout(() => reject(new Error(`no result: ${claude.said()}`)), 120000).unref(),
    );
    const { atOnce, later } = await Promise.race([told, tooEarly, tooLate]);
    assert.match(atOnce, /moved to the background/);
    assert.ok(later.includes(trace), later);
    assert.match(later, /"exit_code":\s*0\b/);
    return { calls: 1 };
  } finally {
    clearTimeout(waiting);
    await claude.stop();
  }
}
