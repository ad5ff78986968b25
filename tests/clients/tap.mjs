// Stands between a client and the server and records every line of both, so that they can be checked
// afterwards. Passes bytes and ends on as they come; adds and removes nothing.
//
// node tap.mjs RECORD COMMAND [ARGUMENT...]; RECORD gets one JSON object a line: {from, line}.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [record, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });

// Records whole lines of one side, and a last line without a newline as such.
function recorder(from) {
  let rest = "";
  return {
    take(chunk) {
      const lines = (rest + chunk.toString("utf8")).split("\n");
      rest = lines.pop();
      for (const line of lines) appendFileSync(record, JSON.stringify({ from, line }) + "\n");
    },
    end() {
      if (rest) appendFileSync(record, JSON.stringify({ from, line: rest, cut: true }) + "\n");
      rest = "";
    },
  };
}

const client = recorder("client");
const said = recorder("server");

process.stdin.on("data", (chunk) => {
  client.take(chunk);
  server.stdin.write(chunk);
});
process.stdin.on("end", () => server.stdin.end());
server.stdin.on("error", () => {});
server.stdout.on("data", (chunk) => {
  said.take(chunk);
  process.stdout.write(chunk);
});
process.stdout.on("error", () => {});
server.stdout.on("end", () => said.end());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code, signal) => {
  appendFileSync(record, JSON.stringify({ from: "end", code, signal }) + "\n");
  process.exit(code ?? 1);
});
server.on("error", (error) => {
  process.stderr.write(`tap: ${error.message}\n`);
  process.exit(1);
});
