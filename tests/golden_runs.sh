#!/bin/sh
# golden_runs.sh COMMAND...: runs the lines of golden/runs.txt with COMMAND, which is heddle or an emulator and heddle, and compares the hash
# of each result. The runs are strict, so every processor has the same hashes. HEDDLE_GOLDEN_WRITE=1 writes them again: the commit names
# for each the changed rules whose reversal alone gives the former hash, since another fault may hide behind a rule that was meant to change.
set -u
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
while read -r expected line; do
    # shellcheck disable=SC2086  # words of a command line
    (cd "$scratch" && "$@" $line --strict --device host --json) >"$scratch/result" 2>"$scratch/errors" </dev/null || {
        echo "FAILED: exit code $?: $line"
        cat "$scratch/errors"
        failed=1
    }
    hash=$(sed -n 's/^ *"hash": "\(.*\)",\{0,1\}$/\1/p' "$scratch/result")
    echo "$hash $line" >>"$scratch/runs.txt"
    [ "$hash" = "$expected" ] || {
        echo "FAILED: $line: hash is ${hash:-missing}; expected $expected"
        failed=1
    }
done <"$here/golden/runs.txt"
[ -z "${HEDDLE_GOLDEN_WRITE:-}" ] || cp "$scratch/runs.txt" "$here/golden/runs.txt"
echo "golden runs: $(wc -l <"$scratch/runs.txt") of cloth and mppi"
exit $failed
