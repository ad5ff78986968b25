// Checks packaging/claude-plugin against the real server, and in the hosts that load it.
//
//   node plugin.mjs SERVER CRASHING-PROGRAM VERSION PLUGIN [PATH/claude] [PATH/codex] [PATH/gemini]
//
// Every call that a skill shows is checked against the tool's own schema; every rr_ name anywhere in
// the plugin must be a tool. With a path to Claude Code or Gemini CLI, that host validates and loads
// the plugin. Claude Code runs with a scripted model on loopback, which runs a crashing command and
// looks for the hook's message.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import Ajv from "ajv";
import { connect } from "./codex.mjs";
import { runScripted } from "./claude_plugin.mjs";
import { removeFolder } from "./processes.mjs";

const PREFIX = "mcp__plugin_rr-warden_rr__"; // as Claude Code names the tools of the plugin's server

const [server, program, version, plugin, ...hosts] = process.argv.slice(2);
const read = (...path) => readFileSync(join(plugin, ...path), "utf8");
const scratch = mkdtempSync(join(tmpdir(), "rr-warden-plugin-"));
let passed = 0;
let failed = 0;

async function test(name, body) {
  try {
    await body();
    passed++;
    console.log(`ok: ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED: ${name}: ${error.message}\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  }
}

async function listTools(...args) {
  const client = new Client({ name: "plugin", version: "1" });
  await client.connect(new StdioClientTransport({ command: server, args }));
  const { tools } = await client.listTools();
  await client.close();
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function filesBelow(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

const tools = await listTools();
const skills = readdirSync(join(plugin, "skills"));
const ajv = new Ajv({ strict: false, coerceTypes: false });

await test("every tool that the plugin names exists", () => {
  for (const file of filesBelow(plugin))
    for (const [name] of readFileSync(file, "utf8").matchAll(/\brr_[a-z_]+\b/g))
      assert.ok(tools.has(name), `${file}: there is no tool ${name}`);
});

await test("the investigator has the core tools, and rr_status", async () => {
  const core = await listTools("--tools=core");
  const file = read("claude", "rr-investigator.md");
  const [line, listed] = file.match(/^tools: (.*)\n/m);
  const given = listed.split(", ").filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  assert.deepEqual(given, [...core.keys(), "rr_status"]);
  // Gemini CLI takes no agent with tools of other names; its server lists the core tools.
  assert.equal(read("agents", "rr-investigator.md"), file.replace(line, ""));
});

await test("every call in a skill is one that its tool takes", () => {
  let calls = 0;
  for (const skill of skills)
    for (const [, name, json] of read("skills", skill, "SKILL.md").matchAll(/^ {7}(rr_\w+) (\{.*\})$/gm)) {
      const { additionalProperties: _, ...schema } = tools.get(name).inputSchema;
      const takes = ajv.compile({ ...schema, additionalProperties: false });
      assert.ok(takes(JSON.parse(json)), `${skill}: ${name} ${json}: ${ajv.errorsText(takes.errors)}`);
      calls++;
    }
  assert.ok(calls >= 30, `only ${calls} calls found`);
});

await test("every skill has a name and a description that hosts accept", () => {
  assert.deepEqual(skills, ["debug-crash", "find-corruption", "find-deadlock", "find-race", "flaky-test", "wrong-output"]);
  for (const skill of skills) {
    const [, name, description] = read("skills", skill, "SKILL.md").match(/^---\nname: (.*)\ndescription: (.*)\n---\n/);
    assert.equal(name, skill);
    assert.ok(description.length <= 500, `${skill}: ${description.length} characters`);
    assert.ok(!description.includes(": "), `${skill}: YAML takes ": " for a key`);
  }
});

await test("the versions are the release's", () => {
  for (const path of [[".claude-plugin", "plugin.json"], ["gemini-extension.json"]])
    assert.equal(JSON.parse(read(...path)).version, version, path.join("/"));
});

// Gemini puts every tool before its model.
await test("Gemini gets the short list of tools, as from `rr-warden config gemini`", () => {
  const { stdout } = spawnSync(server, ["config", "gemini"], { encoding: "utf8" });
  const { args } = JSON.parse(stdout.slice(stdout.indexOf("{"))).mcpServers.rr;
  assert.deepEqual(JSON.parse(read("gemini-extension.json")).mcpServers.rr.args, args);
});

// What the hook reads, and whether it prints a message.
const hook = join(plugin, "hooks", "notice-crash.sh");
const failure = (command, error) => ({ hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: { command }, error });
const success = (command, stdout, stderr = "") => ({
  hook_event_name: "PostToolUse",
  tool_name: "Bash",
  tool_input: { command },
  tool_response: { stdout, stderr, interrupted: false },
});
const events = [
  [true, failure("./app", "Exit code 139\n/bin/bash: line 1: 4711 Segmentation fault      (core dumped) ./app")],
  [true, failure("./app", "Exit code 134\nfree(): invalid pointer")],
  [true, failure("make test", "Exit code 2\n==12==ERROR: AddressSanitizer: heap-use-after-free")],
  [true, success("./app || true", "", "Segmentation fault (core dumped)")],
  [true, success("ctest", '1/1 Test #1: app ...***Exception: SegFault\n "quoted" SIGSEGV')],
  [false, failure("./app", "Exit code 1\nusage: app FILE")],
  [false, success("grep -rn 'Segmentation fault' docs", "docs/a.md:1: Segmentation fault")],
  [false, success("echo Segmentation fault >/dev/null", "")],
  [false, success("make", "all done")],
  [false, { hook_event_name: "Stop" }],
];
await test("the hook speaks about crashes, and about nothing else", () => {
  for (const [speaks, event] of events) {
    const { status, stdout } = spawnSync("sh", [hook], { input: JSON.stringify(event), encoding: "utf8" });
    assert.equal(status, 0);
    assert.equal(stdout !== "", speaks, JSON.stringify(event));
    if (!speaks) continue;
    const said = JSON.parse(stdout).hookSpecificOutput;
    assert.equal(said.hookEventName, event.hook_event_name);
    assert.match(said.additionalContext, /rr_record/);
  }
});
await test("the hook survives what is not JSON, and what is long", () => {
  for (const input of ["", "{", "\0\xff", `${"x".repeat(3000000)}"error":"Segmentation fault"`])
    assert.equal(spawnSync("sh", [hook], { input }).status, 0);
});

const loaders = {
  claude: async (path) => {
    const run = (...args) => execFileSync(path, args, { env: { ...process.env, HOME: scratch }, encoding: "utf8" });
    run("plugin", "validate", "--strict", plugin);
    run("plugin", "validate", "--strict", join(plugin, ".claude-plugin", "plugin.json"));
    run("plugin", "marketplace", "add", plugin);
    run("plugin", "install", "rr-warden@rr-warden");
    assert.match(run("plugin", "list"), /rr-warden@rr-warden/);
    const seen = await runScripted({ claude: path, plugin, server, program, home: join(scratch, "claude") });
    for (const skill of skills) assert.match(seen.first, new RegExp(`rr-warden:${skill}`), skill);
    assert.match(seen.first, /rr-investigator/);
    assert.ok(seen.tools.includes(`${PREFIX}rr_record`), seen.tools.join(" "));
    assert.ok(seen.investigator.includes(`${PREFIX}rr_origin_of`), seen.investigator.join(" "));
    assert.ok(!seen.investigator.includes(`${PREFIX}rr_registers`), seen.investigator.join(" "));
    assert.match(seen.afterCrash, /A native program crashed in this command/);
  },
  codex: async (path) => {
    const home = join(scratch, "codex");
    cpSync(join(plugin, "skills"), join(home, ".agents", "skills"), { recursive: true });
    const codex = connect(path, home);
    try {
      await codex.ask("initialize", { clientInfo: { name: "check", title: "check", version: "1" } });
      codex.notify("initialized");
      const { data } = await codex.ask("skills/list", { cwds: [home] });
      assert.deepEqual(data.flatMap((entry) => entry.errors), []);
      const names = data.flatMap((entry) => entry.skills.map((skill) => skill.name));
      for (const skill of skills) assert.ok(names.includes(skill), `codex knows ${names}`);
    } finally {
      await codex.end();
    }
  },
  gemini: (path) => {
    const home = join(scratch, "gemini");
    cpSync(plugin, join(home, "plugin"), { recursive: true });
    mkdirSync(join(home, ".gemini"));
    writeFileSync(join(home, ".gemini", "trustedFolders.json"), JSON.stringify({ [home]: "TRUST_FOLDER" }));
    const run = (...args) => {
      const { status, stdout, stderr } = spawnSync(path, args, {
        cwd: home,
        env: { ...process.env, HOME: home, PATH: `${dirname(server)}:${process.env.PATH}`, GEMINI_API_KEY: "none" },
        encoding: "utf8",
        timeout: 60000,
      });
      assert.equal(status, 0, stdout + stderr);
      return stdout + stderr;
    };
    run("extensions", "validate", join(home, "plugin"));
    run("extensions", "install", "--consent", join(home, "plugin"));
    const listed = run("extensions", "list");
    assert.doesNotMatch(listed, /Error loading|Invalid hook/, listed);
    for (const skill of skills) assert.match(listed, new RegExp(`${skill}: `));
    assert.match(run("mcp", "list"), /rr \(from rr-warden\).* Connected/);
  },
};
for (const host of hosts) {
  const name = basename(host);
  if (!existsSync(host)) {
    console.log(`skipped: ${host} could not be installed`);
    continue;
  }
  await test(`${name} validates and loads the plugin`, () => loaders[name](host));
}

await removeFolder(scratch);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
