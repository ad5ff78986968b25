#!/bin/sh
# Slurm: tries to record a failing run on many machines at once. The first task that records one keeps
# its recording and cancels the others.
#
#   mkdir recordings && sbatch slurm-array.sh ./flaky_test --its-arguments
#
# The folder "recordings" below the submitting folder must be on a file system that all nodes share.
# Each task records to its node's own disk, and only the failing recording goes to the shared one.
#SBATCH --job-name=catch-flaky
#SBATCH --array=1-100%20
#SBATCH --cpus-per-task=1
#SBATCH --mem=4G
#SBATCH --time=00:30:00
#SBATCH --output=recordings/%A_%a.log
set -u

shared=$SLURM_SUBMIT_DIR/recordings
mkdir -p "$shared"
disk=$(mktemp -d "${TMPDIR:-/tmp}/catch-flaky.XXXXXX")
trap 'rm -rf "$disk"' EXIT INT TERM

rr-warden --trace-dir="$disk" record-until -n 20 --timeout=60 --export="$disk/failing-run.tar" -- "$@"
[ -e "$disk/failing-run.tar" ] || exit 0

# mkdir succeeds for only one task: its recording is kept.
if mkdir "$shared/$SLURM_ARRAY_JOB_ID"; then
	cp "$disk/failing-run.tar" "$shared/$SLURM_ARRAY_JOB_ID/"
	echo "kept $shared/$SLURM_ARRAY_JOB_ID/failing-run.tar"
	scancel --state=PENDING "$SLURM_ARRAY_JOB_ID"
	scancel --state=RUNNING "$SLURM_ARRAY_JOB_ID"
fi
