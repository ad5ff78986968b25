// What every client does with the server: list the tools, record a program that crashes, look at
// the recording, replay it, and make a mistake. The same for all, whatever a client is like.
import assert from "node:assert/strict";

// client: {list: async () => names, call: async (tool, arguments) => {isError, text, structured}}.
// A client that shows only one of text and structured leaves the other undefined.
export async function playScenario(client, { program, traces }) {
  const names = await client.list();
  assert.ok(names.length >= 30, `only ${names.length} tools`);
  for (const name of ["rr_record", "rr_replay_start", "rr_continue", "rr_backtrace"])
    assert.ok(names.includes(name), `${name} is not listed`);

  const ask = async (tool, args) => {
    const answer = await client.call(tool, args);
    assert.ok(!answer.isError, `${tool}: ${answer.text}`);
    // The text is as a debugger prints it, the structure is for programs; some clients show only one.
    if (answer.text !== undefined && answer.structured !== undefined)
      assert.ok(answer.text.length > 0 && !answer.text.startsWith("{"), `${tool}: ${answer.text}`);
    return answer.structured ?? JSON.parse(answer.text);
  };

  const trace = `${traces}/crash-${names.length}-${Math.random().toString(36).slice(2)}`;
  const recorded = await ask("rr_record", { command: [program], trace_dir: trace });
  assert.equal(recorded.signal, "SIGSEGV", JSON.stringify(recorded));
  const processes = await ask("rr_ps", { trace_dir: recorded.trace_dir });
  assert.equal(processes.processes.length, 1);

  const replay = await ask("rr_replay_start", { trace_dir: recorded.trace_dir });
  const session = replay.session;
  assert.ok(session, "no session");
  const stop = await ask("rr_continue", { session });
  assert.equal(stop.reason, "signal");
  assert.equal(stop.signal, "SIGSEGV");
  // Stringified, as models send it.
  const trail = await ask("rr_backtrace", { session, max_depth: "3" });
  assert.equal(trail.frames[0].function, "read_name");

  const wrong = await client.call("rr_breakpoint_set", { session, locaton: "main" });
  assert.ok(wrong.isError, "an unknown argument was taken");
  assert.match(wrong.text, /did you mean "location"\?/);

  await ask("rr_replay_stop", { session });
  return { tools: names.length };
}

// The SDKs' part. Connects a client and returns the errors that the client reports through onerror.
export async function connectTo(client, Transport, [command, ...args]) {
  const errors = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(new Transport({ command, args }));
  return errors;
}

export const playWith = (client, call, world) =>
  playScenario(
    {
      list: async () => (await client.listTools()).tools.map((tool) => tool.name),
      call: async (name, args) => plain(await call(name, args)),
    },
    world,
  );

// Records a program that takes seconds, for clients that ask for progress: it must come, and rise.
export async function watchRecording(call, { traces }) {
  const trace = `${traces}/watched-${Math.random().toString(36).slice(2)}`;
  const ticks = [];
  const answer = await call("rr_record", { command: ["/bin/sleep", "4"], trace_dir: trace }, (tick) =>
    ticks.push(tick.progress),
  );
  assert.equal(answer.structuredContent.exit_code, 0);
  assert.ok(ticks.length > 0, "no progress in four seconds");
  assert.deepEqual(ticks, [...new Set(ticks)].sort((a, b) => a - b));
  return ticks.length;
}

// Cancels a recording that would take a minute. Nothing may come for it afterwards (which the tap's
// record shows), and the server goes on as if nothing had happened.
export async function cancelRecording(call, { traces }) {
  const trace = `${traces}/cancelled-${Math.random().toString(36).slice(2)}`;
  const args = { command: ["/bin/sleep", "60"], trace_dir: trace };
  await assert.rejects(call("rr_record", args, AbortSignal.timeout(3000)));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const answer = await call("rr_sessions", {});
  assert.deepEqual(answer.structuredContent.sessions, []);
}

// An MCP result in the form for playScenario.
export const plain = (result) => ({
  isError: result.isError ?? false,
  text: result.content[0]?.text,
  structured: result.structuredContent,
});
