#!/usr/bin/python3
"""Knows every command and every piece of configuration in README.md and in the manual pages, and which
test runs it: this one, with the real command lines of Claude Code, Codex and Gemini CLI, or another one,
whose file must contain it. A command that is new there fails here until somebody has a test for it.

  readme.py SERVER TREE CLIENTS     CLIENTS is what `make deps-clients` made
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

from outcomes import attempt, check, summary

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "report"))
from server import Server

PROGRAMS = "make|rr-warden|claude|codex|gemini|code|pip|npm|npx|sysctl|sudo|ssh|podman|docker"


class Home:
    """A new user's home, in which shell commands run."""

    def __enter__(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="rr-warden-readme-", ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self.scratch.name)
        return self

    def __exit__(self, *_):
        self.scratch.cleanup()

    def run(self, command, input="", statuses=(0,)):
        path = [server.parent, clients / "node_modules/.bin", clients / "agents/node_modules/.bin"]
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, input=input, capture_output=True, text=True, timeout=300,
            env={**os.environ, "HOME": str(self.folder), "PATH": ":".join([*map(str, path), os.environ["PATH"]])})
        output = done.stdout + done.stderr
        check(done.returncode in statuses, f"`{command}` ended with {done.returncode}: {output[-1000:]}")
        return output

    def json(self, name):
        return json.loads((self.folder / name).read_text())


# ---- What the README says ---------------------------------------------------------------------


def paragraphs():
    """The README without its fenced blocks (`make picture` writes the tour into them)."""
    return re.sub(r"^```.*?^```$", "", readme, flags=re.M | re.S)


def indented_lines():
    return [line[4:] for line in paragraphs().splitlines() if line.startswith("    ")]


def commands():
    found = {line.split("  # ")[0].split("    # ")[0].strip() for line in indented_lines()
             if re.match(rf"({PROGRAMS})\b", line)}
    prose = " ".join(line for line in paragraphs().splitlines() if not line.startswith("    "))
    inline = re.findall(r"`([^`]+)`", prose)
    return found | {text for text in inline if re.match(rf"({PROGRAMS}) ", text)}


def json_pieces():
    return [json.loads(line) for line in indented_lines() if line.startswith("{")]


def toml_piece():
    lines = indented_lines()
    first = lines.index("[mcp_servers.rr]")
    return "\n".join(lines[first:first + 3])


# ---- What the manual pages say ----------------------------------------------------------------


def examples(page):
    """The lines of its blocks as they are typed, continued ones in one."""
    text = (tree / "packaging" / page).read_text()
    blocks = re.findall(r"^\.nf\n(.*?)^\.fi$", text, flags=re.M | re.S)
    return [line for block in blocks
            for line in re.sub(r"\\e\n *", "", block).replace(r"\-", "-").splitlines()]


def manual_commands():
    return {line for line in examples("rr-warden.1") if re.match(rf"({PROGRAMS})\b", line)}


# ---- What runs here ---------------------------------------------------------------------------


def starts(entry):
    """Starts what a host's configuration names, and lists its tools."""
    os.environ["PATH"] = f"{server.parent}:{os.environ['PATH']}"
    client = Server(entry["command"], *entry.get("args", []))
    check(any(tool["name"] == "rr_record" for tool in client.ask("tools/list", {})["tools"]), "no rr_record")
    client.close()


def claude(command):
    with Home() as home:
        home.run(command)
        check(home.json(".claude.json")["mcpServers"]["rr"]["command"] == "rr-warden", "the configuration")
        listed = home.run("claude mcp list")
        check(re.search(r"rr: rr-warden .*Connected", listed), listed)


def claude_switches(command):
    with Home() as home:
        home.run("claude mcp add karellen-rr-mcp -- karellen-rr-mcp")
        home.run(command)
        listed = home.run("claude mcp list")
        check(re.search(r"karellen-rr-mcp: rr-warden .*Connected", listed), listed)


def codex(command):
    with Home() as home:
        (home.folder / ".codex").mkdir()
        home.run(command)
        entry = tomllib.loads((home.folder / ".codex/config.toml").read_text())["mcp_servers"]["rr"]
        wanted = command.split(" -- ")[1].split()
        check([entry["command"], *entry.get("args", [])] == wanted, entry)


def codex_reads(piece):
    with Home() as home:
        (home.folder / ".codex").mkdir()
        (home.folder / ".codex/config.toml").write_text(piece)
        said = home.run("codex mcp get --json rr")
        entry, _ = json.JSONDecoder().raw_decode(said[said.index("{"):])
        wanted = tomllib.loads(piece)["mcp_servers"]["rr"]
        check(entry["transport"]["command"] == wanted["command"], entry)
        check(entry["tool_timeout_sec"] == wanted["tool_timeout_sec"], entry)


def gemini(command):
    with Home() as home:
        home.run(command)
        entry = home.json(".gemini/settings.json")["mcpServers"]["rr"]
        (wanted,) = [piece["mcpServers"]["rr"] for piece in json_pieces()
                     if "timeout" in piece.get("mcpServers", {}).get("rr", {})]
        check(entry == wanted, entry)


def vscode(command):
    """Its `code` is not to be had here: only that the argument is what it documents."""
    argument = json.loads(re.search(r"'(.*)'", command)[1])
    check(argument["name"] == "rr", argument)
    starts(argument)


def prints(command):
    with Home() as home:
        check("rr-warden" in home.run(command), "no output")


def records_and_replays(_):
    """Both commands, as somebody would type them one after the other."""
    with Home() as home:
        (home.folder / "program.c").write_text("int main(void) { return 0; }\n")
        home.run("cc -g -o program program.c")
        home.run("rr-warden rr record ./program")
        said = home.run("rr-warden rr replay", input="break main\ncontinue\nkill\nquit\n")
        check("main ()" in said, said)


def failing_test(home):
    (home.folder / "test.c").write_text("int main(void) { return *(volatile int *)8; }\n")
    home.run("cc -g -o test test.c")


def records_until(command):
    with Home() as home:
        failing_test(home)
        home.run(command, statuses=(1,))
        check((home.folder / "failure.tar").stat().st_size > 0, "no archive")


def explains(command):
    with Home() as home:
        failing_test(home)
        home.run(f"trace=$(rr-warden record-until -n 1 -- ./test) || true; GITHUB_STEP_SUMMARY=summary; {command}")
        check("SIGSEGV in main" in (home.folder / "summary").read_text(), "the summary does not name the crash")


def configures(lines):
    """The example of the settings' manual page, with its folder in a home."""
    with Home() as home:
        (home.folder / "traces").mkdir()
        (home.folder / "conf").write_text("\n".join(lines).replace("/srv", str(home.folder)) + "\n")
        starts({"command": "rr-warden", "args": [f"--config={home.folder}/conf"]})


def installs_and_uninstalls(_):
    with Home() as home:
        out = home.folder / "out"
        for target in "install", "uninstall":
            makes(f"DESTDIR={out}", target)
            there = [path for path in out.rglob("*") if not path.is_dir()]
            check(bool(there) == (target == "install"), there)


def makes(*words):
    return subprocess.run(["make", "-s", "-C", tree, f"BUILD={server.parent.parent}", *words],
                          check=True, capture_output=True, text=True).stdout


def demo(command):
    """Without the packages, which `make demo` may install first."""
    check("Found\n  list_corruption.c:43" in makes("demo-run", *command.split()[2:]), "the demo did not find the line")


def is_target(command):
    """Targets that take long, or are checks themselves: only that there is one of this name."""
    target = " ".join(command.split()[:2])
    check(f"  {target} " in makes("help"), f"`make help` lacks {target}")


def is_flag(flag):
    with Home() as home:
        check(flag.split("=")[0] in home.run("rr-warden --help settings"), "the server does not know it")


BARE = "tests/bare/run.sh"
# Each command: what runs it here, or the test that does and its words there.
RUN = {
    "make demo": (BARE, "make demo"),
    "make check": (BARE, "make check"),
    "make deps FOR=deb && make deb && sudo apt install ./build/rr-warden_*.deb":
        (BARE, "make deps FOR=deb", "make deb", "sudo apt-get install -y ./build/rr-warden_*.deb"),
    "rr-warden doctor": (BARE, "rr-warden doctor"),
    "make && sudo make install": installs_and_uninstalls,
    "make uninstall": installs_and_uninstalls,
    "pip install ./build/rr_warden*.whl": ("tests/packages/check.sh", "pip' install --quiet --no-index '$scratch'/rr_warden*.whl"),
    "npm install ./build/rr-warden-*.tgz": ("tests/packages/check.sh", "npm install --silent", "'$scratch'/rr-warden-*.tgz"),
    "make demo DEMO_OPTIONS=--sandbox-net_ns=prefer": demo,
    "rr-warden config claude": prints,
    "rr-warden --help settings": prints,
    "claude mcp add --scope user rr -- rr-warden": claude,
    "claude mcp remove karellen-rr-mcp && claude mcp add karellen-rr-mcp -- rr-warden": claude_switches,
    "codex mcp add rr -- rr-warden": codex,
    "codex mcp add rr -- rr-warden --trace-dir=/srv/traces": codex,
    "gemini mcp add --scope user --timeout 600000 rr rr-warden --tools=core": gemini,
    'code --add-mcp \'{"name":"rr","command":"rr-warden","args":["--tools=core"]}\'': vscode,
    "rr-warden rr record ./program": records_and_replays,
    "rr-warden rr replay": records_and_replays,
    "rr-warden record-until -n 100 --export=failure.tar -- ./test": records_until,
    'rr-warden explain --markdown "$trace" >>"$GITHUB_STEP_SUMMARY"': explains,
}
# What other programs take, and what needs a machine with performance counters or a container engine
# (tests/packages/container.sh runs the image without one).
OTHERS = {
    "sysctl kernel.perf_event_paranoid=1",
    "podman load -i build/rr-warden-VERSION.oci.tar",
    "podman run -i --rm --userns=keep-id --security-opt seccomp=unconfined --security-opt unmask=ALL "
    '-v "$PWD:$PWD" -w "$PWD" rr-warden:VERSION',
}
OTHERS_FLAGS = {"--security-opt"}


def run(command):
    how = RUN.get(command, is_target if command.startswith("make ") else None)
    check(how is not None, "no test runs it: write one, and name it in RUN")
    if callable(how):
        how(command)
        return
    text = (tree / how[0]).read_text()
    for words in how[1:]:
        check(words in text, f"{how[0]} does not run `{words}`")


def main():
    found = commands() | manual_commands()
    for command in sorted(found - OTHERS):
        attempt(command, run, command)
    for command in sorted((set(RUN) | OTHERS) - found):
        attempt(command, check, False, "neither the README nor the manual has it any more: remove it here")
    for number, piece in enumerate(json_pieces(), 1):
        ((_, servers),) = piece.items()
        attempt(f"JSON {number}: what it names starts and lists its tools", starts, servers["rr"])
    attempt("Codex reads the TOML", codex_reads, toml_piece())
    attempt("the example of rr-warden.conf(5)", configures, examples("rr-warden.conf.5.in"))
    for flag in sorted(set(re.findall(r"`(--[a-z][a-z_-]*)", paragraphs())) - OTHERS_FLAGS):
        attempt(flag, is_flag, flag)
    return summary()


server, tree, clients = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
readme = (tree / "README.md").read_text()
sys.exit(main())
