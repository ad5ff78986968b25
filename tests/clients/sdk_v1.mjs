// The TypeScript SDK v1. It validates structured content against output schemas by itself, and
// reports unexpected messages (such as progress after the answer) through onerror.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { cancelRecording, connectTo, playWith, watchRecording } from "./scenario.mjs";

export async function run(server, world) {
  const client = new Client({ name: "check", version: "1" });
  const errors = await connectTo(client, StdioClientTransport, server);
  try {
    const result = await playWith(
      client,
      (name, args) => client.callTool({ name, arguments: args }, undefined, { timeout: 120000 }),
      world,
    );
    await assert.rejects(client.callTool({ name: "rr_continu", arguments: {} }), /rr_continue/);
    await client.ping();
    const ticks = await watchRecording(
      (name, args, onprogress) => client.callTool({ name, arguments: args }, undefined, { onprogress }),
      world,
    );
    await cancelRecording(
      (name, args, signal) => client.callTool({ name, arguments: args }, undefined, { signal }),
      world,
    );
    assert.deepEqual(errors, []);
    return { ...result, ticks, server: client.getServerVersion().version };
  } finally {
    await client.close();
  }
}
