// The MCP Inspector's command line: strict mode, the three protocol eras, a call, the skills against
// their digests, a call that becomes a task, and load.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

export async function run(server, { bin, scratch }) {
  const inspect = async (before, after) => {
    const { stdout } = await execute(
      `${bin}/mcp-inspector`,
      ["--cli", ...before, ...server, ...after],
      { maxBuffer: 1 << 26, timeout: 300000 },
    );
    return stdout;
  };
  const seen = {};

  await inspect(["--strict"], ["--method", "tools/list"]);
  for (const era of ["legacy", "auto", "modern"]) {
    const output = await inspect(
      ["--protocol-era", era, "--format", "json", "-q"],
      ["--method", "tools/list"],
    );
    const answer = JSON.parse(output);
    seen[era] = (answer.tools ?? answer.result.tools).length;
  }
  assert.ok(seen.legacy >= 30 && seen.legacy === seen.auto && seen.auto === seen.modern);
  await inspect(["-q"], ["--method", "resources/list"]);
  await inspect(["-q"], ["--method", "prompts/list"]);
  const called = await inspect(
    ["--format", "json", "-q"],
    ["--method", "tools/call", "--tool-name", "rr_sessions", "--tool-args-json", "{}"],
  );
  assert.match(called, /sessions/);
  const checked = await inspect(
    ["--protocol-era", "modern", "-q"],
    ["--method", "skills/list", "--verify", "--require-digests"],
  );
  const skills = checked.trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(skills.length === 6 && skills.every((skill) => skill.outcome === "verified"), checked);
  // Takes so long that the call becomes a task, which the Inspector polls.
  const slept = JSON.parse(await inspect(
    ["--protocol-era", "modern", "--format", "json", "-q"],
    ["--method", "tools/call", "--tool-name", "rr_record", "--tool-args-json",
      JSON.stringify({ command: ["/bin/sleep", "8"], trace_dir: `${scratch}/slept` })],
  ));
  assert.equal((slept.result ?? slept).structuredContent.exit_code, 0);
  const load = JSON.parse(await inspect([], [
    ...["--method", "tools/call", "--tool-name", "rr_sessions"],
    ...["--load", "--load-requests", "500", "--load-concurrency", "20"],
  ]));
  assert.deepEqual([load.ok, load.errors, load.toolErrors], [500, 0, 0]);
  return { ...seen, skills: skills.length, load: load.ok, p50: load.latencyMs.p50, p99: load.latencyMs.p99 };
}
