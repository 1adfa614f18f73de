#!/bin/sh
# The tuner at work: one kernel on the first device that kernels are compiled for (else on host). `heddle` is on the PATH; the
# database goes to the demo's folder, since this is only to look at.
set -eu
# shellcheck source=examples/demo/show.sh
. "$(dirname "$0")/show.sh"
export HEDDLE_DATABASE="$out/tuning.db"
rm -f "$out"/tuning.db*
device=$(heddle devices --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | grep -v '^host$' | head -n 1)

say 'The fastest configuration of a 17 x 17 convolution on this device:'
heddle tune heddle:convolution --device "${device:-host}" --time "$(pick 10 60)" --patience 150 --report "$out/tuning.html"
show tuning.html "The report of a tuning: what was tried, how fast it was, and which parameters matter (${device:-host})."
