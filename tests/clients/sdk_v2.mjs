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
    { versionNegotiation: { mode: modes[mode] } },
  );
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
    assert.deepEqual(errors, []);
    return { ...result, ticks };
  } finally {
    await client.close();
  }
};
