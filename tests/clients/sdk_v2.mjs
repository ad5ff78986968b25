// The TypeScript SDK v2 in one of its modes. auto and pin first ask another process of the server,
// which they kill, and then open the real one with a plain request.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cancelRecording, connectTo, playWith, watchRecording } from "./scenario.mjs";

const modes = { legacy: "legacy", auto: "auto", pin: { pin: "2026-07-28" } };

export const in_mode = (mode) => async (server, world) => {
  const client = new Client(
    { name: "check", version: "1" },
    { versionNegotiation: { mode: modes[mode] }, capabilities: { elicitation: {} } },
  );
  const asked = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    const session = params.requestedSchema.properties.session.oneOf.at(-1).const;
    asked.push(session);
    return { action: "accept", content: { session } };
  });
  const errors = await connectTo(client, StdioClientTransport, server);
  try {
    const result = await playWith(
      client,
      (name, args) => client.callTool({ name, arguments: args }, { timeout: 120000 }),
      world,
    );
    await assert.rejects(client.callTool({ name: "rr_continu", arguments: {} }), /rr_continue/);
    const ticks = await watchRecording(
      (name, args, onprogress) => client.callTool({ name, arguments: args }, { onprogress }),
      world,
    );
    await cancelRecording(
      (name, args, signal) => client.callTool({ name, arguments: args }, { signal }),
      world,
    );
    await chooseSession((name, args) => client.callTool({ name, arguments: args }), world, asked, mode);
    assert.deepEqual(errors, []);
    return { ...result, ticks, asked: asked.length };
  } finally {
    await client.close();
  }
};

// With two sessions open, and the one that was used last closed, the user is asked which one a call
// means. A client of the earlier revisions gets the error instead.
async function chooseSession(call, { program, traces }, asked, mode) {
  const { structuredContent: recorded } = await call("rr_record", {
    command: [program],
    trace_dir: `${traces}/chosen-${Math.random().toString(36).slice(2)}`,
  });
  const open = async () =>
    (await call("rr_replay_start", { trace_dir: recorded.trace_dir })).structuredContent.session;
  const sessions = [await open(), await open(), await open()];
  await call("rr_replay_stop", { session: sessions[2] });
  const points = await call("rr_breakpoint_list", {});
  if (mode === "legacy") {
    assert.equal(points.structuredContent.code, "ambiguous_session");
    assert.equal(asked.length, 0);
  } else {
    assert.equal(asked.length, 1);
    assert.ok(sessions.slice(0, 2).includes(asked[0]), asked[0]);
    assert.equal(points.structuredContent.session, asked[0]);
  }
  for (const session of sessions.slice(0, 2)) await call("rr_replay_stop", { session });
}
