// Checks every line from the server against the specification's JSON schema of the connection's
// revision. The schemas come from the conformance suite's bundle. It lacks 2024-11-05, whose lines are
// checked against 2025-06-18, of which it is a subset.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isCreateTaskResultV2, isDetailedTaskV2 } from "@modelcontextprotocol/ext-tasks/core/v2";

// The object literal that starts at `start` of a script.
function literalAt(script, start) {
  let depth = 0;
  for (let at = start; at < script.length; at++) {
    const byte = script[at];
    if (byte === "`" || byte === '"' || byte === "'") {
      for (at++; script[at] !== byte; at++) if (script[at] === "\\") at++;
    } else if (byte === "{") depth++;
    else if (byte === "}" && --depth === 0) return script.slice(start, at + 1);
  }
  throw new Error("an object without an end");
}

// Something that only one revision has. The first match names a schema that was found in the bundle.
const marks = [
  ["2026-07-28", (names) => "DiscoverRequest" in names],
  ["2025-11-25", (names) => "TaskStatus" in names],
  ["2025-06-18", (names) => "ResourceLink" in names],
];

export function loadSchemas(folder) {
  const script = readFileSync(
    `${folder}/node_modules/@modelcontextprotocol/conformance/dist/index.js`,
    "utf8",
  );
  const schemas = {};
  for (const match of script.matchAll(/[=,]\{\$schema:`[^`]*json-schema.org[^`]*`,(\$defs|definitions):\{/g)) {
    const schema = new Function(`return ${literalAt(script, match.index + 1)}`)();
    const names = schema.$defs ?? schema.definitions;
    const mark = marks.find(([, fits]) => fits(names));
    if (names.JSONRPCNotification && mark && !schemas[mark[0]]) schemas[mark[0]] = schema;
  }
  for (const [revision] of marks) assert.ok(schemas[revision], `no schema for ${revision}`);
  return schemas;
}

// What the answer to a method must be, in every revision.
const results = {
  initialize: "InitializeResult",
  ping: "EmptyResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
};
// The same for the extensions, which the specification's schemas do not contain: predicates.
const extended = {
  "tasks/get": isDetailedTaskV2,
  "tasks/update": (result) => result.resultType === "complete",
  "tasks/cancel": (result) => result.resultType === "complete",
  "skills/list": (result) => result.skills.every(isSkill) && isCacheable(result),
  "skills/get": (result) => isSkill(result.skill) && isCacheable(result),
};
const isCacheable = (result) => result.ttlMs >= 0 && ["public", "private"].includes(result.cacheScope);
const isSkill = ({ uri, frontmatter, resources }) =>
  frontmatter.name && frontmatter.description && resources[0].uri === uri &&
  resources.every(({ digest, size }) => /^sha256:[0-9a-f]{64}$/.test(digest) && size > 0);
const notifications = {
  "notifications/progress": "ProgressNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
};

// JavaScript reads numbers as doubles, so integers beyond 2^53 are no longer exact here.
function assertWhole(value, at = "") {
  if (typeof value === "number")
    assert.ok(!Number.isInteger(value) || Number.isSafeInteger(value), `${at} is ${value}`);
  else if (value && typeof value === "object")
    for (const [key, part] of Object.entries(value)) assertWhole(part, `${at}.${key}`);
}

export class Wire {
  constructor(schemas) {
    this.validators = {};
    for (const [revision, schema] of Object.entries(schemas)) {
      const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
      addFormats(ajv);
      ajv.addSchema({ ...schema, $schema: undefined, $id: revision });
      this.validators[revision] = (name, value) => {
        const place = schema.$defs ? "$defs" : "definitions";
        const validate = ajv.getSchema(`${revision}#/${place}/${name}`);
        assert.ok(validate, `${revision} has no ${name}`);
        assert.ok(validate(value), `${name} of ${revision}: ${ajv.errorsText(validate.errors)}`);
      };
    }
  }

  // Checks one connection's record. Returns how many lines the server wrote, and how the client opened.
  check(path) {
    const asked = new Map();
    const cancelled = new Set();
    const ticks = new Map();
    let era = "2025-11-25";
    let lines = 0;
    let opening;
    let tasks = 0;
    for (const entry of readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line))) {
      if (entry.from === "client") {
        const message = JSON.parse(entry.line);
        const key = JSON.stringify(message.id);
        const meta = message.params?._meta ?? {};
        if (message.method === "notifications/cancelled")
          cancelled.add(JSON.stringify(message.params.requestId));
        opening ??= `${message.method} ${meta["io.modelcontextprotocol/protocolVersion"] ?? message.params?.protocolVersion ?? ""}`;
        if (message.id !== undefined)
          asked.set(key, {
            method: message.method,
            revision: meta["io.modelcontextprotocol/protocolVersion"],
            token: meta.progressToken,
          });
        continue;
      }
      if (entry.from !== "server") continue;
      lines++;
      assert.ok(!entry.cut, `the server ended within a line: ${entry.line.slice(0, 200)}`);
      const message = JSON.parse(entry.line);
      assert.equal(message.jsonrpc, "2.0");
      assertWhole(message);
      if (message.method) {
        assert.equal(message.id, undefined, "the server asked the client something");
        assert.ok(notifications[message.method], `an unexpected ${message.method}`);
        this.validate(era, notifications[message.method], message);
        if (message.method === "notifications/progress") {
          const { progressToken, progress } = message.params;
          const key = [...asked].find(([, request]) => request.token === progressToken)?.[0];
          assert.ok(key, "progress nobody asked for, or after its answer");
          assert.ok(!cancelled.has(key), "progress after a cancel");
          assert.ok(progress > (ticks.get(progressToken) ?? -Infinity), "progress that does not rise");
          ticks.set(progressToken, progress);
        }
        continue;
      }
      const key = JSON.stringify(message.id);
      const request = asked.get(key);
      assert.ok(!cancelled.has(key), `an answer after a cancel: ${entry.line.slice(0, 200)}`);
      assert.ok(request, `an answer to nothing: ${entry.line.slice(0, 200)}`);
      asked.delete(key);
      ticks.delete(request.token);
      if (message.error) {
        assert.ok(Number.isInteger(message.error.code) && message.error.message);
        continue;
      }
      if (request.method === "initialize") era = message.result.protocolVersion;
      const isExtended =
        message.result.resultType === "task" ? isCreateTaskResultV2 : extended[request.method];
      if (message.result.resultType === "task") tasks++;
      if (isExtended) assert.ok(isExtended(message.result), `${request.method}: ${entry.line}`);
      else if (message.result.resultType === "input_required")
        this.validate(request.revision ?? era, "InputRequiredResult", message.result);
      else this.validate(request.revision ?? era, results[request.method], message.result);
    }
    return { lines, opening, tasks };
  }

  validate(revision, name, value) {
    (this.validators[revision] ?? this.validators["2025-06-18"])(name, value);
  }
}
