// Runs real clients against the real server, one after the other. A tap between client and server
// records every line, and afterwards all lines are checked against the specification's schema.
//
// node check.mjs SERVER PROGRAM [CLIENT...]
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as claude from "./claude.mjs";
import * as terminal from "./claude_terminal.mjs";
import * as codex from "./codex.mjs";
import * as inspector from "./inspector.mjs";
import { removeFolder } from "./processes.mjs";
import * as v1 from "./sdk_v1.mjs";
import { in_mode } from "./sdk_v2.mjs";
import { loadSchemas, Wire } from "./wire.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [server, program, ...only] = process.argv.slice(2);
// Clients are scripts for `node`, and need our version of it.
process.env.PATH = `${join(here, "node_modules", ".bin")}:${process.env.PATH}`;
const agents = join(here, "agents", "node_modules");

const clients = {
  "sdk-v1": { run: v1.run },
  "sdk-v2-legacy": { run: in_mode("legacy") },
  "sdk-v2-auto": { run: in_mode("auto") },
  "sdk-v2-pin": { run: in_mode("pin") },
  inspector: { run: inspector.run },
  codex: { run: codex.run, needs: join(agents, ".bin", "codex") },
  claude: { run: claude.run, needs: join(agents, ".bin", "claude") },
  "claude-terminal": { run: terminal.run, needs: join(agents, ".bin", "claude") },
};

const scratch = mkdtempSync(join(tmpdir(), "rr-warden-clients-"));
const wire = new Wire(loadSchemas(here));
let failed = 0;

for (const [name, client] of Object.entries(clients)) {
  if (only.length > 0 && !only.includes(name)) continue;
  if (client.needs && !existsSync(client.needs)) {
    console.log(`SKIP ${name}: ${client.needs} could not be installed`);
    continue;
  }
  // Clients share no folder, because each of them makes traces of the same names.
  const home = join(scratch, name);
  const records = join(home, "records");
  mkdirSync(records, { recursive: true });
  const world = {
    program,
    scratch: home,
    traces: home,
    bin: client.needs ? dirname(client.needs) : join(here, "node_modules", ".bin"),
    claude: clients.claude.needs,
  };
  // Each process of the server gets a record of its own: clients start siblings.
  const command = [join(here, "tapped.sh"), records, process.execPath, join(here, "tap.mjs"), server];
  const begun = Date.now();
  try {
    const result = await client.run(command, world);
    const said = readdirSync(records).map((file) => wire.check(join(records, file)));
    const total = said.reduce((sum, { lines }) => sum + lines, 0);
    const tasks = said.reduce((sum, record) => sum + record.tasks, 0);
    const openings = [...new Set(said.map(({ opening }) => opening))].join(", ");
    if (total === 0) throw new Error("the tap recorded nothing");
    console.log(
      `ok   ${name}: ${JSON.stringify(result)}, ${total} lines of ${said.length} servers valid, ` +
        `opened by ${openings}, ${tasks} tasks, ` +
        `${((Date.now() - begun) / 1000).toFixed(1)} s`,
    );
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}: ${error.stack ?? error}`);
    if (error.stdout || error.stderr) console.log(error.stdout, error.stderr);
  }
}
if (process.env.KEEP) console.log(`kept in ${scratch}`);
else await removeFolder(scratch);
process.exit(failed ? 1 : 0);
