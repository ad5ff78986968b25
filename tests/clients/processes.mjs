// The clients' processes. Each client leads a process group of its own, because some clients are
// scripts that start the real program: whoever ends a client ends its whole group.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 10000;
const REMOVAL_TRIES = 20;

export function startGroup(command, args, options) {
  return spawn(command, args, { ...options, detached: true });
}

// False once no process of the group is left.
function signalGroup(leader, signal) {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (error) {
    if (error.code === "ESRCH") return false;
    throw error;
  }
}

// Returns when no process of the group is left to write anywhere: it first asks, then kills.
export async function endGroup(child) {
  if (child.pid === undefined) return;
  for (const signal of ["SIGTERM", "SIGKILL"]) {
    if (!signalGroup(child.pid, signal)) return;
    for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
      await sleep(50);
      if (!signalGroup(child.pid, 0)) return;
    }
  }
  throw new Error(`process group ${child.pid} is still there after SIGKILL`);
}

// A client can start helpers in groups of their own: they notice its end, but may write until then.
export async function removeFolder(folder) {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (error.code !== "ENOTEMPTY" || tries === REMOVAL_TRIES) throw error;
      await sleep(250);
    }
  }
}
