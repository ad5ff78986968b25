#!/usr/bin/python3
"""Runs what packaging/examples tells people to copy, with the built rr-warden and a test that fails
now and then: the scripts of the CI jobs, of the Kubernetes pod and of the Slurm array, and the server
behind ssh. And the completion of the shells. sshd and a Slurm cluster of one node run on loopback for
that, where they are installed; they are never installed for it, because they would stay behind as
services. What installs packages is left out here; tests/bare does that.

  examples.py SERVER EXAMPLES [CLIENTS]

CLIENTS is what `make deps-clients` made: with it, the files for CI services and Kubernetes are also
compared with their formats.
"""

import contextlib
import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import yaml

from outcomes import attempt, check, skip, summary

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "report"))
from server import Server

DAEMONS = f"{os.environ['PATH']}:/usr/sbin:/sbin"
FLAKY = r"""
#include <stdio.h>
#include <time.h>

int main(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	printf("tick %ld\n", now.tv_nsec);
	return now.tv_nsec / 1000 % 2 == 0;
}
"""
MAKEFILE = "flaky_test: flaky_test.c\n\t$(CC) $(CFLAGS) -o $@ $<\n"
PATIENCE = 300  # seconds, on a busy machine


def test(name, body, *programs):
    missing = [program for program in programs if not shutil.which(program, path=DAEMONS)]
    if missing:
        skip(name, f"{', '.join(missing)} is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="rr-warden-examples-") as folder:
        folder = pathlib.Path(folder)
        (folder / "flaky_test.c").write_text(FLAKY)
        (folder / "Makefile").write_text(MAKEFILE)
        attempt(name, body, folder)


def shell(folder, script, shell_command=("bash", "-e", "-c"), **environment):
    done = subprocess.run(
        [*shell_command, script], cwd=folder, capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder), "PATH": f"{server.parent}:{os.environ['PATH']}", **environment})
    return done.returncode, done.stdout + done.stderr


def archive_replays(folder, archive):
    """Imports the archive as a person would with rr_import, and asks for its processes."""
    check(archive.exists(), f"{archive} was not kept")
    unpacked = folder / "unpacked"
    unpacked.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", unpacked], check=True)
    (trace,) = {path.parent for path in unpacked.rglob("version")}
    status, output = shell(folder, f'rr-warden rr replay -a "{trace}" >/dev/null && rr-warden rr ps "{trace}"')
    check(status == 0 and "flaky_test" in output, output)


def environment_of(values, folder):
    return {name: str(value) for name, value in values.items() if name != "RR_WARDEN_DEB"}


def check_why(summary):
    """The report says how the test ended."""
    text = summary.read_text()
    check(text.startswith("# Why the program ended\n") and "```" in text, text)
    check("it exited with status 1" in text, text)


def github(folder):
    workflow = yaml.safe_load((examples / "github-actions.yml").read_text())
    steps = workflow["jobs"]["record"]["steps"]
    check(workflow["permissions"] == {"contents": "read"}, "the job can change the repository")
    check(any("sha256sum --check" in step.get("run", "") for step in steps), "the package is not verified")
    environment = environment_of(workflow["env"], folder)
    runs = {step["name"]: step["run"] for step in steps if "run" in step}
    status, output = shell(folder, runs["Build"], **environment)
    check(status == 0, output)
    status, output = shell(folder, runs["Record until it fails"], **environment)
    check(status == 1, f"status {status}: {output}")
    status, output = shell(
        folder, runs["Say why it failed"], GITHUB_STEP_SUMMARY=str(folder / "summary.md"), **environment)
    check(status == 0, output)
    check_why(folder / "summary.md")
    why, keep = [step for step in steps if step.get("if") == "failure()"]
    check("run" in why, "why it failed comes first, because it is short")
    archive_replays(folder, folder / keep["with"]["path"])


def gitlab(folder):
    job = yaml.safe_load((examples / "gitlab-ci.yml").read_text())["catch-flaky-test"]
    check(any("sha256sum --check" in line for line in job["before_script"]), "the package is not verified")
    environment = environment_of(job["variables"], folder)
    doctor = [line for line in job["before_script"] if "doctor" in line]
    status, output = shell(folder, "\n".join(doctor + job["script"]), **environment)
    check(status == 1, f"status {status}: {output}")
    check(job["artifacts"]["when"] == "on_failure", "the artifact goes with a failure")
    status, output = shell(folder, "\n".join(job["after_script"]), **environment)
    check(status == 0, output)
    check_why(folder / job["artifacts"]["paths"][1])
    archive_replays(folder, folder / job["artifacts"]["paths"][0])


def kubernetes(folder):
    job = yaml.safe_load((examples / "kubernetes-job.yaml").read_text())
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    check(job["kind"] == "Job" and pod["restartPolicy"] == "Never", "the kind of the job")
    check(pod["automountServiceAccountToken"] is False, "the test could act in the cluster")
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    check(set(mounts) == {volume["name"] for volume in pod["volumes"]}, "a mount without its volume")
    script = container["args"][0]
    for path in mounts.values():
        (folder / path.strip("/")).mkdir()
        script = script.replace(path, str(folder / path.strip("/")))
    shell(folder, "make CFLAGS=-g flaky_test")
    environment = {entry["name"]: entry["value"] for entry in container["env"] if entry["name"] != "HOME"}
    status, output = shell(folder, script, tuple(container["command"]), JOB_COMPLETION_INDEX="7", **environment)
    check(status == 0, output)
    archive_replays(folder, folder / "recordings" / "failing-run-7.tar")


def slurm(folder):
    shell(folder, "make CFLAGS=-g flaky_test")
    commands = folder / "bin"
    commands.mkdir()
    (commands / "scancel").write_text(f'#!/bin/sh\necho "$@" >>"{folder}/cancelled"\n')
    (commands / "scancel").chmod(0o755)
    status, output = shell(
        folder, f'PATH="{commands}:$PATH" sh "{examples}/slurm-array.sh" ./flaky_test', TMPDIR=str(folder),
        SLURM_SUBMIT_DIR=str(folder), SLURM_ARRAY_JOB_ID="42", SLURM_ARRAY_TASK_ID="1")
    check(status == 0, output)
    archive_replays(folder, folder / "recordings" / "42" / "failing-run.tar")
    check("42" in (folder / "cancelled").read_text(), "the other tasks were not cancelled")
    check(not list(folder.glob("catch-flaky.*")), "the task left its folder")


@contextlib.contextmanager
def daemons():
    """Gives a function that starts a program in the foreground; all of them end with the block."""
    started = []
    def start(*command, **environment):
        log = open(command_log(command), "wb")
        started.append(subprocess.Popen(
            [shutil.which(command[0], path=DAEMONS), *map(str, command[1:])], stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, env={**os.environ, **environment}, start_new_session=True))
    def command_log(command):
        return logs / f"{command[0]}.log"
    with tempfile.TemporaryDirectory(prefix="rr-warden-daemons-") as folder:
        logs = pathlib.Path(folder)
        try:
            yield start
        except Exception:
            for log in logs.iterdir():
                print(log.name, log.read_text(errors="replace")[-2000:], sep=": ")
            raise
        finally:
            for process in reversed(started):
                process.terminate()
            for process in started:
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(what, happened):
    end = time.monotonic() + PATIENCE
    while not happened():
        check(time.monotonic() < end, f"{what}: not within {PATIENCE} s")
        time.sleep(0.2)


def answers_on(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def ssh(folder):
    """The command of examples/README.md, to a machine that is this one."""
    shell(folder, "make CFLAGS=-g flaky_test")
    for key in "host_key", "user_key":
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    (folder / "user_key.pub").rename(folder / "authorized_keys")
    port = free_port()
    (folder / "sshd_config").write_text(f"""
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
SetEnv PATH={server.parent}:{os.environ['PATH']}
""")
    (folder / "ssh_config").write_text(f"""
Host host
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/user_key
  IdentitiesOnly yes
  BatchMode yes
  StrictHostKeyChecking no
  UserKnownHostsFile {folder}/known_hosts
""")
    if os.getuid() == 0:
        pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd wants it, as root
    command = "ssh host rr-warden"
    check(f"`{command}`" in (examples / "README.md").read_text(), "the example is another one now")
    with daemons() as start:
        start("sshd", "-D", "-e", "-f", folder / "sshd_config")
        wait_for("sshd", lambda: answers_on(port))
        words = command.split()
        client = Server(words[0], "-F", str(folder / "ssh_config"), *words[1:])
        tools = client.ask("tools/list", {})["tools"]
        check(any(tool["name"] == "rr_record" for tool in tools), "no rr_record")
        recorded = client.call("rr_record", command=[str(folder / "flaky_test")], trace_dir=f"{folder}/trace")
        check(recorded["exit_code"] in (0, 1), recorded)
        client.call("rr_replay_start", trace_dir=recorded["trace_dir"])
        client.close()
        check(client.process.returncode == 0, f"ssh ended with {client.process.returncode}")


def slurm_configuration(folder):
    host, me = socket.gethostname().split(".")[0], getpass.getuser()
    for name in "state", "spool":
        (folder / name).mkdir()
    (folder / "slurm.conf").write_text(f"""
ClusterName=check
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={me}
SlurmdUser={me}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=8192 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
    (folder / "munge.key").write_bytes(os.urandom(128))
    (folder / "munge.key").chmod(0o400)
    folder.chmod(0o755)  # munged lets others to its socket


def slurm_cluster(folder):
    """The whole array on a cluster of one node, submitted as the script's first lines say."""
    shell(folder, "make CFLAGS=-g flaky_test")
    slurm_configuration(folder)
    conf = {"SLURM_CONF": f"{folder}/slurm.conf", "TMPDIR": str(folder)}
    with daemons() as start:
        start("munged", "--foreground", "--force", f"--key-file={folder}/munge.key",
              f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
              f"--seed-file={folder}/munged.seed", f"--log-file={folder}/munged.log")
        wait_for("munged", (folder / "munge.socket").exists)
        start("slurmctld", "-D", "-i", **conf)
        start("slurmd", "-D", **conf)
        wait_for("the node", lambda: "idle" in shell(folder, "sinfo --noheader --format=%t", **conf)[1])
        status, output = shell(
            folder, f'mkdir recordings && sbatch --parsable "{examples}/slurm-array.sh" ./flaky_test', **conf)
        check(status == 0, output)
        job = output.strip()
        wait_for("the array", lambda: shell(folder, "squeue --noheader", **conf) == (0, ""))
        logs = "".join(log.read_text() for log in (folder / "recordings").glob("*.log"))
        check(f"kept {folder}/recordings/{job}/failing-run.tar" in logs, logs)
        check(len(list((folder / "recordings").glob("*.log"))) < 100, "no task was cancelled")
        archive_replays(folder, folder / "recordings" / job / "failing-run.tar")
        wait_for("the tasks' folders", lambda: not list(folder.glob("catch-flaky.*")))


def systemd(folder):
    """Only that the script asks for what systemd-run knows; a scope needs a running systemd."""
    status, output = shell(folder, f'sh -n "{examples}/systemd-limits.sh" && systemd-run --help')
    check(status == 0, output)
    for word in (examples / "systemd-limits.sh").read_text().split("exec systemd-run")[1].split():
        if word.startswith("--") and word != "--":
            check(word.split("=")[0] in output, f"systemd-run knows no {word}")


def node(*words, folder):
    """Runs a validator; returns whether it was content, and what it said."""
    done = subprocess.run([clients / "node_modules/.bin/node", *words], cwd=folder, capture_output=True, text=True,
                          timeout=PATIENCE, stdin=subprocess.DEVNULL)
    said = done.stdout + done.stderr
    return done.returncode == 0 and "error" not in said and "Invalid" not in said, said


def is_workflow(folder, text):
    (folder / "workflow.yml").write_text(text)
    return node(validators / ".bin/action-validator", "workflow.yml", folder=folder)


def is_gitlab_job(folder, text):
    (folder / ".gitlab-ci.yml").write_text(text)
    for words in ["init", "-q"], ["remote", "add", "origin", "git@gitlab.invalid:a/b.git"]:
        subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)
    return node(validators / ".bin/gitlab-ci-local", "--list", folder=folder)


def is_kubernetes_job(folder, text):
    (folder / "node_modules").symlink_to(validators) if not (folder / "node_modules").exists() else None
    (folder / "job.ts").write_text('import { Job } from "kubernetes-types/batch/v1";\n'
                                   f"export const job: Job = {json.dumps(yaml.safe_load(text))};\n")
    return node(validators / "typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--moduleResolution",
                "node", "job.ts", folder=folder)


def has_format(name, is_valid, *mistakes):
    """The example has its format; and what judges it sees each of these mistakes."""
    def body(folder):
        text = (examples / name).read_text()
        valid, said = is_valid(folder, text)
        check(valid, said)
        for right, wrong in mistakes:
            check(right in text, f"{name} has no {right}")
            check(not is_valid(folder, text.replace(right, wrong))[0], f"{wrong} is not noticed")
    return body


def bash_completes(folder):
    """Calls the completion's function with the words that bash would give it."""
    status, output = shell(folder, f"""
. "{completion}/rr-warden.bash"
compopt() {{ :; }}
complete_words() {{ COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _rr_warden "$1"; echo "${{COMPREPLY[*]}}"; }}
complete_words rr-warden --pm
complete_words rr-warden --pmu = so
complete_words rr-warden doc
complete_words rr-warden --sandbox-landlock =
complete_words rr-warden rr rec
""")
    check((status, output) == (0, "--pmu\nsoftware\ndoctor\nrequire prefer off\n\n"), output)


def zsh_completes(folder):
    """What the completion gives to zsh's own _arguments; zsh sets extended_glob for completions."""
    status, output = shell(
        folder, f'setopt extended_glob; fpath=("{completion}"); autoload -U _rr-warden; '
        '_arguments() { print -rl -- "$@" }; words=(rr-warden); _rr-warden', ("zsh", "-f", "-e", "-c"))
    lines = output.splitlines()
    (commands,) = [line for line in lines if line.startswith("1:command:")]
    check(status == 0 and {"doctor", "config", "rr", "record-until"} <= set(commands[11:-1].split()), output)
    (pmu,) = [line for line in lines if line.startswith("--pmu=[")]
    check(pmu.endswith(":counter:(auto hardware software)"), pmu)
    check(any(line.startswith("--trace-dir=[") and line.endswith(":_directories") for line in lines), output)


server = pathlib.Path(sys.argv[1]).resolve()
examples = pathlib.Path(sys.argv[2]).resolve()
completion = examples.parent / "completion"
clients = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else pathlib.Path("/nowhere")
validators = clients / "validators" / "node_modules"
test("the job of GitHub Actions keeps a recording that replays", github)
test("the job of GitLab CI keeps a recording that replays", gitlab)
test("a pod of the Kubernetes job keeps a recording that replays", kubernetes)
test("a task of the Slurm array keeps a recording that replays, and cancels the others", slurm)
test("an array on a Slurm cluster of one node keeps one recording, and ends", slurm_cluster,
     "munged", "slurmctld", "slurmd", "sbatch")
test("a client records and replays with `ssh host rr-warden`", ssh, "sshd", "ssh", "ssh-keygen")
if validators.exists():
    test("the job of GitHub Actions has the format of a workflow",
         has_format("github-actions.yml", is_workflow, ("runs-on", "run-on"), ("timeout-minutes: 30", "timeout-minutes: x")))
    test("the job of GitLab CI has GitLab's format",
         has_format("gitlab-ci.yml", is_gitlab_job, ("before_script", "befor_script"), ("on_failure", "sometimes")), "git")
    test("the Kubernetes job has the types of batch/v1",
         has_format("kubernetes-job.yaml", is_kubernetes_job, ("runAsNonRoot", "runAsNotRoot"),
                    ("succeededCount: 1", 'succeededCount: "1"'), ("claimName", "claim")))
else:
    skip("the formats of GitHub, GitLab and Kubernetes", "`make deps-clients` did not install the validators")
test("systemd-run knows the options of systemd-limits.sh", systemd)
test("bash completes options, their values and commands", bash_completes, "bash")
test("zsh completes options, their values and commands", zsh_completes, "zsh")
sys.exit(summary())
