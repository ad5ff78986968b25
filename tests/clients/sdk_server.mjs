// The baseline of `make bench`: an MCP server with the TypeScript SDK v1 that only answers, with the
// list of tools that it gets.
//
// node sdk_server.mjs TOOLS.json
import { readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const { tools } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const server = new Server({ name: "baseline", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [{ type: "text", text: "ok" }] }));
await server.connect(new StdioServerTransport());
