// Claude Code with a scripted model on loopback: the script plays the model's part of the scenario
// and checks what the model gets: the tools, and each answer in the client's words.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { endGroup, startGroup } from "./processes.mjs";
import { playScenario } from "./scenario.mjs";

export const prefix = "mcp__rr-warden__";

// A model that answers what next(request) returns: a tool call, or a final text.
export function serveModel(next) {
  return createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      if (!request.url.startsWith("/v1/messages") || request.url.includes("count_tokens")) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ input_tokens: 1 }));
        return;
      }
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const block = await next(body);
      const message = {
        id: `msg_${Math.random().toString(36).slice(2)}`,
        type: "message",
        role: "assistant",
        model: body.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      };
      const isCall = block.type === "tool_use";
      const reason = isCall ? "tool_use" : "end_turn";
      if (!body.stream) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ ...message, content: [block], stop_reason: reason }));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = (type, data) =>
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
      event("message_start", { message });
      event("content_block_start", {
        index: 0,
        content_block: isCall ? { ...block, input: {} } : { type: "text", text: "" },
      });
      event("content_block_delta", {
        index: 0,
        delta: isCall
          ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
          : { type: "text_delta", text: block.text },
      });
      event("content_block_stop", { index: 0 });
      event("message_delta", {
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 1 },
      });
      event("message_stop", {});
      response.end();
    });
  });
}

// Runs claude with a model from serveModel: `ended` gives its exit code, `said` its output. With `input` "pipe",
// `type` gives it input; `path` is its PATH.
export async function startClaude(claude, model, home, args, { input = "ignore", path = process.env.PATH } = {}) {
  await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));
  const child = startGroup(claude, args, {
    cwd: home,
    env: {
      PATH: path,
      HOME: home,
      TERM: "dumb",
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.address().port}`,
      ANTHROPIC_API_KEY: "none",
      ENABLE_TOOL_SEARCH: "false",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      MCP_TIMEOUT: "60000",
    },
    stdio: [input, "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  child.stderr.on("data", (chunk) => (said += chunk));
  return {
    ended: new Promise((resolve) => child.on("exit", resolve)),
    said: () => said.slice(0, 2000),
    type: (text) => child.stdin.write(text),
    stop: async () => {
      await endGroup(child);
      model.closeAllConnections();
      model.close();
    },
  };
}

export const wordsOf = (content) =>
  typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");

export async function run(server, world) {
  const home = `${world.scratch}/claude`;
  mkdirSync(home, { recursive: true });
  writeFileSync(
    `${home}/mcp.json`,
    JSON.stringify({
      mcpServers: { "rr-warden": { command: server[0], args: server.slice(1) } },
    }),
  );

  // The scenario asks; the model's turns answer it, one call a turn.
  let offer, wanted, tools;
  const turns = [];
  const wantTurn = () => new Promise((resolve) => (wanted = resolve));
  const asked = () =>
    turns.length > 0 ? Promise.resolve(turns.shift()) : new Promise((resolve) => (offer = resolve));
  const toolsKnown = new Promise((resolve) => (tools = resolve));
  let calls = 0;

  const model = serveModel(async (body) => {
    const ours = (body.tools ?? []).filter((tool) => tool.name.startsWith(prefix));
    if (ours.length === 0) return { type: "text", text: "ok" }; // titles and the like
    tools(ours.map((tool) => tool.name.slice(prefix.length)));
    // Not always in the last message: the client appends reminders of its own.
    const result = body.messages
      .flatMap((message) => (Array.isArray(message.content) ? message.content : []))
      .find((part) => part.type === "tool_result" && part.tool_use_id === `toolu_${calls}`);
    if (result && wanted) {
      const resolve = wanted;
      wanted = undefined;
      resolve({ isError: result.is_error ?? false, text: wordsOf(result.content) });
    }
    const turn = await asked();
    if (!turn) return { type: "text", text: "done" };
    return {
      type: "tool_use",
      id: `toolu_${++calls}`,
      name: prefix + turn.name,
      input: turn.args,
    };
  });
  const claude = await startClaude(world.claude, model, home, [
    ...["-p", "Debug it.", "--mcp-config", `${home}/mcp.json`, "--strict-mcp-config"],
    ...["--allowedTools", "mcp__rr-warden", "--output-format", "json"],
  ]);
  const tooEarly = claude.ended.then((code) => {
    throw new Error(`claude ended with ${code}: ${claude.said()}`);
  });
  tooEarly.catch(() => {});

  const hand = (turn) => {
    if (offer) {
      const resolve = offer;
      offer = undefined;
      resolve(turn);
    } else turns.push(turn);
  };
  try {
    const client = {
      list: () => Promise.race([toolsKnown, tooEarly]),
      call: (name, args) => {
        const answer = wantTurn();
        hand({ name, args });
        return Promise.race([answer, tooEarly]);
      },
    };
    const result = await playScenario(client, world);
    // Takes so long that the call becomes a task if the client supports tasks. Claude Code does so only
    // if Anthropic has switched them on; the model gets the result in either case.
    const slept = await client.call("rr_record", {
      command: ["/bin/sleep", "8"],
      trace_dir: `${world.traces}/slept`,
    });
    assert.ok(!slept.isError, slept.text);
    assert.equal(JSON.parse(slept.text).exit_code, 0, slept.text);
    hand(null);
    assert.equal(await claude.ended, 0, claude.said());
    return { ...result, calls };
  } finally {
    await claude.stop();
  }
}
