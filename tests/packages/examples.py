#!/usr/bin/python3
"""Runs what packaging/examples tells people to copy: the scripts of the CI jobs, of the Kubernetes
pod and of the Slurm task, with the built rr-warden and a test that fails now and then. What installs
packages is left out here; tests/bare does that.

  examples.py SERVER EXAMPLES
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

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
counts = {"passed": 0, "failed": 0}


def test(name, body):
    with tempfile.TemporaryDirectory(prefix="rr-warden-examples-") as folder:
        folder = pathlib.Path(folder)
        (folder / "flaky_test.c").write_text(FLAKY)
        (folder / "Makefile").write_text(MAKEFILE)
        try:
            body(folder)
        except Exception as error:
            counts["failed"] += 1
            print(f"FAILED: {name}: {error}")
            return
    counts["passed"] += 1
    print(f"ok: {name}")


def shell(folder, script, shell_command=("bash", "-e", "-c"), **environment):
    done = subprocess.run(
        [*shell_command, script], cwd=folder, capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder), "PATH": f"{server.parent}:{os.environ['PATH']}", **environment})
    return done.returncode, done.stdout + done.stderr


def check(condition, message):
    if not condition:
        raise AssertionError(message)


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


def github(folder):
    workflow = yaml.safe_load((examples / "github-actions.yml").read_text())
    steps = workflow["jobs"]["record"]["steps"]
    environment = environment_of(workflow["env"], folder)
    runs = {step["name"]: step["run"] for step in steps if "run" in step}
    status, output = shell(folder, runs["Build"], **environment)
    check(status == 0, output)
    status, output = shell(folder, runs["Record until it fails"], **environment)
    check(status == 1, f"status {status}: {output}")
    (keep,) = [step for step in steps if step.get("if") == "failure()"]
    archive_replays(folder, folder / keep["with"]["path"])


def gitlab(folder):
    job = yaml.safe_load((examples / "gitlab-ci.yml").read_text())["catch-flaky-test"]
    environment = environment_of(job["variables"], folder)
    doctor = [line for line in job["before_script"] if "doctor" in line]
    status, output = shell(folder, "\n".join(doctor + job["script"]), **environment)
    check(status == 1, f"status {status}: {output}")
    check(job["artifacts"]["when"] == "on_failure", "the artifact goes with a failure")
    archive_replays(folder, folder / job["artifacts"]["paths"][0])


def kubernetes(folder):
    job = yaml.safe_load((examples / "kubernetes-job.yaml").read_text())
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    check(job["kind"] == "Job" and pod["restartPolicy"] == "Never", "the kind of the job")
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


def systemd(folder):
    """Only that the script asks for what systemd-run knows; a scope needs a running systemd."""
    status, output = shell(folder, f'sh -n "{examples}/systemd-limits.sh" && systemd-run --help')
    check(status == 0, output)
    for word in (examples / "systemd-limits.sh").read_text().split("exec systemd-run")[1].split():
        if word.startswith("--") and word != "--":
            check(word.split("=")[0] in output, f"systemd-run knows no {word}")


server = pathlib.Path(sys.argv[1]).resolve()
examples = pathlib.Path(sys.argv[2]).resolve()
test("the job of GitHub Actions keeps a recording that replays", github)
test("the job of GitLab CI keeps a recording that replays", gitlab)
test("a pod of the Kubernetes job keeps a recording that replays", kubernetes)
test("a task of the Slurm array keeps a recording that replays, and cancels the others", slurm)
test("systemd-run knows the options of systemd-limits.sh", systemd)
print(f"{counts['passed']} passed, {counts['failed']} failed")
sys.exit(1 if counts["failed"] else 0)
