#!/bin/sh
# The tuner at work: one kernel on the first device that kernels are compiled for (else on host), within a minute. `heddle` is on the
# PATH; the report goes to the folder $1, and so does the database, since this is only to look at.
set -eu
out=$1
export HEDDLE_DATABASE="$out/tuning.db"
rm -f "$out"/tuning.db*
device=$(heddle devices --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | grep -v '^host$' | head -n 1)

printf 'The fastest configuration of a 17 x 17 convolution on this device:\n'
heddle tune heddle:convolution --device "${device:-host}" --time 40 --patience 150 --report "$out/tuning.html"
printf 'Open %s in a browser.\n' "$out/tuning.html"
